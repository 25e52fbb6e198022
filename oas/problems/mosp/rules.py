"""The verifier's rules for MOSP; like those for co-allocation they restate everything and share no code."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from oas.core.verifier import Violation, placement_violations
from oas.problems.rigid import rigid_violations

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.core.schedule import Placement, Schedule
    from oas.problems.mosp.instance import MospInstance
    from oas.problems.rigid import Organization, RigidJob


def mosp_violations(instance: MospInstance, schedule: Schedule) -> list[Violation]:
    """Return every violation.

    Rules: each job runs exactly once; on q distinct existing processors of exactly one cluster; for exactly p; not
    before its release (nor before 0); no processor serves two jobs at once; jobs and reservations together never need
    more processors than the cluster has; no organization's last job ends after locality · its local makespan
    (equation 1 of both MOSP papers).
    """
    jobs = {job.id: job for organization in instance.organizations for job in organization.jobs}
    clusters = {organization.id: organization for organization in instance.organizations}
    violations, sound = placement_violations(jobs, schedule, partial(_one_placement, clusters))
    for organization in instance.organizations:
        violations += _reservations(organization, sound)
    violations += _locality(instance, schedule)
    return violations


def _one_placement(clusters: dict[str, Organization], job: RigidJob, placement: Placement) -> Iterator[Violation]:
    for name in placement.nodes:
        if name not in clusters:
            yield Violation("unknown_cluster", (job.id,), f"job {job.id} uses cluster {name}, which does not exist")
            continue
        last = clusters[name].processors - 1
        for one in placement.ranges(name):
            for number in range(max(one.start, last + 1), one.stop):
                message = f"job {job.id} uses processor {number} of cluster {name}, which has 0 to {last}"
                yield Violation("unknown_node", (job.id,), message)
    if len(placement.nodes) > 1:
        message = f"job {job.id} is spread over clusters {', '.join(sorted(placement.nodes))}"
        yield Violation("one_cluster", (job.id,), message)
    yield from rigid_violations(job, placement, sum(_distinct(placement, name) for name in placement.nodes))


def _distinct(placement: Placement, cluster: str) -> int:
    """How many processors of a cluster are named, each counted once; ranges ascend, and may overlap."""
    reached = distinct = 0
    for one in placement.ranges(cluster):
        distinct += max(0, one.stop - max(one.start, reached))
        reached = max(reached, one.stop)
    return distinct


def _reservations(organization: Organization, sound: list[Placement]) -> Iterator[Violation]:
    """Jobs and reservations together; without reservations the rule on single processors says it all."""
    if not organization.reservations:
        return
    here = [one for one in sound if one.ranges(organization.id) and one.start < one.end]
    # Moment, place in `here` or -1 for a reservation, processors taken or given back.
    events = [(one.start, -1, one.processors) for one in organization.reservations]
    events += [(one.end, -1, -one.processors) for one in organization.reservations]
    for index, placement in enumerate(here):
        width = _distinct(placement, organization.id)
        events += [(placement.start, index, width), (placement.end, index, -width)]
    running: set[int] = set()
    jobs = reservations = 0
    for moment, changes in groupby(sorted(events, key=itemgetter(0)), key=itemgetter(0)):
        begins = False
        for _, index, change in changes:
            begins = begins or change > 0
            if index < 0:
                reservations += change
            else:
                jobs += change
                running ^= {index}
        if begins and jobs and jobs + reservations > organization.processors:
            names = tuple(here[index].job for index in sorted(running))
            message = (
                f"cluster {organization.id} needs {jobs} processors for jobs and {reservations} for reservations at "
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
