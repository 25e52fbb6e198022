"""Free processors of every cluster over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.shared_kernels import NEVER
from oas.core.errors import TooLargeError
from oas.problems.rigid import FreeOverTime

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Profiles:
    """Free processors of every cluster over time, from moment 0 on, in integer ticks.

    Parameters
    ----------
    processors
        Of each cluster.
    blocks
        (cluster, start, end, processors) not to be had: reservations, or runs that stay.

    Raises
    ------
    TooLargeError
        If a run ends at 2^62 ticks or later.
    """

    def __init__(self, processors: Sequence[int], blocks: Iterable[tuple[int, int, int, int]] = ()) -> None:
        self._free = [FreeOverTime(count) for count in processors]
        for cluster, start, end, width in blocks:
            self.occupy(cluster, start, end - start, width)

    def occupy(self, cluster: int, start: int, time: int, width: int) -> None:
        """Take `width` processors of `cluster` from `start` for `time`; that they are free is the caller's matter."""
        if start + time >= NEVER:
            raise TooLargeError("times reach 2^62 ticks; coarser times are needed")
        self._free[cluster].take(start, start + time, width)

    def close(self, moment: int) -> None:
        """Let nothing run from `moment` on; before, nothing may have been placed beyond it."""
        for free in self._free:
            free.take(moment, NEVER, free.at(moment))

    def earliest(self, clusters: Iterable[int], ready: int, time: int, width: int) -> tuple[int, int] | None:
        """Return (cluster, start) of the earliest start ≥ `ready`, ties to the first of `clusters`, or None."""
        best, least = -1, NEVER
        for cluster in clusters:
            free = self._free[cluster]
            start = free.earliest(ready, time, width)
            if start < least and free.at(start) >= width:
                best, least = cluster, start
        return None if best < 0 else (best, least)

    def steps(self, cluster: int) -> Iterator[tuple[int, int]]:
        """Yield (moment, free processors from then on) in time; neighbours may have equally many free."""
        return self._free[cluster].steps()
