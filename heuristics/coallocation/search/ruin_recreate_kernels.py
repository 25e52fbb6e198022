"""Inner loops of ruin and recreate for co-allocated jobs: plain functions over sequences of integers.

They run as plain Python or compiled (`oas.core.compiling`), with the same
result to the last bit: the random numbers are their own, and the few floats see nothing but additions, products and
comparisons.

All has to end by a *horizon*, the makespan asked for. A job stands at a start, on nodes that stay the same, or it is
unplaced; what the search lowers is the weight of the unplaced jobs. A step takes out the jobs that run in one or two
stretches of time, and places these and the unplaced ones anew, in a random order of some kind. If too much weight is
left over, profile and jobs become what they were.

The profile is that of `annealing_kernels`, with a row for each moment at which a placed job starts or ends, and
a last row at the horizon, where nothing is free.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from heuristics.coallocation.search.annealing_kernels import (
    CLASSES,
    CLUSTERS,
    JOBS,
    LEVELS,
    PATTERNS,
    Numbers,
    Problem,
    copy_rows,
    draw,
)
from heuristics.coallocation.search.ruin_recreate_placing import change_rows, split_over_rows, take_nodes
from oas.core.compiling import kernel, short_kernel

START, TIME, LEVEL, PATTERN, COUNTS = range(5)  # of a job's row; −1 starts an unplaced one
ORDERS = 4  # random, and those of `Memory.keys`
BLINKS = 4  # places passed over, of a hundred
HELD = 50  # jobs that try their last level first, and that keep their pattern, of a hundred
TWICE = 50  # steps with two stretches, of a hundred
PARTLY = 50  # stretches in which some jobs stay, of a hundred
AT_HOLES = 50  # stretches where nodes are free, of a hundred
PARTS = 1 << 20


class Memory(NamedTuple):
    """Arrays that the loops write, and some of the search's own.

    Attributes
    ----------
    profile, uses, rows
        The profile, how many starts and ends make each row, and how many rows there are.
    jobs
        A row for each job: start, duration, level, pattern, nodes of each class, tasks in each cluster.
    saved_profile, saved_uses, saved_jobs
        What is put back if a step is not accepted.
    chosen, key, marked
        The jobs of a step, by what each is sorted, and whether a job is among them.
    keys, weights
        For each order but the random one, a number of each job, greatest first. What it costs to leave a job unplaced.
    length
        How long a stretch is at most.
    room, quiet, counts, split, order
        As in `heuristics.coallocation.search.annealing_kernels`.
    """

    profile: Numbers
    uses: Numbers
    rows: Numbers
    jobs: Numbers
    saved_profile: Numbers
    saved_uses: Numbers
    saved_jobs: Numbers
    chosen: Numbers
    key: Numbers
    marked: Numbers
    keys: Numbers
    weights: Any
    length: Numbers
    room: Numbers
    quiet: Numbers
    counts: Numbers
    split: Numbers
    order: Numbers


def row_width(problem: Problem) -> int:
    """Return how many numbers a row of the profile has."""
    sizes = problem.sizes
    return 1 + sizes[LEVELS] + sizes[CLASSES] + sizes[CLUSTERS]


def job_width(problem: Problem) -> int:
    """Return how many numbers a job's row has."""
    return COUNTS + problem.sizes[CLASSES] + problem.sizes[CLUSTERS]


def row_at(profile: Numbers, width: int, rows: int, moment: int) -> int:
    """Return the row that holds at `moment`."""
    low, high = 0, rows
    while high - low > 1:
        middle = (low + high) // 2
        if profile[middle * width] <= moment:
            low = middle
        else:
            high = middle
    return low


def enter_moment(memory: Memory, width: int, moment: int) -> int:
    """Count one more start or end at `moment`; return its row, made if there was none."""
    profile, uses, rows = memory.profile, memory.uses, memory.rows[0]
    row = row_at(profile, width, rows, moment)
    if profile[row * width] != moment:
        row += 1
        for place in range(rows * width - 1, row * width - 1, -1):
            profile[place + width] = profile[place]
        for other in range(rows - 1, row - 1, -1):
            uses[other + 1] = uses[other]
        for place in range(row * width, (row + 1) * width):
            profile[place] = profile[place - width]
        profile[row * width] = moment
        uses[row] = 0
        memory.rows[0] = rows + 1
    uses[row] += 1
    return row


def leave_row(memory: Memory, width: int, row: int) -> None:
    """Count one start or end less; a row without any goes."""
    profile, uses, rows = memory.profile, memory.uses, memory.rows[0]
    uses[row] -= 1
    if uses[row] == 0:
        for place in range((row + 1) * width, rows * width):
            profile[place - width] = profile[place]
        for other in range(row + 1, rows):
            uses[other - 1] = uses[other]
        memory.rows[0] = rows - 1


def load_job(problem: Problem, memory: Memory, job: int) -> None:
    """Make the job's nodes and tasks those at hand."""
    classes = problem.sizes[CLASSES]
    place = job * job_width(problem) + COUNTS
    copy_rows(memory.jobs, place, memory.counts, 0, classes)
    copy_rows(memory.jobs, place + classes, memory.split, 0, problem.sizes[CLUSTERS])


def enter_job(problem: Problem, memory: Memory, job: int) -> None:
    """Enter a job with the nodes at hand in the profile."""
    place, width = job * job_width(problem), row_width(problem)
    start = memory.jobs[place + START]
    first = enter_moment(memory, width, start)
    after = enter_moment(memory, width, start + memory.jobs[place + TIME])
    change_rows(problem, memory, job, first, after, 1)


def take_out(problem: Problem, memory: Memory, job: int) -> None:
    """Take a placed job out of the profile."""
    place, width = job * job_width(problem), row_width(problem)
    start = memory.jobs[place + START]
    first = row_at(memory.profile, width, memory.rows[0], start)
    after = row_at(memory.profile, width, memory.rows[0], start + memory.jobs[place + TIME])
    load_job(problem, memory, job)
    change_rows(problem, memory, job, first, after, -1)
    leave_row(memory, width, after)
    leave_row(memory, width, first)
    memory.jobs[place + START] = -1


@short_kernel
def rebuild(problem: Problem, memory: Memory, horizon: int) -> None:
    """Write the profile anew for this horizon; jobs that end later are unplaced."""
    width = row_width(problem)
    copy_rows(problem.empty, 0, memory.profile, 0, width)
    memory.profile[width] = horizon
    for column in range(1, width):
        memory.profile[width + column] = -1
    memory.uses[0] = memory.uses[1] = 1
    memory.rows[0] = 2
    for job in range(problem.sizes[JOBS]):
        place = job * job_width(problem)
        if memory.jobs[place + START] >= 0:
            if memory.jobs[place + START] + memory.jobs[place + TIME] <= horizon:
                load_job(problem, memory, job)
                enter_job(problem, memory, job)
            else:
                memory.jobs[place + START] = -1


def earliest(problem: Problem, memory: Memory, job: int, level: int, pattern: int, state: Numbers) -> int:
    """Return the earliest start, at a row's moment, passing some over; −1 if there is none."""
    profile, rows, width = memory.profile, memory.rows[0], row_width(problem)
    tasks, time, column = problem.tasks[job], problem.times[job * problem.sizes[LEVELS] + level], 1 + level
    row = 0
    while True:
        while row < rows - 1 and profile[row * width + column] < tasks:
            row += 1
        end = profile[row * width] + time
        if row >= rows - 1 or end > profile[(rows - 1) * width]:
            return -1
        after = row + 1
        while profile[after * width] < end and profile[after * width + column] >= tasks:
            after += 1
        if profile[after * width] < end:
            row = after + 1
            continue
        if draw(state, 100) >= BLINKS and split_over_rows(problem, memory, job, level, pattern, row, after):
            return profile[row * width]
        row += 1


def latest(problem: Problem, memory: Memory, job: int, level: int, pattern: int, state: Numbers) -> int:
    """Return the latest start with its end at a row's moment, passing some over; −1 if there is none."""
    profile, width = memory.profile, row_width(problem)
    tasks, time, column = problem.tasks[job], problem.times[job * problem.sizes[LEVELS] + level], 1 + level
    after = memory.rows[0] - 1
    while True:
        while after > 0 and profile[(after - 1) * width + column] < tasks:
            after -= 1
        start = profile[after * width] - time
        if after == 0 or start < 0:
            return -1
        row = after - 1
        while profile[row * width] > start and profile[row * width + column] >= tasks:
            row -= 1
        if profile[row * width + column] < tasks:
            after = row
            continue
        if draw(state, 100) >= BLINKS and split_over_rows(problem, memory, job, level, pattern, row, after):
            return start
        after -= 1


def leftover(problem: Problem, memory: Memory, job: int, level: int, row: int, start: int, limit: float) -> float:
    """Return nodes × time that stay free beside a run that starts in `row`; −1: no room, or not less than `limit`."""
    profile, width, levels = memory.profile, row_width(problem), problem.sizes[LEVELS]
    tasks = problem.tasks[job]
    end = start + problem.times[job * levels + level]
    total = 0.0
    while start < end:
        if profile[row * width + 1 + level] < tasks:
            return -1.0
        left = profile[row * width + levels] - tasks
        row += 1
        until = min(end, profile[row * width])
        total += float(left) * float(until - start)
        if limit >= 0 and total >= limit:
            return -1.0
        start = until
    return total


def tightest(problem: Problem, memory: Memory, job: int, level: int, pattern: int, state: Numbers) -> int:
    """Return the start beside which least stays free, start or end at a row's moment, passing some over; −1: none."""
    profile, rows, width = memory.profile, memory.rows[0], row_width(problem)
    tasks, time = problem.tasks[job], problem.times[job * problem.sizes[LEVELS] + level]
    horizon = profile[(rows - 1) * width]
    found = -1
    limit = -1.0
    for step in range(rows - 1):
        if profile[step * width + 1 + level] < tasks:
            continue
        for late in range(2):
            start = profile[(step + 1) * width] - time if late else profile[step * width]
            if start < 0 or start + time > horizon or (late and start == profile[step * width]):
                continue
            row = row_at(profile, width, rows, start) if late else step
            value = leftover(problem, memory, job, level, row, start, limit)
            if value >= 0 and draw(state, 100) >= BLINKS:
                after = row_at(profile, width, rows, start + time - 1) + 1
                if split_over_rows(problem, memory, job, level, pattern, row, after):
                    found, limit = start, value
    if found >= 0:
        row = row_at(profile, width, rows, found)
        after = row_at(profile, width, rows, found + time - 1) + 1
        split_over_rows(problem, memory, job, level, pattern, row, after)
    return found


def place_job(problem: Problem, memory: Memory, job: int, manner: int, state: Numbers) -> bool:
    """Place a job by its last level or a random one, by the others if that has no place; return whether it has one."""
    levels, place = problem.sizes[LEVELS], job * job_width(problem)
    first = memory.jobs[place + LEVEL]
    if draw(state, 100) >= HELD:
        first = problem.canonical[job * levels + draw(state, levels)]
    pattern = memory.jobs[place + PATTERN]
    if draw(state, 100) >= HELD:
        pattern = draw(state, problem.sizes[PATTERNS]) if draw(state, 2) else 0
    before = -1
    for other in range(levels + 1):
        level = problem.canonical[job * levels + other - 1] if other > 0 else first
        if other > 0 and level in (first, before):
            continue
        before = level
        if manner == 0:
            start = earliest(problem, memory, job, level, pattern, state)
        elif manner == 1:
            start = latest(problem, memory, job, level, pattern, state)
        else:
            start = tightest(problem, memory, job, level, pattern, state)
        if start >= 0:
            time = problem.times[job * levels + take_nodes(problem, memory, level)]
            if manner == 1:  # the nodes that it takes may be faster than the level
                start += problem.times[job * levels + level] - time
            memory.jobs[place + START], memory.jobs[place + TIME] = start, time
            memory.jobs[place + LEVEL], memory.jobs[place + PATTERN] = level, pattern
            classes = problem.sizes[CLASSES]
            copy_rows(memory.counts, 0, memory.jobs, place + COUNTS, classes)
            copy_rows(memory.split, 0, memory.jobs, place + COUNTS + classes, problem.sizes[CLUSTERS])
            enter_job(problem, memory, job)
            return True
    return False


def choose(problem: Problem, memory: Memory, state: Numbers) -> int:
    """Choose the unplaced jobs and those in one or two stretches of time; return how many they are."""
    jobs, own = problem.sizes[JOBS], job_width(problem)
    profile, rows, width = memory.profile, memory.rows[0], row_width(problem)
    chosen = 0
    for job in range(jobs):
        memory.marked[job] = 0
        if memory.jobs[job * own + START] < 0:
            memory.marked[job] = 1
            memory.chosen[chosen] = job
            chosen += 1
    for _ in range(2 if draw(state, 100) < TWICE else 1):
        length = 1 + portion(state, memory.length[0])
        if draw(state, 100) < AT_HOLES:
            row = draw(state, rows - 1)
            for _ in range(2):
                other = draw(state, rows - 1)
                if profile[other * width + problem.sizes[LEVELS]] > profile[row * width + problem.sizes[LEVELS]]:
                    row = other
            begin = profile[row * width] - portion(state, length)
        else:
            begin = portion(state, profile[(rows - 1) * width])
        staying = draw(state, 100) if draw(state, 100) < PARTLY else 0
        for job in range(jobs):
            start = memory.jobs[job * own + START]
            end = start + memory.jobs[job * own + TIME]
            if memory.marked[job] == 0 and start < begin + length and end > begin and draw(state, 100) >= staying:
                memory.marked[job] = 1
                memory.chosen[chosen] = job
                chosen += 1
    return chosen


def portion(state: Numbers, whole: int) -> int:
    """Return a random number from 0 to `whole` − 1: `draw` for numbers that may be large, at some coarseness."""
    return draw(state, whole) if whole < PARTS else int(float(whole) * (draw(state, PARTS) / PARTS))


def sort_chosen(problem: Problem, memory: Memory, state: Numbers, chosen: int) -> None:
    """Sort the chosen jobs by a random one of the orders, blurred."""
    order = draw(state, ORDERS)
    noise = 10 + draw(state, 400)
    for place in range(chosen):
        job = memory.chosen[place]
        value = draw(state, 1000000)
        if order > 0:
            value = memory.keys[(order - 1) * problem.sizes[JOBS] + job] * (1000 + value % noise)
        memory.key[job] = value
        while place > 0 and memory.key[memory.chosen[place - 1]] < value:
            memory.chosen[place] = memory.chosen[place - 1]
            place -= 1
        memory.chosen[place] = job


@kernel
def anneal(problem: Problem, memory: Memory, state: Numbers, logs: Any, steps: int, heat: Any, cooling: float) -> int:
    """Ruin and recreate for so many steps, or until all jobs are placed; return the steps done.

    Parameters
    ----------
    state
        Of the random numbers.
    logs
        −ln of evenly spread numbers in (0, 1): how many temperatures worse a step may be.
    heat, cooling
        The temperature, changed in place, and its factor from step to step.
    """
    own, width = job_width(problem), row_width(problem)
    left = 0
    for job in range(problem.sizes[JOBS]):
        if memory.jobs[job * own + START] < 0:
            left += 1
    done = 0
    while done < steps and left > 0:
        done += 1
        limit = heat[0] * logs[draw(state, len(logs))]
        heat[0] *= cooling
        chosen = choose(problem, memory, state)
        sort_chosen(problem, memory, state, chosen)
        rows = memory.rows[0]
        copy_rows(memory.profile, 0, memory.saved_profile, 0, rows * width)
        copy_rows(memory.uses, 0, memory.saved_uses, 0, rows)
        delta = 0.0
        for place in range(chosen):
            job = memory.chosen[place]
            copy_rows(memory.jobs, job * own, memory.saved_jobs, place * own, own)
            if memory.jobs[job * own + START] < 0:
                delta -= memory.weights[job]
            else:
                take_out(problem, memory, job)
        missing = 0
        manner = draw(state, 3)
        for place in range(chosen):
            job = memory.chosen[place]
            if not place_job(problem, memory, job, manner, state):
                missing += 1
                delta += memory.weights[job]
                if delta > limit:
                    break
        if delta > limit:
            memory.rows[0] = rows
            copy_rows(memory.saved_profile, 0, memory.profile, 0, rows * width)
            copy_rows(memory.saved_uses, 0, memory.uses, 0, rows)
            for place in range(chosen):
                copy_rows(memory.saved_jobs, place * own, memory.jobs, memory.chosen[place] * own, own)
        else:
            left = missing
    return done
