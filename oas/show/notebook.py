"""Display of instances, schedules and results in a notebook: small tables, and a Gantt chart."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from oas.core.formats import MISSING, show_exact, show_percent, show_seconds, show_time
from oas.problems.mosp.runs import local_schedule
from oas.show.html import MAX_ROWS, facts, fragment, remark, table

if TYPE_CHECKING:
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.mosp.instance import MospInstance

_DIGEST = 12  # letters that tell instances apart


def coallocation_html(instance: CoallocationInstance) -> str:
    """Return tables of clusters and jobs."""
    clusters = (
        (
            cluster.id,
            f"{cluster.size:,}",
            ", ".join(f"{group.count:,} × {show_time(group.power)}" for group in islice(cluster.groups, MAX_ROWS)),
            show_time(cluster.bandwidth),
        )
        for cluster in instance.clusters
    )
    jobs = (
        (job.id, f"{job.tasks:,}", show_time(job.base_time), show_time(job.bandwidth), show_time(job.sigma))
        for job in instance.jobs
    )
    slot = f"slot η = {show_exact(instance.slot)}" if instance.slot else "continuous time (η = 0)"
    return fragment(
        f"{instance.name or instance.digest[:_DIGEST]}: {len(instance.jobs):,} jobs, {instance.node_count:,} nodes",
        remark(slot),
        table(("cluster", "nodes", "of power Γ", "link"), clusters, len(instance.clusters)),
        table(("job", "tasks τ", "base time Tb", "bandwidth of a task", "σ"), jobs, len(instance.jobs)),
    )


def mosp_html(instance: MospInstance) -> str:
    """Return tables of organizations and jobs, and the local schedules."""
    from oas.show.gantt import inline_gantt

    organizations = (
        (one.id, f"{one.processors:,}", f"{len(one.jobs):,}", f"{len(one.reservations):,}", show_time(alone))
        for one, alone in zip(instance.organizations, instance.local_makespans, strict=True)
    )
    jobs = (
        (job.id, instance.organizations[instance.owner[job.id]].id, show_time(job.time), f"{job.processors:,}")
        for job in instance.jobs
    )
    name = instance.name or instance.digest[:_DIGEST]
    locality = "no locality" if instance.locality is None else f"locality {show_exact(instance.locality)}"
    return fragment(
        f"{name}: {len(instance.jobs):,} jobs, {instance.node_count:,} processors, {locality}",
        table(
            ("organization", "processors", "jobs", "reservations", "makespan alone"),
            organizations,
            len(instance.organizations),
        ),
        table(("job", "organization", "time p", "processors q"), jobs, len(instance.jobs)),
        inline_gantt(instance, local_schedule(instance)),
    )


def schedule_html(schedule: Schedule) -> str:
    """Return a table of the first placements, and a Gantt chart."""
    from oas.show.gantt import inline_gantt

    placements = (
        (one.job, show_time(one.start), show_time(one.end), f"{one.tasks:,}", _clusters(list(one.nodes)))
        for one in schedule.placements
    )
    count = len(schedule.placements)
    return fragment(
        f"{schedule.method or 'schedule'}: {count:,} jobs, makespan {show_time(schedule.makespan)}",
        table(("job", "start", "end", "nodes", "clusters"), placements, count),
        inline_gantt(None, schedule),
    )


def result_html(result: Result) -> str:
    """Return what is held and what proves it, and a Gantt chart of the schedule."""
    from oas.show.gantt import inline_gantt

    return fragment(
        f"{result.status.value.replace('_', ' ')} ({result.termination.value.replace('_', ' ')})",
        facts(_result_facts(result)),
        "" if result.schedule is None else inline_gantt(None, result.schedule, result.lower_bound),
    )


def _result_facts(result: Result) -> list[tuple[str, str]]:
    return [
        ("makespan", MISSING if result.objective is None else show_exact(result.objective)),
        ("lower bound", MISSING if result.lower_bound is None else show_exact(result.lower_bound)),
        ("gap", show_percent(result.gap)),
        ("proof", "" if result.proof is None else str(result.proof)),
        ("schedule by", "" if result.schedule is None else result.schedule.method),
        ("time", show_seconds(result.seconds["total"]) if "total" in result.seconds else ""),
        ("note", result.message),
    ]


def _clusters(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
