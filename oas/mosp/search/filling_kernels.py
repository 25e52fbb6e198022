"""Inner loops of the event beam on one cluster: plain functions over sequences, as in `ruin_recreate_kernels`.

Partial schedules grow forward in time. At each *event*, when processors become free or a job is released, jobs start
until the schedule leaves the remaining processors idle and continues to the next event. A *sweep* advances every
schedule of the beam to the next *mark* in several random ways. It keeps the schedules with the least waste, reduced by
a credit for difficult jobs: wide and long ones, which are hard to place late.

A partial schedule is a row of `FillMemory`. Its profile begins at its current event; the last step never ends.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import kernel, short_kernel
from oas.core.shared_kernels import NEVER, Numbers, draw, occupy_steps

JOBS, STEPS, WIDTH, KIDS = range(4)
WIDEST = 3  # the first way of choosing takes one of this many widest jobs that fit
BY_WIDTH, BY_HARDNESS = 40, 80  # percentiles: choose by width; the harder of two; otherwise by pairs
PAIRS = 12  # random pairs compared
STOPS = 8  # percentage of cases in which processors stay idle although a job fits,
FEW = 8  # if fewer than 1/FEW of the cluster's processors are free


class FillProblem(NamedTuple):
    """The instance as used by the loops."""

    # Number of jobs; capacity of a profile in steps; maximum number of schedules in the beam; extensions of each
    sizes: Numbers
    # By job
    times: Numbers
    widths: Numbers
    releases: Numbers
    names: Numbers  # by job, a random number; sums of them identify sets of jobs
    hardness: Any  # by job: the part of its area that counts as hard to place late
    queue: Numbers  # the jobs, widest first
    # Profile of the cluster with only its reservations
    moments: Numbers
    free: Numbers


class FillMemory(NamedTuple):
    """Arrays that the loops write: 2·WIDTH + 1 rows for two beams and a temporary schedule."""

    # By row: profile, and its number of steps
    moments: Numbers
    free: Numbers
    count: Numbers
    start: Numbers  # rows × jobs: starts, −1 for a job not placed
    left: Numbers  # by row: number of unplaced jobs
    name: Numbers  # by row: sum of the names of its jobs
    # By row: idle area so far, hardness placed; value by which rows are selected, ascending
    waste: Any
    hard: Any
    value: Any
    fitting: Numbers  # jobs that can start at the event


@short_kernel
def begin(problem: FillProblem, memory: FillMemory) -> None:
    """Make row 0 the empty schedule."""
    memory.count[0] = len(problem.moments)
    for step in range(len(problem.moments)):
        memory.moments[step] = problem.moments[step]
        memory.free[step] = problem.free[step]
    for job in range(problem.sizes[JOBS]):
        memory.start[job] = -1
    memory.left[0] = problem.sizes[JOBS]
    memory.name[0] = 0
    memory.waste[0] = memory.hard[0] = 0.0


def copy_row(problem: FillProblem, memory: FillMemory, row: int, to: int) -> None:
    """Copy a row over another."""
    jobs, steps = problem.sizes[JOBS], problem.sizes[STEPS]
    memory.count[to] = memory.count[row]
    for step in range(memory.count[row]):
        memory.moments[to * steps + step] = memory.moments[row * steps + step]
        memory.free[to * steps + step] = memory.free[row * steps + step]
    for job in range(jobs):
        memory.start[to * jobs + job] = memory.start[row * jobs + job]
    memory.left[to] = memory.left[row]
    memory.name[to] = memory.name[row]
    memory.waste[to] = memory.waste[row]
    memory.hard[to] = memory.hard[row]
    memory.value[to] = memory.value[row]


def fits(problem: FillProblem, memory: FillMemory, row: int, job: int) -> bool:
    """Return whether a job can run from the event of a row, which has enough processors, to its end."""
    base = row * problem.sizes[STEPS]
    end, width = memory.moments[base] + problem.times[job], problem.widths[job]
    for step in range(base + 1, base + memory.count[row]):
        if memory.moments[step] >= end:
            return True
        if memory.free[step] < width:
            return False
    return True


def start_job(problem: FillProblem, memory: FillMemory, row: int, job: int) -> None:
    """Start a job at the event of a row."""
    base, count = row * problem.sizes[STEPS], memory.count[row]
    now = memory.moments[base]
    end, width = now + problem.times[job], problem.widths[job]
    memory.count[row] = occupy_steps(memory.moments, memory.free, base, count, 0, end, width)
    memory.start[row * problem.sizes[JOBS] + job] = now
    memory.left[row] -= 1
    memory.name[row] += problem.names[job]
    memory.hard[row] += problem.hardness[job]


def find_fitting(problem: FillProblem, memory: FillMemory, row: int) -> int:
    """Write the jobs that can start at the event of a row, widest first; return their number."""
    base, starts = row * problem.sizes[STEPS], row * problem.sizes[JOBS]
    free, now = memory.free[base], memory.moments[base]
    found = 0
    for job in problem.queue:
        waits = memory.start[starts + job] < 0 and problem.releases[job] <= now
        if waits and problem.widths[job] <= free and fits(problem, memory, row, job):
            memory.fitting[found] = job
            found += 1
    return found


def choose(problem: FillProblem, memory: FillMemory, state: Numbers, found: int, free: int) -> int:
    """Return one of the jobs that fit: a wide one, a hard one, or the first of a pair filling the free processors."""
    manner = draw(state, 100)
    if manner < BY_WIDTH:
        return memory.fitting[draw(state, min(found, WIDEST))]
    job = memory.fitting[draw(state, found)]
    if manner < BY_HARDNESS:
        other = memory.fitting[draw(state, found)]
        return other if problem.hardness[other] > problem.hardness[job] else job
    least = free
    for _ in range(PAIRS):
        first, second = memory.fitting[draw(state, found)], memory.fitting[draw(state, found)]
        rest = free - problem.widths[first] - problem.widths[second]
        if first != second and 0 <= rest < least:
            least, job = rest, first
    return job


def fill(problem: FillProblem, memory: FillMemory, state: Numbers, row: int) -> None:
    """Start jobs at the event of a row until none fits, or at random if few processors are free."""
    base = row * problem.sizes[STEPS]
    while memory.free[base] > 0:
        found = find_fitting(problem, memory, row)
        free = memory.free[base]
        few = memory.count[row] > 1 and free * FEW < memory.free[base + memory.count[row] - 1]
        if found == 0 or (few and draw(state, 100) < STOPS):
            return
        job = choose(problem, memory, state, found, free)
        start_job(problem, memory, row, job)


def advance(problem: FillProblem, memory: FillMemory, row: int) -> None:
    """Advance a row to its next event; processors free until then are wasted."""
    base, starts = row * problem.sizes[STEPS], row * problem.sizes[JOBS]
    now, count = memory.moments[base], memory.count[row]
    following = memory.moments[base + 1] if count > 1 else NEVER
    for job in range(problem.sizes[JOBS]):
        if now < problem.releases[job] < following and memory.start[starts + job] < 0:
            following = problem.releases[job]
    memory.waste[row] += float(memory.free[base]) * float(following - now)
    if count > 1 and memory.moments[base + 1] == following:
        for step in range(base, base + count - 1):
            memory.moments[step] = memory.moments[step + 1]
            memory.free[step] = memory.free[step + 1]
        memory.count[row] = count - 1
    else:
        memory.moments[base] = following


def enter(problem: FillProblem, memory: FillMemory, row: int, first: int, kept: int) -> int:
    """Insert a row into the beam of `kept` rows from row `first` on; return the new number of rows.

    A row with the same jobs and waste as another is dropped; if the beam is full, the worst row is dropped.
    """
    worst = first
    for other in range(first, first + kept):
        if memory.name[other] == memory.name[row] and memory.waste[other] == memory.waste[row]:
            return kept
        if memory.value[other] > memory.value[worst]:
            worst = other
    if kept < problem.sizes[WIDTH]:
        copy_row(problem, memory, row, first + kept)
        return kept + 1
    if memory.value[row] < memory.value[worst]:
        copy_row(problem, memory, row, worst)
    return kept


@kernel
def sweep(
    problem: FillProblem,
    memory: FillMemory,
    state: Numbers,
    bank: int,
    parents: int,
    mark: int,
    greed: float,
    noise: float,
) -> tuple[int, int]:
    """Advance the beam to the mark; return its new number of schedules, and the number of schedules made.

    The `parents` schedules are in half `bank` of the rows, 0 or 1; the new ones are in the other half. `greed` is the
    credit for hardness, in waste per hardness; `noise` is the maximum random part of the value.
    """
    width, steps = problem.sizes[WIDTH], problem.sizes[STEPS]
    scratch, target = 2 * width, (1 - bank) * width
    kept = made = 0
    for parent in range(bank * width, bank * width + parents):
        waits = memory.left[parent] == 0 or memory.moments[parent * steps] >= mark
        for _ in range(1 if waits else problem.sizes[KIDS]):
            copy_row(problem, memory, parent, scratch)
            while memory.left[scratch] > 0 and memory.moments[scratch * steps] < mark:
                fill(problem, memory, state, scratch)
                if memory.left[scratch] > 0:
                    advance(problem, memory, scratch)
            blur = noise * draw(state, 1000) / 1000
            memory.value[scratch] = memory.waste[scratch] - greed * memory.hard[scratch] + blur
            kept = enter(problem, memory, scratch, target, kept)
            made += 1
    return kept, made
