"""The walk through the tree of a search log of co-allocation, as its bytes say.

A row is a moment with the jobs that have begun so far. What is free at it and just before it is handed down from row to
row: before a moment that follows another, that is what was free at the other when all its jobs had begun.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from oas.checker.coallocation_log_rules import GridLeft, LogRules, RunningJob
from oas.checker.coallocation_spread import node_counts
from oas.checker.effort import Effort

LOG_OPEN, LOG_LATE, LOG_SEEN, LOG_STOP = 0, 253, 254, 255


class BadSearchLog(Exception):
    """A byte of a log that closes a branch wrongly, or leaves one open."""


class SearchLogEnds(BadSearchLog):
    """There are no more bytes."""


class LogRow(NamedTuple):
    """A row of the tree.

    Attributes
    ----------
    time
        Of the moment.
    first
        The job from which on others may begin at it.
    waiting
        Bits of the jobs that have not begun.
    running
        The jobs that run at the moment.
    before, now
        What is free just before the moment, and at it.
    wasted, idle
        By each set of weights: what has been wasted by the moment, and what the jobs that run leave of M.
    """

    time: int
    first: int
    waiting: int
    running: tuple[RunningJob, ...]
    before: GridLeft
    now: GridLeft
    wasted: tuple[int, ...]
    idle: tuple[int, ...]


LogRows = Iterator["LogRows"]
"""A walk through the part of the tree below a row, which yields the walks below others on its way."""


class LogWalk:
    """A walk by `rules` through the bytes `codes` of a log that refers to the moments with the numbers `seen`."""

    def __init__(self, rules: LogRules, codes: bytes, seen: Sequence[int], effort: Effort) -> None:
        self.rules, self.codes, self.seen, self.effort = rules, codes, seen, effort
        self.at = 0  # bytes that have been read
        self.moments = self.referred = 0  # rows that began with an end; those to which the log refers
        self.left: dict[int, tuple[int, str]] = {}  # of each such row that has been left: its time and key

    def refutes(self) -> bool:
        """Tell whether the log closes every branch of the tree, with its last byte."""
        try:
            self.walk()
        except BadSearchLog:
            return False
        return self.at == len(self.codes)

    def walk(self) -> None:
        """Walk through the whole tree; raise `BadSearchLog` where a branch is not closed."""
        rules = self.rules
        self.effort.spend(2 * len(self.codes))
        grid = GridLeft(rules.room, 0, tuple(one.count for one in rules.classes), rules.links if rules.placed else ())
        root = LogRow(0, 0, (1 << len(rules.tasks)) - 1, (), grid, grid, (0,) * len(rules.whole), rules.whole)
        rows = [self._below(root)]
        while rows:
            below = next(rows[-1], None)
            if below is None:
                rows.pop()
            else:
                rows.append(below)

    def _below(self, row: LogRow) -> LogRows:
        """Walk through the part of the tree that begins with a row."""
        extra, budget, wasted = self.rules.extra, self.rules.budget, row.wasted
        for job, level in self._options(row):
            code = self._byte()
            if code == LOG_OPEN:
                for begun in self._starts(row, job, level):
                    yield self._below(self._with_start(row, begun))
            elif code > len(budget) or wasted[code - 1] + extra[job][level][code - 1] <= budget[code - 1]:
                raise BadSearchLog
        code = self._byte()
        if not row.running or code == LOG_STOP:
            if row.running or code != LOG_STOP:
                raise BadSearchLog
            return
        then = min([one.end for one in row.running])
        running = tuple([one for one in row.running if one.end > then])
        wasted = tuple([own + idle * (then - row.time) for own, idle in zip(wasted, row.idle, strict=True)])
        if code == LOG_LATE:
            job = self._number()
            if not row.waiting >> job & 1 or self.rules.ticks[job][self.rules.fastest[job]] <= self._latest(job, then):
                raise BadSearchLog
        elif code == LOG_SEEN:
            known = self.left.get(self._number())
            if known is None or known[0] > then or known[1] != _log_key(row.waiting, running, then):
                raise BadSearchLog
        elif code != LOG_OPEN:
            if code > len(wasted) or wasted[code - 1] <= budget[code - 1]:
                raise BadSearchLog
        else:
            yield from self._next_moment(row, then, running, wasted)

    def _next_moment(self, row: LogRow, then: int, running: tuple[RunningJob, ...], wasted: tuple[int, ...]) -> LogRows:
        """Walk on from the moment at which the next job ends, and remember the moment if the log refers to it."""
        if any(map(int.__gt__, wasted, self.rules.budget)):
            raise BadSearchLog
        now, idle = row.now, row.idle
        for one in row.running:
            if one.end == then:
                now = now.changed(self.rules, one, 1)
                idle = tuple(map(int.__add__, idle, self.rules.weights[one.job][one.level]))
        number = self.moments
        self.moments += 1
        is_referred = self.referred < len(self.seen) and self.seen[self.referred] == number
        self.referred += is_referred
        yield self._below(LogRow(then, 0, row.waiting, running, row.now, now, wasted, idle))
        if is_referred:
            self.left[number] = (then, _log_key(row.waiting, running, then))

    def _latest(self, job: int, time: int) -> int:
        """Return the most ticks that a job may take which begins at this time."""
        return self.rules.horizon - (2 * time if job == self.rules.mirrored else time)

    def _options(self, row: LogRow) -> list[tuple[int, int]]:
        """Return the jobs, with levels, that may begin at this moment, in time, and had to wait.

        Whether a job had to wait is seen here only where nodes are not decided.
        """
        rules, found = self.rules, []
        most, beside = row.now.most, row.now.beside
        early = row.time and not rules.placed
        before_most, before_beside = row.before.most, row.before.beside
        waiting = row.waiting >> row.first << row.first
        while waiting:
            lowest = waiting & -waiting
            waiting ^= lowest
            job = lowest.bit_length() - 1
            tasks, ticks, apart = rules.tasks[job], rules.ticks[job], rules.apart[job]
            latest = self._latest(job, row.time)
            for level in range(rules.fastest[job], len(most)):
                if ticks[level] > latest:
                    break  # slower nodes take longer
                if tasks > most[level] or apart[level] & beside:
                    continue
                if early and tasks <= before_most[level] and not apart[level] & before_beside:
                    continue
                found.append((job, level))
        return found

    def _starts(self, row: LogRow, job: int, level: int) -> Iterator[RunningJob]:
        """Yield the job as it may begin at this level: with each choice of nodes that fits and had to wait."""
        rules, ticks, loads = self.rules, self.rules.ticks[job], self.rules.loads[job]
        end = row.time + ticks[level]
        if not rules.placed:
            yield RunningJob(end, job, level, (), ())
            return
        most = [free if one.level <= level else 0 for one, free in zip(rules.classes, row.now.free, strict=True)]
        for held, asked in node_counts(rules.classes, loads, most, row.now.links, self.effort):
            slowest = next(one.level for one, count in zip(rules.classes, held, strict=True) if count)
            if ticks[slowest] == ticks[level] and not (row.time and row.before.has_nodes(held, asked)):
                yield RunningJob(end, job, level, held, asked)

    def _with_start(self, row: LogRow, one: RunningJob) -> LogRow:
        """Return the row with one more job at this moment, which must not waste too much, nor be the last to begin."""
        rules = self.rules
        wasted = tuple(map(int.__add__, row.wasted, rules.extra[one.job][one.level]))
        waiting = row.waiting ^ 1 << one.job
        if not waiting or any(map(int.__gt__, wasted, rules.budget)):
            raise BadSearchLog
        idle = tuple(map(int.__sub__, row.idle, rules.weights[one.job][one.level]))
        now = row.now.changed(rules, one, -1)
        return LogRow(row.time, one.job + 1, waiting, (*row.running, one), row.before, now, wasted, idle)

    def _byte(self) -> int:
        if self.at == len(self.codes):
            raise SearchLogEnds
        self.at += 1
        return self.codes[self.at - 1]

    def _number(self) -> int:
        """Read a number of up to five bytes."""
        number = 0
        for digit in range(5):
            byte = self._byte()
            number |= (byte & 127) << 7 * digit
            if byte < 128:
                return number
        raise BadSearchLog


def _log_key(waiting: int, running: Sequence[RunningJob], time: int) -> str:
    """Return what decides how a moment goes on: which jobs wait, and of those that run their level, rest and nodes."""
    return repr((waiting, sorted([(one.job, one.level, one.end - time, one.held) for one in running])))
