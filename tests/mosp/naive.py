"""A second checker of MOSP schedules and a second list scheduler, written unlike those of `oas.core`.

The checker cuts time into pieces and looks at each processor in the middle of each piece; the scheduler goes through
time tick by tick with one counter of idle processors for each.
"""

from collections import Counter
from fractions import Fraction as F
from itertools import pairwise
from math import lcm


def naive_mosp_accepts(instance, schedule):
    """Whether `schedule` keeps every rule."""
    if Counter(one.job for one in schedule.placements) != Counter(job.id for job in instance.jobs):
        return False
    if not all(_sound(instance, one) for one in schedule.placements):
        return False
    held = [r for one in instance.organizations for r in one.reservations]
    cuts = {moment for one in (*schedule.placements, *held) for moment in (one.start, one.end)}
    middles = [(early + late) / 2 for early, late in pairwise(sorted(cuts))]
    return all(_room_at(instance, schedule, middle) for middle in middles) and _nobody_loses(instance, schedule)


def naive_starts(organization, order):
    """Start whatever fits, in this order, at every tick of time."""
    jobs, held = organization.jobs, organization.reservations
    moments = [m for job in jobs for m in (job.time, job.release)] + [m for r in held for m in (r.start, r.end)]
    ticks = lcm(*(moment.denominator for moment in moments)) if moments else 1
    last = int((sum((job.time for job in jobs), F(0)) + max(moments, default=F(0))) * ticks) + 1
    idle = [
        organization.processors - sum(r.processors for r in held if r.start * ticks <= tick < r.end * ticks)
        for tick in range(last)
    ]
    starts = {}
    for now in range(last):
        for index in order:
            job = jobs[index]
            run = range(now, now + int(job.time * ticks))
            if index in starts or job.release * ticks > now or any(idle[tick] < job.processors for tick in run):
                continue
            starts[index] = now
            for tick in run:
                idle[tick] -= job.processors
    return [F(starts[index], ticks) for index in range(len(jobs))]


def _sound(instance, placement):
    (job,) = (job for job in instance.jobs if job.id == placement.job)
    size = {one.id: one.processors for one in instance.organizations}
    if [name in size for name in placement.nodes] != [True]:
        return False
    ((name, numbers),) = placement.nodes.items()
    return (
        len(numbers) == job.processors == len(set(numbers) & set(range(size[name])))
        and placement.start >= max(job.release, 0)
        and placement.start + job.time == placement.end
    )


def _room_at(instance, schedule, middle):
    used = Counter()
    for one in schedule.placements:
        if one.start < middle < one.end:
            used.update((name, number) for name, numbers in one.nodes.items() for number in numbers)
    if used and max(used.values()) > 1:
        return False
    for organization in instance.organizations:
        reserved = sum(r.processors for r in organization.reservations if r.start < middle < r.end)
        if reserved + sum(1 for name, _ in used if name == organization.id) > organization.processors:
            return False
    return True


def _nobody_loses(instance, schedule):
    if instance.locality is None:
        return True
    end = {one.job: one.end for one in schedule.placements}
    for organization in instance.organizations:
        alone = [instance.local[job.id] + job.time for job in organization.jobs]
        if any(end[job.id] / max(alone) > instance.locality for job in organization.jobs):
            return False
    return True
