"""Random instances and schedules of fair sharing, and the paper's examples."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import numpy as np

from oas.core.rigid import Organization, RigidJob
from oas.core.schedule import Placement, Schedule
from oas.fair.generate import random_instance
from oas.fair.instance import FairInstance
from oas.fair.ticks import NOT_STARTED
from tests.heuristics.fair.plain import ByLot, stepped

__all__ = ["array_of", "case", "fair", "feasible", "random_instance", "random_starts"]


def case(seed):
    """4 to 8 jobs of two or three organizations; odd seeds have wide jobs, every fifth identical organizations."""
    rng = Random(seed)
    wide, twins = seed % 2 == 1, seed % 5 == 0
    count = rng.choice((2, 2, 3))
    sizes = [rng.randint(1, 2 + wide) if wide or count == 2 else 1 for _ in range(count)]
    total = rng.randint(4, 7)
    shares = [total // count + (k < total % count) for k in range(count)]
    gaps = rng.choice(((0,), (0, 0, 1), (0, 1, 2)))
    queues = []
    for size, share in zip(sizes, shares, strict=True):
        release, queue = rng.choice(gaps), []
        for _ in range(share):
            queue.append((rng.randint(1, 5), rng.randint(1, size) if wide else 1, release))
            release += rng.choice(gaps)
        queues.append(queue)
    if twins:
        sizes[1], queues[1] = sizes[0], queues[0]
    organizations = [
        Organization(f"O{k}", size, [RigidJob(f"J{k}.{place}", *job) for place, job in enumerate(queue)])
        for k, (size, queue) in enumerate(zip(sizes, queues, strict=True))
    ]
    earliest = min(queue[0][2] for queue in queues)
    return FairInstance(organizations, max(earliest + 1, rng.randint(6, 12)), f"tiny fair sharing, seed {seed}")


def fair(*organizations, horizon):
    """Organizations A, B, … of so many processors, with jobs (time, release, processors), called a1, a2, …, b1, …"""
    return FairInstance(
        [
            Organization(
                chr(65 + k),
                size,
                [
                    RigidJob(f"{chr(97 + k)}{i}", time, *(more[1:] or (1,)), *(more[:1] or (0,)))
                    for i, (time, *more) in enumerate(jobs, start=1)
                ],
            )
            for k, (size, jobs) in enumerate(organizations)
        ],
        horizon,
    )


def random_starts(instance, seed):
    """Starts of a greedy schedule that picks organizations by lot."""
    ticks = instance.scaled()
    starts = zip(ticks.order.tolist(), stepped(ticks, ByLot(seed)), strict=True)
    return {instance.jobs[place].id: start for place, start in starts if start != NOT_STARTED}


def feasible(seed):
    """Return a random instance, and a schedule of it that keeps every rule."""
    instance = random_instance(seed)
    return instance, placed(instance, random_starts(instance, seed), seed)


def array_of(instance, starts):
    """Starts by job as an array in the order of presentation: by release, organization, and place in it."""
    rows = [
        (int(job.release), k, place, starts.get(job.id, NOT_STARTED))
        for k, own in enumerate(instance.organizations)
        for place, job in enumerate(own.jobs)
    ]
    return np.array([row[3] for row in sorted(rows)], dtype=np.int64)


def placed(instance, starts, seed=0):
    """Give jobs that start at these moments idle processors by lot."""
    rng = Random(seed)
    free_at = {(one.id, number): 0 for one in instance.organizations for number in range(one.processors)}
    jobs = {job.id: job for job in instance.jobs}
    placements = []
    for name, start in sorted(starts.items(), key=lambda pair: pair[1]):
        job = jobs[name]
        chosen = rng.sample([node for node, moment in free_at.items() if moment <= start], job.processors)
        nodes = {}
        for owner, number in chosen:
            free_at[owner, number] = start + int(job.time)
            nodes.setdefault(owner, []).append(number)
        placements.append(Placement(name, start, start + job.time, nodes))
    return Schedule(placements)


class CountedUtilities(NamedTuple):
    """Utilities of one organization, counted one unit of time after another, by the words of the paper."""

    strategy_proof: int
    flow_time: int
    completed_work: int


def counted_utilities(instance, schedule, moment=None):
    """Recount the utilities of each organization at a moment, None for the horizon."""
    now = instance.horizon if moment is None else moment
    runs = {placement.job: placement for placement in schedule.placements}
    found = []
    for organization in instance.organizations:
        value = flow = work = 0
        for job in organization.jobs:
            if job.id in runs:
                start, end = int(runs[job.id].start), int(runs[job.id].end)
                past = range(now - min(end, now) + 1, now - start + 1)  # how long ago each unit that is over began
                value += job.processors * sum(past)
                work += job.processors * len(past)
                flow += sum(1 for _ in range(int(job.release), end)) if end <= now else 0
        found.append(CountedUtilities(value, flow, work))
    return tuple(found)
