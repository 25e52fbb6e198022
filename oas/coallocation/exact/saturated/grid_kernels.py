"""Kernels of the search over grid moments: functions over arrays, run in plain Python or compiled by numba.

`oas.coallocation.exact.saturated.grid_search` describes the search and proves that it is complete.

A number that does not fit into 64 bits is a row of *digits* in base 2^62, lowest first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.coallocation.exact.chronological_kernels import FOUND, REFUTED, UNDECIDED
from oas.coallocation.exact.placing_kernels import copy_row
from oas.core.compiling import short_kernel

DIGIT_BITS = 62
DIGIT = (1 << DIGIT_BITS) - 1
PROBES = 64  # maximum number of stored states examined in a lookup

Numbers = Any  # an int64 array


class Grid(NamedTuple):
    """The instance: jobs by position in the order in which they are tried, options by job."""

    first: Numbers  # [job + 1]: the first option of each job, then the number of options
    twin: Numbers  # [job]: the last identical job before it, or -1
    tasks: Numbers  # [job]
    slowable: Numbers  # [job]: whether a link can slow it down
    least: Numbers  # [job]: slots of its shortest option
    whole: Numbers  # [job, digit]: progress at which the job ends
    job: Numbers  # [option]
    level: Numbers  # [option]
    same: Numbers  # [option]: the same option of the first job identical to its job
    slots: Numbers  # [option]: minimum number of slots
    held: Numbers  # [option, class]
    load: Numbers  # [option, link]
    code: Numbers  # [option]: the sum over running jobs identifies their loads
    size: Numbers  # [class]
    cluster: Numbers  # [class]
    link: Numbers  # [link]: maximum demand
    nodes: int
    pairs: Numbers  # [pair, 2]: identical clusters
    swapped: Numbers  # [pair, option]: the option with the two clusters swapped
    gain: Numbers  # [job, level, rank, digit]: progress in a slot
    best: Numbers  # [job, level, slots, digit]: multiples of the gain at rank 0
    monotone: int  # whether more progress never hurts: the paper's sharing
    sums: Numbers  # [link, place]: possible demands on the link, ascending
    sum_rank: Numbers  # [link, place]: rank of the slowdown there
    sum_count: Numbers  # [link]
    sets: Numbers  # [place]: sums of codes, ascending
    set_rank: Numbers  # [place, job]
    horizon: int  # in slots: no schedule ends later


class Budget(NamedTuple):
    """Maximum contributions of a schedule, for each set of weights."""

    each: Numbers  # [set]: in a slot
    least: Numbers  # [set, job]: contribution needed by the job's cheapest option
    need: Numbers  # [set, option]: contribution needed
    gain: Numbers  # [set, option, rank]: contribution of a slot


class Frames(NamedTuple):
    """A stack with one row for each decision on the current branch."""

    time: Numbers
    option: Numbers  # the next decision
    waiting: Numbers  # a bit for each job
    count: Numbers  # number of running jobs
    running: Numbers  # [place]: the option, ordered by `same`, then by remaining progress
    left: Numbers  # [place, digit]: remaining progress
    slots: Numbers  # [place]: minimum number of further slots
    need: Numbers  # [place, set]
    free: Numbers  # [class]
    used: Numbers  # [link]
    # [link]: in the slot that begins here, the least rank of the jobs that load the link and can be slowed down.
    rank: Numbers
    before: Numbers  # the row in which the previous slot begins; -1 at time 0


class Memory(NamedTuple):
    """States entered before: all their continuations have been tried or are being tried."""

    keys: Numbers  # [slot, word]
    times: Numbers  # [slot]: one more than the time; 0 is an empty slot
    row: Numbers  # [word]: the state that is looked up


class Answer(NamedTuple):
    """The schedule found."""

    starts: Numbers  # [job]
    options: Numbers  # [job]


# Numbers of several digits


def at_most(first: Numbers, second: Numbers) -> bool:
    """Whether one number is at most another."""
    for digit in range(len(first) - 1, -1, -1):
        if first[digit] != second[digit]:
            return bool(first[digit] < second[digit])
    return True


def subtract(number: Numbers, part: Numbers) -> None:
    """Subtract `part`, which is at most `number`, from it in place."""
    borrow = 0
    for digit in range(len(number)):
        rest = number[digit] - part[digit] - borrow
        borrow = 1 if rest < 0 else 0
        number[digit] = rest & DIGIT


# Rates of progress


def place_of(values: Numbers, count: int, value: int) -> int:
    """Return the index of a value among the ascending `values`, which contain it."""
    low, high = 0, count - 1
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


def link_rank(grid: Grid, link: int, used: int) -> int:
    """Return the rank of the slowdown on a link with demand `used`."""
    return int(grid.sum_rank[link, place_of(grid.sums[link], grid.sum_count[link], used)])


def find_ranks(grid: Grid, frames: Frames, depth: int, ranks: Numbers) -> None:
    """Write the rank of each running job's slowdown."""
    count = frames.count[depth]
    if not grid.monotone:
        code = 0
        for index in range(count):
            code += grid.code[frames.running[depth, index]]
        place = place_of(grid.sets, len(grid.sets), code)
        for index in range(count):
            ranks[index] = grid.set_rank[place, grid.job[frames.running[depth, index]]]
        return
    for index in range(count):
        ranks[index] = 0
    for link in range(len(grid.link)):
        rank = link_rank(grid, link, frames.used[depth, link])
        for index in range(count):
            if grid.load[frames.running[depth, index], link] > 0 and ranks[index] < rank:
                ranks[index] = rank


# Possible starts


def is_waiting(waiting: int, job: int) -> bool:
    """Whether the job has not started yet."""
    return waiting >> job & 1 == 1


def has_room(grid: Grid, frames: Frames, depth: int, option: int) -> bool:
    """Whether nodes and links have room for the option now."""
    short = 0
    for position in range(len(grid.size)):
        short += int(grid.held[option, position] > frames.free[depth, position])
    for link in range(len(grid.link)):
        short += int(grid.load[option, link] > grid.link[link] - frames.used[depth, link])
    return short == 0


def is_idle(grid: Grid, frames: Frames, depth: int, cluster: int) -> bool:
    """Whether no node of the cluster is held now."""
    for position in range(len(grid.size)):
        if grid.cluster[position] == cluster and frames.free[depth, position] < grid.size[position]:
            return False
    return True


def swaps_to_less(grid: Grid, frames: Frames, depth: int, option: int) -> bool:
    """Whether swapping two identical idle clusters turns the option into one that was tried before."""
    for pair in range(len(grid.pairs)):
        if (
            grid.swapped[pair, option] < option
            and is_idle(grid, frames, depth, grid.pairs[pair, 0])
            and is_idle(grid, frames, depth, grid.pairs[pair, 1])
        ):
            return True
    return False


def was_harmless_before(grid: Grid, frames: Frames, depth: int, option: int) -> bool:
    """Whether the option could also have run in the previous slot without slowing down other jobs."""
    before = frames.before[depth]
    if not grid.monotone or before < 0 or not has_room(grid, frames, before, option):
        return False
    for link in range(len(grid.link)):
        load = grid.load[option, link]
        if load > 0 and link_rank(grid, link, frames.used[before, link] + load) > frames.rank[before, link]:
            return False
    return True


def next_start(grid: Grid, frames: Frames, depth: int) -> bool:
    """Move the row to its next option that can start now; False if none is left."""
    total = grid.first[len(grid.twin)]
    waiting = frames.waiting[depth]
    while frames.option[depth] < total:
        option = frames.option[depth]
        job = grid.job[option]
        if not is_waiting(waiting, job) or (grid.twin[job] >= 0 and is_waiting(waiting, grid.twin[job])):
            frames.option[depth] = grid.first[job + 1]
            continue
        if (
            frames.time[depth] + grid.slots[option] <= grid.horizon
            and has_room(grid, frames, depth, option)
            and not swaps_to_less(grid, frames, depth, option)
            and not was_harmless_before(grid, frames, depth, option)
        ):
            return True
        frames.option[depth] += 1
    return False


# Advancing


def copy_running(frames: Frames, depth: int, index: int, below: int, place: int) -> None:
    """Copy a running job of row `depth` to `place` in row `below`."""
    frames.running[below, place] = frames.running[depth, index]
    frames.slots[below, place] = frames.slots[depth, index]
    for digit in range(frames.left.shape[2]):
        frames.left[below, place, digit] = frames.left[depth, index, digit]
    for number in range(frames.need.shape[2]):
        frames.need[below, place, number] = frames.need[depth, index, number]


def goes_before(grid: Grid, frames: Frames, depth: int, index: int, other: int) -> bool:
    """Whether a running job precedes another: by option (identical jobs are equal), then by remaining progress."""
    first, second = grid.same[frames.running[depth, index]], grid.same[frames.running[depth, other]]
    if first != second:
        return bool(first < second)
    return not at_most(frames.left[depth, other], frames.left[depth, index])


def sort_in(grid: Grid, frames: Frames, depth: int, place: int, spare: int) -> None:
    """Insert the running job at `place` of the row into the sorted running jobs before it."""
    while place > 0 and goes_before(grid, frames, depth, place, place - 1):
        copy_running(frames, depth, place - 1, depth, spare)
        copy_running(frames, depth, place, depth, place - 1)
        copy_running(frames, depth, spare, depth, place)
        place -= 1


def start(grid: Grid, budget: Budget, frames: Frames, depth: int, answer: Answer) -> None:
    """Start the option of row `depth`, and write the next row."""
    below, option, count = depth + 1, frames.option[depth], frames.count[depth]
    job = grid.job[option]
    frames.time[below] = frames.time[depth]
    frames.option[below] = grid.first[job + 1]
    frames.waiting[below] = frames.waiting[depth] & ~(1 << job)
    frames.count[below] = count + 1
    for index in range(count):
        copy_running(frames, depth, index, below, index)
    frames.running[below, count] = option
    frames.slots[below, count] = grid.slots[option]
    for digit in range(frames.left.shape[2]):
        frames.left[below, count, digit] = grid.whole[job, digit]
    for number in range(len(budget.each)):
        frames.need[below, count, number] = budget.need[number, option]
    for position in range(len(grid.size)):
        frames.free[below, position] = frames.free[depth, position] - grid.held[option, position]
    for link in range(len(grid.link)):
        frames.used[below, link] = frames.used[depth, link] + grid.load[option, link]
    frames.before[below] = frames.before[depth]
    sort_in(grid, frames, below, count, frames.running.shape[1] - 1)
    answer.starts[job] = frames.time[depth]
    answer.options[job] = option


def advance(grid: Grid, budget: Budget, frames: Frames, depth: int, ranks: Numbers) -> bool:
    """Advance by one slot, and write the next row; False if no job is running or the horizon is reached."""
    below, count = depth + 1, frames.count[depth]
    if count == 0 or frames.time[depth] >= grid.horizon:
        return False
    find_ranks(grid, frames, depth, ranks)
    frames.time[below] = frames.time[depth] + 1
    frames.option[below] = 0
    frames.waiting[below] = frames.waiting[depth]
    frames.before[below] = depth
    keep_ranks(grid, frames, depth, ranks)
    copy_row(frames.free, depth)
    copy_row(frames.used, depth)
    running = 0
    for index in range(count):
        option = frames.running[depth, index]
        job, level = grid.job[option], grid.level[option]
        gain = grid.gain[job, level, ranks[index]]
        if at_most(frames.left[depth, index], gain):
            for position in range(len(grid.size)):
                frames.free[below, position] += grid.held[option, position]
            for link in range(len(grid.link)):
                frames.used[below, link] -= grid.load[option, link]
            continue
        copy_running(frames, depth, index, below, running)
        subtract(frames.left[below, running], gain)
        fewer = frames.slots[depth, index] - 1
        if at_most(frames.left[below, running], grid.best[job, level, fewer]):
            frames.slots[below, running] = fewer
        for number in range(len(budget.each)):
            need = frames.need[depth, index, number] - budget.gain[number, option, ranks[index]]
            frames.need[below, running, number] = max(0, need)
        sort_in(grid, frames, below, running, frames.running.shape[1] - 1)
        running += 1
    frames.count[below] = running
    return True


def keep_ranks(grid: Grid, frames: Frames, depth: int, ranks: Numbers) -> None:
    """Write `Frames.rank` of the row for the slot that begins there."""
    for link in range(len(grid.link)):
        least = DIGIT
        for index in range(frames.count[depth]):
            option = frames.running[depth, index]
            if grid.load[option, link] > 0 and grid.slowable[grid.job[option]] and ranks[index] < least:
                least = ranks[index]
        frames.rank[depth, link] = least


def in_time(grid: Grid, budget: Budget, frames: Frames, depth: int) -> bool:
    """Whether each job alone, the total area and every budget fit into the remaining slots."""
    slots, waiting = grid.horizon - frames.time[depth], frames.waiting[depth]
    area = grid.nodes * slots
    for job in range(len(grid.tasks)):
        if is_waiting(waiting, job):
            if grid.least[job] > slots:
                return False
            area -= grid.least[job] * grid.tasks[job]
    for index in range(frames.count[depth]):
        if frames.slots[depth, index] > slots:
            return False
        area -= frames.slots[depth, index] * grid.tasks[grid.job[frames.running[depth, index]]]
    if area < 0:
        return False
    for number in range(len(budget.each)):
        left = budget.each[number] * slots
        for job in range(len(grid.tasks)):
            if is_waiting(waiting, job):
                left -= budget.least[number, job]
        for index in range(frames.count[depth]):
            left -= frames.need[depth, index, number]
        if left < 0:
            return False
    return True


# States


def write_state(grid: Grid, frames: Frames, depth: int, row: Numbers) -> int:
    """Write the state into `row`; return a hash, below 2^42, of the words that `compare` requires to be equal."""
    count, most, digits = frames.count[depth], frames.running.shape[1] - 1, frames.left.shape[2]
    for word in range(len(row)):
        row[word] = -1
    row[0] = frames.waiting[depth]
    for index in range(count):
        row[1 + index] = grid.same[frames.running[depth, index]]
        for digit in range(digits):
            row[1 + most + index * digits + digit] = frames.left[depth, index, digit]
    code = 0
    for word in range(1 + most if grid.monotone else len(row)):
        # Words are below 2^62, so both halves are below 2^31 and the product is below 2^62: nothing wraps.
        code = ((code ^ (row[word] & 0x7FFFFFFF)) * 1000003 ^ (row[word] >> 31 & 0x7FFFFFFF)) & 0x3FFFFFFFFFF
    return code


def compare(grid: Grid, first: Numbers, second: Numbers, most: int, digits: int) -> bool:
    """Whether both states have the same jobs and options, and the first no more (not monotone: equal) work left."""
    for word in range(1 + most):
        if first[word] != second[word]:
            return False
    for index in range(most):
        if first[1 + index] < 0:
            return True
        place = 1 + most + index * digits
        if grid.monotone:
            if not at_most(first[place : place + digits], second[place : place + digits]):
                return False
        else:
            for word in range(place, place + digits):
                if first[word] != second[word]:
                    return False
    return True


def known(grid: Grid, frames: Frames, depth: int, memory: Memory, state: Numbers) -> bool:
    """Whether a state with no more work left was entered before at no later time; otherwise store this one."""
    row, time = memory.row, frames.time[depth] + 1
    most, digits = frames.running.shape[1] - 1, frames.left.shape[2]
    code = write_state(grid, frames, depth, row)
    slots = len(memory.times)
    slot = (code ^ (code >> 21)) % slots
    for _ in range(PROBES):
        if memory.times[slot] == 0:
            if 4 * state[2] < 3 * slots:
                state[2] += 1
                for word in range(len(row)):
                    memory.keys[slot, word] = row[word]
                memory.times[slot] = time
            return False
        if memory.times[slot] <= time and compare(grid, memory.keys[slot], row, most, digits):
            return True
        if memory.times[slot] >= time and compare(grid, row, memory.keys[slot], most, digits):
            for word in range(len(row)):
                memory.keys[slot, word] = row[word]
            memory.times[slot] = time
            return False
        slot = slot + 1 if slot + 1 < slots else 0
    return False


@short_kernel
def search(
    grid: Grid,
    budget: Budget,
    frames: Frames,
    memory: Memory,
    answer: Answer,
    state: Numbers,
    ranks: Numbers,
    decisions: int,
) -> int:
    """Continue for up to `decisions` steps; return refuted, found or undecided.

    `state` is (depth, decisions so far, states remembered), kept between calls.
    """
    limit = state[1] + decisions
    total = grid.first[len(grid.twin)]
    depth = state[0]
    while depth >= 0:
        if state[1] >= limit:
            state[0] = depth
            return UNDECIDED
        if next_start(grid, frames, depth):
            state[1] += 1
            start(grid, budget, frames, depth, answer)
            frames.option[depth] += 1
            if in_time(grid, budget, frames, depth + 1):
                depth += 1
        elif frames.option[depth] == total:
            frames.option[depth] += 1
            if advance(grid, budget, frames, depth, ranks):
                state[1] += 1
                below = depth + 1
                if frames.waiting[below] == 0 and frames.count[below] == 0:
                    state[0] = depth
                    return FOUND
                if in_time(grid, budget, frames, below) and not known(grid, frames, below, memory, state):
                    depth = below
        else:
            depth -= 1
    state[0] = depth
    return REFUTED
