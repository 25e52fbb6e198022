"""The checker of search logs: plain functions over arrays, run as they stand or compiled by numba.

It shares no code with the search that wrote the log, and no way of counting: what is free at a moment is counted anew
from all jobs on the path, by their starts and ends. The rules stand in `oas.bounds.coallocation.search_log`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from oas.core.compiling import kernel

OPEN, LATE, SEEN, STOP = (
    0,
    253,
    254,
    255,
)  # other bytes: the waste that the set of weights with this number, less 1, sees
MORE, DIGIT = 128, 127  # of the bytes of a number, lowest digits first

REFUTED, HAS_SCHEDULE, TOO_SHORT, WRONG_CODE, TOO_LONG = 0, 1, 2, 3, 4

Numbers = Any  # an int64 array


class Rules(NamedTuple):
    """The instance and what the log refers to; jobs by position in its order."""

    tasks: Numbers  # [job]
    ticks: Numbers  # [job, level]
    fastest: Numbers  # [job]: least level at which it has an allocation
    class_level: Numbers  # [class], slowest first
    class_cluster: Numbers  # [class]
    class_nodes: Numbers  # [class]
    room: Numbers  # [level]: nodes of that level or a faster one
    link: Numbers  # [cluster]
    loads: Numbers  # [job, count]: on the link of a cluster that holds so many of its tasks
    apart: Numbers  # [job, level, job, level]: 1 where these two cannot run at a time
    weights: Numbers  # [set, job, level]
    whole: Numbers  # [set]: no jobs that can run together weigh more
    least: Numbers  # [set, job]: what the job weighs over its time, at its cheapest level
    budget: Numbers  # [set]: what a schedule may waste
    facts: Numbers  # [3]: horizon; 1 where nodes are decided; the job whose middle is in the first half, or -1


class Path(NamedTuple):
    """Where the walk stands: rows by depth, and what each job on the path has."""

    time: Numbers  # [row]
    after: Numbers  # [row]: position of the last job that began at this moment, or -1
    option: Numbers  # [row]: job and level that are looked at
    tried: Numbers  # [row]: 1 where the option is open
    starter: Numbers  # [row]: the job whose start led to this row, or -1
    state: Numbers  # [row]: number of the moment, to be told when it is left; or -1
    wasted: Numbers  # [row, set]
    begun: Numbers  # [job]: start, or -1
    level: Numbers  # [job]
    held: Numbers  # [job, class]
    free: Numbers  # [2, class]: just before the moment, at the moment
    link_free: Numbers  # [2, cluster]
    used: Numbers  # [2, level]
    looked: Numbers  # [1]: choices of nodes


class States(NamedTuple):
    """The moments that the log refers to, each with what decides how it can go on."""

    place: Numbers  # [moment]: its row here, or -1 where nothing refers to it
    time: Numbers  # [row]: its time; -1 until it has been left
    key: Numbers  # [row, word]


def runs(start: int, end: int, now: int, side: int) -> bool:
    """Tell whether a job with this start and end runs just before (0) or at (1) the moment."""
    return start < now <= end if side == 0 else start <= now < end


def count_free(rules: Rules, path: Path, row: int) -> None:
    """Count what is free just before the moment of `row`, and at it."""
    now = path.time[row]
    for side in range(2):
        for level in range(len(rules.room)):
            path.used[side, level] = 0
        for one in range(len(rules.class_nodes)):
            path.free[side, one] = rules.class_nodes[one]
        for cluster in range(len(rules.link)):
            path.link_free[side, cluster] = rules.link[cluster]
    for job in range(len(rules.tasks)):
        start = path.begun[job]
        if start < 0:
            continue
        end = start + rules.ticks[job, path.level[job]]
        for side in range(2):
            if runs(start, end, now, side):
                path.used[side, path.level[job]] += rules.tasks[job]
                for one in range(len(rules.class_nodes)):
                    path.free[side, one] -= path.held[job, one]
                for cluster in range(len(rules.link)):
                    path.link_free[side, cluster] -= load_of(rules, path, job, cluster)


def load_of(rules: Rules, path: Path, job: int, cluster: int) -> int:
    """Return what the job, on the nodes it holds, asks of the link of `cluster`."""
    count = 0
    for one in range(len(rules.class_cluster)):
        if rules.class_cluster[one] == cluster:
            count += path.held[job, one]
    return rules.loads[job, count]


def has_levels(rules: Rules, path: Path, row: int, job: int, level: int, side: int) -> bool:
    """Tell whether nested capacities, and pairs, allow the job at this level: before (0) or at (1) the moment."""
    below = 0
    for other in range(len(rules.room)):
        below += path.used[side, other]
        if other >= level and below + rules.tasks[job] > rules.room[other]:
            return False
    now = path.time[row]
    for other in range(len(rules.tasks)):
        start = path.begun[other]
        if start >= 0 and rules.apart[job, level, other, path.level[other]] == 1:
            end = start + rules.ticks[other, path.level[other]]
            if runs(start, end, now, side):
                return False
    return True


def has_nodes(rules: Rules, path: Path, job: int, side: int) -> bool:
    """Tell whether the nodes that the job would hold, and the links, are free before (0) or at (1) the moment."""
    for one in range(len(rules.class_nodes)):
        if path.held[job, one] > path.free[side, one]:
            return False
    for cluster in range(len(rules.link)):
        if load_of(rules, path, job, cluster) > path.link_free[side, cluster]:
            return False
    return True


def next_nodes(rules: Rules, path: Path, job: int, level: int, first: bool) -> bool:
    """Let the job hold its next choice of free nodes of `level` or faster; False after the last.

    From most nodes of the first class downwards.
    """
    classes = len(rules.class_nodes)
    at, left = 0, rules.tasks[job]
    if not first:
        # The last class from which a node can move to those behind it.
        at, left = classes, 0
        spare, moved = 0, False
        while not moved and at > 0:
            at -= 1
            own = path.held[job, at]
            moved = own > 0 and spare > 0
            if not moved:
                left += own
                spare += (path.free[1, at] if rules.class_level[at] <= level else 0) - own
        if moved:
            path.held[job, at] -= 1
            left += 1
            at += 1
        else:
            return False
    for one in range(at, classes):
        most = path.free[1, one] if rules.class_level[one] <= level else 0
        path.held[job, one] = min(most, left)
        left -= path.held[job, one]
    return left == 0


def is_of_level(rules: Rules, path: Path, job: int, level: int) -> bool:
    """Tell whether on the nodes it holds the job takes as long as at `level`."""
    slowest = 0
    for one in range(len(rules.class_level)):
        if path.held[job, one] > 0:
            slowest = max(slowest, rules.class_level[one])
    return rules.ticks[job, slowest] == rules.ticks[job, level]


def takes_nodes(rules: Rules, path: Path, row: int, job: int, level: int, first: bool, limit: int) -> bool:
    """Let the job hold its next choice of nodes that has to be followed; False where there is none.

    No more choices are looked at, in all, than `limit`: `path.looked` is more then.
    """
    more = next_nodes(rules, path, job, level, first)
    while more and path.looked[0] <= limit:
        path.looked[0] += 1
        had_to_wait = path.time[row] == 0 or not has_nodes(rules, path, job, 0)
        if had_to_wait and is_of_level(rules, path, job, level) and has_nodes(rules, path, job, 1):
            return True
        more = next_nodes(rules, path, job, level, False)
    return False


def is_option(rules: Rules, path: Path, row: int, job: int, level: int) -> bool:
    """Tell whether the log has to close the job at this level: it may begin now in time, and (levels) had to wait."""
    horizon, placed, mirrored = rules.facts[0], rules.facts[1], rules.facts[2]
    end = path.time[row] + rules.ticks[job, level]
    if job <= path.after[row] or path.begun[job] >= 0 or level < rules.fastest[job] or end > horizon:
        return False
    if job == mirrored and path.time[row] + end > horizon:
        return False
    if not has_levels(rules, path, row, job, level, 1):
        return False
    return placed == 1 or path.time[row] == 0 or not has_levels(rules, path, row, job, level, 0)


def is_late(rules: Rules, path: Path, job: int, time: int) -> bool:
    """Tell whether the job cannot end in time when it begins at `time` or later."""
    shortest = rules.ticks[job, rules.fastest[job]]
    if path.begun[job] >= 0:
        return False
    return time + shortest > rules.facts[0] or (job == rules.facts[2] and 2 * time + shortest > rules.facts[0])


def next_end(rules: Rules, path: Path, row: int) -> int:
    """Return when the first of the running jobs ends; -1 where none runs."""
    first = -1
    for job in range(len(rules.tasks)):
        if path.begun[job] >= 0:
            end = path.begun[job] + rules.ticks[job, path.level[job]]
            if end > path.time[row] and (first < 0 or end < first):
                first = end
    return first


def wasted_until(rules: Rules, path: Path, row: int, then: int, one: int) -> int:
    """Return what the path has wasted by `then`, when nothing more begins before, by this set of weights."""
    idle = rules.whole[one]
    for job in range(len(rules.tasks)):
        if path.begun[job] >= 0 and path.begun[job] + rules.ticks[job, path.level[job]] > path.time[row]:
            idle -= rules.weights[one, job, path.level[job]]
    return path.wasted[row, one] + idle * (then - path.time[row])


def write_key(rules: Rules, path: Path, time: int, key: Numbers) -> None:
    """Write what decides how the path can go on at `time`: which jobs wait, and of those that run rest, level, nodes.

    A word holds 60 jobs that wait, or nodes of four classes, less than 2^15 each.
    """
    jobs, classes = len(rules.tasks), len(rules.class_nodes)
    for word in range(len(key)):
        key[word] = 0
    at = (jobs + 59) // 60
    for job in range(jobs):
        if path.begun[job] < 0:
            key[job // 60] |= 1 << job % 60
            continue
        rest = path.begun[job] + rules.ticks[job, path.level[job]] - time
        if rest > 0:
            key[at], key[at + 1] = job * len(rules.room) + path.level[job], rest
            for one in range(classes):
                key[at + 2 + one // 4] += path.held[job, one] << 15 * (one % 4)
            at += 2 + (classes + 3) // 4


def read_number(log: Numbers, at: int) -> tuple[int, int]:
    """Return the number that begins at byte `at`, and where it ends; -1 where it is none of up to 2^35."""
    number = 0
    for digit in range(5):
        if at + digit >= len(log):
            return -1, at
        number += (int(log[at + digit]) & DIGIT) << (7 * digit)
        if log[at + digit] < MORE:
            return number, at + digit + 1
    return -1, at


def is_seen(rules: Rules, path: Path, states: States, number: int, time: int, key: Numbers) -> bool:
    """Tell whether the moment with this number was left before, stood no later, and was the same."""
    if not 0 <= number < len(states.place) or states.place[number] < 0:
        return False
    place = states.place[number]
    if not 0 <= states.time[place] <= time:
        return False
    write_key(rules, path, time, key)
    same = True
    for word in range(len(key)):
        same = same and states.key[place, word] == key[word]
    return same


def enter(rules: Rules, path: Path, row: int, time: int, after: int, starter: int) -> None:
    """Begin a row."""
    path.time[row], path.after[row], path.starter[row] = time, after, starter
    path.option[row], path.tried[row], path.state[row] = 0, 0, -1
    count_free(rules, path, row)


def leave(path: Path, states: States, row: int) -> None:
    """End a row: its moment may be referred to, and the job that it began with is taken back."""
    if path.state[row] >= 0:
        states.time[path.state[row]] = path.time[row]
    if path.starter[row] >= 0:
        path.begun[path.starter[row]] = -1


@kernel
def walk(rules: Rules, path: Path, states: States, log: Numbers, key: Numbers, limit: int) -> tuple[int, int]:
    """Walk the whole tree as the log says; return how that ends, and after how many bytes.

    The log is read in order; nothing is searched for. `limit` is the most rows to be walked, and choices of nodes that
    are passed over.
    """
    levels, jobs, placed = len(rules.room), len(rules.tasks), rules.facts[1] == 1
    at, moments, begun, row = 0, 0, 0, 0
    enter(rules, path, 0, 0, -1, -1)
    while row >= 0:
        if path.looked[0] > limit:
            return TOO_LONG, at
        if path.option[row] < jobs * levels:
            job, level = path.option[row] // levels, path.option[row] % levels
            fresh = path.tried[row] == 0
            if fresh and is_option(rules, path, row, job, level):
                if at == len(log):
                    return TOO_SHORT, at
                code, at = int(log[at]), at + 1
                if code == OPEN:
                    path.tried[row] = 1
                elif not 1 <= code <= len(rules.budget) or not exceeds(rules, path, row, job, level, code - 1):
                    return WRONG_CODE, at
            if path.tried[row] == 1 and (takes_nodes(rules, path, row, job, level, fresh, limit) if placed else fresh):
                limit, begun = limit - 1, begun + 1
                if begun == jobs or limit < 0:
                    return HAS_SCHEDULE if begun == jobs else TOO_LONG, at
                path.begun[job], path.level[job] = path.time[row], level
                for one in range(len(rules.budget)):
                    if exceeds(rules, path, row, job, level, one):
                        return WRONG_CODE, at  # beyond it sums could outgrow their range
                    path.wasted[row + 1, one] = path.wasted[row, one] + extra(rules, job, level, one)
                row += 1
                enter(rules, path, row, path.time[row - 1], job, job)
            else:
                path.option[row], path.tried[row] = path.option[row] + 1, 0
            continue
        if path.option[row] == jobs * levels:  # nothing more begins at this moment
            path.option[row] += 1
            if at == len(log):
                return TOO_SHORT, at
            code, at = int(log[at]), at + 1
            then = next_end(rules, path, row)
            if code == STOP:
                if then >= 0:
                    return WRONG_CODE, at
            elif then < 0:
                return WRONG_CODE, at
            elif code in (LATE, SEEN):
                number, at = read_number(log, at)
                if code == LATE and not (0 <= number < jobs and is_late(rules, path, number, then)):
                    return WRONG_CODE, at
                if code == SEEN and not is_seen(rules, path, states, number, then, key):
                    return WRONG_CODE, at
            elif code == OPEN:
                limit -= 1
                if limit < 0:
                    return TOO_LONG, at
                for one in range(len(rules.budget)):
                    path.wasted[row + 1, one] = wasted_until(rules, path, row, then, one)
                    if path.wasted[row + 1, one] > rules.budget[one]:
                        return WRONG_CODE, at
                row += 1
                enter(rules, path, row, then, -1, -1)
                if moments < len(states.place) and states.place[moments] >= 0:
                    path.state[row] = states.place[moments]
                    write_key(rules, path, then, states.key[states.place[moments]])
                moments += 1
            elif (
                not code <= len(rules.budget)
                or wasted_until(rules, path, row, then, code - 1) <= rules.budget[code - 1]
            ):
                return WRONG_CODE, at
            continue
        leave(path, states, row)
        begun -= path.starter[row] >= 0
        row -= 1
        if row >= 0:
            count_free(rules, path, row)
    return REFUTED if at == len(log) else TOO_SHORT, at


def extra(rules: Rules, job: int, level: int, one: int) -> int:
    """Return what the job wastes by running at this level and not at its cheapest."""
    return rules.ticks[job, level] * rules.weights[one, job, level] - rules.least[one, job]


def exceeds(rules: Rules, path: Path, row: int, job: int, level: int, one: int) -> bool:
    """Tell whether the path would waste too much with the job at this level."""
    return path.wasted[row, one] + extra(rules, job, level, one) > rules.budget[one]
