"""The verifier's rules for fair sharing; they restate everything and share no code with what makes schedules."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from oas.core.verifier import Violation, placement_violations
from oas.problems.rigid import rigid_violations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from oas.core.schedule import Placement, Schedule
    from oas.problems.fair.instance import FairInstance
    from oas.problems.rigid import RigidJob


def fair_violations(instance: FairInstance, schedule: Schedule) -> list[Violation]:
    """Return every violation.

    Rules: no job runs twice, or is not of the instance; each runs on q distinct existing processors, of any
    organizations; for exactly p; not before its release (nor before 0); not from the horizon on; no processor serves
    two jobs at once; a job starts no earlier than those that its organization presents before it (FIFO); and at no
    moment before the horizon are as many processors idle as a job needs that is released and the first of its
    organization to wait (greedy). So the schedule holds exactly the jobs that start before the horizon.
    """
    jobs = {job.id: job for organization in instance.organizations for job in organization.jobs}
    sizes = {organization.id: organization.processors for organization in instance.organizations}
    found, _ = placement_violations(jobs, schedule, partial(_one_placement, sizes, instance.horizon))
    violations = [one for one in found if one.rule != "missing_job"]
    first: dict[str, Fraction] = {}
    for placement in schedule.placements:
        first[placement.job] = min(placement.start, first.get(placement.job, placement.start))
    for organization in instance.organizations:
        violations += _fifo(organization.jobs, first)
    violations += _greedy(instance, sizes, first, schedule)
    return violations


def _one_placement(sizes: Mapping[str, int], horizon: int, job: RigidJob, placement: Placement) -> Iterator[Violation]:
    nodes = [(name, number) for name, numbers in placement.nodes.items() for number in numbers]
    for name in placement.nodes:
        if name not in sizes:
            yield Violation(
                "unknown_cluster", (job.id,), f"job {job.id} uses organization {name}, which does not exist"
            )
    for name, number in nodes:
        if number not in range(sizes.get(name, number + 1)):
            message = f"job {job.id} uses processor {number} of {name}, which has 0 to {sizes[name] - 1}"
            yield Violation("unknown_node", (job.id,), message)
    yield from rigid_violations(job, placement, len(set(nodes)))
    if placement.start >= horizon:
        message = f"job {job.id} starts at {placement.start}, not before the horizon, {horizon}"
        yield Violation("horizon", (job.id,), message)


def _fifo(jobs: Sequence[RigidJob], first: Mapping[str, Fraction]) -> Iterator[Violation]:
    """Each job that starts is compared with the one before it that starts last, or never."""
    latest: RigidJob | None = None
    for job in jobs:
        start = first.get(job.id)
        until = None if latest is None else first.get(latest.id)
        if latest is not None and start is not None and (until is None or start < until):
            when = "does not start" if until is None else f"starts at {until}"
            message = f"job {job.id} starts at {start}; job {latest.id}, presented before it, {when}"
            yield Violation("fifo", (latest.id, job.id), message)
        if latest is None or (until is not None and (start is None or start > until)):
            latest = job


def _greedy(
    instance: FairInstance, sizes: Mapping[str, int], first: Mapping[str, Fraction], schedule: Schedule
) -> Iterator[Violation]:
    """Look at every moment at which a job is released, starts or ends; between those nothing changes."""
    releases = {job.release for organization in instance.organizations for job in organization.jobs}
    heads = [0] * len(instance.organizations)
    named: set[str] = set()
    for moment, idle in _idle(sizes, schedule, releases):
        if not 0 <= moment < instance.horizon:
            continue
        for k, organization in enumerate(instance.organizations):
            jobs = organization.jobs
            while heads[k] < len(jobs) and first.get(jobs[heads[k]].id, instance.horizon) <= moment:
                heads[k] += 1
            head = jobs[heads[k]] if heads[k] < len(jobs) else None
            if head is not None and head.processors <= idle and head.release <= moment and head.id not in named:
                named.add(head.id)
                message = (
                    f"job {head.id}, released at {head.release}, waits at {moment}, where {idle} processors are idle"
                    f" and it needs {head.processors}"
                )
                yield Violation("greedy", (head.id,), message)


def _idle(sizes: Mapping[str, int], schedule: Schedule, further: Iterable[Fraction]) -> Iterator[tuple[Fraction, int]]:
    """Yield each moment at which a job starts or ends, and `further` ones, ascending, and how many processors idle."""
    changes: dict[Fraction, list[tuple[tuple[str, int], int]]] = {moment: [] for moment in further}
    for placement in schedule.placements:
        nodes = {(name, number) for name, numbers in placement.nodes.items() for number in numbers}
        known = [one for one in nodes if one[1] in range(sizes.get(one[0], 0))]
        if placement.start < placement.end:
            changes.setdefault(placement.start, []).extend((one, 1) for one in known)
            changes.setdefault(placement.end, []).extend((one, -1) for one in known)
    serving: Counter[tuple[str, int]] = Counter()
    idle = sum(sizes.values())
    for moment in sorted(changes):
        for node, change in changes[moment]:
            idle += serving[node] > 0
            serving[node] += change
            idle -= serving[node] > 0
        yield moment, idle
