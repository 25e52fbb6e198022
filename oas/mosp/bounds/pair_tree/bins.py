"""Instances that are bin packing: jobs of equal times, and jobs of one processor each.

*Equal times*: each cluster has one bin for each unit of time, whose capacity is the number of available processors, and
the item sizes are the widths of the jobs. *One processor each*, without releases and reservations: each processor is a
bin of capacity C, the makespan, and the item sizes are the times of the jobs. `oas.checker.mosp_pair_tree` proves this
and defines the limits.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING

import numpy as np

from oas.core.errors import TooLargeError
from oas.mosp.bounds.volume import free_steps
from oas.mosp.runs import ClusterRun
from oas.mosp.ticks import coarsened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.mosp.ticks import ScaledMosp

MAX_KINDS = 60
MAX_CELLS = 200_000_000  # moments × (jobs + clusters), examined to find the kinds


@dataclass(frozen=True)
class Kind:
    """Identical bins."""

    count: int  # number of bins, at most the number of items
    # For each item: the maximum total size of the items with no greater limit, if it is in the bin; 0 if it must not
    # be.
    limits: tuple[int, ...]

    @property
    def capacity(self) -> int:
        """The capacity of the bin."""
        return max(self.limits, default=0)

    @property
    def uniform(self) -> bool:
        """Whether all permitted items have the same limit, so that the order of items does not matter."""
        return len(set(self.limits) - {0}) <= 1


class EqualTimes:
    """Jobs of equal times: units of time as bins.

    Attributes: `sizes`: size of each item, which is the job of the same index. `unit`: time unit of makespans in ticks.
    """

    def __init__(self, scaled: ScaledMosp) -> None:
        self.coarse, self.unit = coarsened(scaled)
        self._steps = [(steps.moments.tolist(), steps.free.tolist()) for steps in free_steps(self.coarse)]
        deadlines = [self.coarse.deadlines[owner] for owner in self.coarse.owners]
        self._windows = list(zip(self.coarse.releases, deadlines, strict=True))
        self._scale = gcd(*self.coarse.widths)
        self.sizes = tuple(width // self._scale for width in self.coarse.widths)

    @property
    def title(self) -> str:
        """A description for the user."""
        sizes = sorted({str(size) for size in self.coarse.processors}, key=int)
        shown = " or ".join(sizes) if len(sizes) <= 3 else f"{sizes[0]} to {sizes[-1]}"
        return f"equal times: bin packing, {len(self.sizes)} items in bins of {shown}"

    def _pieces(self, makespan: int) -> dict[tuple[int, ...], list[tuple[int, int, int]]]:
        """Return the intervals (cluster, begin, end) of identical bins by their limits."""
        moments = {0, makespan, *self.coarse.releases}
        moments |= {moment for moment in self.coarse.deadlines if moment is not None}
        moments |= {moment for steps, _ in self._steps for moment in steps}
        pieces: dict[tuple[int, ...], list[tuple[int, int, int]]] = defaultdict(list)
        if len(moments) * (len(self._windows) + len(self._steps)) > MAX_CELLS:
            raise TooLargeError(f"moments × jobs and clusters are above {MAX_CELLS:,}")
        for begin, end in pairwise(sorted(moment for moment in moments if moment <= makespan)):
            takes = [r <= begin and (d is None or end <= d) for r, d in self._windows]
            for cluster, (steps, free) in enumerate(self._steps):
                room = free[int(np.searchsorted(steps, begin, side="right")) - 1] // self._scale
                if room > 0:
                    pieces[tuple(room if take else 0 for take in takes)].append((cluster, begin, end))
            if len(pieces) > MAX_KINDS:
                raise TooLargeError(f"bins are of more than {MAX_KINDS} kinds")
        return pieces

    def kinds(self, makespan: int) -> list[Kind]:
        """Return the bins, units of time of clusters, that a schedule may use by `makespan`, in units."""
        kinds = []
        for limits, pieces in self._pieces(makespan).items():
            count = sum(end - begin for _, begin, end in pieces)
            kinds.append(Kind(min(len(self.sizes), count), limits))
        return kinds

    def runs(self, makespan: int, packed: Sequence[tuple[int, Sequence[int]]]) -> list[ClusterRun]:
        """Return the schedule of these bins (kind, items), early units first, in ticks."""
        slots = [
            ((cluster, moment) for cluster, begin, end in pieces for moment in range(begin, end))
            for pieces in self._pieces(makespan).values()
        ]
        runs = []
        for kind, items in packed:
            cluster, moment = next(slots[kind])
            runs += [ClusterRun(item, cluster, moment * self.unit) for item in items]
        return sorted(runs, key=lambda run: run.job)


class OneProcessorEach:
    """Jobs of one processor: processors as bins; attributes as in `EqualTimes`."""

    def __init__(self, scaled: ScaledMosp) -> None:
        self.scaled = scaled
        self.unit = gcd(*scaled.times)
        self.sizes = tuple(time // self.unit for time in scaled.times)
        self._deadlines = [None if deadline is None else deadline // self.unit for deadline in scaled.deadlines]

    @property
    def title(self) -> str:
        """A description for the user."""
        return f"one processor each: {len(self.sizes)} jobs on {sum(self.scaled.processors)} identical machines"

    def kinds(self, makespan: int) -> list[Kind]:
        """Return the bins: one for each processor, as large as `makespan`, in units."""
        limits = [makespan if deadline is None else min(makespan, deadline) for deadline in self._deadlines]
        count = min(len(self.sizes), sum(self.scaled.processors))
        return [Kind(count, tuple(limits[owner] for owner in self.scaled.owners))]

    def runs(self, makespan: int, packed: Sequence[tuple[int, Sequence[int]]]) -> list[ClusterRun]:
        """Return the schedule of these bins (kind, items), by deadline on each processor, in ticks."""
        (kind,) = self.kinds(makespan)
        clusters = (cluster for cluster, size in enumerate(self.scaled.processors) for _ in range(size))
        runs = []
        for (_, items), cluster in zip(packed, clusters, strict=False):
            start = 0
            for item in sorted(items, key=kind.limits.__getitem__):
                runs.append(ClusterRun(item, cluster, start * self.unit))
                start += self.sizes[item]
        return sorted(runs, key=lambda run: run.job)


Bins = EqualTimes | OneProcessorEach
"""An instance as bin packing."""


def bins_of(scaled: ScaledMosp) -> Bins | None:
    """Return the instance as bin packing; None if it is not bin packing."""
    if len(set(scaled.times)) == 1 and coarsened(scaled)[1] == scaled.times[0]:
        return EqualTimes(scaled)
    if set(scaled.widths) == {1} and not any(scaled.releases) and not scaled.reservations:
        return OneProcessorEach(scaled)
    return None
