"""BATCH(method): an off-line method applied on line, batch by batch (reservations paper, section 2.1).

The construction is that of Shmoys, Wein, Williamson, *Scheduling Parallel Machines On-line*, SIAM J. Comput. 24(6),
1995.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from heuristics.mosp.guarantees import batched_list, one_cluster_list
from oas.core.registry import MOSP
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.core.schedule import Placement, Schedule
from oas.mosp.instance import MospInstance
from oas.solving.method import Method, MethodFamily
from oas.solving.methods import find_method

if TYPE_CHECKING:
    from collections.abc import Container

    from oas.solving.method import Scheduler


def in_batches(name: str, off_line: Scheduler, instance: MospInstance, *, seed: int = 0) -> Schedule:
    """Schedule the jobs in batches: those released by the end of the previous batch, or else at the next release.

    `off_line` schedules each batch, with the same seed, as an instance without releases whose time begins with the
    batch; reservations that have ended are omitted. An organization's jobs are ordered by release.
    """
    waiting = {job.id: job.release for job in instance.jobs}
    placements: list[Placement] = []
    now = Fraction(0)
    while waiting:
        now = max(now, min(waiting.values()))
        batch = {job for job, release in waiting.items() if release <= now}
        schedule = off_line(batch_at(instance, batch, now), seed=seed)
        for run in schedule.placements:
            placements.append(Placement(run.job, now + run.start, now + run.end, run.nodes))
        now += schedule.makespan
        for job in batch:
            del waiting[job]
    return Schedule(placements, name)


def batch_at(instance: MospInstance, batch: Container[str], now: Fraction) -> MospInstance:
    """Return the off-line instance of the jobs in `batch`, with time counted from `now`."""
    organizations = []
    for organization in instance.organizations:
        released = sorted((job for job in organization.jobs if job.id in batch), key=lambda job: job.release)
        jobs = [RigidJob(job.id, job.time, job.processors) for job in released]
        reservations = [
            Reservation(max(held.start - now, Fraction(0)), held.end - now, held.processors)
            for held in organization.reservations
            if held.end > now
        ]
        organizations.append(Organization(organization.id, organization.processors, jobs, reservations))
    return MospInstance(organizations, locality=None)


def batched(off_line: Method) -> Method:
    """Return the on-line method that runs `off_line` in batches, with its guarantee if one is proved."""
    name = f"BATCH({off_line.name})"
    return Method(
        name,
        partial(in_batches, name, off_line.scheduler),
        f"on line, in batches, each by {off_line.name}",
        rank=95,
        problem=MOSP,
        respects_locality=False,
        guarantee=batched_list if off_line.guarantee is one_cluster_list else None,
    )


FAMILY = MethodFamily(("BATCH",), lambda _, text: batched(find_method(text, MOSP)), "BATCH(method)")
