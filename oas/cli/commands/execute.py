"""`oas execute`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from typer import Argument, Option

from oas import plots
from oas.cli import options as opt
from oas.cli.output import attributes, put_all, put_json, save_picture, uninterrupted
from oas.coallocation.document import write_events
from oas.coallocation.execution import Execution, execute
from oas.coallocation.instance import CoallocationInstance
from oas.coallocation.saturation import Saturation
from oas.core.errors import InputError, naming
from oas.core.formats import plural, show_count, show_factor, show_percent, show_time
from oas.core.registry import COALLOCATION
from oas.core.schedule import Schedule
from oas.core.verifier import check, verify
from oas.io import save
from oas.show.comparison import title_of
from oas.show.tables import Table
from oas.solving.methods import find_method

_MAX_NAMES = 10


@dataclass(frozen=True)
class PolicyOptions:
    """Saturation policy and slot size of the execution."""

    saturation: Literal["forbid", "slowdown"] | None = Option(
        None, help="Policy for saturated links: forbid them, or slow jobs down. Default: the policy of the instance."
    )
    threshold: str | None = opt.option(None, "RATIO", "slowdown: load links at most MBW / RATIO; above 0, at most 1.")
    sharing: Literal["paper", "max-min"] | None = Option(None, help="slowdown: how jobs share a saturated link.")
    slot: opt.Slot = None

    def instance(self, file: str) -> CoallocationInstance:
        instance: Any = opt.load_instance(file, self.slot)
        if instance.problem is not COALLOCATION:
            raise InputError("only instances of co-allocation are executed", field="problem", file=file)
        saturation = instance.saturation if self.saturation in (None, instance.saturation.policy) else Saturation()
        with opt.naming_options({"policy": "--saturation", "threshold": "--threshold", "sharing": "--sharing"}):
            policy = Saturation(
                self.saturation or saturation.policy,
                saturation.threshold if self.threshold is None else self.threshold,
                saturation.sharing if self.sharing is None else self.sharing,
            )
        return instance.with_saturation(policy)


def execute_command(
    file: opt.InstanceFile,
    plan: str | None = Argument(None, metavar="PLAN", help="Schedule or result file to execute; - for stdin."),
    order: str | None = opt.option(None, "NAME", "Instead of a plan: an on-line heuristic, such as FCFS or LPT."),
    *,
    policy: PolicyOptions,
    keep_starts: bool = Option(
        False, "--keep-starts", help="Start no job before its start in the plan, rounded up to slots."
    ),
    output: str | None = opt.output("Also write the executed schedule to this file.", opt.usable_json),
    log: str | None = opt.option(None, "PATH", "Also write events as CSV: time, event, job.", callback=opt.usable_csv),
    gantt: str | None = opt.picture("Also draw the plan above its execution, with link loads"),
    as_json: opt.AsJson = False,
    quiet: bool = Option(False, "--quiet", "-q", help="Do not report written files on stderr."),
) -> None:
    """Execute a plan, or an on-line heuristic, under any saturation policy, and report the executed makespan.

    The jobs of a plan keep their nodes and their order on each node and each link; each job starts as soon as these
    allow. Running times depend on the jobs that run simultaneously: a saturated link slows down the communication of
    all jobs that load it. The plan may have been made under another policy, or for other bandwidths or slot sizes. The
    executed schedule is verified.

    The report shows the planned and the executed makespan, the slowdown of jobs relative to unsaturated links, and the
    time for which each link was asked for more than its bandwidth MBW.

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
        raise InputError("is valid only with a plan; an order has no starts to keep", field="--keep-starts")
    instance = policy.instance(file)
    planned, execution = _execution(instance, plan, order, keep_starts)
    with uninterrupted() as delivery:
        if delivery.save(partial(save, execution.schedule), output) and not quiet:
            sys.stderr.write(f"schedule written to {output}\n")
        if delivery.save(lambda path: write_events(path, execution.events), log) and not quiet:
            sys.stderr.write(f"log written to {log}\n")
        if as_json:
            put_json(_document(execution, planned))
        else:
            _print(execution, planned)
    if gantt:
        given = opt.load_instance(file, None) if file != "-" else instance
        _draw(given, planned, execution, gantt, quiet=quiet)


def _execution(
    instance: CoallocationInstance, plan: str | None, order: str | None, keep_starts: bool
) -> tuple[Schedule | None, Execution]:
    """Return the plan (None with an order) and the verified execution."""
    if plan is None:
        with naming("--order"):
            method = find_method(str(order), instance)
        schedule = check(instance, method(instance), f"the schedule of {method.name}")
        return None, Execution.of(instance, schedule)
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


def _draw(given: Any, planned: Schedule | None, execution: Execution, path: str, *, quiet: bool) -> None:
    """Draw the plan above its execution; the plan under the first policy for which it is feasible."""
    instance, executed = execution.instance, execution.schedule
    if planned is None:
        figure = plots.schedule_figure(instance, executed)
    else:
        candidates = [given.with_saturation("forbid"), given, instance]
        feasible = next((candidate for candidate in candidates if not verify(candidate, planned)), candidates[0])
        figure = plots.execution_figure(feasible, planned, instance, executed)
    save_picture(figure, path, quiet=quiet)


def _print(execution: Execution, planned: Schedule | None) -> None:
    makespan = None if planned is None else planned.makespan
    executed = execution.schedule.makespan
    ratio = f", ratio to the plan {show_factor(executed / makespan)}" if makespan else ""
    greatest = execution.greatest_slowdown
    slowest = next(job for job, value in execution.slowdowns.items() if value == greatest)
    put_all(
        title_of(execution.instance),
        f"policy    {execution.instance.saturation}",
        f"planned   {show_time(makespan)}",
        f"executed  {show_time(executed)}{ratio}",
        f"slowdown  of jobs: mean {show_factor(execution.mean_slowdown)}, greatest {show_factor(greatest)}"
        + (f" (job {slowest})" if greatest > 1 else ""),
        "",
        _link_table(execution),
        *_remarks(execution.instance),
    )


def _link_table(execution: Execution) -> Table:
    """Return one row per cluster: bandwidth, greatest load and saturated time of its link."""
    rows = []
    for cluster in execution.instance.clusters:
        steps, saturated = execution.links[cluster.id], execution.saturated(cluster.id)
        greatest = show_time(max(step.load for step in steps)), show_factor(max(step.degree for step in steps))
        share = show_percent(saturated / execution.schedule.makespan)
        rows.append((cluster.id, show_time(cluster.bandwidth), *greatest, show_time(saturated), share))
    headings = ("link of", "MBW", "greatest load", "greatest SC", "saturated for", "of the makespan")
    return Table(headings, rows, side=("greatest SC", "of the makespan"))


def _never_slowed(instance: CoallocationInstance) -> list[str]:
    """Return the ids of jobs that load links when split over clusters, but do not communicate: σ = 1."""
    return [job.id for job in instance.jobs if job.sigma == 1 and job.bandwidth and job.tasks > 1]


def _remarks(instance: CoallocationInstance) -> list[str]:
    """Return a remark on jobs that are never slowed down, if there are any and saturated links slow jobs down."""
    names = _never_slowed(instance) if instance.saturation.slows else []
    if not names:
        return []
    listed = ", ".join(names[:_MAX_NAMES]) + (", …" if len(names) > _MAX_NAMES else "")
    verb = plural(len(names), "loads", "load")
    return [
        f"{show_count(len(names), 'job')} with σ = 1 and a bandwidth {verb} links when split, and"
        f" {plural(len(names), 'is', 'are')} not slowed down: {listed}"
    ]


def _document(execution: Execution, planned: Schedule | None) -> dict[str, Any]:
    instance, executed = execution.instance, execution.schedule.makespan
    saturation = instance.saturation.to_fields()
    return {
        "instance": instance.digest,
        "saturation": saturation
        if isinstance(saturation, str)
        else {name: str(value) for name, value in saturation.items()},
        "slot": instance.slot,
        "planned": None if planned is None else planned.makespan,
        "executed": executed,
        "ratio": None if planned is None or not planned.makespan else executed / planned.makespan,
        **attributes(execution, "mean_slowdown", "greatest_slowdown", "slowdowns"),
        "never_slowed": _never_slowed(instance),
        "links": {
            cluster.id: {
                "saturated": execution.saturated(cluster.id),
                "steps": [attributes(step, "start", "end", "load", "degree") for step in execution.links[cluster.id]],
            }
            for cluster in instance.clusters
        },
        "schedule": execution.schedule,
    }
