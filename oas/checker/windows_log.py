"""The log of a search by windows of starts that has refuted a makespan: its rules, and the walk through its rows.

Each job runs once, in one of its modes; the mode determines its time. The jobs that run at the same moment never weigh
more than the capacity of a weighting. Two jobs in certain modes may be apart: they never run at the same moment. If the
jobs of a conflict run in their greatest modes of it or in lower ones, its pairs of jobs cannot all overlap.

**Theorem.** If the log closes every row, there is no schedule. **Proof.** A row stands for all schedules in which each
job starts in the window of its mode and certain jobs end before others begin; the first row for all schedules. Each
entry of the log narrows the last row, closes it, or splits it in two; the walk continues with the first part. No entry
loses a schedule. The need of a job in [t, u) is the minimum, over its windows, of its weight times the moments that it
runs there, fewest at the first or the last start.

- 0, weighting, t, u: the needs of all jobs in [t, u) exceed the capacity, which closes the row.
- 1, weighting, t, u, job, mode: the needs of the other jobs leave only some moments of [t, u) to the job in this mode;
  the starts at which it would run longer there are removed.
- 2, job, mode, other: the job in this mode is apart from the other in all modes that the other has left; the starts at
  which it neither ends before the other begins nor begins after the other ends are removed.
- 3, job, other: two jobs that are apart in all modes left; the first part has the job before the other, the second the
  reverse.
- 4, job, moment: the first part has the starts up to the moment, the second the later ones.
- 5, job, mode: the first part has the modes up to this one, the second the later ones.
- 6, conflict: if all of its pairs are sure to overlap and no job has a mode beyond the conflict, it closes the row. If
  only one pair is not sure to overlap, this pair is apart. If only one job has a mode beyond the conflict, the other
  modes of this job are removed.

An entry of kind 1 or 2 also closes the row if it leaves its job without a mode. Numbers are written in bytes of seven
bits, lowest bits first; 128 is added to all bytes but the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from oas.checker.effort import Effort
from oas.checker.reading import BadLog, LogReader

MOST_WINDOWS_ROWS = 300  # that are open at the same time

StartWindow = tuple[int, int]  # the first and the last start; empty if the last is less
WindowsConflict = tuple[dict[int, int], Sequence[tuple[int, int]]]  # the greatest mode of each job, and pairs of jobs


class WindowsRules(NamedTuple):
    """The problem that a log refutes."""

    horizon: int  # the makespan: every job ends by then
    times: Sequence[Sequence[int]]  # [job][mode]
    windows: Sequence[dict[int, StartWindow]]  # of the modes of each job in the first row; a mode that is out has none
    weightings: Sequence[tuple[Sequence[Sequence[int]], int]]  # pairs of weights[job][mode] and the capacity
    apart: Sequence[Sequence[int]]  # [job][mode]: bits (other·modes + mode of the other) of what it is apart from
    conflicts: Sequence[WindowsConflict]


class WindowsRow(NamedTuple):
    """A row: for each job the windows of the modes left, and as bits the jobs that begin after it or are kept apart.

    The windows of a job are replaced, but never changed.
    """

    windows: list[dict[int, StartWindow]]
    after: list[int]
    separate: list[int]


class WindowsWalk:
    """The walk through the rows of a log, given as bytes, that refutes a problem."""

    def __init__(self, rules: WindowsRules, log: bytes, effort: Effort) -> None:
        self.rules, self.reader, self.effort = rules, LogReader(log), effort
        self.jobs, self.modes = len(rules.times), len(rules.times[0])
        self.rows = [WindowsRow(list(rules.windows), [0] * self.jobs, [0] * self.jobs)]

    def refutes(self) -> bool:
        """Return whether the log closes every row, and the last one with its last entry."""
        if not all(self.rules.windows):  # no schedule in the first row
            return self.reader.ended
        try:
            while self.rows:
                if self._closes(self.rows[-1]):
                    self.rows.pop()
        except BadLog:
            return False
        return self.reader.ended

    def _closes(self, row: WindowsRow) -> bool:
        """Apply the next entry; return whether it closes the row."""
        self.effort.spend(40)
        number, code = self.reader.number, self.reader.number()
        if code <= 1:
            weighting = number(len(self.rules.weightings))
            begin, end = number(self.rules.horizon + 1), number(self.rules.horizon + 1)
            if end <= begin:
                raise BadLog
            if code == 1:
                job, mode = number(self.jobs), number(self.modes)
                self._narrow_by_energy(row, weighting, begin, end, job, mode)
                return not row.windows[job]
            if self._room(row, weighting, begin, end) >= 0:
                raise BadLog
            return True
        if code == 2:
            job, mode, other = number(self.jobs), number(self.modes), number(self.jobs)
            if job == other:
                raise BadLog
            self.effort.spend(8 * self.modes)
            self._narrow_by_order(row, job, mode, other)
            return not row.windows[job]
        if code == 6:
            return self._conflict(row, *self.rules.conflicts[number(len(self.rules.conflicts))])
        if code > 6 or len(self.rows) == MOST_WINDOWS_ROWS:
            raise BadLog
        first = WindowsRow(row.windows[:], row.after[:], row.separate[:])
        if code == 3:
            self._branch_on_order(first, row, number(self.jobs), number(self.jobs))
        else:
            job, value = number(self.jobs), number()
            windows = row.windows[job]
            if code == 4:
                first.windows[job] = _limited(windows, last=value)
                row.windows[job] = _limited(windows, first=value + 1)
            else:
                first.windows[job] = {mode: window for mode, window in windows.items() if mode <= value}
                row.windows[job] = {mode: window for mode, window in windows.items() if mode > value}
        self.rows.append(first)
        return False

    def _branch_on_order(self, first: WindowsRow, second: WindowsRow, job: int, other: int) -> None:
        self.effort.spend(8 * self.modes)
        if job == other or not all(self._is_apart(second, job, mode, other) for mode in second.windows[job]):
            raise BadLog
        first.after[job] |= 1 << other
        second.after[other] |= 1 << job

    def _room(self, row: WindowsRow, weighting: int, begin: int, end: int, without: int = -1) -> int:
        """Return the capacity over [begin, end) less the needs of all jobs but `without`."""
        weights, capacity = self.rules.weightings[weighting]
        length = end - begin
        room = capacity * length
        for job, windows in enumerate(row.windows):
            if job == without or not windows:
                continue
            times, own, needs = self.rules.times[job], weights[job], []
            for mode, (first, last) in windows.items():
                # The start at which it runs least in [begin, end) is the first or the last one.
                moments = min(times[mode], length, first + times[mode] - begin, end - last)
                needs.append(moments * own[mode] if moments > 0 else 0)
            room -= min(needs)
        self.effort.spend(12 * (self.jobs + sum(map(len, row.windows))))
        return room

    def _narrow_by_energy(self, row: WindowsRow, weighting: int, begin: int, end: int, job: int, mode: int) -> None:
        weight = self.rules.weightings[weighting][0][job][mode]
        if not weight or mode not in row.windows[job]:
            return
        room, time = self._room(row, weighting, begin, end, job), self.rules.times[job][mode]
        moments = room // weight
        if room < 0:
            row.windows[job] = {own: window for own, window in row.windows[job].items() if own != mode}
        elif moments < min(time, end - begin):
            self._leave_out(row, job, mode, begin + moments - time, end - moments)

    def _narrow_by_order(self, row: WindowsRow, job: int, mode: int, other: int) -> None:
        windows, times = row.windows[other], self.rules.times[other]
        if mode not in row.windows[job] or not self._is_apart(row, job, mode, other):
            return
        early, late = -1, self.rules.horizon + 1
        if windows and not row.after[other] >> job & 1:
            early = max([last for _, last in windows.values()]) - self.rules.times[job][mode]
        if windows and not row.after[job] >> other & 1:
            late = min([first + times[beside] for beside, (first, _) in windows.items()])
        self._leave_out(row, job, mode, early, late)

    def _leave_out(self, row: WindowsRow, job: int, mode: int, early: int, late: int) -> None:
        """Remove the starts of a mode between two moments, if they begin or end its window."""
        first, last = row.windows[job][mode]
        if early < first < late:
            first = late
        if early < last < late:
            last = early
        row.windows[job] = _limited({**row.windows[job], mode: (first, last)})

    def _is_apart(self, row: WindowsRow, job: int, mode: int, other: int) -> bool:
        """Return whether a job in a mode is apart from another one in all modes that the other has left."""
        bits = self.rules.apart[job][mode] >> other * self.modes
        return bool(row.separate[job] >> other & 1) or all(bits >> beside & 1 for beside in row.windows[other])

    def _overlap(self, row: WindowsRow, job: int, other: int) -> bool:
        """Return whether two jobs overlap for all starts in their windows."""
        times, others = self.rules.times[job], self.rules.times[other]
        return all(
            last < start + others[beside] and end < first + times[mode]
            for mode, (first, last) in row.windows[job].items()
            for beside, (start, end) in row.windows[other].items()
        )

    def _conflict(self, row: WindowsRow, slowest: dict[int, int], pairs: Sequence[tuple[int, int]]) -> bool:
        """Apply a conflict; return whether it closes the row."""
        self.effort.spend(8 * self.jobs + 8 * len(pairs) * self.modes**2)
        slower = [job for job, mode in slowest.items() if any(own > mode for own in row.windows[job])]
        open_pairs = [pair for pair in pairs if not self._overlap(row, *pair)]
        if len(slower) + len(open_pairs) > 1:
            return False
        for job, other in open_pairs:
            row.separate[job] |= 1 << other
            row.separate[other] |= 1 << job
        for job in slower:
            row.windows[job] = {mode: own for mode, own in row.windows[job].items() if mode > slowest[job]}
        return not slower and not open_pairs


def _limited(windows: dict[int, StartWindow], first: int = 0, last: int | None = None) -> dict[int, StartWindow]:
    """Return the windows without starts before `first` or after `last`, and without those that are empty."""
    limited = {
        mode: (max(start, first), end if last is None else min(end, last)) for mode, (start, end) in windows.items()
    }
    return {mode: (start, end) for mode, (start, end) in limited.items() if start <= end}
