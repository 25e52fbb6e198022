"""Chains and knapsacks of weighted jobs on clusters of each size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.bounds.mosp.knapsack import heaviest_by_capacity, heaviest_chain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.mosp.ticks import ScaledMosp


@dataclass(frozen=True)
class Scales:
    """The two dimensions of an instance, for makespans up to this one.

    Attributes
    ----------
    scaled
        The instance.
    makespan
        In ticks.
    mirrored
        Whether time runs backwards.
    """

    scaled: ScaledMosp
    makespan: int
    mirrored: bool = False

    @property
    def sizes(self) -> list[int]:
        """The sizes of clusters, ascending, each once."""
        return sorted(set(self.scaled.processors))

    @property
    def deadlines(self) -> list[int]:
        """Deadline of each job."""
        if self.mirrored:
            return [self.makespan - release for release in self.scaled.releases]
        own = [self.scaled.deadlines[owner] for owner in self.scaled.owners]
        return [self.makespan if one is None else min(one, self.makespan) for one in own]

    def chains(self, times: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
        """Return for each size of clusters the weight of a heaviest chain of jobs no wider, and the chain."""
        found = []
        for size in self.sizes:
            fitting = [v if q <= size else 0 for v, q in zip(times, self.scaled.widths, strict=True)]
            found.append(heaviest_chain(fitting, self.scaled.times, self.deadlines))
        return found

    def longest(self, times: Sequence[int]) -> list[int]:
        """Return the weight of a heaviest chain for each size of clusters."""
        return [weight for weight, _ in self.chains(times)]

    def highest(self, heights: Sequence[int]) -> list[int]:
        """Return the weight of a heaviest set of jobs side by side for each size of clusters."""
        most = heaviest_by_capacity(heights, self.scaled.widths, self.sizes[-1])
        return [most[size] for size in self.sizes]

    def room(self, longest: Sequence[int], highest: Sequence[int]) -> int:
        """Return the products of both weights, added up over all clusters."""
        counts = [self.scaled.processors.count(size) for size in self.sizes]
        return sum(n * v * m for n, v, m in zip(counts, longest, highest, strict=True))
