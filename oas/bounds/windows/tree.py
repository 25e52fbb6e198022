"""The search by windows as an object: it is resumed, it stops at leaves, and it returns its log."""

from __future__ import annotations

import zlib
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.arrays import numbers, zeros
from oas.bounds.windows import search_kernels
from oas.bounds.windows.rules_kernels import Rows, Rules
from oas.core.compiling import chosen
from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_WEIGHTINGS = 64
MAX_CONFLICTS = 1000
MAX_PAIRS = 40  # of a conflict
MAX_ROWS = 300  # that are open at the same time
MAX_CELLS = 20_000_000  # entries of the arrays of all rows and of the table of pairs that are apart
MAX_ENERGY = 2**61  # capacity times ticks times jobs: sums of weights over time then fit into 64 bits
LOG_BYTES = 2**21  # of the buffer, which is emptied when it is half full
MAX_LOG = 2**28  # bytes, not compressed; a longer log is dropped


class Outcome(Enum):
    """The outcome of a search."""

    REFUTED = search_kernels.REFUTED
    LEAF = search_kernels.LEAF
    UNDECIDED = search_kernels.UNDECIDED
    TOO_DEEP = search_kernels.TOO_DEEP


class WindowsTree:
    """A search for schedules whose jobs start in given windows, see `oas.bounds.windows`.

    `times`: [job][mode], in ticks. `windows`: [job][mode]: the first and the last start; the last is before the first
    if the mode is out. `apart`: [job, mode, job, mode], booleans: whether the two never run at the same moment.
    `weightings`: pairs of weights [job][mode], at most the capacity, and a capacity, at most `most_capacity`.
    `horizon`: the makespan: no job ends later.

    Raises
    ------
    TooLargeError
        If there are too many jobs, modes or weightings, or weights times ticks outgrow 64 bits.
    """

    def __init__(
        self,
        times: Sequence[Sequence[int]],
        windows: Sequence[Sequence[tuple[int, int]]],
        apart: Any,
        weightings: Sequence[tuple[Sequence[Sequence[int]], int]],
        horizon: int,
        *,
        compiled: bool | None = None,
    ) -> None:
        self._horizon = horizon
        self._rules, self._table, self._work = make_tables(times, windows, apart)
        for weights, capacity in weightings:
            self.add(weights, capacity)
        self._log = np.zeros(LOG_BYTES, dtype=np.uint8)
        self._length, self._state = zeros(2), zeros(2)
        self._packer: Any = zlib.compressobj(6)
        self._packed: list[bytes] = []
        self._bytes = 0
        possible = all(any(first <= last for first, last in row) for row in windows)
        self._outcome = Outcome.UNDECIDED if possible else Outcome.REFUTED
        self._kernels: Any = chosen(compiled, search_kernels)

    @property
    def rows(self) -> int:
        """The number of rows closed or branched so far."""
        return int(self._state[1])

    def add(self, weights: Sequence[Sequence[int]], capacity: int) -> None:
        """Add a weighting; at a leaf, `go_on` then applies the rules to its row again."""
        place = int(self._rules.sizes[0])
        if place == MAX_WEIGHTINGS:
            raise TooLargeError(f"more than {MAX_WEIGHTINGS} weightings")
        check_energy(len(weights), self._horizon, capacity)
        self._rules.weights[:, :, place] = weights
        self._rules.capacity[place] = capacity
        self._rules.sizes[0] += 1

    def add_conflict(self, items: Sequence[tuple[int, int]], pairs: Sequence[tuple[int, int]]) -> None:
        """Add a conflict: (job, slowest mode) of some jobs, and the pairs of these jobs that cannot all overlap."""
        place = int(self._rules.sizes[1])
        if place == MAX_CONFLICTS or len(pairs) > MAX_PAIRS:
            raise TooLargeError(f"more than {MAX_CONFLICTS} conflicts, or {MAX_PAIRS} pairs of one")
        for job, mode in items:
            self._rules.slowest[place, job] = mode
        flat = [job for pair in pairs for job in pair]
        self._rules.pairs[place, : len(flat)] = flat
        self._rules.sizes[1] += 1

    def go_on(self, rows: int) -> Outcome:
        """Search up to `rows` more rows; the outcomes REFUTED and TOO_DEEP are final."""
        end = self.rows + rows
        while self.rows < end and self._outcome in (Outcome.UNDECIDED, Outcome.LEAF):
            self._outcome = Outcome(
                int(
                    self._kernels.search(
                        self._rules,
                        self._table,
                        self._work,
                        search_kernels.search.at_once(end - self.rows),
                        self._log,
                        self._length,
                        self._state,
                    )
                )
            )
            self._empty_log()
            if self._outcome is Outcome.LEAF:
                break
        return self._outcome

    def leaf(self) -> list[tuple[int, int]]:
        """Return (mode, start) of each job at the leaf that the search has reached."""
        first, last = self._table.first[self._state[0]], self._table.last[self._state[0]]
        modes = [int(np.argmax(one <= other)) for one, other in zip(first, last, strict=True)]
        return [(mode, int(first[job, mode])) for job, mode in enumerate(modes)]

    def log(self) -> bytes | None:
        """Return the log of a search that has ended, compressed by zlib; None if it is too long."""
        self._packed.append(self._packer.flush())
        return b"".join(self._packed) if self._bytes <= MAX_LOG else None

    def _empty_log(self) -> None:
        length, lost = (int(one) for one in self._length)
        self._bytes += length + lost * (MAX_LOG + 1)
        self._length[:] = 0
        if self._bytes <= MAX_LOG:
            self._packed.append(self._packer.compress(self._log[:length].tobytes()))


def make_tables(
    times: Sequence[Sequence[int]], windows: Sequence[Sequence[tuple[int, int]]], apart: Any
) -> tuple[Rules, Rows, search_kernels.Work]:
    """Return the arrays of the search, without weightings and conflicts.

    Raises
    ------
    TooLargeError
        If they would be too large.
    """
    jobs, modes = len(times), len(times[0])
    if (MAX_ROWS * 3 + jobs * modes) * jobs * max(jobs, modes) > MAX_CELLS:
        raise TooLargeError(f"{jobs:,} jobs of {modes:,} modes are too many for a search by windows")
    rules = Rules(
        times=numbers(times),
        weights=zeros(jobs, modes, MAX_WEIGHTINGS),
        capacity=zeros(MAX_WEIGHTINGS),
        apart=np.ascontiguousarray(apart, dtype=np.bool_),
        slowest=np.full((MAX_CONFLICTS, jobs), -1, dtype=np.int64),
        pairs=np.full((MAX_CONFLICTS, 2 * MAX_PAIRS), -1, dtype=np.int64),
        sizes=zeros(2),
    )
    table = Rows(
        first=zeros(MAX_ROWS, jobs, modes),
        last=zeros(MAX_ROWS, jobs, modes),
        before=np.zeros((MAX_ROWS, jobs, jobs), dtype=np.bool_),
        separate=np.zeros((MAX_ROWS, jobs, jobs), dtype=np.bool_),
    )
    for job, row in enumerate(windows):
        for mode, (first, last) in enumerate(row):
            table.first[0, job, mode], table.last[0, job, mode] = first, last
    work = search_kernels.Work(
        begins=zeros(2 * jobs + 1),
        ends=zeros(2 * jobs + 1),
        inside=zeros(modes),
        need=zeros(jobs, MAX_WEIGHTINGS),
        room=zeros(MAX_WEIGHTINGS),
    )
    return rules, table, work


def check_energy(jobs: int, horizon: int, capacity: int) -> None:
    """Raise `TooLargeError` if sums of weights over time may exceed 64 bits."""
    if (jobs + 1) * (horizon + 1) * (capacity + 1) > MAX_ENERGY:
        raise TooLargeError("weights times ticks are too large for a search by windows")


def most_capacity(jobs: int, horizon: int) -> int:
    """Return the greatest capacity that `check_energy` accepts."""
    return MAX_ENERGY // ((jobs + 1) * (horizon + 1)) - 1
