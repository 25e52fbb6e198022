"""Weights of jobs in time and in processors: the greatest weights on clusters, and weights to start from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from oas.mosp.bounds.knapsack import heaviest_by_capacity, heaviest_chain
from oas.mosp.bounds.simple import feasible_functions
from oas.mosp.bounds.volume import spread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.mosp.ticks import ScaledMosp

# Numbers of thresholds of `rounded_ends`, and of moments at which intervals for energies begin or end.
THRESHOLDS = 12
MOMENTS = 12

Weights = tuple[int, ...]


@dataclass(frozen=True)
class Scales:
    """The two dimensions of an instance, for makespans up to `makespan`."""

    scaled: ScaledMosp  # the instance
    makespan: int  # in ticks
    mirrored: bool = False  # whether time runs backwards

    @property
    def sizes(self) -> list[int]:
        """The sizes of clusters, ascending, each once."""
        return sorted(set(self.scaled.processors))

    @property
    def counts(self) -> list[int]:
        """The number of clusters of each of the `sizes`."""
        return [self.scaled.processors.count(size) for size in self.sizes]

    @property
    def deadlines(self) -> list[int]:
        """Deadline of each job."""
        if self.mirrored:
            return [self.makespan - release for release in self.scaled.releases]
        deadlines = [self.scaled.deadlines[owner] for owner in self.scaled.owners]
        return [self.makespan if deadline is None else min(deadline, self.makespan) for deadline in deadlines]

    def chains(self, times: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
        """Return, for each size of clusters, the weight of a heaviest chain of jobs that fit, and the chain."""
        chains = []
        for size in self.sizes:
            fitting = [v if q <= size else 0 for v, q in zip(times, self.scaled.widths, strict=True)]
            chains.append(heaviest_chain(fitting, self.scaled.times, self.deadlines))
        return chains

    def longest(self, times: Sequence[int]) -> list[int]:
        """Return the weight of a heaviest chain for each size of clusters."""
        return [weight for weight, _ in self.chains(times)]

    def highest(self, heights: Sequence[int]) -> list[int]:
        """Return the weight of a heaviest set of jobs side by side for each size of clusters."""
        most = heaviest_by_capacity(heights, self.scaled.widths, self.sizes[-1])
        return [most[size] for size in self.sizes]

    def room(self, longest: Sequence[int], highest: Sequence[int]) -> int:
        """Return the sum over all clusters of the product of both weights."""
        return sum(n * v * m for n, v, m in zip(self.counts, longest, highest, strict=True))


def best_starts(scales: Scales, heights: Sequence[int], count: int) -> list[Weights]:
    """Return up to `count` different time weights, descending by load / capacity with the best heights for each.

    `heights`: further heights to try; none if empty.
    """
    times = (*feasible_functions(scales.scaled.times, scales.makespan, THRESHOLDS), *_energies(scales))
    lengths = list(dict.fromkeys(filter(any, times)))
    widths = (tuple(heights), *feasible_functions(scales.scaled.widths, scales.sizes[-1], THRESHOLDS))
    pairs = list(dict.fromkeys(filter(any, widths)))
    v, y = np.array(lengths, dtype=float), np.array(pairs, dtype=float)
    longest = np.array(list(map(scales.longest, lengths)), dtype=float)
    highest = np.array(list(map(scales.highest, pairs)), dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.nan_to_num((v @ y.T) / ((longest * scales.counts) @ highest.T), posinf=np.inf).max(axis=1)
    return [lengths[index] for index in np.argsort(-ratios, kind="stable")[:count]]


def _energies(scales: Scales) -> Iterator[Weights]:
    """Yield for several intervals the minimum time that each job must run in it (energies of Erschler and Lopez)."""
    deadlines, times = scales.deadlines, scales.scaled.times
    starts = {max(0, deadline - time) for deadline, time in zip(deadlines, times, strict=True)}
    moments = spread(sorted({0, scales.makespan, *starts, *(one for one in deadlines if one > 0)}), MOMENTS)
    for index, begin in enumerate(moments):
        for end in moments[index + 1 :]:
            yield tuple(
                max(0, min(min(time, end) - begin, min(deadline, end) - max(deadline - time, begin)))
                for time, deadline in zip(times, deadlines, strict=True)
            )
