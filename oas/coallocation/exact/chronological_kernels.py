"""Kernels of the chronological search: functions over arrays, run in plain Python or compiled by numba.

`oas.coallocation.exact.chronological_search` describes the search and proves that it is complete.
"""

from __future__ import annotations

from oas.coallocation.exact.placing_kernels import (
    SPLITS,
    Answer,
    Budget,
    Frames,
    Grid,
    Log,
    Memory,
    Numbers,
    copy_row,
    copy_running,
    fits_levels,
    give_back,
    placeable,
    take_split,
)
from oas.core.compiling import short_kernel

REFUTED, FOUND, UNDECIDED = 0, 1, 2
SPLITS_A_NODE = 16  # maximum number of splits tried per decision, on average over a call
MOMENTS = 4  # index in `state` of the number of moments
OPEN, LATE, SEEN, STOP = 0, 253, 254, 255  # codes of the log, see `oas.coallocation.bounds.search_log`
CODES_A_MOMENT = 8  # maximum number of bytes of the log for an advance


def is_waiting(waiting: Numbers, depth: int, job: int) -> bool:
    """Whether the job has not started yet."""
    return waiting[depth, job >> 5] >> (job & 31) & 1 == 1


def all_started(waiting: Numbers, depth: int) -> bool:
    """Whether no job waits any more."""
    left = 0
    for word in range(waiting.shape[1]):
        left |= waiting[depth, word]
    return left == 0


def exceeded(budget: Budget, frames: Frames, depth: int, job: int, level: int) -> int:
    """Return one more than the number of a budget that is exceeded by choosing this level; 0 for none."""
    for number in range(len(budget.total)):
        if frames.wasted[depth, number] + budget.extra[number, job, level] > budget.total[number]:
            return number + 1
    return 0


def write_code(log: Log, code: int) -> None:
    """Add a byte to the log."""
    log.codes[log.lengths[0]] = code
    log.lengths[0] += 1


def write_number(log: Log, number: int) -> None:
    """Add a number to the log, lowest digits first."""
    while number > 127:
        write_code(log, 128 + (number & 127))
        number >>= 7
    write_code(log, number)


def start(grid: Grid, budget: Budget, frames: Frames, depth: int, answer: Answer) -> None:
    """Start the option of row `depth`, and write the next row."""
    levels = len(grid.room)
    job, level = frames.option[depth] // levels, frames.option[depth] % levels
    below, count = depth + 1, frames.count[depth]
    frames.time[below] = frames.time[depth]
    frames.last[below] = job
    frames.option[below] = 0
    frames.splitting[below] = False
    copy_row(frames.waiting, depth)
    frames.waiting[below, job >> 5] &= ~(1 << (job & 31))
    frames.count[below] = count + 1
    for number in range(len(budget.total)):
        frames.wasted[below, number] = frames.wasted[depth, number] + budget.extra[number, job, level]
    for index in range(count):
        copy_running(frames, depth, index, below, index)
    frames.job[below, count] = job
    frames.level[below, count] = level
    frames.end[below, count] = frames.time[depth] + grid.durations[job, level]
    frames.before[below] = frames.before[depth]
    copy_row(frames.used, depth)
    frames.used[below, level] += grid.tasks[job]
    answer.starts[job] = frames.time[depth]
    answer.levels[job] = level
    if grid.placed:
        take_split(grid, frames, depth, job, answer)


def late(grid: Grid, frames: Frames, depth: int, then: int) -> int:
    """Return a waiting job that ends, or has its middle if mirrored, too late from `then` on; -1 for none."""
    for job in range(len(grid.tasks)):
        if is_waiting(frames.waiting, depth, job):
            shortest = grid.durations[job, grid.fastest[job]]
            if then + shortest > grid.horizon or (job == grid.mirrored and 2 * then + shortest > grid.horizon):
                return job
    return -1


def advance(grid: Grid, budget: Budget, frames: Frames, depth: int, log: Log) -> bool:
    """Advance to the next end of a running job, and write the next row; False if the branch is pruned."""
    count, below = frames.count[depth], depth + 1
    if count == 0:
        write_code(log, STOP)
        return False
    then = frames.end[depth, 0]
    for index in range(1, count):
        then = min(then, frames.end[depth, index])
    for number in range(len(budget.total)):
        idle = budget.whole[number]
        for index in range(count):
            idle -= budget.weights[number, frames.job[depth, index], frames.level[depth, index]]
        frames.wasted[below, number] = frames.wasted[depth, number] + idle * (then - frames.time[depth])
        if frames.wasted[below, number] > budget.total[number]:
            write_code(log, number + 1)
            return False
    job = late(grid, frames, depth, then)
    if job >= 0:
        write_code(log, LATE)
        write_number(log, job)
        return False
    frames.time[below] = then
    frames.last[below] = -1
    frames.option[below] = 0
    frames.splitting[below] = False
    frames.before[below] = depth
    copy_row(frames.waiting, depth)
    copy_row(frames.used, depth)
    if grid.placed:
        copy_row(frames.free, depth)
        copy_row(frames.link_free, depth)
    running = 0
    for index in range(count):
        job, level = frames.job[depth, index], frames.level[depth, index]
        if frames.end[depth, index] == then:
            frames.used[below, level] -= grid.tasks[job]
            if grid.placed:
                give_back(grid, frames, depth, index, below)
            continue
        place = running  # kept in the order of jobs, so that equal states have equal words
        while place > 0 and frames.job[below, place - 1] > job:
            copy_running(frames, below, place - 1, below, place)
            place -= 1
        copy_running(frames, depth, index, below, place)
        running += 1
    frames.count[below] = running
    return True


def write_state(grid: Grid, frames: Frames, depth: int, row: Numbers) -> int:
    """Write the state that determines the continuations of a branch into `row`; return its hash, below 2^42.

    Different states have different words; each is a number in mixed radix below 2^64. The first word of a running job
    is below max(n)·jobs·levels < 2^53·2^9. The others contain its nodes, for classes with a product of (size + 1) of at
    most 2^62.
    """
    jobs, levels = len(grid.tasks), len(grid.room)
    count, words = frames.count[depth], frames.waiting.shape[1]
    width = 1 + grid.node_words
    used = words + width * count
    for word in range(used, len(row)):
        row[word] = -2
    for word in range(words):
        row[word] = frames.waiting[depth, word]
    for index in range(count):
        place = words + width * index
        rest = frames.end[depth, index] - frames.time[depth]
        row[place] = (rest * jobs + frames.job[depth, index]) * levels + frames.level[depth, index]
        for word in range(place + 1, place + width):
            row[word] = 0
        if grid.node_words > 0:
            for position in range(len(grid.class_size)):
                word = place + 1 + grid.class_word[position]
                row[word] = row[word] * (grid.class_size[position] + 1) + frames.held[depth, index, position]
    code = 0
    for word in range(used):
        # Words are below 2^63, so both halves are below 2^32 and the product is below 2^62: nothing wraps.
        code = ((code ^ (row[word] & 0x7FFFFFFF)) * 1000003 ^ (row[word] >> 31)) & 0x3FFFFFFFFFF
    return code


def known(grid: Grid, frames: Frames, depth: int, memory: Memory, state: Numbers, log: Log) -> bool:
    """Whether the state of a row was reached before at no later time; otherwise store it."""
    if dominating(grid, frames, depth, memory, state, log) >= 0:
        return True
    write_code(log, OPEN)
    state[MOMENTS] += 1
    return False


def dominating(grid: Grid, frames: Frames, depth: int, memory: Memory, state: Numbers, log: Log) -> int:
    """Return the number of a moment with this state at the same or an earlier time; -1 if none is stored."""
    row, time = memory.row, frames.time[depth] + 1
    code = write_state(grid, frames, depth, row)
    slots = len(memory.times)
    slot = (code ^ (code >> 21)) % slots
    for _ in range(32):
        if memory.times[slot] == 0:
            if 4 * state[2] < 3 * slots:
                state[2] += 1
                for word in range(len(row)):
                    memory.keys[slot, word] = row[word]
                memory.times[slot] = time
                log.numbers[slot] = state[MOMENTS]
            return -1
        same = True
        for word in range(len(row)):
            if memory.keys[slot, word] != row[word]:
                same = False
                break
        if same:
            if memory.times[slot] <= time:
                write_code(log, SEEN)
                write_number(log, log.numbers[slot])
                log.seen[log.lengths[1]] = log.numbers[slot]
                log.lengths[1] += 1
                return log.numbers[slot]
            memory.times[slot] = time
            log.numbers[slot] = state[MOMENTS]
            return -1
        slot = slot + 1 if slot + 1 < slots else 0
    return -1


def next_start(grid: Grid, budget: Budget, frames: Frames, depth: int, state: Numbers, most: int, log: Log) -> bool:
    """Move the row to its next option that can start now; False if none is left or `most` splits were tried."""
    levels = len(grid.room)
    options = len(grid.tasks) * levels
    time = frames.time[depth]
    while frames.option[depth] < options:
        job, level = frames.option[depth] // levels, frames.option[depth] % levels
        possible = frames.splitting[depth] or (
            job > frames.last[depth]
            and level >= grid.fastest[job]
            and is_waiting(frames.waiting, depth, job)
            and time + grid.durations[job, level] <= grid.horizon
            and (job != grid.mirrored or 2 * time + grid.durations[job, level] <= grid.horizon)
            and fits_levels(grid, frames, depth, job, level)
            # A job that could have started before the last end had no reason to wait for it.
            and (
                grid.placed
                or frames.before[depth] < 0
                or not fits_levels(grid, frames, frames.before[depth], job, level)
            )
        )
        if possible and not frames.splitting[depth]:
            if state[SPLITS] >= most:
                return False
            code = exceeded(budget, frames, depth, job, level)
            write_code(log, code)
            possible = code == OPEN
        if possible and grid.placed:
            possible = placeable(grid, frames, depth, job, level, state, most)
            if not possible and state[SPLITS] >= most and frames.splitting[depth]:
                return False
        if possible:
            return True
        frames.option[depth] += 1
        frames.splitting[depth] = False
    return False


@short_kernel
def search(
    grid: Grid,
    budget: Budget,
    frames: Frames,
    memory: Memory,
    answer: Answer,
    state: Numbers,
    decisions: int,
    log: Log,
) -> int:
    """Continue for up to `decisions` steps or until the log buffer is full; return refuted, found or undecided.

    `state` is (depth, decisions so far, states remembered, splits tried so far, moments), kept between calls.
    """
    limit, most = state[1] + decisions, state[SPLITS] + decisions * SPLITS_A_NODE
    options = len(grid.tasks) * len(grid.room)
    depth = state[0]
    while depth >= 0:
        full = log.lengths[0] + options + CODES_A_MOMENT > len(log.codes) or log.lengths[1] == len(log.seen)
        if state[1] >= limit or full:
            state[0] = depth
            return UNDECIDED
        ready = frames.option[depth] < options and next_start(grid, budget, frames, depth, state, most, log)
        if not ready and state[SPLITS] >= most:
            state[0] = depth
            return UNDECIDED
        if ready:
            if frames.count[depth] == frames.job.shape[1]:
                return UNDECIDED  # impossible: a row has room for all jobs that can run together
            start(grid, budget, frames, depth, answer)
            if not grid.placed:
                frames.option[depth] += 1
            state[1] += 1
            depth += 1
            if all_started(frames.waiting, depth):
                state[0] = depth
                return FOUND
        elif frames.option[depth] == options:
            frames.option[depth] += 1
            if advance(grid, budget, frames, depth, log):
                state[1] += 1
                if not known(grid, frames, depth + 1, memory, state, log):
                    depth += 1
        else:
            depth -= 1
    state[0] = depth
    return REFUTED
