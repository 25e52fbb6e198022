"""`oas execute`."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from oas.cli import options as opt
from oas.cli.output import Delivery, put_all, put_json, uninterrupted
from oas.core.errors import InputError, naming

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.execution import Execution
    from oas.problems.coallocation.instance import CoallocationInstance


def execute_command(
    file: opt.InstanceFile,
    plan: Annotated[
        str | None, typer.Argument(metavar="PLAN", help="Schedule or result file to be run; - for stdin.")
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            "--order", metavar="NAME", help="In place of a plan, a heuristic that decides on line: FCFS, LPT."
        ),
    ] = None,
    saturation: Annotated[
        Literal["forbid", "slowdown"] | None,
        typer.Option(help="What becomes of saturated links. Otherwise as the instance says, with its other fields."),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(metavar="RATIO", help="slowdown: ask links for at most MBW / RATIO, above 0 and at most 1."),
    ] = None,
    sharing: Annotated[
        Literal["paper", "max-min"] | None, typer.Option(help="slowdown: how jobs share a saturated link.")
    ] = None,
    slot: opt.Slot = None,
    keep_starts: Annotated[
        bool, typer.Option("--keep-starts", help="No job starts before its start in the plan, rounded up to slots.")
    ] = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="PATH", callback=opt.usable_json, help="Also write the executed schedule there."
        ),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(
            metavar="PATH", callback=opt.usable_csv, help="Also write starts and ends as CSV: time, event, job."
        ),
    ] = None,
    gantt: Annotated[
        str | None,
        typer.Option(
            "--gantt",
            metavar="PICTURE",
            callback=opt.usable_picture,
            help="Also draw the plan above its execution, with loads of links: a .png, .svg or .pdf file.",
        ),
    ] = None,
    as_json: opt.AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not say on stderr what was written.")] = False,
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
        raise InputError(
            "either a plan or an order is needed", field="PLAN" if plan is None else "--order", value=order
        )
    if file == plan == "-":
        raise InputError("only one of the two files can come from stdin")
    if order is not None and keep_starts:
        raise InputError("goes with a plan; an order has no starts to keep", field="--keep-starts")
    instance = _instance(file, slot, saturation, threshold, sharing)
    planned, execution = _execution(instance, plan, order, keep_starts)
    with uninterrupted() as delivery:
        _write(execution, delivery, output, log, quiet)
        if as_json:
            put_json(_document(execution, planned))
        else:
            _print(execution, planned)
    if gantt:
        _draw(opt.load_instance(file, None) if file != "-" else instance, planned, execution, gantt, quiet=quiet)


def _instance(
    file: str, slot: str | None, saturation: str | None, threshold: str | None, sharing: str | None
) -> CoallocationInstance:
    """Read the instance and give it the policy that the options name."""
    from oas.problems.coallocation.problem import COALLOCATION
    from oas.problems.coallocation.saturation import Saturation

    found: Any = opt.load_instance(file, slot)
    if found.problem is not COALLOCATION:
        raise InputError("only instances of co-allocation are executed", field="problem", file=file)
    own = found.saturation if saturation in (None, found.saturation.policy) else Saturation()
    options = {"policy": "--saturation", "threshold": "--threshold", "sharing": "--sharing"}
    try:
        chosen = Saturation(
            saturation or own.policy,
            own.threshold if threshold is None else threshold,
            own.sharing if sharing is None else sharing,
        )
    except InputError as error:
        error.field = options.get(error.field or "", error.field)
        raise
    changed: CoallocationInstance = found.with_saturation(chosen)
    return changed


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
    planned = _load_plan(plan)
    try:
        execution = execute(instance, planned, keep_starts=keep_starts)
    except InputError as error:
        if error.field == "plan":
            error.field, error.file = "", "<stdin>" if plan == "-" else plan
        raise
    check(instance, execution.schedule, "the executed schedule")
    return planned, execution


def _load_plan(plan: str) -> Schedule:
    from oas.core.result import Result
    from oas.io import load_answer

    answer = load_answer(plan)
    schedule = answer.schedule if isinstance(answer, Result) else answer
    if schedule is None:
        raise InputError("the result has no schedule", field="PLAN", value=plan)
    return schedule


def _write(execution: Execution, delivery: Delivery, output: str | None, log: str | None, quiet: bool) -> None:
    from oas.io import save
    from oas.io.csv_rows import write_events

    if delivery.save(partial(save, execution.schedule), output) and not quiet:
        sys.stderr.write(f"schedule written to {output}\n")
    if delivery.save(lambda path: write_events(path, execution.events), log) and not quiet:
        sys.stderr.write(f"log written to {log}\n")


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
    plots.save_figure(figure, path)
    if not quiet:
        sys.stderr.write(f"picture written to {path}\n")


def _print(execution: Execution, planned: Schedule | None) -> None:
    from oas.cli.tables.execution_tables import execution_lines, link_table, remarks
    from oas.cli.tables.tables import title_of

    makespan = None if planned is None else planned.makespan
    lines = execution_lines(execution, makespan)
    put_all(title_of(execution.instance), *lines, "", link_table(execution), *remarks(execution.instance))


def _document(execution: Execution, planned: Schedule | None) -> dict[str, Any]:
    import json

    from oas.cli.tables.execution_tables import never_slowed
    from oas.io import dumps

    instance, made = execution.instance, execution.schedule.makespan
    saturation = instance.saturation.to_fields()
    return {
        "instance": instance.digest,
        "saturation": saturation
        if isinstance(saturation, str)
        else {name: str(value) for name, value in saturation.items()},
        "slot": str(instance.slot),
        "planned": None if planned is None else str(planned.makespan),
        "executed": str(made),
        "ratio": None if planned is None or not planned.makespan else str(made / planned.makespan),
        "mean_slowdown": str(execution.mean_slowdown),
        "greatest_slowdown": str(execution.greatest_slowdown),
        "slowdowns": {job: str(value) for job, value in execution.slowdowns.items()},
        "never_slowed": never_slowed(instance),
        "links": {
            cluster.id: {
                "saturated": str(execution.saturated(cluster.id)),
                "steps": [
                    {"start": str(one.start), "end": str(one.end), "load": str(one.load), "degree": str(one.degree)}
                    for one in execution.links[cluster.id]
                ],
            }
            for cluster in instance.clusters
        },
        "schedule": json.loads(dumps(execution.schedule)),
    }
