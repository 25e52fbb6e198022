"""The verifier's rules for MOSP; like those for co-allocation they share no code with models or heuristics."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from oas.core.rigid import rigid_violations
from oas.core.verifier import Violation, distinct_nodes, placement_violations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.core.rigid import Organization, RigidJob
    from oas.core.schedule import Placement, Schedule
    from oas.mosp.instance import MospInstance


def mosp_violations(instance: MospInstance, schedule: Schedule) -> list[Violation]:
    """Return every violation.

    Rules: each job runs exactly once; on q distinct existing processors of exactly one cluster; for exactly p; not
    before its release (nor before 0); no processor serves two jobs at the same time; jobs and reservations together
    never need more processors than the cluster has; no organization's last job ends after locality · its local
    makespan (equation 1 of both MOSP papers).
    """
    violations, sound = placement_violations(instance, schedule, _one_placement)
    by_cluster: dict[str, list[Placement]] = defaultdict(list)
    for placement in sound:
        for name in placement.nodes:
            by_cluster[name].append(placement)
    for organization in instance.organizations:
        violations += _reservations(organization, by_cluster[organization.id])
    violations += _locality(instance, schedule)
    return violations


def _one_placement(job: RigidJob, placement: Placement, distinct: int) -> Iterator[Violation]:
    if len(placement.nodes) > 1:
        message = f"job {job.id} is spread over clusters {', '.join(sorted(placement.nodes))}"
        yield Violation("one_cluster", (job.id,), message)
    yield from rigid_violations(job, placement, distinct)


def _reservations(organization: Organization, placements: list[Placement]) -> Iterator[Violation]:
    """Check the sum of jobs and reservations; without reservations the check of single processors is sufficient.

    `placements` are those on its cluster, whose nodes exist.
    """
    if not organization.reservations:
        return
    here = [one for one in placements if one.start < one.end]
    # Moment; index in `here`, -1 for a reservation; change of the processors in use.
    events = [(one.start, -1, one.processors) for one in organization.reservations]
    events += [(one.end, -1, -one.processors) for one in organization.reservations]
    for index, placement in enumerate(here):
        width = distinct_nodes(placement, organization.id)
        events += [(placement.start, index, width), (placement.end, index, -width)]
    running: set[int] = set()
    used = reserved = 0
    for moment, changes in groupby(sorted(events, key=itemgetter(0)), key=itemgetter(0)):
        increases = False
        for _, index, change in changes:
            increases = increases or change > 0
            if index < 0:
                reserved += change
            else:
                used += change
                running ^= {index}
        if increases and used and used + reserved > organization.processors:
            names = tuple(here[index].job for index in sorted(running))
            message = (
                f"cluster {organization.id} needs {used} processors for jobs and {reserved} for reservations at "
                f"{moment}, of {organization.processors} (jobs {', '.join(names)})"
            )
            yield Violation("reservation", names, message)


def _locality(instance: MospInstance, schedule: Schedule) -> Iterator[Violation]:
    if instance.locality is None:
        return
    local = instance.local or {}
    ends: dict[str, Fraction] = defaultdict(Fraction)
    for placement in schedule.placements:
        ends[placement.job] = max(ends[placement.job], placement.end)
    for organization in instance.organizations:
        alone = max((local[job.id] + job.time for job in organization.jobs), default=Fraction(0))
        allowed = instance.locality * alone
        late = tuple(job.id for job in organization.jobs if ends[job.id] > allowed)
        if late:
            last = max(ends[name] for name in late)
            message = (
                f"organization {organization.id} ends at {last}, above {instance.locality} · {alone}, "
                f"its local makespan (jobs {', '.join(late)})"
            )
            yield Violation("locality", late, message)
