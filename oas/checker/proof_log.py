"""Proof logs: learned clauses about the starts of jobs, each derived step by step, refute all schedules of an axis.

An *axis* is a number of processors over time, fixed loads that use some of them, and jobs that each start once at a
whole moment of it. `docs/proof-log.md` proves that `Derivation.refutes` returns True only if no such starts exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from oas.checker.effort import Effort
from oas.checker.reading import BadLog, LogReader, refused, unpacked_bytes

MAX_PROOF_BYTES = 20_000_000
MAX_CLAUSE = 10_000  # atoms
ATOM_STEPS = 40  # of `Effort`, for an atom in memory
HINT_STEPS = 50  # for a hint, before it is read: a few packed bytes can hold millions of them
PUSH_STEPS, JOB_STEPS = 250, 20  # for a push, and for each job then

Segment = tuple[int, int]  # the moments from the first to before the second


class AxisJob(NamedTuple):
    """A job that holds `width` processors for `time` moments."""

    time: int
    width: int
    shut: tuple[Segment, ...]  # the job does not run at these moments
    before: int | None = None  # a job that starts no later
    after: int | None = None  # a job that starts no earlier


class Axis(NamedTuple):
    """Jobs within the moments from 0 to before `length`."""

    length: int
    processors: int
    changes: dict[int, int]  # of the processors that fixed loads use, by moment; they add up to 0
    jobs: tuple[AxisJob, ...]


class Atom(NamedTuple):
    """A statement about the start of a job, which compares it with a moment."""

    job: int
    comparison: int  # one of the constants below
    moment: int

    def contrary(self) -> Atom:
        """Return the atom that holds if and only if this one does not."""
        if self.comparison == AT_LEAST:
            return Atom(self.job, AT_MOST, self.moment - 1)
        if self.comparison == AT_MOST:
            return Atom(self.job, AT_LEAST, self.moment + 1)
        return Atom(self.job, IS_NOT if self.comparison == IS else IS, self.moment)


AT_LEAST, AT_MOST, IS, IS_NOT = range(4)


class Bounds:
    """The earliest and latest start of each job under some assumptions, and the excluded starts between them."""

    def __init__(self, axis: Axis) -> None:
        self.axis = axis
        self.low = [0] * len(axis.jobs)
        self.high = [axis.length - job.time for job in axis.jobs]
        self.excluded: set[tuple[int, int]] = set()  # pairs of a job and a start

    def holds(self, atom: Atom) -> bool:
        """Return whether all starts that are left satisfy the atom; False may mean that this is not known."""
        job, comparison, moment = atom
        if comparison == AT_LEAST:
            return self.low[job] >= moment
        if comparison == AT_MOST:
            return self.high[job] <= moment
        if comparison == IS:
            return self.low[job] == moment == self.high[job]
        return not self.low[job] <= moment <= self.high[job] or (job, moment) in self.excluded

    def add(self, atom: Atom) -> bool:
        """Restrict the starts to those that satisfy the atom; return whether none is left."""
        job, comparison, moment = atom
        if comparison in (AT_LEAST, IS):
            self.low[job] = max(self.low[job], moment)
        if comparison in (AT_MOST, IS):
            self.high[job] = min(self.high[job], moment)
        if comparison == IS_NOT:
            self.excluded.add((job, moment))
        if self.excluded:
            while (job, self.low[job]) in self.excluded:
                self.low[job] += 1
            while (job, self.high[job]) in self.excluded:
                self.high[job] -= 1
        return self.low[job] > self.high[job]

    def push(self, job: int, *, upper: bool) -> Atom:
        """Return a bound on the start of a job that follows from the other bounds."""
        axis, low, high = self.axis, self.low, self.high
        time, _, _, before, after = axis.jobs[job]
        if upper:
            latest = high[job] if after is None else min(high[job], high[after])
            for begin, end in reversed(self.closed(job)):
                if begin < latest + time and latest < end:
                    latest = begin - time
            return Atom(job, AT_MOST, latest)
        earliest = low[job] if before is None else max(low[job], low[before])
        for begin, end in self.closed(job):
            if begin < earliest + time and earliest < end:
                earliest = end
        return Atom(job, AT_LEAST, earliest)

    def closed(self, job: int) -> list[Segment]:
        """Return segments, ascending, at whose moments the job cannot run: others surely hold too many processors."""
        own, changes = self.axis.jobs[job], dict(self.axis.changes)
        first, last = self.low[job], self.high[job] + own.time  # moments before or after do not matter
        for other, one in enumerate(self.axis.jobs):
            begin, end = self.high[other], self.low[other] + one.time
            if begin < end and begin < last and first < end and other != job:  # it runs from `begin` to `end`
                changes[begin] = changes.get(begin, 0) + one.width
                changes[end] = changes.get(end, 0) - one.width
        segments = list(own.shut)
        room, load, since = self.axis.processors - own.width, 0, None
        for moment in sorted(changes):
            load += changes[moment]
            if load > room and since is None:
                since = moment
            elif load <= room and since is not None:
                segments.append((since, moment))
                since = None
        return sorted(segments)


class Derivation:
    """Clauses about an axis, each a set of atoms that do not hold together, in the order of their derivation."""

    def __init__(self, axis: Axis, effort: Effort) -> None:
        self.axis, self.effort = axis, effort
        self.clauses: list[list[Atom]] = []

    def refutes(self, steps: bytes) -> bool:
        """Return whether the last of the clauses that the steps derive is the empty one: then there are no starts."""
        reader = LogReader(steps)
        clause: list[Atom] | None = None
        try:
            while not reader.ended:
                clause = [self.read_atom(reader) for _ in range(reader.number(MAX_CLAUSE + 1))]
                count = reader.number(len(steps))
                self.effort.spend(HINT_STEPS * count)
                if not self.follows(clause, [reader.number() for _ in range(count)]):
                    return False
                self.effort.hold(ATOM_STEPS * len(clause))
                self.clauses.append(clause)
        except BadLog:
            return False
        return clause == []

    def read_atom(self, reader: LogReader) -> Atom:
        """Return the next atom."""
        job, comparison = divmod(reader.number(4 * len(self.axis.jobs)), 4)
        return Atom(job, comparison, reader.number())

    def follows(self, clause: Sequence[Atom], hints: Sequence[int]) -> bool:
        """Return whether the assumption that all atoms of the clause hold leads to a contradiction.

        Hint 2j pushes the earliest start of job j, 2j + 1 its latest one; with n jobs, hint 2n uses the last clause,
        2n + 1 the one before, and so on.
        """
        bounds = Bounds(self.axis)
        cost = PUSH_STEPS + JOB_STEPS * len(self.axis.jobs) + 5 * len(self.axis.changes)
        self.effort.spend(cost)
        if any([bounds.add(atom) for atom in clause]):
            return True
        for hint in hints:
            back = hint - 2 * len(self.axis.jobs)
            if back < 0:
                self.effort.spend(cost)
                contradiction = bounds.add(bounds.push(hint // 2, upper=hint % 2 == 1))
            elif back < len(self.clauses):
                contradiction = self.resolve(self.clauses[-1 - back], bounds)
            else:
                raise BadLog
            if contradiction:
                return True
        return False

    def resolve(self, clause: Sequence[Atom], bounds: Bounds) -> bool:
        """Return whether a clause contradicts the bounds; if all atoms but one hold, add the contrary of that one."""
        self.effort.spend(20 * len(clause))
        left = [atom for atom in clause if not bounds.holds(atom)]
        if len(left) == 1:
            return bounds.add(left[0].contrary())
        return not left


def unpacked_steps(value: object) -> bytes:
    """Return the field ``steps`` of a certificate."""
    steps = unpacked_bytes(value, "certificate.steps", MAX_PROOF_BYTES)
    if not steps:
        raise refused("certificate.steps", "must have at least one clause")
    return steps
