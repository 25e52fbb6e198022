"""Inner loops of the search over orders for MOSP: plain functions over sequences of integers.

An order becomes a schedule by placing one job after another at its earliest start, ties to the first cluster. The
search minimizes the *overhang*: the area of jobs beyond a goal or beyond their deadlines.

A profile is a linked list of steps in a pool shared by all clusters: step i has ``free[i]`` free processors from
``moments[i]`` until the moment of step ``after[i]`` (-1: forever); ``used[0]`` steps of the pool are in use. Step k is
the first one of cluster k, at moment 0. Steps are split, never removed, so a known step remains a valid starting point.

Within an order, processors are only ever occupied. So if a job finds no place before some step, neither does a later
job that is at least as long and wide. Jobs are sorted into rows by time and columns by width. For each cluster, row and
column, the first possible step of a job with the row's minimum time and the column's minimum width is stored; it only
moves forward.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import kernel, short_kernel
from oas.core.shared_kernels import NEVER, Numbers, copy, draw, shift

JOBS, STEPS = range(2)
LARGEST = 8  # the job to be moved is the largest of this many random jobs, as large jobs cause most overhang
NEAR = 20  # maximum distance of a near swap
SWAPS, NEAR_SWAPS = 50, 80  # percentiles of moves: swaps of any two jobs, near swaps; otherwise insertions
LATE = 3.0  # weight of the area beyond a deadline
MAKESPAN, LATE_JOBS, BEST = range(3)  # entries of `OrderMemory.found`


class OrderProblem(NamedTuple):
    """The instance as used by the loops."""

    sizes: Numbers  # number of jobs, and of steps in the initial profiles
    # By job
    times: Numbers
    widths: Numbers
    releases: Numbers
    deadlines: Numbers
    works: Any  # processors × time
    # By job: its time class and width class
    row: Numbers
    column: Numbers
    # Minimum time of each row, minimum width of each column
    rows: Numbers
    columns: Numbers
    processors: Numbers  # by cluster
    # Profiles of the clusters with only their reservations
    moments: Numbers
    free: Numbers
    after: Numbers


class OrderMemory(NamedTuple):
    """Arrays that the loops write."""

    # The current order, and the order to be tried next
    order: Numbers
    tried: Numbers
    # By job, in the last schedule
    cluster: Numbers
    start: Numbers
    # The same in the shortest schedule so far without late jobs
    best_cluster: Numbers
    best_start: Numbers
    found: Numbers  # makespan and number of late jobs of the last schedule; makespan of the best
    # Profiles, and the number of steps
    moments: Numbers
    free: Numbers
    after: Numbers
    used: Numbers
    first: Numbers  # clusters × rows × columns: first possible step of the smallest job of this row and column


def clear(problem: OrderProblem, memory: OrderMemory) -> None:
    """Remove all jobs from the profiles."""
    memory.used[0] = problem.sizes[STEPS]
    for step in range(problem.sizes[STEPS]):
        memory.moments[step] = problem.moments[step]
        memory.free[step] = problem.free[step]
        memory.after[step] = problem.after[step]
    cells = len(problem.rows) * len(problem.columns)
    for cell in range(len(memory.first)):
        memory.first[cell] = cell // cells


def step_at(memory: OrderMemory, step: int, moment: int) -> int:
    """Return the step that contains `moment`, searching forward from `step`."""
    moments, after = memory.moments, memory.after
    following = after[step]
    while following >= 0 and moments[following] <= moment:
        step = following
        following = after[step]
    return step


def cut_step(memory: OrderMemory, step: int, moment: int) -> int:
    """Split `step` at `moment`, which lies inside it; return the second part."""
    new = memory.used[0]
    memory.used[0] = new + 1
    memory.moments[new] = moment
    memory.free[new] = memory.free[step]
    memory.after[new] = memory.after[step]
    memory.after[step] = new
    return new


def occupy(memory: OrderMemory, step: int, start: int, end: int, width: int) -> None:
    """Occupy `width` processors from `start`, which is not before `step`, to `end`."""
    moments, free, after = memory.moments, memory.free, memory.after
    step = step_at(memory, step, start)
    if moments[step] < start:
        step = cut_step(memory, step, start)
    while True:
        following = after[step]
        if following < 0 or moments[following] > end:
            following = cut_step(memory, step, end)
        free[step] -= width
        if moments[following] == end:
            return
        step = following


def earliest(memory: OrderMemory, step: int, ready: int, time: int, width: int, limit: int) -> int:
    """Return the step of the earliest start ≥ `ready` of a run of `time` on `width` processors, or -1 if there is none.

    The start is the later of `ready` and the step's moment. Starts from `limit` on are irrelevant: the first step
    reached there is returned untested.
    """
    moments, free, after = memory.moments, memory.free, memory.after
    first = step = step_at(memory, step, ready)
    start = ready
    while start < limit:
        if free[step] < width:
            first = step = after[step]
            if step < 0:
                return -1
            start = moments[step]
        else:
            step = after[step]
            if step < 0 or moments[step] >= start + time:
                return first
    return first


def first_step(problem: OrderProblem, memory: OrderMemory, k: int, row: int, column: int, before: int) -> int:
    """Update and return the first step of a cluster at which the smallest job of this row and column could start.

    A step from `before` on is not updated.
    """
    moments, first, columns = memory.moments, memory.first, len(problem.columns)
    cell = (k * len(problem.rows) + row) * columns + column
    step = first[cell]
    if row > 0 and moments[first[cell - columns]] > moments[step]:
        step = first[cell - columns]
    if column > 0 and moments[first[cell - 1]] > moments[step]:
        step = first[cell - 1]
    if moments[step] < before:
        step = earliest(memory, step, moments[step], problem.rows[row], problem.columns[column], NEVER)
        first[cell] = step
    return step


@short_kernel
def overhang(problem: OrderProblem, memory: OrderMemory, order: Numbers, goal: int, limit: float) -> float:
    """Build the schedule of an order; return its area beyond the goal and beyond deadlines.

    It is abandoned, and counts as late, as soon as the overhang exceeds `limit`.
    """
    times, widths, releases, deadlines = problem.times, problem.widths, problem.releases, problem.deadlines
    processors, moments, cluster, starts = problem.processors, memory.moments, memory.cluster, memory.start
    clear(problem, memory)
    total = 0.0
    last = late = 0
    for job in order:
        time, width, ready = times[job], widths[job], releases[job]
        start, home, place = NEVER, 0, 0
        for k in range(len(processors)):
            if processors[k] < width:
                continue
            step = first_step(problem, memory, k, problem.row[job], problem.column[job], start)
            if moments[step] >= start:
                continue
            found = earliest(memory, step, max(ready, moments[step]), time, width, start)
            if max(ready, moments[found]) < start:
                start, home, place = max(ready, moments[found]), k, found
        end = start + time
        occupy(memory, place, start, end, width)
        cluster[job] = home
        starts[job] = start
        last = max(last, end)
        if end > deadlines[job]:
            late += 1
            total += LATE * width * float(end - deadlines[job])
        if end > goal:
            total += width * float(end - goal)
        if total > limit:
            late += 1
            break
    memory.found[MAKESPAN] = last
    memory.found[LATE_JOBS] = late
    return total


def vary(problem: OrderProblem, memory: OrderMemory, state: Numbers) -> None:
    """Write a neighbour of the order into `tried`: a job, preferably large, is swapped with another or moved."""
    jobs = problem.sizes[JOBS]
    tried = memory.tried
    copy(memory.order, tried)
    kind, first = draw(state, 100), draw(state, jobs)
    for _ in range(LARGEST - 1):
        other = draw(state, jobs)
        if problem.works[tried[other]] > problem.works[tried[first]]:
            first = other
    if kind < NEAR_SWAPS:
        near = min(jobs - 1, max(0, first - NEAR + draw(state, 2 * NEAR + 1)))
        second = draw(state, jobs) if kind < SWAPS else near
        tried[first], tried[second] = tried[second], tried[first]
        return
    shift(tried, first, draw(state, jobs))


@short_kernel
def keep(memory: OrderMemory) -> None:
    """Make the last schedule the best one, if it has no late job and is shorter."""
    if memory.found[LATE_JOBS] == 0 and memory.found[MAKESPAN] < memory.found[BEST]:
        memory.found[BEST] = memory.found[MAKESPAN]
        copy(memory.cluster, memory.best_cluster)
        copy(memory.start, memory.best_start)


@kernel
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
    """Try up to `steps` orders, or until a schedule without late jobs ends by the goal; return the number tried.

    `logs` (`LOGS`) are the accepted deteriorations in temperatures; `heat` contains the temperature and the overhang of
    the current order; `cooling` is the factor of the temperature after each step.
    """
    done = 0
    while done < steps and memory.found[BEST] > goal:
        done += 1
        limit = heat[1] + heat[0] * logs[draw(state, len(logs))]
        heat[0] *= cooling
        vary(problem, memory, state)
        value = overhang(problem, memory, memory.tried, goal, limit)
        keep(memory)
        if value <= limit:
            heat[1] = value
            copy(memory.tried, memory.order)
    return done
