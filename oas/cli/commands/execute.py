"""`oas execute`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.output import Delivery, attributes, put_all, put_json, save_picture, uninterrupted
from oas.core.errors import InputError, naming
from oas.core.formats import plural, show_factor, show_percent, show_time

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.core.schedule import Schedule
    from oas.problems.coallocation.execution import Execution
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.show.tables import Table

_MOST_NAMES = 10


@dataclass(frozen=True)
class PolicyOptions:
    """The saturation policy and the slots that a plan is executed under."""

    saturation: Literal["forbid", "slowdown"] | None = Option(
        None, help="What becomes of saturated links. Otherwise as the instance says, with its other fields."
    )
    threshold: str | None = opt.option(
        None, "RATIO", "slowdown: ask links for at most MBW / RATIO, above 0 and at most 1."
    )
    sharing: Literal["paper", "max-min"] | None = Option(None, help="slowdown: how jobs share a saturated link.")
    slot: opt.Slot = None

    def instance(self, file: str) -> CoallocationInstance:
        """Read the instance and give it the policy that the options name."""
        from oas.problems.coallocation.saturation import Saturation
        from oas.problems.registry import COALLOCATION

        found: Any = opt.load_instance(file, self.slot)
        if found.problem is not COALLOCATION:
            raise InputError("only instances of co-allocation are executed", field="problem", file=file)
        own = found.saturation if self.saturation in (None, found.saturation.policy) else Saturation()
        with opt.naming_options({"policy": "--saturation", "threshold": "--threshold", "sharing": "--sharing"}):
            chosen = Saturation(
                self.saturation or own.policy,
                own.threshold if self.threshold is None else self.threshold,
                own.sharing if self.sharing is None else self.sharing,
            )
        return found.with_saturation(chosen)


@dataclass(frozen=True)
class ExecuteOutput:
    """Where the execution goes."""

    output: str | None = opt.output("Also write the executed schedule there.", opt.usable_json, default=None)
    log: str | None = opt.option(
        None, "PATH", "Also write starts and ends as CSV: time, event, job.", callback=opt.usable_csv
    )
    gantt: str | None = opt.picture(
        "Also draw the plan above its execution, with loads of links: a .png, .svg or .pdf file.", default=None
    )
    as_json: opt.AsJson = False
    quiet: bool = Option(False, "--quiet", "-q", help="Do not say on stderr what was written.")


def execute_command(
    file: opt.InstanceFile,
    plan: str | None = Argument(None, metavar="PLAN", help="Schedule or result file to be run; - for stdin."),
    order: str | None = opt.option(None, "NAME", "In place of a plan, a heuristic that decides on line: FCFS, LPT."),
    *,
    policy: PolicyOptions,
    keep_starts: bool = Option(
        False, "--keep-starts", help="No job starts before its start in the plan, rounded up to slots."
    ),
    into: ExecuteOutput,
) -> None:
    """Run a plan, or a heuristic on line, under any saturation policy, and show what becomes of it.

    Jobs of a plan keep their nodes, and their order on each node and on each link; each starts as soon as these allow.
    How long it runs follows from the jobs beside it: a saturated link slows down the communication of those that load
    it. The plan may have been made under another policy, for other bandwidths or slots. The executed schedule is
    verified.

    Shown are the makespan as planned and as executed, how many times longer jobs ran than over links that are not
    saturated, and for how long each link was asked for more than its bandwidth MBW.

    Examples
    --------
      oas execute grid.json schedule.json --saturation slowdown
      oas execute grid.json result.json --saturation slowdown --threshold 1/2
      oas execute grid.json --order FPFS --slot 60 --log events.csv
      oas execute grid.json plan.json --keep-starts --json
      oas execute grid.json plan.json --saturation slowdown --gantt both.png
    """
    if (plan is None) == (order is None):
        field = "PLAN" if plan is None else "--order"
        raise InputError("either a plan or an order is needed", field=field, value=order)
    if file == plan == "-":
        raise InputError("only one of the two files can come from stdin")
    if order is not None and keep_starts:
        raise InputError("goes with a plan; an order has no starts to keep", field="--keep-starts")
    instance = policy.instance(file)
    planned, execution = _execution(instance, plan, order, keep_starts)
    with uninterrupted() as delivery:
        _write(execution, delivery, into)
        if into.as_json:
            put_json(_document(execution, planned))
        else:
            _print(execution, planned)
    if into.gantt:
        given = opt.load_instance(file, None) if file != "-" else instance
        _draw(given, planned, execution, into.gantt, quiet=into.quiet)


def _execution(
    instance: CoallocationInstance, plan: str | None, order: str | None, keep_starts: bool
) -> tuple[Schedule | None, Execution]:
    """Return the plan, if there is one, and its verified execution."""
    from heuristics.registry import find_method
    from oas.core.verifier import check
    from oas.problems.coallocation.execution import Execution, execute

    if plan is None:
        with naming("--order"):
            method = find_method(str(order), instance)
        made = check(instance, method(instance), f"the schedule of {method.name}")
        return None, Execution.of(instance, made)
    planned = opt.load_start(plan, "PLAN")
    assert planned is not None
    try:
        execution = execute(instance, planned, keep_starts=keep_starts)
    except InputError as error:
        if error.field == "plan":
            error.field, error.file = "", "<stdin>" if plan == "-" else plan
        raise
    check(instance, execution.schedule, "the executed schedule")
    return planned, execution


def _write(execution: Execution, delivery: Delivery, into: ExecuteOutput) -> None:
    from oas.io import save
    from oas.io.csv_rows import write_events

    if delivery.save(partial(save, execution.schedule), into.output) and not into.quiet:
        sys.stderr.write(f"schedule written to {into.output}\n")
    if delivery.save(lambda path: write_events(path, execution.events), into.log) and not into.quiet:
        sys.stderr.write(f"log written to {into.log}\n")


def _draw(given: Any, planned: Schedule | None, execution: Execution, path: str, *, quiet: bool) -> None:
    """Draw the plan, as of the first of the likely policies that it is feasible under, above its execution."""
    from oas import plots
    from oas.core.verifier import verify

    instance, executed = execution.instance, execution.schedule
    if planned is None:
        figure = plots.schedule_figure(instance, executed)
    else:
        likely = [given.with_saturation("forbid"), given, instance]
        own = next((one for one in likely if not verify(one, planned)), likely[0])
        figure = plots.execution_figure(own, planned, instance, executed)
    save_picture(figure, path, quiet=quiet)


def _print(execution: Execution, planned: Schedule | None) -> None:
    from oas.show.comparison import title_of

    makespan = None if planned is None else planned.makespan
    lines = _execution_lines(execution, makespan)
    put_all(title_of(execution.instance), *lines, "", _link_table(execution), *_remarks(execution.instance))


def _execution_lines(execution: Execution, planned: Fraction | None) -> list[str]:
    """Return makespans and slowdowns, a line each; `planned` is the plan's makespan if there is a plan."""
    made = execution.schedule.makespan
    beside = f", ratio to the plan {show_factor(made / planned)}" if planned else ""
    greatest = execution.greatest_slowdown
    slowest = next(job for job, value in execution.slowdowns.items() if value == greatest)
    return [
        f"policy    {execution.instance.saturation}",
        f"planned   {show_time(planned)}",
        f"executed  {show_time(made)}{beside}",
        f"slowdown  of jobs: mean {show_factor(execution.mean_slowdown)}, greatest {show_factor(greatest)}"
        + (f" (job {slowest})" if greatest > 1 else ""),
    ]


def _link_table(execution: Execution) -> Table:
    """Return for each cluster's link its bandwidth, the greatest load, and how long it is saturated."""
    from oas.show.tables import Table

    rows = []
    for cluster in execution.instance.clusters:
        steps, long = execution.links[cluster.id], execution.saturated(cluster.id)
        greatest = show_time(max(one.load for one in steps)), show_factor(max(one.degree for one in steps))
        share = show_percent(long / execution.schedule.makespan)
        rows.append((cluster.id, show_time(cluster.bandwidth), *greatest, show_time(long), share))
    headings = ("link of", "MBW", "greatest load", "greatest SC", "saturated for", "of the makespan")
    return Table(headings, rows, side=("greatest SC", "of the makespan"))


def _never_slowed(instance: CoallocationInstance) -> list[str]:
    """Return the ids of the jobs that load links where they are split, and do not communicate: σ = 1."""
    return [job.id for job in instance.jobs if job.sigma == 1 and job.bandwidth and job.tasks > 1]


def _remarks(instance: CoallocationInstance) -> list[str]:
    """Return the line that says so, if there are such jobs and links slow down."""
    names = _never_slowed(instance) if instance.saturation.slows else []
    if not names:
        return []
    shown = ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
    verb = plural(len(names), "loads", "load")
    return [
        f"{len(names)} {plural(len(names), 'job')} with σ = 1 and a bandwidth {verb} links where split, and"
        f" {plural(len(names), 'is', 'are')} not slowed down: {shown}"
    ]


def _document(execution: Execution, planned: Schedule | None) -> dict[str, Any]:
    instance, made = execution.instance, execution.schedule.makespan
    saturation = instance.saturation.to_fields()
    return {
        "instance": instance.digest,
        "saturation": saturation
        if isinstance(saturation, str)
        else {name: str(value) for name, value in saturation.items()},
        "slot": instance.slot,
        "planned": None if planned is None else planned.makespan,
        "executed": made,
        "ratio": None if planned is None or not planned.makespan else made / planned.makespan,
        **attributes(execution, "mean_slowdown", "greatest_slowdown", "slowdowns"),
        "never_slowed": _never_slowed(instance),
        "links": {
            cluster.id: {
                "saturated": execution.saturated(cluster.id),
                "steps": [attributes(one, "start", "end", "load", "degree") for one in execution.links[cluster.id]],
            }
            for cluster in instance.clusters
        },
        "schedule": execution.schedule,
    }
