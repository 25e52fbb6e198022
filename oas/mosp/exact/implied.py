"""Constraints implied by weights of the jobs, for a solver that decides whether a makespan is feasible.

A *budget* bounds the jobs of a cluster by products of a time weight v and a height y, as the two-dimensional bound
does. Let M be the maximum total height of jobs that run at the same time on the cluster, and V the maximum total time
weight of jobs that can run one after another within their deadlines. Then Σ v·y ≤ V·M over the jobs of the cluster. If
v_j is the shortest time that job j must run in a given interval, Σ v·y is also at most the integral of M over that
interval; M is smaller during reservations.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from oas.core.clock import check_clock
from oas.mosp.bounds.knapsack import heaviest_by_capacity
from oas.mosp.bounds.scales import Scales, best_starts
from oas.mosp.bounds.simple import feasible_functions
from oas.mosp.bounds.volume import spread
from oas.mosp.models.cumulative_cpsat import Budget, Implied
from oas.solving.formulation import MOST_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oas.mosp.models.cumulative_cpsat import CumulativeSpec
    from oas.mosp.models.reductions import Profile

MAX_CELLS = 20_000_000  # jobs times processors; with more, knapsacks are too slow
BUDGETS = 16  # maximum number in one model
LEAST_FILLED = 0.985  # total weight of all jobs divided by the capacity; looser budgets slowed CP-SAT down
HEIGHTS, TIMES = 4, 24  # numbers of heights and of time weights that are combined, the tightest first
MOMENTS = 16  # maximum number at which intervals begin or end
SIZES, THRESHOLDS = 4, 32  # numbers of cluster sizes, and of thresholds, for dual feasible functions

Weights = tuple[int, ...]


def implied(
    spec: CumulativeSpec,
    heights: Iterable[Weights] = (),
    times: Iterable[Weights] = (),
    scale: int = MOST_WEIGHT,
) -> Implied:
    """Return constraints that at least one schedule satisfies if any schedule ends by the horizon of `spec`.

    `heights`, `times`: weights of the jobs known to be useful, such as those in certificates; combined with further
    ones. The products are rounded down to at most `scale`, which keeps them valid.
    """
    scaled = spec.scaled
    if scaled.job_count * max(scaled.processors) > MAX_CELLS:
        return Implied(reversible=_reversible(spec))
    return Implied(_Budgets(spec, heights, times, scale).best(BUDGETS), _reversible(spec))


def _reversible(spec: CumulativeSpec) -> int | None:
    """Return the job with the most work outside `identical_jobs`; None if schedules are not reversible."""
    scaled = spec.scaled
    if any(scaled.releases) or min(spec.ends) < spec.horizon or any(len(profile) > 1 for profile in spec.profiles):
        return None
    ordered = {job for group in spec.identical_jobs for job in group}
    free = [job for job in range(scaled.job_count) if job not in ordered]
    return max(free, key=lambda job: scaled.times[job] * scaled.widths[job], default=None)


class _Budgets:
    """All candidate budgets of an instance and a horizon."""

    def __init__(self, spec: CumulativeSpec, heights: Iterable[Weights], times: Iterable[Weights], scale: int) -> None:
        self.spec, self.scaled, self.scale = spec, spec.scaled, scale
        self.scales = Scales(spec.scaled, spec.horizon)
        given = [tuple(weights) for weights in heights if any(weights)]
        sizes = spread([size for size in self.scales.sizes if size], SIZES)  # 0: wholly reserved
        functions = chain.from_iterable(feasible_functions(self.scaled.widths, size, THRESHOLDS) for size in sizes)
        tightest = sorted(functions, key=self._load, reverse=True)
        self.heights = list(dict.fromkeys([*given, *tightest]))[:HEIGHTS]
        self.times = [*filter(any, times), *best_starts(self.scales, self.heights[0], TIMES)]

    def best(self, count: int) -> tuple[Budget, ...]:
        """Return up to `count` budgets, the tightest first, without those below `LEAST_FILLED`."""
        filled = {budget: sum(budget.weights) / max(1, sum(budget.room)) for budget in self._all()}
        tight = [budget for budget, share in filled.items() if share >= LEAST_FILLED]
        return tuple(sorted(tight, key=lambda budget: -filled[budget])[:count])

    def _all(self) -> Iterator[Budget]:
        place = [self.scales.sizes.index(size) for size in self.scaled.processors]
        chains = []
        for times in self.times:
            check_clock()
            chains.append((times, self.scales.longest(times)))
        for heights in self.heights:
            most = self.scales.highest(heights)
            for times, longest in chains:
                yield self._budget(times, heights, [longest[kind] * most[kind] for kind in place])
            profiles = self._profiles(heights)
            for begin, end in self._intervals():
                room = [_integral(profile, begin, end) for profile in profiles]
                yield self._budget(self._energies(begin, end), heights, room)

    def _budget(self, times: Weights, heights: Weights, room: Sequence[int]) -> Budget:
        """Return the budget scaled down to small integers; a job too heavy for every cluster stays too heavy."""
        most, scale = max(*room, 1), self.scale
        weights = (min(v * y * scale // most, scale + 1) for v, y in zip(times, heights, strict=True))
        return Budget(tuple(weights), tuple(limit * scale // most for limit in room))

    def _intervals(self) -> Iterator[tuple[int, int]]:
        spec, scaled = self.spec, self.scaled
        ends = {0, spec.horizon, *scaled.releases, *spec.ends}
        ends |= {end - time for end, time in zip(spec.ends, scaled.times, strict=True)}
        ends |= {release + time for release, time in zip(scaled.releases, scaled.times, strict=True)}
        ends |= {moment for profile in spec.profiles for moment, _ in profile}
        moments = spread(sorted(moment for moment in ends if 0 <= moment <= spec.horizon), MOMENTS)
        for index, begin in enumerate(moments):
            for end in moments[index + 1 :]:
                yield begin, end

    def _energies(self, begin: int, end: int) -> Weights:
        """Return the shortest time that each job runs in an interval: it is attained at the first or the last start."""
        jobs = zip(self.scaled.releases, self.scaled.times, self.spec.ends, strict=True)
        return tuple(
            max(0, min(min(release + time, end) - max(release, begin), min(last, end) - max(last - time, begin)))
            for release, time, last in jobs
        )

    def _load(self, heights: Weights) -> float:
        room = sum(_integral(profile, 0, self.spec.horizon) for profile in self._profiles(heights))
        return sum(y * p for y, p in zip(heights, self.scaled.times, strict=True)) / max(1, room)

    def _profiles(self, heights: Weights) -> tuple[Profile, ...]:
        """Return for each cluster the maximum total height of jobs that run at the same time, as a step function."""
        most = heaviest_by_capacity(heights, self.scaled.widths, self.scales.sizes[-1])
        return tuple(tuple((moment, most[free]) for moment, free in profile) for profile in self.spec.profiles)


def _integral(profile: Profile, begin: int, end: int) -> int:
    ends = [*(moment for moment, _ in profile[1:]), end]
    spans = zip(profile, ends, strict=True)
    return sum(limit * max(0, min(stop, end) - max(start, begin)) for (start, limit), stop in spans)
