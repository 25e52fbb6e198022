"""Inner loops of the event beam on one cluster: plain functions over sequences of integers, as in `ruin_recreate`.

Partial schedules grow forward in time. At each *event*, a moment at which processors become free or a job is released,
a partial schedule starts some jobs, leaves the remaining processors idle, and advances to the next event. A *sweep*
continues every schedule of the beam to the next *mark* in several random ways. It keeps those with the least waste,
corrected by their difficult jobs: wide and long jobs, which leave no space for others at the end.

A partial schedule is a row of `FillMemory`. Its profile begins at its current event; the free processors of the last
step stay free forever.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from heuristics.shared_kernels import NEVER, draw
from oas.core.compiling import kernel, short_kernel

Numbers = Any  # a list of int, or an int64 array

JOBS, STEPS, WIDTH, KIDS = range(4)
WIDEST = 3  # the first choice is among this number of the widest jobs that fit
BY_WIDTH, BY_HARDNESS = (
    40,
    80,
)  # percentages of choices: the widest, and cumulative the harder of two; the rest by pairs
PAIRS = 12  # examined pairs, of which the one that leaves least is chosen
STOPS = 8  # times of a hundred, processors may idle though jobs fit, where
FEW = 8  # the cluster has at least this number of times as many processors as are free


class FillProblem(NamedTuple):
    """An instance as the loops see it."""

    # Number of jobs; steps of a profile; maximum number of schedules in the beam; continuations of each
    sizes: Numbers
    # Of each job
    times: Numbers
    widths: Numbers
    releases: Numbers
    names: Numbers  # of each job, a number drawn by lot: sums of them tell sets of jobs apart
    hardness: Any  # of each job: the part of its processors × time that counts as hard to place late
    queue: Numbers  # the jobs, widest first
    # Profile of the cluster with nothing but reservations on it
    moments: Numbers
    free: Numbers


class FillMemory(NamedTuple):
    """Arrays that the loops write: 2·WIDTH + 1 rows, two beams and the schedule that is being made."""

    # Profile of each row, and how many steps it has
    moments: Numbers
    free: Numbers
    count: Numbers
    start: Numbers  # rows × jobs: starts, −1 for a job not placed
    left: Numbers  # of each row: jobs not placed
    name: Numbers  # of each row: the sum of its jobs' names
    # Of each row: idle processors × time so far, hardness of placed jobs; sort key, least first
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
    """Write a row over another."""
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
    """Tell whether a job can start at the event of a row, for which it has processors, and run to its end."""
    base = row * problem.sizes[STEPS]
    end, width = memory.moments[base] + problem.times[job], problem.widths[job]
    for step in range(base + 1, base + memory.count[row]):
        if memory.moments[step] >= end:
            return True
        if memory.free[step] < width:
            return False
    return True


def start_job(problem: FillProblem, memory: FillMemory, row: int, job: int) -> None:
    """Let a job start at the event of a row."""
    moments, free, base = memory.moments, memory.free, row * problem.sizes[STEPS]
    count, end = memory.count[row], memory.moments[base] + problem.times[job]
    step = 0
    while step < count and moments[base + step] < end:
        if step + 1 == count or moments[base + step + 1] > end:
            for place in range(base + count, base + step + 1, -1):
                moments[place] = moments[place - 1]
                free[place] = free[place - 1]
            moments[base + step + 1] = end
            free[base + step + 1] = free[base + step]
            count += 1
        free[base + step] -= problem.widths[job]
        step += 1
    memory.count[row] = count
    memory.start[row * problem.sizes[JOBS] + job] = moments[base]
    memory.left[row] -= 1
    memory.name[row] += problem.names[job]
    memory.hard[row] += problem.hardness[job]


def find_fitting(problem: FillProblem, memory: FillMemory, row: int) -> int:
    """Write the jobs that can start at the event of a row, widest first; return how many there are."""
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
    """Return one of the jobs that fit: a wide one, a hard one, or the first of two that fill what is free."""
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
    """Let jobs start at the event of a row until none fits, or few processors are free and it is left at that."""
    base = row * problem.sizes[STEPS]
    while memory.free[base] > 0:
        found = find_fitting(problem, memory, row)
        free = memory.free[base]
        few = memory.count[row] > 1 and free * FEW < memory.free[base + memory.count[row] - 1]
        if found == 0 or (few and draw(state, 100) < STOPS):
            return
        job = choose(problem, memory, state, found, free)
        start_job(problem, memory, row, job)


def go_on(problem: FillProblem, memory: FillMemory, row: int) -> None:
    """Take a row to its next event; processors free until then are wasted."""
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
    """Enter a row in the beam that begins at row `first` and has `kept` rows; return how many it has then.

    A row with the same placed jobs and the same waste as another one is dropped; so is the worst row of a full beam.
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
    """Take the beam to the mark; return how many schedules it has then, and how many were made.

    The beam occupies `parents` rows in the half `bank` of the rows, 0 or 1; afterwards it is in the other half. `greed`
    is the waste compensated by the hardness of placed jobs, `noise` the maximum random increase of the sort key.
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
                    go_on(problem, memory, scratch)
            blur = noise * draw(state, 1000) / 1000
            memory.value[scratch] = memory.waste[scratch] - greed * memory.hard[scratch] + blur
            kept = enter(problem, memory, scratch, target, kept)
            made += 1
    return kept, made
