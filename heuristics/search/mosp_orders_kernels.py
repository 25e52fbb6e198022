"""Inner loops of the search over orders for MOSP: plain functions over sequences of integers, as in `mosp_kernels`.

An order becomes a schedule job by job: each starts as early as it can beside those before it, on the first cluster
where that is earliest. What the search lowers is the *overhang*: processors × time that jobs run beyond a goal or
beyond their deadlines. Profiles are as in `mosp_kernels`, but without an end: the last step goes on for ever.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from heuristics.search.mosp_kernels import cut, draw, step_at

Numbers = Any  # a list of int, or an int64 array

NEVER = 2**62  # later than any moment
JOBS, CLUSTERS, CAPACITY = range(3)
NEAR = 20  # how far a job is moved by a near swap at most
SWAPS, NEAR_SWAPS = 50, 80  # of a hundred moves: swaps of any two, and with near swaps; the rest insert a job elsewhere
LATE = 3.0  # times as much counts what runs beyond a deadline
MAKESPAN, LATE_JOBS, BEST = range(3)  # see `OrderMemory.found`


class OrderProblem(NamedTuple):
    """An instance as the loops see it.

    Attributes
    ----------
    sizes
        How many jobs, clusters, steps a profile has room for.
    times, widths, releases, deadlines
        Of each job.
    processors
        Of each cluster.
    moments, free, count
        Profiles of the clusters with nothing but reservations on them.
    """

    sizes: Numbers
    times: Numbers
    widths: Numbers
    releases: Numbers
    deadlines: Numbers
    processors: Numbers
    moments: Numbers
    free: Numbers
    count: Numbers


class OrderMemory(NamedTuple):
    """What the loops write.

    Attributes
    ----------
    order, tried
        Where the search stands, and the order that is tried next.
    cluster, start
        Of each job, in the schedule made last.
    best_cluster, best_start
        The same in the shortest schedule so far in which no job is late.
    found
        Makespan and number of late jobs of the schedule made last; makespan of the best.
    moments, free, count
        Profiles.
    """

    order: Numbers
    tried: Numbers
    cluster: Numbers
    start: Numbers
    best_cluster: Numbers
    best_start: Numbers
    found: Numbers
    moments: Numbers
    free: Numbers
    count: Numbers


def earliest(
    moments: Numbers, free: Numbers, base: int, count: int, ready: int, time: int, width: int, before: int
) -> int:
    """Return the earliest start ≥ `ready` of a run on a cluster that is wide enough, or `before` if not earlier."""
    step = step_at(moments, base, count, ready)
    start = ready
    while start < before:
        if free[base + step] < width:
            step += 1
            start = moments[base + step]
            continue
        step += 1
        while step < count and moments[base + step] < start + time and free[base + step] >= width:
            step += 1
        if step == count or moments[base + step] >= start + time:
            return start
    return before


def hold(moments: Numbers, free: Numbers, base: int, count: int, start: int, end: int, width: int) -> int:
    """Take processors from `start` to `end`; return how many steps there are."""
    step = step_at(moments, base, count, start)
    if moments[base + step] < start:
        cut(moments, free, base, count, step, start)
        count += 1
        step += 1
    while step < count and moments[base + step] < end:
        if step + 1 == count or moments[base + step + 1] > end:
            cut(moments, free, base, count, step, end)
            count += 1
        free[base + step] -= width
        step += 1
    return count


def overhang(problem: OrderProblem, memory: OrderMemory, order: Numbers, goal: int) -> float:
    """Make the schedule of an order; return its processors × time beyond the goal and beyond deadlines."""
    clusters, capacity = problem.sizes[CLUSTERS], problem.sizes[CAPACITY]
    moments, free, count = memory.moments, memory.free, memory.count
    times, widths, releases, deadlines = problem.times, problem.widths, problem.releases, problem.deadlines
    processors, cluster, starts = problem.processors, memory.cluster, memory.start
    for k in range(clusters):
        count[k] = problem.count[k]
        for step in range(k * capacity, k * capacity + problem.count[k]):
            moments[step] = problem.moments[step]
            free[step] = problem.free[step]
    total = 0.0
    last = late = 0
    for job in order:
        time, width = times[job], widths[job]
        start, home = NEVER, 0
        for k in range(clusters):
            if processors[k] >= width:
                found = earliest(moments, free, k * capacity, count[k], releases[job], time, width, start)
                if found < start:
                    start, home = found, k
        end = start + time
        count[home] = hold(moments, free, home * capacity, count[home], start, end, width)
        cluster[job] = home
        starts[job] = start
        last = max(last, end)
        if end > deadlines[job]:
            late += 1
            total += LATE * width * float(end - deadlines[job])
        if end > goal:
            total += width * float(end - goal)
    memory.found[MAKESPAN] = last
    memory.found[LATE_JOBS] = late
    return total


def vary(problem: OrderProblem, memory: OrderMemory, state: Numbers) -> None:
    """Write a neighbour of the order into `tried`: two jobs swapped, or one moved."""
    jobs = problem.sizes[JOBS]
    tried = memory.tried
    for position in range(jobs):
        tried[position] = memory.order[position]
    kind, first = draw(state, 100), draw(state, jobs)
    if kind < NEAR_SWAPS:
        near = min(jobs - 1, max(0, first - NEAR + draw(state, 2 * NEAR + 1)))
        second = draw(state, jobs) if kind < SWAPS else near
        tried[first], tried[second] = tried[second], tried[first]
        return
    second, job = draw(state, jobs), tried[first]
    step = 1 if first < second else -1
    for position in range(first, second, step):
        tried[position] = tried[position + step]
    tried[second] = job


def keep(problem: OrderProblem, memory: OrderMemory) -> None:
    """Make the schedule made last the best one, if no job is late in it and it is shorter."""
    if memory.found[LATE_JOBS] == 0 and memory.found[MAKESPAN] < memory.found[BEST]:
        memory.found[BEST] = memory.found[MAKESPAN]
        for job in range(problem.sizes[JOBS]):
            memory.best_cluster[job] = memory.cluster[job]
            memory.best_start[job] = memory.start[job]


def anneal_orders(
    problem: OrderProblem,
    memory: OrderMemory,
    state: Numbers,
    logs: Any,
    steps: int,
    heat: Any,
    cooling: float,
    goal: int,
) -> int:
    """Try so many orders, or until a schedule without late jobs ends by the goal; return how many were tried.

    Parameters
    ----------
    state, logs
        As in `mosp_kernels.anneal`.
    heat, cooling
        The temperature and, second, the overhang of the order; its factor from step to step.
    """
    done = 0
    while done < steps and memory.found[BEST] > goal:
        done += 1
        limit = heat[1] + heat[0] * logs[draw(state, len(logs))]
        heat[0] *= cooling
        vary(problem, memory, state)
        value = overhang(problem, memory, memory.tried, goal)
        keep(problem, memory)
        if value <= limit:
            heat[1] = value
            for position in range(problem.sizes[JOBS]):
                memory.order[position] = memory.tried[position]
    return done
