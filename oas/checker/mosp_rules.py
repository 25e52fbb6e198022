"""The rules of MOSP that a schedule has to keep."""

from __future__ import annotations

from oas.checker.mosp_instance import MospInstance
from oas.checker.reading import refused
from oas.checker.schedules import PlacedJob, check_runs, loads_over_time


def check_mosp_schedule(instance: MospInstance, placements: list[PlacedJob]) -> None:
    """Refuse a schedule that breaks a rule.

    Each job runs once, on its number of distinct processors of one cluster, for exactly its time, not before its
    release; no processor serves two jobs at once; jobs and reservations together never need more processors than a
    cluster has; no organization ends after locality times its local makespan.
    """
    jobs = {job.id: job for job in instance.jobs}
    sizes = {one.id: one.processors for one in instance.organizations}
    check_runs(placements, {job.id: job.processors for job in instance.jobs}, sizes)
    for one in placements:
        job = jobs[one.job]
        if len(one.nodes) > 1:
            raise refused("schedule", f"job {job.id} is spread over clusters {', '.join(sorted(one.nodes))}")
        if one.start < job.release:
            raise refused("schedule", f"job {job.id} starts at {one.start}, before {job.release}")
        if one.end - one.start != job.time:
            took = one.end - one.start
            raise refused("schedule", f"job {job.id} runs for {took} but needs exactly {job.time}")
    _check_reservations(instance, placements)
    _check_locality(instance, placements)


def _check_reservations(instance: MospInstance, placements: list[PlacedJob]) -> None:
    for organization in instance.organizations:
        if not organization.reservations:
            continue
        blocks = [(one.start, one.end, one.processors) for one in organization.reservations]
        for one in placements:
            if organization.id in one.nodes:
                blocks.append((one.start, one.end, len(one.nodes[organization.id])))
        for moment, usage in loads_over_time(blocks):
            if usage > organization.processors:
                reason = f"jobs and reservations need {usage} of {organization.processors} processors"
                raise refused("schedule", f"{reason} of cluster {organization.id} at {moment}")


def _check_locality(instance: MospInstance, placements: list[PlacedJob]) -> None:
    for one in placements:
        k = instance.owner[one.job]
        deadline = instance.deadlines[k]
        if deadline is not None and one.end > deadline:
            name = instance.organizations[k].id
            reason = f"above {deadline}, {instance.locality} times its local makespan"
            raise refused("schedule", f"organization {name} ends at {one.end} (job {one.job}), {reason}")
