"""The arrays of the chronological search, and the placement of a job: its splits over node classes, and the links."""

from __future__ import annotations

from typing import Any, NamedTuple

SPLITS = 3  # index in `state` of the number of splits tried

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
    # Larger sets that can never run together, each job at a level or a faster one.
    apart_level: Numbers  # [set, job]: that level; -1 for a job that is not in the set
    apart_size: Numbers  # [set]: number of jobs
    apart_of: Numbers  # [job, index]: the sets of a job; -1 after the last
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


def copy_row(rows: Numbers, depth: int) -> None:
    """Copy row `depth` of a table to the row below."""
    for column in range(rows.shape[1]):
        rows[depth + 1, column] = rows[depth, column]


def copy_running(frames: Frames, depth: int, index: int, below: int, place: int) -> None:
    """Copy a running job of row `depth` to `place` in row `below`."""
    frames.job[below, place] = frames.job[depth, index]
    frames.level[below, place] = frames.level[depth, index]
    frames.end[below, place] = frames.end[depth, index]
    for position in range(frames.held.shape[2]):
        frames.held[below, place, position] = frames.held[depth, index, position]


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
    for number in grid.apart_of[job]:
        if number < 0:
            break
        if level <= grid.apart_level[number, job]:
            others = 0
            for index in range(frames.count[depth]):
                if frames.level[depth, index] <= grid.apart_level[number, frames.job[depth, index]]:
                    others += 1
            if others == grid.apart_size[number] - 1:
                return False
    return True


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
