"""Inner loops of the beam that fills a cluster exactly: plain functions over sequences of integers, as in `filling`.

At each event the jobs that start are drawn from those sets of jobs, among a part of those left, that leave fewest
processors idle: a table of the sums that can be reached, and a walk through it. A partial schedule that has idled more
than the goal allows is given up, and so is one with a job left that would end too late.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from heuristics.mosp.search.filling_kernels import JOBS, KIDS, STEPS, WIDTH, begin, copy_row, enter, go_on, start_job
from heuristics.shared_kernels import draw
from oas.core.compiling import kernel

Numbers = Any  # a list of int, or an int64 array

__all__ = ["begin", "sweep"]  # the loops of a beam

CANDIDATES = 64  # jobs that sets are made of, at most
TAKEN = 70  # times of a hundred, a job that may be taken is
GOAL, BUDGET = range(2)
BIAS, NOISE, GREED, ROUGHNESS = range(4)


class ExactMemory(NamedTuple):
    """Arrays that the kernels write in addition to `FillMemory`."""

    chosen: Numbers  # candidate jobs of sets, then those of the set
    key: Any  # of each job: sort key, greatest first
    # (`CANDIDATES` + 1) × (processors + 1): whether jobs from a place on can use this number of processors together
    reached: Numbers
    limits: Numbers  # GOAL, and BUDGET: permitted idle processors × time until then
    # BIAS is the part of the hardness that lots may take from a candidate, NOISE the same for a schedule, GREED what
    # all the idling allowed costs, and ROUGHNESS what each step of the profile costs, to all hardness
    manner: Any


def candidates(problem: Any, memory: Any, exact: Any, state: Numbers, row: int) -> int:
    """Write jobs that can start at the event of a row and end by the goal, drawn by lot if many; return how many."""
    base, starts = row * problem.sizes[STEPS], row * problem.sizes[JOBS]
    now, free, goal = memory.moments[base], memory.free[base], exact.limits[GOAL]
    found = 0
    for job in problem.queue:
        if (
            memory.start[starts + job] < 0
            and problem.widths[job] <= free
            and problem.releases[job] <= now
            and now + problem.times[job] <= goal
        ):
            exact.chosen[found] = job
            found += 1
    if found > CANDIDATES:
        for place in range(CANDIDATES):
            other = place + draw(state, found - place)
            job = exact.chosen[place]
            exact.chosen[place] = exact.chosen[other]
            exact.chosen[other] = job
        found = CANDIDATES
    return found


def sort_hardest(problem: Any, exact: Any, state: Numbers, found: int) -> None:
    """Sort the candidates by their hardness, less up to a part of it by lot, greatest first."""
    for place in range(found):
        job = exact.chosen[place]
        key = problem.hardness[job] * (1.0 - exact.manner[BIAS] * float(draw(state, 1000)) / 1000.0)
        exact.key[job] = key
        while place > 0 and exact.key[exact.chosen[place - 1]] < key:
            exact.chosen[place] = exact.chosen[place - 1]
            place -= 1
        exact.chosen[place] = job


def choose_set(problem: Any, exact: Any, state: Numbers, found: int, free: int) -> int:
    """Write a set of candidates that takes as many of the free processors as any; return how many jobs it has."""
    stride = free + 1
    for total in range(stride):
        exact.reached[found * stride + total] = 0
    exact.reached[found * stride] = 1
    for place in range(found - 1, -1, -1):
        width = problem.widths[exact.chosen[place]]
        row, after = place * stride, (place + 1) * stride
        for total in range(min(width, stride)):
            exact.reached[row + total] = exact.reached[after + total]
        for total in range(width, stride):
            exact.reached[row + total] = exact.reached[after + total] | exact.reached[after + total - width]
    rest = free
    while exact.reached[rest] == 0:
        rest -= 1
    taken = 0
    for place in range(found):
        if rest == 0:
            break
        width = problem.widths[exact.chosen[place]]
        after = (place + 1) * stride
        may = width <= rest and exact.reached[after + rest - width] == 1
        if may and (exact.reached[after + rest] == 0 or draw(state, 100) < TAKEN):
            exact.chosen[taken] = exact.chosen[place]
            taken += 1
            rest -= width
    return taken


def fill_exactly(problem: Any, memory: Any, exact: Any, state: Numbers, row: int) -> None:
    """Let a set of jobs start at the event of a row."""
    free = memory.free[row * problem.sizes[STEPS]]
    if free == 0:
        return
    found = candidates(problem, memory, exact, state, row)
    sort_hardest(problem, exact, state, found)
    for place in range(choose_set(problem, exact, state, found, free)):
        start_job(problem, memory, row, exact.chosen[place])


def hopeless(problem: Any, memory: Any, row: int, limits: Numbers) -> bool:
    """Tell whether a row has idled more than it may, or has a job left that would end after the goal."""
    if memory.waste[row] > limits[BUDGET]:
        return True
    left = limits[GOAL] - memory.moments[row * problem.sizes[STEPS]]
    starts = row * problem.sizes[JOBS]
    for job in range(problem.sizes[JOBS]):  # noqa: SIM110
        if memory.start[starts + job] < 0 and problem.times[job] > left:
            return True
    return False


def grow(problem: Any, memory: Any, exact: Any, state: Numbers, row: int, mark: int) -> bool:
    """Take a row to the mark; return whether it may still reach the goal."""
    base = row * problem.sizes[STEPS]
    while memory.left[row] > 0 and memory.moments[base] < mark:
        fill_exactly(problem, memory, exact, state, row)
        if memory.left[row] > 0:
            go_on(problem, memory, row)
            if hopeless(problem, memory, row, exact.limits):
                return False
    return True


@kernel
def sweep(problem: Any, memory: Any, state: Numbers, bank: int, parents: int, mark: int, exact: Any) -> tuple[int, int]:
    """Take the beam to the mark; return how many schedules it has then, and a row that is complete, or −1.

    The beam has `parents` rows in the half `bank` of the rows, 0 or 1; it is in the other one afterwards.
    """
    manner = exact.manner
    width = problem.sizes[WIDTH]
    scratch, target = 2 * width, (1 - bank) * width
    hardness = 0.0
    for job in range(problem.sizes[JOBS]):
        hardness += problem.hardness[job]
    kept = 0
    for parent in range(bank * width, bank * width + parents):
        for _ in range(problem.sizes[KIDS]):
            copy_row(problem, memory, parent, scratch)
            blur = 1.0 + manner[NOISE] * (float(draw(state, 1000)) / 1000.0 - 0.5)
            if not grow(problem, memory, exact, state, scratch, mark):
                continue
            if memory.left[scratch] == 0:
                return kept, scratch
            idle = memory.waste[scratch] / float(max(1, exact.limits[BUDGET]))
            rough = manner[ROUGHNESS] * float(memory.count[scratch])
            memory.value[scratch] = manner[GREED] * idle + rough - memory.hard[scratch] / hardness * blur
            kept = enter(problem, memory, scratch, target, kept)
    return kept, -1
