"""Whether one cluster without reservations can run some jobs by a makespan: a search in the order of time.

If that does not decide, a search by windows of starts follows. A node of it knows for each job the first and the last
moment at which it may start, and of some pairs which one ends before the other begins. This narrows the windows:

- two jobs too wide to run side by side run one after the other, and often only one order is left;
- a job that may start in [a, b] and takes p surely runs in [b, a + p): others run where that leaves them room;
- what must run of all jobs between two moments, whatever their starts, has room there.

Without a window left the node is closed. Otherwise the search branches: on the order of a pair, and once all pairs that
cannot run side by side have one, on the half of a window.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add, sub
from typing import NamedTuple

# Answers: the jobs cannot run; they can; the search was not long enough to tell.
SET_NO, SET_YES, SET_UNDECIDED = range(3)
# Windows are for at most WINDOW_JOBS jobs, with a node for STEPS_A_NODE steps; for n jobs it costs n³ / NODE_SHARE.
WINDOW_JOBS, STEPS_A_NODE, NODE_SHARE = 40, 20, 10

SureRun = tuple[int, int, int]  # begin and end of the interval in which a job surely runs, and its processors


class PackedJob(NamedTuple):
    """A job: its time, processors, last start in ticks, and its weights by functions of the processors."""

    time: int
    width: int
    latest: int
    loads: tuple[int, ...]


class WindowNode(NamedTuple):
    """The first and last starts, and for each job the set of jobs that begin after it ends, in bits."""

    first: list[int]
    last: list[int]
    after: list[int]

    def copy(self) -> WindowNode:
        """Return an independent copy."""
        return WindowNode(self.first[:], self.last[:], self.after[:])


class WindowSearch:
    """Jobs of these times, processors and last starts on a cluster of `size` processors, by a makespan."""

    def __init__(
        self, times: Sequence[int], widths: Sequence[int], latest: Sequence[int], size: int, makespan: int
    ) -> None:
        self.times, self.widths, self.latest, self.size = times, widths, latest, size
        self.places = range(len(times))
        self.mirrors = all(start + time == makespan for start, time in zip(latest, times, strict=True))
        self.pairs = [(i, k) for k in self.places for i in range(k) if widths[i] + widths[k] > size]

    def cannot_run(self, limit: int) -> tuple[bool, int]:
        """Return whether at most `limit` nodes show that the jobs cannot all run in time, and the nodes.

        Where no job has to end before the makespan, a schedule may be mirrored: then the largest job starts in the
        first half of its window.
        """
        node = WindowNode([0] * len(self.times), list(self.latest), [0] * len(self.times))
        if min(node.last) < 0:
            return True, 0
        if self.mirrors:
            largest = max(self.places, key=lambda place: self.times[place] * self.widths[place])
            node.last[largest] //= 2
        waiting = [node]
        for count in range(1, limit + 1):
            node = waiting.pop()
            if not self._is_closed(node):
                branches = self._branches(node)
                if not branches:
                    return False, count
                waiting += branches
            elif not waiting:
                return True, count
        return False, limit

    def _branches(self, node: WindowNode) -> list[WindowNode]:
        """Return two nodes that together have all schedules of this one; none if all starts are settled."""
        first, last, after = node
        other = node.copy()
        if unordered := [(i, k) for i, k in self.pairs if not (after[i] >> k & 1 or after[k] >> i & 1)]:
            i, k = min(unordered, key=lambda pair: sum(last[one] - first[one] - self.times[one] for one in pair))
            after[i] |= 1 << k
            other.after[k] |= 1 << i
            return [node, other]
        place = max(self.places, key=lambda one: self.times[one] * self.widths[one] * (last[one] - first[one]))
        if first[place] == last[place]:
            return []
        middle = (first[place] + last[place]) // 2
        first[place] = middle + 1
        other.last[place] = middle
        return [node, other]

    def _is_closed(self, node: WindowNode) -> bool:
        """Narrow the windows as far as it goes; return whether no schedule is left."""
        changed = True
        while changed:
            before = node.copy()
            if not (self._order(node) and self._keep_free(node)):
                return True
            changed = before != node
        return self._is_overloaded(node)

    def _order(self, node: WindowNode) -> bool:
        """Let pairs run one after the other; return whether they can."""
        first, last, after = node
        times = self.times
        for i, k in self.pairs:
            for one, other in ((i, k), (k, i)):
                if after[one] >> other & 1 or first[other] + times[other] > last[one]:
                    if first[one] + times[one] > last[other]:
                        return False
                    after[one] |= 1 << other
                    first[other] = max(first[other], first[one] + times[one])
                    last[one] = min(last[one], last[other] - times[one])
        return all(map(int.__le__, first, last))

    def _keep_free(self, node: WindowNode) -> bool:
        """Let jobs start where what surely runs leaves them room; return whether they can."""
        first, last, _ = node
        for i in self.places:
            time, room = self.times[i], self.size - self.widths[i]
            sure = [
                (last[k], first[k] + self.times[k], self.widths[k])
                for k in self.places
                if k != i and last[k] < first[k] + self.times[k]
            ]
            for begin, end, _ in sure:
                moment = max(begin, first[i])
                if moment < first[i] + time and (blocking := _blocking(sure, moment, room)):
                    first[i] = min(stop for _, stop, _ in blocking)
                moment = min(end, last[i] + time) - 1
                if moment >= last[i] and (blocking := _blocking(sure, moment, room)):
                    last[i] = max(start for start, _, _ in blocking) - time
            if first[i] > last[i]:
                return False
        return True

    def _is_overloaded(self, node: WindowNode) -> bool:
        """Whether more must run between two ends of windows than there is room for."""
        jobs = [
            (start, start + time, latest, latest + time, time, width)
            for start, latest, time, width in zip(node.first, node.last, self.times, self.widths, strict=True)
        ]
        begins = {one for job in jobs for one in (job[0], job[2])}
        ends = {one for job in jobs for one in (job[1], job[3])}
        for begin in begins:
            open_jobs = [
                (min(time, end - begin), latest, width) for _, end, latest, _, time, width in jobs if end > begin
            ]
            for until in (one for one in ends if one > begin):
                # A job runs least between the two moments if it starts first or last.
                load = sum(
                    min(inside, until - latest, until - begin) * width
                    for inside, latest, width in open_jobs
                    if latest < until
                )
                if load > self.size * (until - begin):
                    return True
        return False


def _blocking(sure: Sequence[SureRun], moment: int, room: int) -> list[SureRun]:
    """Return the runs at this moment if they need more than `room` processors; else none."""
    own = [one for one in sure if one[0] <= moment < one[1]]
    return own if sum(width for _, _, width in own) > room else []


def can_run(jobs: Sequence[PackedJob], size: int, makespan: int, highest: Sequence[int], limit: int) -> tuple[int, int]:
    """Return an answer, and the steps that it took; parameters as for `cannot_run`."""
    impossible, spent = cannot_run(jobs, size, makespan, highest, limit)
    if impossible or spent < limit:
        return SET_NO if impossible else SET_YES, spent
    nodes = limit // STEPS_A_NODE
    if len(jobs) > WINDOW_JOBS or not nodes:
        return SET_UNDECIDED, spent
    times, widths, latest, _ = zip(*jobs, strict=True)
    impossible, taken = WindowSearch(times, widths, latest, size, makespan).cannot_run(nodes)
    spent += taken * (1 + len(jobs) ** 3 // NODE_SHARE)
    if impossible:
        return SET_NO, spent
    return SET_YES if taken < nodes else SET_UNDECIDED, spent


def cannot_run(
    jobs: Sequence[PackedJob], size: int, makespan: int, highest: Sequence[int], limit: int
) -> tuple[bool, int]:
    """Return whether a search of at most `limit` steps shows that the jobs cannot all run in time, and its steps.

    Jobs start at 0 or where others end, and none that could have started at the moment before: a schedule with the
    least sum of starts is such. A step starts a job, moves to the end of the next job, or goes back. The jobs, at least
    one, are tried in the order given, by their last starts ascending. For each function `highest` is what no jobs side
    by side outweigh; where they weigh less, that room is lost.
    """
    count = len(jobs)
    times, widths, latest, loads = zip(*jobs, strict=True)
    slack = [most * makespan for most in highest]
    for job in jobs:
        slack = [room - load * job.time for room, load in zip(slack, job.loads, strict=True)]
    if min(slack) < 0:
        return True, 0
    waiting, left = [True] * count, count
    now, free, before, place = 0, size, -1, 0  # before: processors free at the last moment, when it was left
    running: list[tuple[int, int]] = []  # (end, place)
    used: list[int] = [0] * len(highest)
    path = []  # what was so before each start
    for step in range(limit):
        while place < count and not (waiting[place] and before < widths[place] <= free and now <= latest[place]):
            place += 1
        if place < count:
            path.append((place, now, free, before, slack, used, running))
            waiting[place] = False
            left -= 1
            if not left:
                return False, step
            free -= widths[place]
            used = list(map(add, used, loads[place]))
            running = [*running, (now + times[place], place)]
            place += 1
            continue
        following = min(running)[0] if running else latest[-1] + 1
        if following <= latest[waiting.index(True)]:
            after = [
                room - (most - load) * (following - now) for room, most, load in zip(slack, highest, used, strict=True)
            ]
            if min(after) >= 0:
                slack, now, before, place = after, following, free, 0
                for end, ended in running:
                    if end == now:
                        free += widths[ended]
                        used = list(map(sub, used, loads[ended]))
                running = [one for one in running if one[0] > now]
                continue
        if not path:
            return True, step
        place, now, free, before, slack, used, running = path.pop()
        waiting[place] = True
        left += 1
        place += 1
    return False, limit
