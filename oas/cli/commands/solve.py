"""`oas solve` and `oas verify`."""

from __future__ import annotations

import logging
import textwrap
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.output import (
    ExitCode,
    attributes,
    columns,
    exit_code,
    put,
    put_all,
    put_bytes,
    put_json,
    save_picture,
    uninterrupted,
)
from oas.core.errors import InputError, VerificationError
from oas.core.formats import show_percent, show_seconds, show_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.plots.mosp import ReservedBox
    from oas.show.comparison import Line
    from oas.studies.study import ContinuousLimit


MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
RESERVED = "▒"
MOST_NODES = 48
MOST_COLUMNS, LEAST_COLUMNS = 72, 24


@dataclass(frozen=True)
class SolveOutput:
    """What is shown and written."""

    gantt: opt.Gantt = None
    output: str | None = opt.output("Also write the result there.", opt.usable_json, default=None)
    as_json: opt.AsJson = False
    log: bool = Option(False, "--log", help="Write a line to stderr whenever stage, bound or makespan changes.")
    quiet: opt.Quiet = False


def solve_command(
    file: opt.InstanceFile,
    *,
    asked: opt.SolveArguments,
    placements: str | None = opt.option(
        None, "PLAN", "A schedule or result file of which every job keeps its nodes: only starts are chosen."
    ),
    into: SolveOutput,
) -> None:
    """Find a shortest schedule and prove that it is one.

    Whatever stops the search (a limit, Ctrl-C, a solver's crash), the best verified schedule and the proven bound are
    shown and written.

    The makespan at η = 0 is bounded too, for comparison: within the time limit, a tenth of which is kept for that, 30 s
    at most. The table shows it; --json prints the result file and nothing else.

    With --placements the bound in the table is still one for all schedules; the line below says what is proven of
    those on the nodes given. That is for slowdown alone, and there is no comparison with η = 0.

    Examples
    --------
      oas solve grid.json
      oas solve grid.json --time-limit 60 --check cbc --gantt grid.svg
      oas solve grid.json --log
      oas solve grid.json --slot 0 --formulation start-indexed --json > result.json
      oas solve slow.json --placements plan.json
    """
    from oas.show.progress import ProgressLine

    instance = opt.load_instance(file, asked.slot)
    if into.log:
        logging.basicConfig(format="%(message)s")
        logging.getLogger("oas.solve").setLevel(logging.INFO)
    with asked.named(), ProgressLine(into.quiet or into.log, unlimited=asked.time_limit is None) as progress:
        from oas.exact.pipeline import solve
        from oas.io import dumps, save
        from oas.studies.study import solve_with_limit

        limit = None
        if placements is None:
            result, limit = solve_with_limit(instance, on_progress=progress, **asked.for_solve())
        else:
            plan = opt.load_start(placements, "--placements")
            result = solve(instance, on_progress=progress, placements=plan, on_interrupt="return", **asked.for_solve())
    with uninterrupted() as delivery:
        delivery.save(partial(save, result), into.output)
        if into.as_json:
            put_bytes(dumps(result))
        else:
            put_all(*solve_view(instance, result, limit, columns()))
    if into.gantt and result.schedule is not None:
        save_picture(result.plot(instance), into.gantt)
    raise typer.Exit(exit_code(result) or (exit_code(limit.result) if limit else ExitCode.DONE))


def text_gantt(instance: Instance, schedule: Schedule, width: int = 80) -> str:
    """Return the chart in lines of at most `width` characters, or one line that says why there is none.

    A character stands for the job that holds the node in the middle of its share of the time axis. Reservations of no
    certain processors are shown on such as no job holds.
    """
    from oas.plots.lanes import chart_style

    clusters = instance.cluster_sizes
    label = max(len(f"{name} {size - 1}") for name, size in clusters)
    columns = min(MOST_COLUMNS, width - label - 3)
    if instance.node_count > MOST_NODES or len(instance.jobs) > len(MARKS) or columns < LEAST_COLUMNS:
        return "(too much for a chart in text)"
    reserved = chart_style(instance).reserved(instance, schedule)
    marks = dict(zip([job.id for job in instance.jobs], MARKS, strict=False))
    lines = []
    for index, (cluster, size) in enumerate(clusters):
        for node in range(size):
            held = [box for box in reserved if box.cluster == index and box.first <= node < box.first + box.count]
            lane = _lane(schedule, cluster, node, columns, marks, held)
            lines.append(f"{f'{cluster} {node}':>{label}} │{lane}│")
        lines.append("")
    end = show_time(schedule.makespan)
    lines[-1] = f"{'':>{label}}  0{end:>{columns - 1}}"
    names = [f"{mark}={job}".replace(" ", "\xa0") for job, mark in marks.items()]
    names += [f"{RESERVED}=reserved"] if reserved else []
    lines += textwrap.wrap("  ".join(names), width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\xa0", " ")


def _lane(
    schedule: Schedule, cluster: str, node: int, columns: int, marks: dict[str, str], reserved: list[ReservedBox]
) -> str:
    step = schedule.makespan / columns
    lane = ["·"] * columns
    runs = [(box.start, box.end, RESERVED) for box in reserved]
    runs += [(one.start, one.end, marks[one.job]) for one in schedule.placements if node in one.nodes.get(cluster, ())]
    for start, end, mark in runs:
        for column in range(columns):
            if start <= (2 * column + 1) * step / 2 < end:
                lane[column] = mark
    return "".join(lane)


def solve_view(instance: Instance, result: Result, limit: ContinuousLimit | None, width: int) -> Iterator[Any]:
    """Yield what is shown of a solve: a title, what was found and what proves it, and the schedule in text."""
    from oas.cli.fitted_table import facts_table
    from oas.show.comparison import tables_of, title_of

    tables = tables_of(instance)
    yield title_of(instance)
    bounds = [("lower bound", show_time(result.lower_bound)), ("gap", show_percent(result.gap))]
    found = [] if result.schedule is None else tables.schedule_lines(instance, result.schedule, bounds)
    yield facts_table([*tables.facts(instance), *_result_lines(result, found, limit)])
    if result.schedule is not None:
        yield ""
        yield text_gantt(instance, result.schedule, width)


def _result_lines(result: Result, found: list[Line], limit: ContinuousLimit | None) -> list[Line]:
    from oas.show.comparison import limit_text

    lines = [("status", f"{result.status.value} ({result.termination.value.replace('_', ' ')})")]
    lines += found
    if result.proof is not None:
        lines.append(("proof", str(result.proof)))
    if limit is not None:
        lines.append(("η = 0", limit_text(limit)))
    stages = ", ".join(f"{name} {show_seconds(value)}" for name, value in result.seconds.items())
    lines.append(("time", stages))
    if result.message:
        lines.append(("note", result.message))
    return lines


def verify_command(
    file: opt.InstanceFile,
    schedule: Annotated[str, Argument(metavar="SCHEDULE", help="Schedule or result file; - for stdin.")],
    slot: opt.Slot = None,
    as_json: opt.AsJson = False,
) -> None:
    """Check a schedule, or all that a result claims, in exact arithmetic and without a solver.

    Of a result, the bound is re-checked where it carries a certificate; what rests on a solver's word is said to do
    so. A certificate that would take more than some minutes of one processor, or 512 MiB, to check is refused. Exit
    code 3 if a rule is broken or a claim does not hold.

    Examples
    --------
      oas verify grid.json schedule.json
      oas solve grid.json --json | oas verify grid.json -
      oas verify grid.json result.json --json
    """
    if file == schedule == "-":
        raise InputError("only one of the two files can come from stdin")
    instance = opt.load_instance(file, slot)
    from oas.io import load_answer

    answer = load_answer(schedule)
    try:
        lines = _findings(instance, answer, "<stdin>" if schedule == "-" else schedule)
    except VerificationError as error:
        if as_json:
            put_json(_document(instance, answer, [], error))
        raise
    if as_json:
        put_json(_document(instance, answer, lines))
    else:
        put("".join(f"{line}\n" for line in lines))


def _findings(instance: Instance, answer: Schedule | Result, name: str) -> list[str]:
    """Return what holds, a line each; `name` is what errors call the file.

    Raises `VerificationError` if a rule is broken, a claim does not hold, or the result is of another instance.
    """
    from oas.core.result import Result
    from oas.exact.recheck import recheck_result, recheck_schedule

    try:
        if not isinstance(answer, Result):
            return recheck_schedule(instance, answer)
        return recheck_result(instance, answer)
    except InputError as error:  # readable, but of another instance, or with a certificate of nothing known
        error.file = name
        raise VerificationError(str(error)) from error
    except VerificationError as error:
        error.args = (f"{name}: {error}",)
        raise


def _document(
    instance: Instance, answer: Schedule | Result, findings: list[str], error: VerificationError | None = None
) -> dict[str, Any]:
    from oas.core.result import Result

    schedule = answer.schedule if isinstance(answer, Result) else answer
    violations = error.violations if error else ()
    return {
        "instance": instance.digest,
        "holds": error is None,
        "makespan": None if schedule is None else schedule.makespan,
        "findings": findings,
        "error": None if error is None else str(error).partition("\n")[0],
        "violations": [attributes(one, "rule", "jobs", "message") for one in violations],
    }
