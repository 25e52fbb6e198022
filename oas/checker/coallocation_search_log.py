"""The co-allocation bound *search log*: the log of a complete search that refuted a makespan is replayed.

**Theorem.** If every branch of the search tree for schedules of at most C ticks, the field ``makespan``, is closed by
one of four rules, then no schedule ends by C, and C + 1 ticks is a lower bound.

**The tree.** A row is a moment with the jobs that have started so far; its children start one more job at that moment,
in the log's order of jobs and levels (and nodes), or advance to the next end. A job is not started at a moment if it
fitted just before. One job is ``mirrored``: its middle is in the first half, since a reversed schedule is feasible too.
The *running sets* of the tree truly fit if the log assigns nodes (``placed``). Otherwise they satisfy nested capacities
and contain no ``apart`` set; these include all sets that fit. In both cases a subset of a running set is one.

**Proof.** Let S be all schedules that start at ticks, end by C, and have running sets of the tree at all ticks. Compare
two by the first tick in which their starts differ, listed in the order of options; the end of a list comes last. Let S*
be the smallest schedule. *Fits just before:* a job moved to the tick before makes a smaller schedule of S, so that no
job of S* fits just before its start; S* starts jobs only at 0 and at ends, and some job runs while others wait
(*stop*). So S* is a branch of the tree. *Waste:* C ticks hold C·M; the jobs need at least Σ_j min_l ticks·w. The
difference is the sum of the waste of S*, by jobs at levels with more ticks·w and by ticks with less than M. No term is
negative, because no running set of the tree weighs more than M; so no part exceeds the sum. *Late:* a waiting job would
end after C even at its fastest. *Seen:* a completed row has the same waiting jobs and the same running jobs with equal
remaining times, levels and nodes, at no later time. Its path followed by the rest of S* is a smaller schedule of S,
since that path branched off by an earlier option. So no rule closes the branch of S*. The page ``proof-search-log`` of
the documentation has each step.

The package `oas.coallocation.bounds.search_log` describes the fields and each byte.
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
LOG_VERSION = 2  # version 1, which proved too much, was never released
MOST_LOG_BYTES, MOST_SEEN_BYTES = 2**26, 2**22  # of a log, and of the moments that it refers to
LOG_STEPS = 60_000_000  # three quarters of a minute: more than a complete search over eight jobs needs
MOST_CHOICES, MOST_KNOWN = 500_000, 50_000  # choices of nodes, and sets of running jobs, that are remembered
LOG_OPEN, LOG_LATE, LOG_SEEN, LOG_STOP = 0, 253, 254, 255


def check_coallocation_search_log(instance: CoallocationInstance, certificate: Any) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    fields = fields_of(certificate, "certificate", *LOG_FIELDS)
    check_version(fields["version"], "certificate.version", LOG_VERSION)
    codes = unpacked_bytes(fields["codes"], "certificate.codes", MOST_LOG_BYTES)
    seen = _read_moments(unpacked_bytes(fields["seen"], "certificate.seen", MOST_SEEN_BYTES))
    scaled, effort = instance.ticks, Effort(LOG_STEPS)
    rules = read_log_rules(scaled, fields, effort)
    if any(budget < 0 for budget in rules.budget):  # even a schedule without waste is longer
        refuted = not codes
    elif seen and seen[-1] >= len(codes):
        raise refused("certificate.seen", "must be moments of the log", seen[-1])
    else:
        refuted = LogWalk(rules, codes, seen, effort).refutes()
    return scaled.to_time(rules.horizon + 1) if refuted else Fraction(0)


def _read_moments(data: bytes) -> list[int]:
    """Return ascending numbers, which are stored as their differences."""
    reader, distances = LogReader(data), []
    try:
        while not reader.ended:
            distances.append(reader.number())
    except BadLog:
        raise refused("certificate.seen", "the last number is not complete, or a number is too long") from None
    if 0 in distances[1:]:
        raise refused("certificate.seen", "must be ascending numbers")
    return list(accumulate(distances))


class LogRow(NamedTuple):
    """A row of the tree."""

    time: int  # the moment
    first: int  # position in the order from which on further jobs may start at the moment
    waiting: int  # bits of the jobs that have not started
    running: tuple[RunningJob, ...]  # jobs that run at the moment
    before: GridLeft  # the free resources just before the moment
    wasted: list[int]  # waste up to the moment, by set of weights

    @property
    def key(self) -> str:
        """The state that determines the search below: the waiting and the running jobs with their remaining times."""
        running = sorted([(one.job, one.level, one.end - self.time, one.held) for one in self.running])
        return repr((self.waiting, running))


Nodes = tuple[tuple[int, ...], tuple[int, ...]]
"""The nodes of a job in each class, and its load on each link."""

LogRows = Iterator["LogRows"]
"""A walk through the subtree below a row; it yields the walks below further rows."""


class LogWalk:
    """A walk through the tree, directed by the bytes `codes` of a log that refers to the moments numbered `seen`."""

    def __init__(self, rules: LogRules, codes: bytes, seen: Sequence[int], effort: Effort) -> None:
        self.rules, self.reader, self.seen, self.effort = rules, LogReader(codes), seen, effort
        self.moments = self.referred = 0  # numbers of rows that began with an end, and of those the log refers to
        self.left: dict[int, tuple[int, str]] = {}  # time and key of each completed row that the log refers to
        self.choices: dict[object, list[Nodes]] = {}  # by job, level and free resources; at most MOST_CHOICES
        self.room = MOST_CHOICES
        self.known: dict[object, GridLeft] = {}  # by running jobs, without their ends; at most MOST_KNOWN

    def refutes(self) -> bool:
        """Return whether the log closes every branch of the tree and ends there."""
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
        """Walk through the subtree of a row; raise `BadLog` if a branch is not closed."""
        now = self._left_beside(row.running)
        for place, level in self._options(row, now):
            job = self.rules.order[place]
            wasted = [waste + extra[job][level] for waste, extra in zip(row.wasted, self.rules.extra, strict=True)]
            code = self._code_of_start(wasted)
            if code == LOG_OPEN:
                for begun in self._starts(row, job, level, now):
                    waiting = row.waiting ^ 1 << job
                    if not waiting or self._is_too_much(wasted):
                        raise BadLog
                    yield self._below(LogRow(row.time, place + 1, waiting, (*row.running, begun), row.before, wasted))
            elif not self._is_closed_by(code, wasted):
                raise BadLog
        if not row.running:
            if self._code_of_end() != LOG_STOP:
                raise BadLog
            return
        then = min([one.end for one in row.running])
        running = tuple([one for one in row.running if one.end > then])
        wasted = [waste + unused * (then - row.time) for waste, unused in zip(row.wasted, now.idle, strict=True)]
        after = LogRow(then, 0, row.waiting, running, now, wasted)
        code = self._code_of_next(after)
        if code == LOG_OPEN:
            yield from self._next_moment(after)
        elif not self._is_next_closed(code, after):
            raise BadLog

    def _left_beside(self, running: tuple[RunningJob, ...]) -> GridLeft:
        """Return the resources that running jobs leave free."""
        key = tuple([(one.job, one.level, one.held) for one in running])
        left = self.known.get(key)
        if left is None:
            left = GridLeft(self.rules, running)
            if len(self.known) < MOST_KNOWN:
                self.known[key] = left
        return left

    def _code_of_start(self, wasted: Sequence[int]) -> int:
        """Return the code for a job and level, with this waste."""
        return self.reader.byte()

    def _code_of_end(self) -> int:
        """Return the code for a row without running jobs, which has no next end."""
        return self.reader.byte()

    def _code_of_next(self, row: LogRow) -> int:
        """Return the code for the row of the next end."""
        return self.reader.byte()

    def _next_moment(self, row: LogRow) -> LogRows:
        """Walk through the subtree of the next end, and record its row if the log refers to it."""
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
        """Return whether the code, with the number after it, closes the row of the next end."""
        if code == LOG_LATE:
            return self._is_too_late(self.rules.order[self.reader.number(len(self.rules.order))], row)
        if code == LOG_SEEN:
            known = self.left.get(self.reader.number())
            return known is not None and known[0] <= row.time and known[1] == row.key
        return self._is_closed_by(code, row.wasted)

    def _is_too_late(self, job: int, row: LogRow) -> bool:
        """Return whether the job waits and would end, or have its middle, too late even at its fastest level."""
        fastest = self.rules.together.scaled.durations[job][self.rules.together.fastest[job]]
        return bool(row.waiting >> job & 1) and fastest > self._latest(job, row.time)

    def _is_closed_by(self, code: int, wasted: Sequence[int]) -> bool:
        """Return whether the waste exceeds the budget by the set of weights that the code names."""
        return 0 < code <= len(wasted) and wasted[code - 1] > self.rules.budget[code - 1]

    def _is_too_much(self, wasted: Sequence[int]) -> bool:
        return any(map(int.__gt__, wasted, self.rules.budget))

    def _latest(self, job: int, time: int) -> int:
        """Return the maximum ticks of a job that starts at this time."""
        return self.rules.horizon - (2 * time if job == self.rules.mirrored else time)

    def _options(self, row: LogRow, now: GridLeft) -> list[tuple[int, int]]:
        """Return the positions in the order, with levels, of the jobs that may start at this moment and end in time.

        If the log assigns nodes, `_starts` checks whether a job had to wait, otherwise this method.
        """
        rules, options = self.rules, []
        had_to_wait = bool(row.time) and not rules.classes
        for place in range(row.first, len(rules.order)):
            job = rules.order[place]
            if not row.waiting >> job & 1:
                continue
            tasks, ticks = rules.together.tasks[job], rules.together.scaled.durations[job]
            latest = self._latest(job, row.time)
            for level in range(rules.together.fastest[job], len(ticks)):
                if ticks[level] > latest:
                    break  # slower nodes take longer
                self.effort.spend(len(rules.apart.larger[job][level]) // 2)
                if not now.allows(job, tasks, level) or (had_to_wait and row.before.allows(job, tasks, level)):
                    continue
                options.append((place, level))
        return options

    def _starts(self, row: LogRow, job: int, level: int, now: GridLeft) -> Iterator[RunningJob]:
        """Yield the possible starts of the job at this level: each choice of nodes that fits now and not before."""
        ticks, classes = self.rules.together.scaled.durations[job], self.rules.classes
        end = row.time + ticks[level]
        if not classes:
            yield RunningJob(end, job, level, (), ())
            return
        for held, asked in self._choices(job, level, now):
            if not (row.time and row.before.has_nodes(held, asked)):
                yield RunningJob(end, job, level, held, asked)

    def _choices(self, job: int, level: int, now: GridLeft) -> list[Nodes]:
        """Return the choices of free nodes with which the job takes as long as at this level."""
        key = (job, level, tuple(now.free), tuple(now.links))
        if key in self.choices:
            return self.choices[key]
        ticks, classes = self.rules.together.scaled.durations[job], self.rules.classes
        most = [free if one.level <= level else 0 for one, free in zip(classes, now.free, strict=True)]
        choices = []
        for held, asked in node_counts(classes, self.rules.together.loads[job], most, now.links, self.effort):
            slowest = next(one.level for one, count in zip(classes, held, strict=True) if count)
            if ticks[slowest] == ticks[level]:
                choices.append((held, asked))
        self.room -= 1 + len(choices)
        if self.room >= 0:
            self.choices[key] = choices
        return choices
