"""Volume bounds of MOSP: area, high jobs, dual feasible functions. Their certificate is ``{}``.

*Theorem.* Let each job have a weight, and let jobs that fit on c processors together weigh at most W(c). Let I(t) be
the integral of Σ_k W(free processors of cluster k) from 0 to t. No schedule is shorter than the first moment at which I
is the greatest of I(r) + Σ p·w over all moments r, the sum being over the jobs released at r or later.

*Proof.* Jobs that run at a moment weigh at most Σ_k W(free processors of cluster k). So those released at r or later,
which run after r only, have Σ p·w ≤ I(end) − I(r).

Here weights are f(q), f a function on 0, …, M, M the size of the largest cluster, that is non-negative and
superadditive: f(a) + f(b) ≤ f(a + b) whenever a + b ≤ M (Alves, Clautiaux, Valério de Carvalho, Rietz 2016). Then
jobs on c processors weigh at most W(c) = f(c). The bound "configurations" finds W by knapsacks of any weights.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial

from oas.checker.mosp_free import free_timelines, spread_out
from oas.checker.mosp_instance import MospInstance, MospTicks

# Functions × steps up to which all functions are looked at; beyond it some: each by itself gives a bound.
MAX_VOLUME_CELLS = 20_000_000
MAX_DUAL_K = 60


def mosp_area(instance: MospInstance) -> Fraction:
    """Return the bound of f(q) = q from a width on and 0 below it; that width is 0, or one above a cluster's size."""
    sizes = sorted(set(instance.scaled().processors))
    least_widths = [0, *(size + 1 for size in sizes[:-1])]
    return _greatest(instance, lambda least, width: width if width >= least else 0, least_widths)


def mosp_high_jobs(instance: MospInstance) -> Fraction:
    """Return the bound of f(q) = ⌊q/w⌋, w a job's width: c processors take at most ⌊c/w⌋ jobs of w or more."""
    return _greatest(instance, lambda unit, width: width // unit, sorted(set(instance.scaled().widths)))


def mosp_dual_feasible(instance: MospInstance) -> Fraction:
    """Return the bound of two families of superadditive dual feasible functions, M the size of the largest cluster."""
    sizes, widths = set(instance.scaled().processors), set(instance.scaled().widths)
    largest = max(sizes)
    found = {*widths, *(size + 1 for size in sizes), *(largest - width + 1 for width in widths)}
    thresholds = sorted(one for one in found if 2 * one <= largest)
    return max(
        _greatest(instance, partial(rounded_ends, largest), thresholds),
        _greatest(instance, partial(fekete_schepers, largest), list(range(1, MAX_DUAL_K + 1))),
    )


def rounded_ends(size: int, threshold: int, value: int) -> int:
    """Return 0 below the threshold, at most size/2; `size` above size − threshold; the value itself between."""
    if value < threshold:
        return 0
    return size if value > size - threshold else value


def fekete_schepers(size: int, k: int, value: int) -> int:
    """Return k·size·u_k(value/size): u_k(x) is x if (k+1)·x is whole, else ⌊(k+1)·x⌋/k (Fekete, Schepers 2001)."""
    whole, rest = divmod((k + 1) * value, size)
    return whole * size if rest else k * value


def _greatest(instance: MospInstance, weight: Callable[[int, int], int], parameters: list[int]) -> Fraction:
    """Return the greatest bound over functions f(q) = ``weight(parameter, q)``; 0 if nothing has any weight."""
    volumes = MospVolumes(instance.scaled())
    times: Counter[tuple[int, int]] = Counter()
    for time, width, release in zip(*volumes.jobs, strict=True):
        times[release, width] += time
    best = Fraction(0)
    cells = len(times) + len(volumes.steps)
    for parameter in spread_out(parameters, max(2, MAX_VOLUME_CELLS // cells)):
        weights = {width: weight(parameter, width) for width in {*volumes.levels, *volumes.jobs[1]}}
        work: Counter[int] = Counter()
        for (release, width), time in times.items():
            work[release] += weights[width] * time
        best = max(best, volumes.bound(work, weights))
    return best * instance.scaled().tick


class MospVolumes:
    """The jobs and the free processors of an instance.

    Attributes
    ----------
    jobs
        Times, widths and releases.
    steps
        (moment, processors free from then on, and before) of one cluster, for each change of any, ascending.
    levels
        Numbers of free processors that occur, and 0.
    """

    def __init__(self, ticks: MospTicks) -> None:
        self.jobs = ticks.times, ticks.widths, ticks.releases
        self.steps: list[tuple[int, int, int]] = []
        for timeline in free_timelines(ticks):
            before = 0
            for moment, free in timeline:
                self.steps.append((moment, free, before))
                before = free
        self.steps.sort()
        self.levels = {0, *(free for _, free, _ in self.steps)}

    def bound(self, work: Mapping[int, int], most: Mapping[int, int]) -> Fraction:
        """Return the bound in ticks, from Σ p·w of the jobs of each release, and W(c) of each of `levels`."""
        pieces = []  # moment, I(moment), and its slope from then on
        last = filled = rate = 0
        for moment, free, before in self.steps:
            filled, rate, last = filled + rate * (moment - last), rate + most[free] - most[before], moment
            pieces.append((moment, filled, rate))
        left = target = 0
        for release in sorted(work, reverse=True):
            left += work[release]
            begin, filled, rate = pieces[bisect_right(self.steps, release, key=lambda step: step[0]) - 1]
            target = max(target, filled + rate * (release - begin) + left if left else 0)
        if not target:
            return Fraction(0)
        begin, filled, rate = next(piece for piece in reversed(pieces) if piece[1] < target)
        return begin + Fraction(target - filled, rate)
