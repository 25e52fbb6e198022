"""The verifier's rules for fair sharing; they share no code with the policies that make schedules."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from oas.core.rigid import rigid_violations
from oas.core.verifier import Violation, placement_violations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from oas.core.rigid import RigidJob
    from oas.core.schedule import Placement, Schedule
    from oas.fair.instance import FairInstance


def fair_violations(instance: FairInstance, schedule: Schedule) -> list[Violation]:
    """Return every violation.

    Rules: each job of the schedule is in the instance and runs only once; on q distinct existing processors, of any
    organizations; for exactly p; from a start at or after its release (and 0) and before the horizon; no processor
    serves two jobs at the same time; a job starts no earlier than any that its organization presents before it
    (FIFO); and at no moment before the horizon are as many processors idle as the first waiting job of some
    organization needs (greedy). So the schedule consists of exactly the jobs that start before the horizon.
    """
    violations, _ = placement_violations(instance, schedule, partial(_one_placement, instance.horizon))
    violations = [one for one in violations if one.rule != "missing_job"]
    first: dict[str, Fraction] = {}
    for placement in schedule.placements:
        first[placement.job] = min(placement.start, first.get(placement.job, placement.start))
    for organization in instance.organizations:
        violations += _fifo(organization.jobs, first)
    violations += _greedy(instance, first, schedule)
    return violations


def _one_placement(horizon: int, job: RigidJob, placement: Placement, distinct: int) -> Iterator[Violation]:
    yield from rigid_violations(job, placement, distinct)
    if placement.start >= horizon:
        message = f"job {job.id} starts at {placement.start}, not before the horizon, {horizon}"
        yield Violation("horizon", (job.id,), message)


def _fifo(jobs: Sequence[RigidJob], first: Mapping[str, Fraction]) -> Iterator[Violation]:
    """Check that no job starts before one that precedes it: compare it with the latest start before it."""
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


def _greedy(instance: FairInstance, first: Mapping[str, Fraction], schedule: Schedule) -> Iterator[Violation]:
    """Check that no waiting job could start at a moment at which a job is released, starts or ends."""
    sizes = dict(instance.cluster_sizes)
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
                    f"job {head.id}, released at {head.release}, waits at {moment}, when {idle} processors are idle"
                    f" and it needs {head.processors}"
                )
                yield Violation("greedy", (head.id,), message)


def _idle(sizes: Mapping[str, int], schedule: Schedule, further: Iterable[Fraction]) -> Iterator[tuple[Fraction, int]]:
    """Yield all starts, ends and `further` moments, ascending, each with the number of idle processors."""
    changes: dict[Fraction, list[tuple[tuple[str, int], int]]] = {moment: [] for moment in further}
    for placement in schedule.placements:
        nodes = {(name, number) for name, numbers in placement.nodes.items() for number in numbers}
        existing = [(name, number) for name, number in nodes if number < sizes.get(name, 0)]
        if placement.start < placement.end:
            changes.setdefault(placement.start, []).extend((node, 1) for node in existing)
            changes.setdefault(placement.end, []).extend((node, -1) for node in existing)
    serving: Counter[tuple[str, int]] = Counter()
    idle = sum(sizes.values())
    for moment in sorted(changes):
        for node, change in changes[moment]:
            idle += serving[node] > 0
            serving[node] += change
            idle -= serving[node] > 0
        yield moment, idle
