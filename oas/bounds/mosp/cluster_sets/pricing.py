"""The heaviest set of jobs that one cluster can run by a makespan, in integers: it turns weights into a proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oas.bounds.mosp.arrays import zeros
from oas.bounds.mosp.chains import heaviest_chain
from oas.bounds.mosp.cluster_sets import kernels
from oas.bounds.mosp.cluster_sets.kernels import WINDOW_JOBS, WORD, PackMemory, SetMemory
from oas.bounds.mosp.cluster_sets.windows import WindowMemory
from oas.bounds.mosp.dual_feasible import fekete_schepers, rounded_ends
from oas.bounds.mosp.knapsack import heaviest_by_capacity
from oas.bounds.mosp.spread import spread
from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.bounds.mosp.two_dimensional.scales import Scales

# Knapsacks, each a weight in time by a weight in height; of greater capacity than this they are counted more coarsely.
KNAPSACKS = 12
MAX_CAPACITY = 8_000
# Heights whose waste is counted while a set is packed.
HEIGHTS = 12
# Thresholds of dual feasible functions tried in each dimension, and their k.
THRESHOLDS = 24
MAX_K = 8
# Branchings on the way to where a search by windows stands: all pairs of `WINDOW_JOBS`, and halves.
MAX_DEPTH = 256
# The last sets that are kept of those found.
MAX_FOUND = 32
# Sets remembered from pricing to pricing.
MEMO = 1 << 18
# A set is two words of bits. Everything that is added up fits into 64: weights of all jobs below 2^7·2^50; heights
# times ticks of all jobs below 2^7·MAX_K·MAX_AREA = 2^46, a height being at most MAX_K·size; knapsacks by MAX_CAPACITY.
MAX_JOBS = 2 * WORD
MAX_AREA = 2**36
MAX_WEIGHT = 2**50


class Heaviest(NamedTuple):
    """The greatest weight of a set, `sets` found during the search, and the effort left, below 0 if it was too little.

    Some set may weigh more unless the search is `complete`.
    """

    weight: int
    sets: list[tuple[int, ...]]
    left: int

    @property
    def complete(self) -> bool:
        """Whether the effort was enough."""
        return self.left >= 0


class Pricing:
    """Sets of jobs that a cluster of `size` processors can run by the makespan of `scales`, each before its deadline.

    A set whose packing is not decided within so many steps counts as one that can: the bound is weaker, never wrong.

    Raises
    ------
    TooLargeError
        If there are too many jobs, or processors times ticks.
    """

    def __init__(self, scales: Scales, size: int, steps: int) -> None:
        scaled, deadlines = scales.scaled, scales.deadlines
        if scaled.job_count > MAX_JOBS:
            raise TooLargeError(f"{scaled.job_count:,} jobs; sets of at most {MAX_JOBS:,} are enumerated")
        if (area := size * scales.makespan) > MAX_AREA:
            raise TooLargeError(f"processors × ticks are {area:,}; at most {MAX_AREA:,} can be packed")
        self.size, self.makespan, self.steps = size, scales.makespan, steps
        self.jobs = sorted(
            (
                job
                for job, (time, width) in enumerate(zip(scaled.times, scaled.widths, strict=True))
                if width <= size and time <= deadlines[job]
            ),
            key=lambda job: (-scaled.times[job] * scaled.widths[job], job),
        )
        self.times = [scaled.times[job] for job in self.jobs]
        self.widths = [scaled.widths[job] for job in self.jobs]
        self.deadlines = [deadlines[job] for job in self.jobs]
        rank = sorted(range(len(self.jobs)), key=lambda job: (self.deadlines[job] - self.times[job], job))
        self._rank = np.argsort(np.array(rank, dtype=np.int64))
        self._memo = np.zeros((MEMO, 3), dtype=np.int64)
        # Weights of the jobs such that no set weighs more than 1, and all together much.
        self.typical: dict[int, float] = {}
        if self.jobs:
            self._choose_weights()

    def _choose_weights(self) -> None:
        """Choose knapsacks and heights: those that hold least of what all jobs together weigh."""
        chosen: list[tuple[float, int, tuple[int, ...], int]] = []
        functions = feasible_functions(self.times, self.makespan)
        lengths = [(one, heaviest_chain(one, self.times, self.deadlines)[0]) for one in functions]
        functions = feasible_functions(self.widths, self.size)
        heights = [(one, heaviest_by_capacity(one, self.widths, self.size)[-1]) for one in functions]
        for v, longest in lengths:
            for y, highest in heights:
                product = tuple(a * b for a, b in zip(v, y, strict=True))
                capacity = longest * highest
                if capacity and any(product):
                    chosen.append((-sum(product) / capacity, len(chosen), product, capacity))
        chosen.sort()
        self.typical = {job: one / chosen[0][3] for job, one in zip(self.jobs, chosen[0][2], strict=True)}
        kept: dict[tuple[tuple[int, ...], int], None] = {}
        for *_, product, capacity in chosen:
            unit = -(-capacity // MAX_CAPACITY)
            kept.setdefault((tuple(one // unit for one in product), capacity // unit))
            if len(kept) == KNAPSACKS:
                break
        self._sizes = np.array([one for one, _ in kept], dtype=np.int64)
        self._capacities = np.array([capacity for _, capacity in kept], dtype=np.int64)
        flat = sorted(heights, key=lambda one: -sum(a * b for a, b in zip(one[0], self.times, strict=True)) / one[1])
        self._rows = np.array([[*y, most] for y, most in flat[:HEIGHTS]], dtype=np.int64)

    @property
    def rank(self) -> Any:
        """Of each of `jobs`: those of lower rank are packed first."""
        return self._rank

    @property
    def heights(self) -> Any:
        """[height, job], and last what no set side by side outweighs."""
        return self._rows

    @property
    def knapsacks(self) -> tuple[Any, Any]:
        """[knapsack, job], and [knapsack]: what no set that can run outweighs."""
        return self._sizes, self._capacities

    def heaviest(self, weights: Sequence[int], floor: int, effort: int) -> Heaviest:
        """Return the heaviest set of weight above `floor`, after at most `effort` steps.

        Parameters
        ----------
        weights
            Of all jobs of the instance, at least 0 and at most MAX_WEIGHT.

        Raises
        ------
        ValueError
            If a weight is more.
        """
        if max(weights) > MAX_WEIGHT:
            raise ValueError(f"a weight of {max(weights)}; at most {MAX_WEIGHT} can be added up")
        if not self.jobs:
            return Heaviest(floor, [], effort)
        found = np.full((MAX_FOUND, len(self.jobs) + 1), -1, dtype=np.int64)
        weight, sets, left = kernels.heaviest(
            np.array([weights[job] for job in self.jobs], dtype=np.int64),
            np.array(self.times, dtype=np.int64),
            np.array(self.widths, dtype=np.int64),
            np.array(self.deadlines, dtype=np.int64),
            self._rank,
            self.size,
            self.makespan,
            self._rows,
            self._sizes,
            self._capacities,
            floor,
            effort,
            self.steps,
            self._memo,
            found,
            set_memory(len(self.jobs), self._capacities),
            pack_memory(len(self.jobs), len(self._rows)),
        )
        rows = [tuple(self.jobs[job] for job in row if job >= 0) for row in found.tolist()]
        return Heaviest(int(weight), rows[: min(sets, MAX_FOUND)], int(left))


def set_memory(jobs: int, capacities: Any) -> SetMemory:
    """Return the arrays that `heaviest` writes for so many jobs, and knapsacks of these capacities."""
    return SetMemory(
        rest=zeros(len(capacities), jobs + 1, int(capacities.max()) + 1),
        left=zeros(jobs + 1, len(capacities)),
        weight=zeros(jobs + 1),
        taken=zeros(jobs),
        ordered=zeros(jobs),
        words=zeros(jobs + 1, 2),
    )


def pack_memory(jobs: int, functions: int) -> PackMemory:
    """Return the arrays that `packs` writes for up to so many jobs, with so many rows of heights."""
    depth = 2 * jobs + 2
    return PackMemory(
        starts=zeros(jobs),
        started=zeros(depth),
        moments=zeros(depth),
        before=zeros(depth),
        slack=zeros(depth, functions),
        windows=WindowMemory(*(zeros(MAX_DEPTH, min(jobs, WINDOW_JOBS)) for _ in range(3))),
    )


def feasible_functions(values: Sequence[int], size: int, thresholds: int = THRESHOLDS) -> list[tuple[int, ...]]:
    """Return the values, and superadditive dual feasible functions of them, that differ and are not all 0.

    Parameters
    ----------
    size
        What values together must not exceed.
    thresholds
        How many are tried.
    """
    found, row = [tuple(values)], np.array(values)
    found += [tuple(fekete_schepers(size, k, row).tolist()) for k in range(1, MAX_K + 1)]
    ends = sorted(e for e in {*values, *(size - one + 1 for one in values)} if 0 < 2 * e <= size)
    for e in spread(ends, thresholds):
        found.append(tuple(rounded_ends(size, e, row).tolist()))
    return [one for one in dict.fromkeys(found) if any(one)]
