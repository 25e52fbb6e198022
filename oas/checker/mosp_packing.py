"""Decision whether one cluster without reservations can run some jobs by a makespan: a search in the order of time.

*Search in the order of time.* Among the schedules in which all jobs end in time, consider one with the least sum of
starts. No job of it fits at the previous moment already, since it could start there; and while a job waits, some job
runs. By each function of widths, the running jobs never weigh more than the maximum M. So the differences to M add up
to M times the makespan minus the total load of all jobs, and a branch with a greater sum has no such schedule. This
rule holds for each schedule, so it can be combined with the others. "The jobs can run" is answered only with a
complete schedule.

If that search is not conclusive, a search over windows of starts follows. Its nodes have the first and the last
possible start of each job, and for some pairs of jobs their order. Rules narrow the windows:

- two jobs that are too wide to run together run one after the other, often in only one possible order;
- a job with a start in [a, b] and time p certainly runs in [b, a + p), so that other jobs must fit alongside it;
- the parts of all jobs that must run between two moments, whatever their starts, must fit there.

The rules remove no schedule of the node. With integer times, integer starts are sufficient, also in mirrored schedules.
A node with an empty window is closed. Otherwise the search branches on the order of a pair that cannot run together or,
if all such pairs have an order, on the halves of a window.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add, sub
from typing import NamedTuple

# Answers: the jobs cannot run; they can; the search was not conclusive.
SET_NO, SET_YES, SET_UNDECIDED = range(3)
# Search over windows: maximum number of jobs; steps of the limit per node; a node of n jobs costs n³ / NODE_SHARE.
WINDOW_JOBS, STEPS_A_NODE, NODE_SHARE = 40, 20, 10

SureRun = tuple[int, int, int]  # begin and end of the interval in which a job certainly runs, and its processors


class PackedJob(NamedTuple):
    """A job: time, processors, last start in ticks, and the weights of its width by several functions."""

    time: int
    width: int
    latest: int
    loads: tuple[int, ...]


class WindowNode(NamedTuple):
    """The first and last starts, and for each job the bits of the jobs that start after its end."""

    first: list[int]
    last: list[int]
    after: list[int]

    def copy(self) -> WindowNode:
        """Return an independent copy."""
        return WindowNode(self.first[:], self.last[:], self.after[:])


class WindowSearch:
    """A search over windows for jobs with these times, processors and last starts on `size` processors."""

    def __init__(
        self, times: Sequence[int], widths: Sequence[int], latest: Sequence[int], size: int, makespan: int
    ) -> None:
        self.times, self.widths, self.latest, self.size = times, widths, latest, size
        self.places = range(len(times))
        self.mirrors = all(start + time == makespan for start, time in zip(latest, times, strict=True))
        self.pairs = [(i, k) for k in self.places for i in range(k) if widths[i] + widths[k] > size]

    def cannot_run(self, limit: int) -> tuple[bool, int]:
        """Return whether at most `limit` nodes prove that the jobs cannot all run in time, and the number of nodes.

        If all deadlines are the makespan, schedules can be mirrored, so that the largest job starts in the first half
        of its window.
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
        """Return two nodes that together contain all schedules of this one; none if all starts are fixed."""
        first, last, after = node
        second = node.copy()
        if unordered := [(i, k) for i, k in self.pairs if not (after[i] >> k & 1 or after[k] >> i & 1)]:
            i, k = min(unordered, key=lambda pair: sum(last[job] - first[job] - self.times[job] for job in pair))
            after[i] |= 1 << k
            second.after[k] |= 1 << i
            return [node, second]
        place = max(self.places, key=lambda job: self.times[job] * self.widths[job] * (last[job] - first[job]))
        if first[place] == last[place]:
            return []
        middle = (first[place] + last[place]) // 2
        first[place] = middle + 1
        second.last[place] = middle
        return [node, second]

    def _is_closed(self, node: WindowNode) -> bool:
        """Narrow the windows until nothing changes; return whether there is certainly no schedule."""
        changed = True
        while changed:
            before = node.copy()
            if not (self._order(node) and self._keep_free(node)):
                return True
            changed = before != node
        return self._is_overloaded(node)

    def _order(self, node: WindowNode) -> bool:
        """Narrow the windows of pairs that run one after the other; return whether none is empty."""
        first, last, after = node
        times = self.times
        for pair in self.pairs:
            for i, k in (pair, pair[::-1]):
                if after[i] >> k & 1 or first[k] + times[k] > last[i]:
                    if first[i] + times[i] > last[k]:
                        return False
                    after[i] |= 1 << k
                    first[k] = max(first[k], first[i] + times[i])
                    last[i] = min(last[i], last[k] - times[i])
        return all(map(int.__le__, first, last))

    def _keep_free(self, node: WindowNode) -> bool:
        """Narrow the windows by the certain runs of other jobs; return whether none is empty."""
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
        """Return whether the parts of jobs that must run between two ends of windows exceed the processors."""
        jobs = [
            (start, start + time, latest, latest + time, time, width)
            for start, latest, time, width in zip(node.first, node.last, self.times, self.widths, strict=True)
        ]
        begins = {moment for job in jobs for moment in (job[0], job[2])}
        ends = {moment for job in jobs for moment in (job[1], job[3])}
        for begin in begins:
            open_jobs = [
                (min(time, end - begin), latest, width) for _, end, latest, _, time, width in jobs if end > begin
            ]
            for until in (end for end in ends if end > begin):
                # The part of a job between the two moments is minimal at its first or last start.
                load = sum(
                    min(inside, until - latest, until - begin) * width
                    for inside, latest, width in open_jobs
                    if latest < until
                )
                if load > self.size * (until - begin):
                    return True
        return False


def _blocking(sure: Sequence[SureRun], moment: int, room: int) -> list[SureRun]:
    """Return the runs at this moment if they need more than `room` processors, otherwise an empty list."""
    active = [run for run in sure if run[0] <= moment < run[1]]
    return active if sum(width for _, _, width in active) > room else []


def can_run(jobs: Sequence[PackedJob], size: int, makespan: int, highest: Sequence[int], limit: int) -> tuple[int, int]:
    """Return an answer and the number of steps; parameters as for `cannot_run`."""
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
    """Return whether a search of at most `limit` steps proves that the jobs cannot all run in time, and its steps.

    Jobs start at 0 or at ends of others, but not if they could have started at the previous moment: this includes the
    schedules with the least sum of starts. A step starts a job, advances to the next end, or backtracks. The jobs, at
    least one, are ordered by their last starts and tried in this order. `highest` has for each function of widths the
    maximum weight of jobs that run together; moments with less weight reduce the slack.
    """
    count = len(jobs)
    times, widths, latest, loads = zip(*jobs, strict=True)
    slack = [most * makespan for most in highest]
    for job in jobs:
        slack = [room - load * job.time for room, load in zip(slack, job.loads, strict=True)]
    if min(slack) < 0:
        return True, 0
    waiting, left = [True] * count, count
    now, free, before, place = 0, size, -1, 0  # before: free processors at the previous moment after its last start
    running: list[tuple[int, int]] = []  # (end, place)
    used: list[int] = [0] * len(highest)
    path = []  # the state before each start
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
