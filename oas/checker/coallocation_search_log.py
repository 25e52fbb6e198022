"""The bound *search log* of co-allocation: a complete search that has refuted a makespan, walked again by its log.

**Theorem.** If every branch of the search tree for schedules of at most C ticks, the field ``makespan``, is closed by
one of four rules, then no schedule ends by C, and C + 1 ticks is a lower bound.

**The tree.** A schedule of at most C with the least sum of starts begins each job at 0 or when another ends. A row is a
moment with the jobs that have begun so far; the rows below it begin one more job at that moment, in the log's order of
jobs, or go on to the next end. One job is ``mirrored``: its middle is in the first half, since a schedule read
backwards is one too. Where nodes are not decided (``placed`` is false), jobs run together if nested capacities allow it
and no two are ``apart``: each schedule is among these.

**Proof.** *Weights:* C ticks hold at most C·M; the jobs bring at least Σ_j min_l ticks·w. The difference may be wasted,
by jobs at dearer levels and by moments that weigh less than M; what a path has wasted never shrinks. *Late:* a waiting
job would end after C even at its fastest. *Did fit just before,* and *seen:* a row with the same jobs waiting, the same
running with the same time left, level and nodes has been left, at no later time. If a branch were closed wrongly, take
the first such branch left, and its schedule with the least sum of starts. Moved to the earlier moment, or to the row
seen, it is a schedule of a branch that was left before, or one of this branch with a lesser sum: neither can be.

The package `oas.bounds.coallocation.search_log` describes the fields and each byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple

from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.coallocation_log_rules import GridLeft, LogRules, RunningJob, read_log_rules
from oas.checker.coallocation_spread import node_counts
from oas.checker.effort import Effort
from oas.checker.reading import BadLog, LogReader, check_version, fields_of, refused, unpacked_bytes

LOG_FIELDS = ("version", "makespan", "placed", "order", "mirrored", "weights", "apart", "codes", "seen")
MOST_LOG_BYTES, MOST_SEEN_BYTES = 2**26, 2**22  # of a log, and of the moments that it refers to
LOG_STEPS = 60_000_000  # three quarters of a minute: longer than a log of a complete search over eight jobs takes
LOG_OPEN, LOG_LATE, LOG_SEEN, LOG_STOP = 0, 253, 254, 255


def check_coallocation_search_log(instance: CoallocationInstance, certificate: Any) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    fields = fields_of(certificate, "certificate", *LOG_FIELDS)
    check_version(fields["version"], "certificate.version")
    codes = unpacked_bytes(fields["codes"], "certificate.codes", MOST_LOG_BYTES)
    seen = _read_moments(unpacked_bytes(fields["seen"], "certificate.seen", MOST_SEEN_BYTES))
    scaled, effort = instance.ticks, Effort(LOG_STEPS)
    rules = read_log_rules(scaled, fields, effort)
    if any(budget < 0 for budget in rules.budget):  # not even a schedule without waste is so short
        refuted = not codes
    elif seen and seen[-1] >= len(codes):
        raise refused("certificate.seen", "must hold moments of the log", seen[-1])
    else:
        refuted = LogWalk(rules, codes, seen, effort).refutes()
    return scaled.to_time(rules.horizon + 1) if refuted else Fraction(0)


def _read_moments(data: bytes) -> list[int]:
    """Return ascending numbers, written as the distances between them."""
    reader, distances = LogReader(data), []
    try:
        while not reader.ended:
            distances.append(reader.number())
    except BadLog:
        raise refused("certificate.seen", "the last number is not complete, or a number is too long") from None
    if 0 in distances[1:]:
        raise refused("certificate.seen", "must hold ascending numbers")
    return list(accumulate(distances))


class LogRow(NamedTuple):
    """A row of the tree."""

    time: int  # of the moment
    first: int  # the place in the order from which on others may begin at it
    waiting: int  # bits of the jobs that have not begun
    running: tuple[RunningJob, ...]  # at the moment
    before: GridLeft  # what is free just before the moment
    wasted: list[int]  # by each set of weights, by the moment

    @property
    def key(self) -> str:
        """What decides how a moment continues: the waiting jobs; level, rest and nodes of the running ones."""
        running = sorted([(one.job, one.level, one.end - self.time, one.held) for one in self.running])
        return repr((self.waiting, running))


LogRows = Iterator["LogRows"]
"""A walk through the part of the tree below a row, which yields the walks below others on its way."""


class LogWalk:
    """A walk by `rules` through the bytes `codes` of a log that refers to the moments with the numbers `seen`."""

    def __init__(self, rules: LogRules, codes: bytes, seen: Sequence[int], effort: Effort) -> None:
        self.rules, self.reader, self.seen, self.effort = rules, LogReader(codes), seen, effort
        self.moments = self.referred = 0  # rows that began with an end; those to which the log refers
        self.left: dict[int, tuple[int, str]] = {}  # of each such row that has been left: its time and key

    def refutes(self) -> bool:
        """Return whether the log closes every branch of the tree, with its last byte."""
        self.effort.spend(2 * len(self.reader.log))
        everything, wasted = (1 << len(self.rules.order)) - 1, [0] * len(self.rules.budget)
        rows = [self._below(LogRow(0, 0, everything, (), GridLeft(self.rules, ()), wasted))]
        try:
            while rows:
                below = next(rows[-1], None)
                if below is None:
                    rows.pop()
                else:
                    rows.append(below)
        except BadLog:
            return False
        return self.reader.ended

    def _below(self, row: LogRow) -> LogRows:
        """Walk through the part of the tree that begins with a row; raise `BadLog` where a branch is not closed."""
        now = GridLeft(self.rules, row.running)
        for place, level in self._options(row, now):
            job = self.rules.order[place]
            wasted = [own + extra[job][level] for own, extra in zip(row.wasted, self.rules.extra, strict=True)]
            code = self.reader.byte()
            if code == LOG_OPEN:
                for begun in self._starts(row, job, level, now):
                    waiting = row.waiting ^ 1 << job
                    if not waiting or self._is_too_much(wasted):
                        raise BadLog
                    yield self._below(LogRow(row.time, place + 1, waiting, (*row.running, begun), row.before, wasted))
            elif not self._is_closed_by(code, wasted):
                raise BadLog
        code = self.reader.byte()
        if not row.running or code == LOG_STOP:
            if row.running or code != LOG_STOP:
                raise BadLog
            return
        then = min([one.end for one in row.running])
        running = tuple([one for one in row.running if one.end > then])
        after = LogRow(then, 0, row.waiting, running, now, self._wasted_until(row, then))
        if code == LOG_OPEN:
            yield from self._next_moment(after)
        elif not self._is_next_closed(code, after):
            raise BadLog

    def _next_moment(self, row: LogRow) -> LogRows:
        """Walk on from the moment at which the next job ends, and remember the moment if the log refers to it."""
        if self._is_too_much(row.wasted):
            raise BadLog
        number = self.moments
        self.moments += 1
        is_referred = self.referred < len(self.seen) and self.seen[self.referred] == number
        self.referred += is_referred
        yield self._below(row)
        if is_referred:
            key = row.key
            self.effort.hold(2 + len(key) // 8)
            self.left[number] = (row.time, key)

    def _is_next_closed(self, code: int, row: LogRow) -> bool:
        """Return whether the code, with the number behind it, closes the row of the next end."""
        if code == LOG_LATE:
            job = self.rules.order[self.reader.number(len(self.rules.order))]
            fastest = self.rules.together.scaled.durations[job][self.rules.together.fastest[job]]
            return bool(row.waiting >> job & 1) and fastest > self._latest(job, row.time)
        if code == LOG_SEEN:
            known = self.left.get(self.reader.number())
            return known is not None and known[0] <= row.time and known[1] == row.key
        return self._is_closed_by(code, row.wasted)

    def _is_closed_by(self, code: int, wasted: Sequence[int]) -> bool:
        """Return whether by the set of weights that the code names more is wasted than may be."""
        return 0 < code <= len(wasted) and wasted[code - 1] > self.rules.budget[code - 1]

    def _is_too_much(self, wasted: Sequence[int]) -> bool:
        return any(map(int.__gt__, wasted, self.rules.budget))

    def _wasted_until(self, row: LogRow, then: int) -> list[int]:
        """Return what has been wasted by the next end: until then the running jobs leave some of M."""
        idle = [whole - sum([rows[one.job][one.level] for one in row.running]) for rows, whole in self.rules.weightings]
        return [own + rest * (then - row.time) for own, rest in zip(row.wasted, idle, strict=True)]

    def _latest(self, job: int, time: int) -> int:
        """Return the most ticks that a job may take which begins at this time."""
        return self.rules.horizon - (2 * time if job == self.rules.mirrored else time)

    def _options(self, row: LogRow, now: GridLeft) -> list[tuple[int, int]]:
        """Return the places in the order, with levels, of the jobs that may begin at this moment, in time.

        Whether a job had to wait is seen here only where nodes are not decided.
        """
        rules, found = self.rules, []
        had_to_wait = bool(row.time) and not rules.classes
        for place in range(row.first, len(rules.order)):
            job = rules.order[place]
            if not row.waiting >> job & 1:
                continue
            tasks, ticks, apart = rules.together.tasks[job], rules.together.scaled.durations[job], rules.apart[job]
            latest = self._latest(job, row.time)
            for level in range(rules.together.fastest[job], len(ticks)):
                if ticks[level] > latest:
                    break  # slower nodes take longer
                if tasks > now.most[level] or apart[level] & now.beside:
                    continue
                if had_to_wait and tasks <= row.before.most[level] and not apart[level] & row.before.beside:
                    continue
                found.append((place, level))
        return found

    def _starts(self, row: LogRow, job: int, level: int, now: GridLeft) -> Iterator[RunningJob]:
        """Yield the job as it may begin at this level: with each choice of nodes that fits and had to wait."""
        ticks, classes = self.rules.together.scaled.durations[job], self.rules.classes
        end = row.time + ticks[level]
        if not classes:
            yield RunningJob(end, job, level, (), ())
            return
        most = [free if one.level <= level else 0 for one, free in zip(classes, now.free, strict=True)]
        for held, asked in node_counts(classes, self.rules.together.loads[job], most, now.links, self.effort):
            slowest = next(one.level for one, count in zip(classes, held, strict=True) if count)
            if ticks[slowest] == ticks[level] and not (row.time and row.before.has_nodes(held, asked)):
                yield RunningJob(end, job, level, held, asked)
