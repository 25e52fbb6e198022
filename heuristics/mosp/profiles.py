"""Free processors of every cluster over time."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from heuristics.mosp import profile_kernels
from heuristics.mosp.profile_kernels import NEVER
from oas.core.compiling import chosen, for_lists
from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ARRAYS_FROM = 400  # jobs; below, lists are faster, and no compiled code needs to be loaded


class Profiles:
    """Free processors of every cluster over time, from moment 0 on, in integer ticks.

    No run ends at 2^62 (`NEVER`) or later, which `occupy` and `queueing` see to, so a moment and a time add up to less
    than 2^63. Processors are fewer than 2^53 (`scale_mosp`).

    Parameters
    ----------
    processors
        Of each cluster.
    room
        How many runs, reservations included, will be placed at most.
    blocks
        (cluster, start, end, processors) not to be had: reservations, or runs that stay.
    compiled
        Whether the loops work on arrays, and are always compiled; None: on arrays if there are many runs, compiled as
        it pays. The outcome is the same.

    Attributes
    ----------
    compiled
        As given.
    loops, state
        The loops of `profile_kernels`, for lists or arrays, and what they work on: moments, free, after, used.

    Raises
    ------
    TooLargeError
        If a time reaches 2^62 ticks.
    """

    def __init__(
        self,
        processors: Sequence[int],
        room: int,
        blocks: Iterable[tuple[int, int, int, int]] = (),
        compiled: bool | None = None,
    ) -> None:
        self.cluster_count = len(processors)
        self.compiled = compiled
        self._fast = room >= ARRAYS_FROM if compiled is None else compiled
        if self._fast:
            self.loops: Any = chosen(compiled, profile_kernels)
        else:
            self.loops = for_lists(profile_kernels)
        self._limit = len(processors) + 2 * room
        padding = [0] * (2 * room)
        self.state = (
            self.numbers([0] * len(processors) + padding),
            self.numbers([*processors, *padding]),
            self.numbers([-1] * self._limit),
            self.numbers([len(processors)]),
        )
        self._first = self.numbers(range(len(processors)))
        self.occupy_all(blocks)

    def numbers(self, values: Iterable[int]) -> Any:
        """Return integers in the form that the loops take; an array is taken as it is."""
        if not self._fast:
            return list(values)
        import numpy as np

        if isinstance(values, np.ndarray):
            return values
        return np.array(values if isinstance(values, (list, tuple)) else list(values), dtype=np.int64)

    def occupy(self, cluster: int, start: int, time: int, width: int) -> None:
        """Take `width` processors of `cluster` from `start` for `time`; that they are free is the caller's matter."""
        self._take(cluster, start, time, width)

    def occupy_all(self, blocks: Iterable[tuple[int, int, int, int]]) -> None:
        """Take processors as `occupy` does: (cluster, start, end, processors) each, in whatever order."""
        ordered = sorted(blocks, key=itemgetter(1))
        columns = zip(*ordered, strict=True) if ordered else ((), (), (), ())
        self.occupy_ordered(*map(self.numbers, columns))

    def occupy_ordered(self, clusters: Any, starts: Any, ends: Any, widths: Any) -> None:
        """Take processors for runs that are in the order of their starts; numbers in the form that the loops take."""
        if max(ends, default=0) >= NEVER:
            raise TooLargeError("times reach 2^62 ticks; coarser times are needed")
        self._check_room(len(ends))
        self.loops.occupy_all(*self.state, self.numbers(range(self.cluster_count)), clusters, starts, ends, widths)

    def _check_room(self, runs: int) -> None:
        if self.state[3][0] + 2 * runs > self._limit:
            raise TooLargeError("more runs than the profile has room for")

    def _take(self, step: int, start: int, time: int, width: int) -> int:
        """Occupy the cluster of `step`, which is not after `start`; return the step at `start`."""
        if start + time >= NEVER:
            raise TooLargeError("times reach 2^62 ticks; coarser times are needed")
        self._check_room(1)
        return int(self.loops.occupy(*self.state, step, start, start + time, width))

    def close(self, moment: int) -> None:
        """Let nothing run from `moment` on; before, nothing may have been placed beyond it."""
        for cluster in range(self.cluster_count):
            free = [count for begin, count in self.steps(cluster)][-1]
            self.loops.occupy(*self.state, cluster, moment, NEVER, int(free))

    def earliest(self, clusters: Sequence[int], ready: int, time: int, width: int) -> tuple[int, int] | None:
        """Return (cluster, start) of the earliest start ≥ `ready`, ties to the first of `clusters`, or None."""
        cluster, start = self.loops.earliest_of(
            *self.state[:3], self._first, self.numbers(clusters), ready, time, width
        )
        return None if cluster < 0 else (int(cluster), int(start))

    def steps(self, cluster: int) -> Iterator[tuple[int, int]]:
        """Yield (moment, free processors from then on) in time; neighbours may have equally many free."""
        moments, free, after, _ = self.state
        step = cluster
        while step >= 0:
            yield int(moments[step]), int(free[step])
            step = int(after[step])
