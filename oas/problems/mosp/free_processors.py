"""The idle processors of a cluster, as ranges of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class FreeProcessors:
    """Idle processors of one cluster, of which the lowest numbers are taken first.

    Time and memory depend on how many ranges of consecutive numbers are idle, not on how many processors.

    Parameters
    ----------
    processors
        How many there are: 0 to this number less 1, all idle.

    Attributes
    ----------
    count
        How many are idle.
    """

    def __init__(self, processors: int) -> None:
        self.count = processors
        self._idle = [(0, processors)] if processors else []  # (first, end), ascending; some may meet
        self._sorted = True

    def give_back(self, ranges: Iterable[range]) -> None:
        """Make processors idle that were taken."""
        for one in ranges:
            self.count += len(one)
            self._idle.append((one.start, one.stop))
        self._sorted = False

    def take(self, count: int) -> tuple[range, ...] | None:
        """Take the `count` ≥ 1 lowest numbers; return them as ranges that ascend and do not meet, None if too few."""
        if count > self.count:
            return None
        if not self._sorted:
            self._order()
        self.count -= count
        idle, taken, whole = self._idle, [], 0
        for first, end in idle:
            count -= end - first
            if count < 0:
                idle[whole] = (end + count, end)
                taken.append(range(first, end + count))
                break
            taken.append(range(first, end))
            whole += 1
            if not count:
                break
        del idle[:whole]
        return tuple(taken)

    def _order(self) -> None:
        """Sort what is idle, and join ranges that meet."""
        self._idle.sort()
        joined: list[tuple[int, int]] = []
        first = end = 0
        for begin, until in self._idle:
            if begin == end:
                end = until
            else:
                if end > first:
                    joined.append((first, end))
                first, end = begin, until
        joined.append((first, end))
        self._idle, self._sorted = joined, True
