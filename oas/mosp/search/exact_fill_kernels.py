"""Inner loops of the beam that fills a cluster exactly: plain functions over sequences, as in `filling_kernels`.

At each event the starting jobs are drawn from the job sets that leave the fewest processors idle, found among some of
the remaining jobs with a table of reachable sums. A partial schedule is pruned if it has idled more than the goal
allows, or has a job left that would end too late.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import kernel
from oas.core.shared_kernels import Numbers, draw
from oas.mosp.search.filling_kernels import JOBS, KIDS, STEPS, WIDTH, advance, begin, copy_row, enter, start_job

__all__ = ["begin", "sweep"]  # the functions that `Beam` calls

CANDIDATES = 64  # maximum number of jobs from which sets are formed
TAKEN = 70  # percentage of cases in which an optional job is taken
GOAL, BUDGET = range(2)
BIAS, NOISE, GREED, ROUGHNESS = range(4)


class ExactMemory(NamedTuple):
    """Arrays that the loops write in addition to `FillMemory`."""

    chosen: Numbers  # the candidates, then the jobs of the set
    key: Any  # by job: sort key of the candidates, descending
    # (`CANDIDATES` + 1) × (processors + 1): whether the candidates from an index on can occupy exactly that many
    reached: Numbers
    limits: Numbers  # GOAL, and BUDGET: processors × time that may be idle until the goal
    # Random reduction of a candidate's hardness (BIAS) and of a schedule's (NOISE), as fractions; cost of the whole
    # idle budget (GREED) and of each profile step (ROUGHNESS), as fractions of the total hardness
    manner: Any


def candidates(problem: Any, memory: Any, exact: Any, state: Numbers, row: int) -> int:
    """Write up to `CANDIDATES` jobs that can start at a row's event and end by the goal; return their number."""
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
    """Sort the candidates by their hardness, randomly reduced, descending."""
    for place in range(found):
        job = exact.chosen[place]
        key = problem.hardness[job] * (1.0 - exact.manner[BIAS] * float(draw(state, 1000)) / 1000.0)
        exact.key[job] = key
        while place > 0 and exact.key[exact.chosen[place - 1]] < key:
            exact.chosen[place] = exact.chosen[place - 1]
            place -= 1
        exact.chosen[place] = job


def choose_set(problem: Any, exact: Any, state: Numbers, found: int, free: int) -> int:
    """Write a set of candidates that occupies the maximum number of free processors; return its size."""
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
    """Start a set of jobs at the event of a row."""
    free = memory.free[row * problem.sizes[STEPS]]
    if free == 0:
        return
    found = candidates(problem, memory, exact, state, row)
    sort_hardest(problem, exact, state, found)
    for place in range(choose_set(problem, exact, state, found, free)):
        start_job(problem, memory, row, exact.chosen[place])


def hopeless(problem: Any, memory: Any, row: int, limits: Numbers) -> bool:
    """Return whether a row exceeds its idle budget, or has a job left that would end after the goal."""
    if memory.waste[row] > limits[BUDGET]:
        return True
    left = limits[GOAL] - memory.moments[row * problem.sizes[STEPS]]
    starts = row * problem.sizes[JOBS]
    for job in range(problem.sizes[JOBS]):  # noqa: SIM110
        if memory.start[starts + job] < 0 and problem.times[job] > left:
            return True
    return False


def grow(problem: Any, memory: Any, exact: Any, state: Numbers, row: int, mark: int) -> bool:
    """Advance a row to the mark; return whether it may still reach the goal."""
    base = row * problem.sizes[STEPS]
    while memory.left[row] > 0 and memory.moments[base] < mark:
        fill_exactly(problem, memory, exact, state, row)
        if memory.left[row] > 0:
            advance(problem, memory, row)
            if hopeless(problem, memory, row, exact.limits):
                return False
    return True


@kernel
def sweep(problem: Any, memory: Any, state: Numbers, bank: int, parents: int, mark: int, exact: Any) -> tuple[int, int]:
    """Advance the beam to the mark; return its new number of schedules, and a complete row or −1.

    The `parents` schedules are in half `bank` of the rows, 0 or 1; the new ones are in the other half.
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
