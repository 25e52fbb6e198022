"""The executor on ticks, over plain arrays: what `execution` does in Fractions, with starts and ends on a grid.

Progress is kept in floats, with a bound on its error. Where that leaves open at which of two ticks a job ends, and the
first of them is the next event, the loop returns, for the caller to decide it exactly.

With u = 2⁻⁵³: a job that runs at slowdown SC needs T = A + B·SC ticks from beginning to end. A and B are rounded once,
SC is a quotient of rounded integers, of which the greatest is chosen by its rounded value: T is wrong by at most 12u·T,
and the share of a job that is done in a time of unchanged speed, ticks / T, by 14u of itself. m such shares are added,
to at most 1: their sum is wrong by at most (14 + m)u. So the ticks that are left, (1 − sum)·T, are wrong by at most
(30 + m)u·T. The bound that is used, (48 + 2m)u·T, is more than that.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from oas.core.compiling import kernel

Numbers = Any  # an int64 array, or of floats where that is said

BOUND = 2.0**-52  # times (24 + m)·T
NEVER = 2**62
NOW, RUNNING, READY, ARRIVED, ENDED, EVENTS, STALE = range(7)
"""Places in `Grid.state`: the moment; how many jobs run, wait for links alone, have passed their earliest start, have
ended; how many events there were; whether speeds are those of other loads."""


class Grid(NamedTuple):
    """All arrays.

    Attributes
    ----------
    state
        See above.
    earliest, arrivals, arrived
        By job the tick before which it may not start; the jobs by that; by job whether it has passed.
    place, order
        Place of each job in the plan's order; the jobs in that order.
    before, after_from, after
        How many jobs are just before each on its nodes; those just after job j: after[after_from[j]:after_from[j + 1]].
    queue_from, queue, head
        The jobs that load each link, in the plan's order; by link how many of them have started.
    capacity, bandwidth, load, loads
        By link what it may be asked for, MBW, and what it is asked for now; what each job asks of each link.
    duration, work, talk
        By job: its ticks over links that are not saturated, rounded up; A and B, floats.
    done, changes, since, span
        Of jobs that run: share done before the present speed, a float; how often the speed changed; since when it is
        the present one; T, a float.
    key_load, key_link
        Of jobs that run: the load and the link that make SC; link -1 where none slows the job down.
    low, high
        Of jobs that run: the first and the last tick at which it may end at the present speed.
    running, ready
        Jobs that run; places of jobs that wait for links alone, ascending.
    moments, jobs, ended
        The events in the order of time: tick, job, and 0 for a start, 1 for an end.
    """

    state: Numbers
    earliest: Numbers
    arrivals: Numbers
    arrived: Numbers
    place: Numbers
    order: Numbers
    before: Numbers
    after_from: Numbers
    after: Numbers
    queue_from: Numbers
    queue: Numbers
    head: Numbers
    capacity: Numbers
    bandwidth: Numbers
    load: Numbers
    loads: Numbers
    duration: Numbers
    work: Numbers
    talk: Numbers
    done: Numbers
    changes: Numbers
    since: Numbers
    span: Numbers
    key_load: Numbers
    key_link: Numbers
    low: Numbers
    high: Numbers
    running: Numbers
    ready: Numbers
    moments: Numbers
    jobs: Numbers
    ended: Numbers


@kernel
def run(grid: Grid) -> int:
    """Go on until all jobs have ended, -1, or until the caller has to decide when one ends: that job.

    The caller then makes the job's `low` and `high` narrower, and calls again.
    """
    state, low, running = grid.state, grid.low, grid.running
    while state[ENDED] < len(grid.earliest):
        _arrive(grid)
        _start(grid)
        if state[STALE]:
            for index in range(state[RUNNING]):
                _set_speed(grid, running[index])
            state[STALE] = 0
        moment = NEVER
        for index in range(state[RUNNING]):
            moment = min(moment, low[running[index]])
        if state[ARRIVED] < len(grid.earliest):
            moment = min(moment, grid.earliest[grid.arrivals[state[ARRIVED]]])
        for index in range(state[RUNNING]):
            job = running[index]
            if low[job] == moment and grid.high[job] > moment:
                return int(job)
        state[NOW] = moment
        _end(grid)
    return -1


def _arrive(grid: Grid) -> None:
    """Let jobs pass their earliest starts."""
    state = grid.state
    while state[ARRIVED] < len(grid.earliest) and grid.earliest[grid.arrivals[state[ARRIVED]]] <= state[NOW]:
        job = grid.arrivals[state[ARRIVED]]
        state[ARRIVED] += 1
        grid.arrived[job] = 1
        if grid.before[job] == 0:
            _make_ready(grid, grid.place[job])


def _start(grid: Grid) -> None:
    """Start what may start, in the plan's order: one that starts lets later ones through, never earlier ones."""
    state, kept = grid.state, 0
    for index in range(state[READY]):
        job = grid.order[grid.ready[index]]
        if not _links_allow(grid, job):
            grid.ready[kept] = grid.ready[index]
            kept += 1
            continue
        for link in range(len(grid.load)):
            if grid.loads[job, link] > 0:
                grid.load[link] += grid.loads[job, link]
                grid.head[link] += 1
                state[STALE] = 1
        grid.done[job] = 0.0
        grid.changes[job] = 0
        grid.since[job] = state[NOW]
        grid.span[job] = grid.work[job] + grid.talk[job]
        grid.key_link[job] = -1
        grid.low[job] = state[NOW] + grid.duration[job]
        grid.high[job] = grid.low[job]
        grid.running[state[RUNNING]] = job
        state[RUNNING] += 1
        _note(grid, job, 0)
    state[READY] = kept


def _end(grid: Grid) -> None:
    """End what ends now."""
    state, kept = grid.state, 0
    for index in range(state[RUNNING]):
        job = grid.running[index]
        if grid.low[job] > state[NOW]:
            grid.running[kept] = job
            kept += 1
            continue
        for link in range(len(grid.load)):
            if grid.loads[job, link] > 0:
                grid.load[link] -= grid.loads[job, link]
                state[STALE] = 1
        _note(grid, job, 1)
        state[ENDED] += 1
        for other in range(grid.after_from[job], grid.after_from[job + 1]):
            later = grid.after[other]
            grid.before[later] -= 1
            if grid.before[later] == 0 and grid.arrived[later]:
                _make_ready(grid, grid.place[later])
    state[RUNNING] = kept


def _note(grid: Grid, job: int, ended: int) -> None:
    event = grid.state[EVENTS]
    grid.moments[event] = grid.state[NOW]
    grid.jobs[event] = job
    grid.ended[event] = ended
    grid.state[EVENTS] += 1


def _make_ready(grid: Grid, place: int) -> None:
    """Insert a place where it belongs."""
    ready, index = grid.ready, grid.state[READY]
    while index > 0 and ready[index - 1] > place:
        ready[index] = ready[index - 1]
        index -= 1
    ready[index] = place
    grid.state[READY] += 1


def _links_allow(grid: Grid, job: int) -> bool:
    for link in range(len(grid.load)):
        own = grid.loads[job, link]
        if own > 0:
            first = grid.queue[grid.queue_from[link] + grid.head[link]]
            if first != job or grid.load[link] + own > grid.capacity[link]:
                return False
    return True


def _set_speed(grid: Grid, job: int) -> None:
    """Set the speed that follows from present loads, and when the job ends at it, if it is another."""
    slowest, degree, now = -1, 1.0, grid.state[NOW]
    if grid.talk[job] > 0.0:
        for link in range(len(grid.load)):
            if grid.loads[job, link] > 0 and grid.load[link] > grid.bandwidth[link]:
                ratio = float(grid.load[link]) / float(grid.bandwidth[link])
                if slowest < 0 or ratio > degree:
                    slowest, degree = link, ratio
    if slowest == grid.key_link[job] and (slowest < 0 or grid.load[slowest] == grid.key_load[job]):
        return
    if now > grid.since[job]:
        grid.done[job] += float(now - grid.since[job]) / grid.span[job]
        grid.changes[job] += 1
        grid.since[job] = now
    grid.key_link[job] = slowest
    grid.key_load[job] = grid.load[slowest] if slowest >= 0 else 0
    grid.span[job] = grid.work[job] + grid.talk[job] * degree
    if slowest < 0 and grid.changes[job] == 0:
        grid.low[job] = now + grid.duration[job]
        grid.high[job] = grid.low[job]
        return
    left = (1.0 - grid.done[job]) * grid.span[job]
    error = grid.span[job] * float(grid.changes[job] + 24) * BOUND
    grid.low[job] = now + max(1, math.ceil(left - error))
    grid.high[job] = now + max(1, math.ceil(left + error))
