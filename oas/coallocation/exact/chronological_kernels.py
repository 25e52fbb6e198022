"""Kernels of the chronological search: functions over arrays, run in plain Python or compiled by numba.

`oas.coallocation.exact.chronological_search` describes the search and proves that it is complete.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import short_kernel

REFUTED, FOUND, UNDECIDED = 0, 1, 2
SPLITS = 3  # index in `state` of the number of splits tried
SPLITS_A_NODE = 16  # maximum number of splits tried per decision, on average over a call
MOMENTS = 4  # index in `state` of the number of moments
OPEN, LATE, SEEN, STOP = 0, 253, 254, 255  # codes of the log, see `oas.coallocation.bounds.search_log`
CODES_A_MOMENT = 8  # maximum number of bytes of the log for an advance

Numbers = Any  # an int64 array, or a bool one


class Grid(NamedTuple):
    """The instance: jobs by position in the order in which they are tried."""

    tasks: Numbers  # [job]
    durations: Numbers  # [job, level]
    fastest: Numbers  # [job]: least level with an allocation on the empty grid
    room: Numbers  # [level]: nodes of that level or a faster one
    class_level: Numbers  # [class], slowest first: the order in which a split takes them
    class_cluster: Numbers  # [class]
    class_size: Numbers  # [class]
    class_word: Numbers  # [class]: index of the word that stores a job's nodes of this class, see `write_state`
    node_words: int  # number of these words
    link: Numbers  # [cluster]: capacity
    loads: Numbers  # [job, count]: load on the link of a cluster with `count` of its tasks
    conflicts: Numbers  # [job, level, job, level]: whether these two can never run together
    mirrored: int  # the job whose middle is in the first half of the schedule, or -1
    horizon: int  # no schedule ends later
    placed: bool  # whether nodes are decided too


class Budget(NamedTuple):
    """The maximum waste of a schedule, for each set of weights."""

    weights: Numbers  # [set, job, level]
    whole: Numbers  # [set]: no set of jobs that can run together weighs more
    extra: Numbers  # [set, job, level]: additional cost of this level over the job's cheapest
    total: Numbers  # [set]: maximum total waste


class Frames(NamedTuple):
    """A stack with one row for each decision on the current branch."""

    time: Numbers
    last: Numbers  # position of the last job started at this time
    option: Numbers  # the next decision
    splitting: Numbers  # whether `split` holds a split of that option's job
    split: Numbers  # [class]
    wasted: Numbers  # [set]
    waiting: Numbers  # [word]: the jobs not started, 32 a word
    count: Numbers  # number of running jobs
    job: Numbers  # [running]
    level: Numbers  # [running]
    end: Numbers  # [running]
    held: Numbers  # [running, class]
    used: Numbers  # [level]: tasks running at exactly that level
    free: Numbers  # [class]
    link_free: Numbers  # [cluster]
    before: Numbers  # the row with the jobs that ran just before `time`; -1 at time 0


class Memory(NamedTuple):
    """States reached before, with the earliest time of each; reached again, they have no completion."""

    keys: Numbers  # [slot, word]
    times: Numbers  # [slot]: one more than the time; 0 is an empty slot
    row: Numbers  # [word]: the state that is looked up


class Log(NamedTuple):
    """How each branch was closed, in the format of `oas.coallocation.bounds.search_log`.

    Both buffers are emptied between calls; a call stops before they are full.
    """

    codes: Numbers  # bytes
    seen: Numbers  # numbers of moments that were referred to
    lengths: Numbers  # [2]: numbers of entries written to `codes` and `seen`
    numbers: Numbers  # [slot]: of the moment of each state in `Memory`


class Answer(NamedTuple):
    """The schedule found: for each job its start, level and nodes of each class."""

    starts: Numbers
    levels: Numbers
    splits: Numbers


# Small functions receive single arrays: compiling a call with all rows is slow.


def is_waiting(waiting: Numbers, depth: int, job: int) -> bool:
    """Whether the job has not started yet."""
    return waiting[depth, job >> 5] >> (job & 31) & 1 == 1


def copy_row(rows: Numbers, depth: int) -> None:
    """Copy row `depth` of a table to the row below."""
    for column in range(rows.shape[1]):
        rows[depth + 1, column] = rows[depth, column]


def all_started(waiting: Numbers, depth: int) -> bool:
    """Whether no job waits any more."""
    left = 0
    for word in range(waiting.shape[1]):
        left |= waiting[depth, word]
    return left == 0


def next_split(grid: Grid, frames: Frames, depth: int, job: int, level: int, fresh: bool) -> bool:
    """Write the job's next split over the free nodes of classes up to `level` into the row; False if none is left.

    Splits are in lexicographic order, from most nodes of the first class downwards. `fresh`: begin with the first.
    """
    count = len(grid.class_level)
    position, left = 0, grid.tasks[job]
    if not fresh:
        # The last class that can pass a node on to the classes after it.
        position, left, behind = count - 1, 0, 0
        while position >= 0:
            held = frames.split[depth, position]
            if held > 0 and behind > left:
                break
            left += held
            if grid.class_level[position] <= level:
                behind += frames.free[depth, position]
            position -= 1
        if position < 0:
            return False
        frames.split[depth, position] -= 1
        left += 1
        position += 1
    while position < count:
        taken = 0
        if grid.class_level[position] <= level:
            taken = min(frames.free[depth, position], left)
        frames.split[depth, position] = taken
        left -= taken
        position += 1
    return left == 0


def cluster_tasks(class_cluster: Numbers, nodes: Numbers, cluster: int) -> int:
    """Return the number of nodes of `cluster`, given the numbers of nodes by class."""
    total = 0
    for position in range(len(class_cluster)):
        if class_cluster[position] == cluster:
            total += nodes[position]
    return total


def links_hold(grid: Grid, frames: Frames, depth: int, job: int, row: int) -> bool:
    """Whether every link has room at `row` for the job with the split of row `depth`."""
    for cluster in range(len(grid.link)):
        load = grid.loads[job, cluster_tasks(grid.class_cluster, frames.split[depth], cluster)]
        if load > frames.link_free[row, cluster]:
            return False
    return True


def fitted_before(grid: Grid, frames: Frames, depth: int, job: int) -> bool:
    """Whether the job with the split of the row also had room just before its time."""
    before = frames.before[depth]
    if before < 0:
        return False
    for position in range(len(grid.class_cluster)):
        if frames.split[depth, position] > frames.free[before, position]:
            return False
    return links_hold(grid, frames, depth, job, before)


def slowest_used(class_level: Numbers, split: Numbers, depth: int) -> int:
    """Return the level of the slowest node that the split of row `depth` takes."""
    slowest = 0
    for position in range(len(class_level)):
        if split[depth, position] > 0 and class_level[position] > slowest:
            slowest = class_level[position]
    return slowest


def fits_levels(grid: Grid, frames: Frames, depth: int, job: int, level: int) -> bool:
    """Whether the job fits at `level` with the running jobs of a row, by nested capacities and pairs."""
    total = 0
    for other in range(len(grid.room)):
        total += frames.used[depth, other]
        if other >= level and total + grid.tasks[job] > grid.room[other]:
            return False
    for index in range(frames.count[depth]):
        if grid.conflicts[job, level, frames.job[depth, index], frames.level[depth, index]]:
            return False
    return True


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


def copy_running(frames: Frames, depth: int, index: int, below: int, place: int) -> None:
    """Copy a running job of row `depth` to `place` in row `below`."""
    frames.job[below, place] = frames.job[depth, index]
    frames.level[below, place] = frames.level[depth, index]
    frames.end[below, place] = frames.end[depth, index]
    for position in range(frames.held.shape[2]):
        frames.held[below, place, position] = frames.held[depth, index, position]


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


def take_split(grid: Grid, frames: Frames, depth: int, job: int, answer: Answer) -> None:
    """Assign the nodes and link loads of the split of row `depth` to the last running job of the next row."""
    below, index = depth + 1, frames.count[depth]
    for position in range(len(grid.class_level)):
        held = frames.split[depth, position]
        frames.free[below, position] = frames.free[depth, position] - held
        frames.held[below, index, position] = held
        answer.splits[job, position] = held
    for cluster in range(len(grid.link)):
        load = grid.loads[job, cluster_tasks(grid.class_cluster, frames.split[depth], cluster)]
        frames.link_free[below, cluster] = frames.link_free[depth, cluster] - load


def give_back(grid: Grid, frames: Frames, depth: int, index: int, below: int) -> None:
    """Free the nodes and links of a running job of row `depth` in row `below`."""
    job = frames.job[depth, index]
    for position in range(len(grid.class_level)):
        frames.free[below, position] += frames.held[depth, index, position]
    for cluster in range(len(grid.link)):
        tasks = cluster_tasks(grid.class_cluster, frames.held[depth, index], cluster)
        frames.link_free[below, cluster] += grid.loads[job, tasks]


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


def placeable(grid: Grid, frames: Frames, depth: int, job: int, level: int, state: Numbers, most: int) -> bool:
    """Write the next split of the job at `level` that can start now into the row.

    Return False if none is left or `most` splits were tried: a job may have more splits than can ever be tried.
    """
    while state[SPLITS] < most and next_split(grid, frames, depth, job, level, not frames.splitting[depth]):
        frames.splitting[depth] = True
        state[SPLITS] += 1
        slowest = slowest_used(grid.class_level, frames.split, depth)
        if slowest < level and grid.durations[job, slowest] < grid.durations[job, level]:
            continue  # it is a split of a faster level
        if links_hold(grid, frames, depth, job, depth) and not fitted_before(grid, frames, depth, job):
            return True
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
