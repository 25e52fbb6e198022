"""A scheduler of fair sharing and its utilities, counted unit by unit, written unlike those of the toolkit."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from oas.core.schedule import Placement, Schedule


def stepped(instance, pick):
    """Start jobs moment by moment: `pick(now, waiting)` names an organization whose head fits, until none does."""
    machines = sum(one.processors for one in instance.organizations)
    queues = [list(one.jobs) for one in instance.organizations]
    starts = {}
    running = []  # end, width
    for now in range(instance.horizon):
        running = [run for run in running if run[0] > now]
        while True:
            idle = machines - sum(width for _, width in running)
            heads = [k for k, queue in enumerate(queues) if queue and queue[0].release <= now]
            fitting = [k for k in heads if queues[k][0].processors <= idle]
            if not fitting:
                break
            job = queues[pick(now, fitting)].pop(0)
            starts[job.id] = now
            running.append((now + int(job.time), job.processors))
    return starts


def by_lot(seed):
    rng = Random(seed)
    return lambda _, waiting: rng.choice(waiting)


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
