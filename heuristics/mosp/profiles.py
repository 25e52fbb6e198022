"""Free processors of every cluster over time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from heuristics.shared_kernels import NEVER
from oas.core.errors import TooLargeError

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
        self._moments = [[0] for _ in processors]
        self._free = [[count] for count in processors]  # from each moment until the next, the last for ever
        for cluster, start, end, width in blocks:
            self.occupy(cluster, start, end - start, width)

    def occupy(self, cluster: int, start: int, time: int, width: int) -> None:
        """Take `width` processors of `cluster` from `start` for `time`; that they are free is the caller's matter."""
        if start + time >= NEVER:
            raise TooLargeError("times reach 2^62 ticks; coarser times are needed")
        self._take(cluster, start, start + time, width)

    def close(self, moment: int) -> None:
        """Let nothing run from `moment` on; before, nothing may have been placed beyond it."""
        for cluster, free in enumerate(self._free):
            self._take(cluster, moment, NEVER, free[-1])

    def _take(self, cluster: int, start: int, end: int, width: int) -> None:
        free = self._free[cluster]
        for step in range(self._cut(cluster, start), self._cut(cluster, end)):
            free[step] -= width

    def _cut(self, cluster: int, moment: int) -> int:
        """Return the step that begins at a moment; one does from now on."""
        moments, free = self._moments[cluster], self._free[cluster]
        step = bisect_left(moments, moment)
        if step == len(moments) or moments[step] != moment:
            moments.insert(step, moment)
            free.insert(step, free[step - 1])
        return step

    def earliest(self, clusters: Iterable[int], ready: int, time: int, width: int) -> tuple[int, int] | None:
        """Return (cluster, start) of the earliest start ≥ `ready`, ties to the first of `clusters`, or None."""
        best, least = -1, NEVER
        for cluster in clusters:
            start = self._earliest_on(cluster, ready, time, width, least)
            if start < least:
                best, least = cluster, start
        return None if best < 0 else (best, least)

    def _earliest_on(self, cluster: int, ready: int, time: int, width: int, limit: int) -> int:
        """Return the earliest start on a cluster, or `limit` if there is none before that."""
        moments, free = self._moments[cluster], self._free[cluster]
        step, start = bisect_right(moments, ready) - 1, ready
        while start < limit:
            fits = free[step] >= width
            step += 1
            if fits and (step == len(moments) or moments[step] >= start + time):
                return start
            if not fits:
                start = moments[step] if step < len(moments) else NEVER
        return limit

    def steps(self, cluster: int) -> Iterator[tuple[int, int]]:
        """Yield (moment, free processors from then on) in time; neighbours may have equally many free."""
        return zip(self._moments[cluster], self._free[cluster], strict=True)
