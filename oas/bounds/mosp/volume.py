"""Volume bounds: processors weighed by a superadditive function, times time.

Let f on 0, …, M, M the size of the largest cluster, be non-negative and superadditive: f(a) + f(b) ≤ f(a + b) whenever
a + b ≤ M. Jobs that run at once on c processors then weigh at most f(c) together, each f(q). So from any moment r on,
the jobs released at r or later, Σ f(q)·p of them, have to go into the integral of Σ_k f(free processors of cluster k).
Clusters of different sizes and reservations need no case of their own. f(q) = q gives the area bound, f(q) = ⌊q/w⌋
counts the jobs of width w that fit side by side, and every superadditive dual feasible function gives another.

The same holds of any weights w_j of the jobs themselves, if f(c) is what jobs that fit on c processors together weigh
at most.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.ticks import ScaledMosp


class Volumes:
    """Quantities of an instance that all volume bounds use.

    Attributes
    ----------
    largest
        M, processors of the largest cluster.
    sizes
        The sizes of clusters, ascending, each once.
    widths
        The jobs' q, ascending, each once.
    """

    def __init__(self, instance: MospInstance) -> None:
        scaled = instance.scaled()
        self.tick = scaled.tick
        self.largest = max(scaled.processors)
        self.sizes = sorted(set(scaled.processors))
        self.widths = sorted(set(scaled.widths))
        self._times, self._releases = scaled.times, scaled.releases
        self._work: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for time, width, release in zip(scaled.times, scaled.widths, scaled.releases, strict=True):
            self._work[release][width] += time
        self._free: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for cluster in range(scaled.cluster_count):
            _add_steps(scaled, cluster, self._free)

    def room(self, before: int) -> dict[int, tuple[int, int]]:
        """Return for how long clusters have c processors free: {c: (a, b)} for a·C + b ticks up to C, over all of them.

        Parameters
        ----------
        before
            What changes at this tick or later is left out: it is exact for C up to this one, from the last change on.
        """
        found: dict[int, tuple[int, int]] = {}
        for moment, changes in self._free.items():
            for free, count in changes.items():
                if free and count and moment < before:
                    rate, constant = found.get(free, (0, 0))
                    found[free] = (rate + count, constant - count * moment)
        return found

    def bound(self, weight: Callable[[int], int]) -> Fraction:
        """Return the greatest bound over all moments r; 0 if nothing has any weight.

        Parameters
        ----------
        weight
            f, superadditive on 0, …, `largest`.
        """
        work = {
            release: sum(weight(width) * time for width, time in own.items()) for release, own in self._work.items()
        }
        return self._greatest(work, weight)

    def weighed(self, weights: Sequence[int], most: Callable[[int], int]) -> Fraction:
        """Return the greatest bound over all moments r that weights of the jobs give; 0 if nothing has any weight.

        Parameters
        ----------
        weights
            w_j, at least 0.
        most
            ``most(c)``: no jobs with Σ q ≤ c weigh more together.
        """
        work: dict[int, int] = defaultdict(int)
        for weight, time, release in zip(weights, self._times, self._releases, strict=True):
            work[release] += weight * time
        return self._greatest(work, most)

    def _greatest(self, work: Mapping[int, int], most: Callable[[int], int]) -> Fraction:
        """The greatest bound over all moments, from the work released at each."""
        moments, rates = self._rates(most)
        filled = _integral(moments, rates)
        best, left = Fraction(0), 0
        for release in sorted(work, reverse=True):
            own = work[release]
            left += own
            if own:
                best = max(best, _end(moments, rates, filled, release, left))
        return best * self.tick

    def _rates(self, weight: Callable[[int], int]) -> tuple[list[int], list[int]]:
        """Σ_k f(free processors of cluster k) from each moment on; the last is without reservations."""
        rate, moments, rates = 0, [], []
        for moment in sorted(self._free):
            rate += sum(weight(free) * count for free, count in self._free[moment].items())
            moments.append(moment)
            rates.append(rate)
        return moments, rates


def _add_steps(scaled: ScaledMosp, cluster: int, free: Mapping[int, dict[int, int]]) -> None:
    """At each moment at which the cluster's free processors change: the new number once more, the old once less."""
    changes: dict[int, int] = {0: scaled.processors[cluster]}
    for k, start, end, processors in scaled.reservations:
        if k == cluster:
            changes[start] = changes.get(start, 0) - processors
            changes[end] = changes.get(end, 0) + processors
    now = 0
    for moment, change in sorted(changes.items()):
        free[moment][now] -= 1  # no matter at 0: nothing weighs nothing
        now += change
        free[moment][now] += 1


def _integral(moments: Sequence[int], rates: Sequence[int]) -> list[int]:
    """The integral of the rates from 0 to each moment."""
    filled = [0]
    for index in range(1, len(moments)):
        filled.append(filled[-1] + rates[index - 1] * (moments[index] - moments[index - 1]))
    return filled


def _end(moments: Sequence[int], rates: Sequence[int], filled: Sequence[int], start: int, work: int) -> Fraction:
    """First moment by which the integral of the rates from `start` on reaches `work`, above 0.

    The last rate is above 0, for a job that weighs something fits a whole cluster, which weighs no less.
    """
    first = bisect_right(moments, start) - 1
    target = filled[first] + rates[first] * (start - moments[first]) + work
    index = bisect_left(filled, target) - 1
    return moments[index] + Fraction(target - filled[index], rates[index])
