"""`oas solve` and `oas verify`."""

from __future__ import annotations

import logging
from functools import partial
from typing import Annotated, Any

from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.output import attributes, leave, put, put_all, put_bytes, put_json, save_picture, uninterrupted
from oas.core.errors import InputError, VerificationError
from oas.core.instances import Instance
from oas.core.result import Result
from oas.core.schedule import Schedule
from oas.io import dumps, load_answer, save
from oas.show.comparison import result_parts
from oas.show.progress import ProgressLine


def solve_command(
    file: opt.InstanceFile,
    *,
    asked: opt.SolveArguments,
    placements: str | None = opt.option(
        None, "PLAN", "Schedule or result file: every job keeps its nodes from the plan, and only starts are optimized."
    ),
    gantt: opt.Gantt = None,
    output: str | None = opt.output("Also write the result to this file.", opt.usable_json),
    as_json: opt.AsJson = False,
    log: bool = Option(False, "--log", help="Write a line to stderr for each change of stage, bound or makespan."),
    quiet: opt.Quiet = False,
) -> None:
    """Find a shortest schedule and prove that it is one.

    If the search stops early (limit, Ctrl-C, crash of a solver), the best verified schedule and the proven lower bound
    are shown and written.

    For comparison, a tenth of the time limit (at most 30 s) is spent on the optimum in continuous time (η = 0). The
    table shows it; --json prints only the result file.

    With --placements, the bound in the table still holds for all schedules; a note states the bound that is proven for
    the given nodes. This requires the saturation policy slowdown, and the comparison with η = 0 is skipped.

    Examples
    --------
      oas solve grid.json
      oas solve grid.json --time-limit 60 --check cbc --gantt grid.svg
      oas solve grid.json --log
      oas solve grid.json --solver highs --no-bounds --solver-log highs.log
      oas solve grid.json --slot 0 --formulation start-indexed --json > result.json
      oas solve slow.json --placements plan.json
    """
    instance = opt.load_instance(file, asked.slot)
    if log:
        logging.basicConfig(format="%(message)s")
        logging.getLogger("oas.solve").setLevel(logging.INFO)
    silent = quiet or log or asked.solver_log == "-"
    with asked.named(), ProgressLine(silent, unlimited=asked.time_limit is None) as progress:
        from oas.solving.continuous import solve_with_limit
        from oas.solving.pipeline import solve

        limit = None
        if placements is None:
            result, limit = solve_with_limit(instance, on_progress=progress, **asked.for_solve())
        else:
            plan = opt.load_start(placements, "--placements")
            result = solve(instance, on_progress=progress, placements=plan, on_interrupt="return", **asked.for_solve())
    with uninterrupted() as delivery:
        delivery.save(partial(save, result), output)
        if as_json:
            put_bytes(dumps(result))
        else:
            put_all(*result_parts(instance, result, limit), charts=True)
    if gantt and result.schedule is not None:
        save_picture(result.plot(instance), gantt)
    leave([result, limit.result if limit else None])


def verify_command(
    file: opt.InstanceFile,
    schedule: Annotated[str, Argument(metavar="SCHEDULE", help="Schedule or result file; - for stdin.")],
    slot: opt.Slot = None,
    as_json: opt.AsJson = False,
) -> None:
    """Check a schedule, or every claim of a result, in exact arithmetic and without a solver.

    The bound of a result is proven here if its certificate holds, or by enumerating again. A bound that two different
    runs of solvers claim is reported as not proven here, with the names of both. A claim of one run alone is listed,
    but does not count; a result that counts it is refused. A certificate that would take more than a few minutes of CPU
    time, or 512 MiB, to check is refused. The exit code is 3 if a rule is broken or a claim does not hold.

    Examples
    --------
      oas verify grid.json schedule.json
      oas solve grid.json --json | oas verify grid.json -
      oas verify grid.json result.json --json
    """
    if file == schedule == "-":
        raise InputError("only one of the two files can come from stdin")
    instance = opt.load_instance(file, slot)
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
    """Return the confirmed properties, one line each; `name` is the file name for error messages.

    Raises `VerificationError` if a rule is broken, a claim does not hold, or the result is for another instance.
    """
    from oas.solving.recheck import recheck_result, recheck_schedule

    try:
        if not isinstance(answer, Result):
            return recheck_schedule(instance, answer)
        return recheck_result(instance, answer)
    except InputError as error:  # a result for another instance, or a certificate of an unknown kind
        error.file = name
        raise VerificationError(str(error)) from error
    except VerificationError as error:
        error.args = (f"{name}: {error}",)
        raise


def _document(
    instance: Instance, answer: Schedule | Result, findings: list[str], error: VerificationError | None = None
) -> dict[str, Any]:
    schedule = answer.schedule if isinstance(answer, Result) else answer
    violations = error.violations if error else ()
    result = answer if isinstance(answer, Result) and error is None else None
    proof = None if result is None else result.proof
    not_counted = () if proof is None else proof.unconfirmed
    claims = [] if proof is None else [claim for claim in proof.claims if claim not in not_counted]
    return {
        "instance": instance.digest,
        "holds": error is None,
        "makespan": None if schedule is None else schedule.makespan,
        "lower_bound": None if result is None else result.lower_bound,
        "proven_here": None if proof is None or result is None else not result.is_claimed,
        "claimed_by": [str(claim) for claim in claims],
        "not_counted": [{"bound": claim.bound, "claimed_by": str(claim)} for claim in not_counted],
        "findings": findings,
        "error": None if error is None else str(error).partition("\n")[0],
        "violations": [attributes(violation, "rule", "jobs", "message") for violation in violations],
    }
