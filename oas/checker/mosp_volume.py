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

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from operator import mul, sub

from oas.checker.mosp_free import free_timelines, spread_out
from oas.checker.mosp_instance import MospInstance

# Functions × steps up to which all functions are looked at; beyond it some: each by itself gives a bound.
MAX_VOLUME_CELLS = 20_000_000
MAX_DUAL_K = 60


def mosp_area(instance: MospInstance) -> Fraction:
    """Return the bound of f(q) = q from a width on and 0 below it; that width is 0, or one above a cluster's size."""
    sizes = sorted(set(instance.scaled().processors))
    least_widths = [0, *(size + 1 for size in sizes[:-1])]
    return MospVolumes(instance).greatest(lambda least, width: width if width >= least else 0, least_widths)


def mosp_high_jobs(instance: MospInstance) -> Fraction:
    """Return the bound of f(q) = ⌊q/w⌋, w a job's width: c processors take at most ⌊c/w⌋ jobs of w or more."""
    volumes = MospVolumes(instance)
    return volumes.greatest(lambda unit, width: width // unit, volumes.widths)


def mosp_dual_feasible(instance: MospInstance) -> Fraction:
    """Return the bound of two families of superadditive dual feasible functions, M the size of the largest cluster."""
    volumes = MospVolumes(instance)
    sizes = instance.scaled().processors
    largest = max(sizes)
    found = {*volumes.widths, *(size + 1 for size in sizes), *(largest - width + 1 for width in volumes.widths)}
    thresholds = sorted(one for one in found if 2 * one <= largest)
    return max(
        volumes.greatest(lambda threshold, width: rounded_ends(largest, threshold, width), thresholds),
        volumes.greatest(lambda k, width: fekete_schepers(largest, k, width), list(range(1, MAX_DUAL_K + 1))),
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


class MospVolumes:
    """What all volume bounds of an instance use: the work by release and width, and the changes of free processors.

    Attributes
    ----------
    widths
        The jobs' q, ascending, each once.
    kinds
        (−release, width) of the jobs, ascending, each once: those released last first.
    levels
        Numbers of free processors that occur, and 0.
    """

    def __init__(self, instance: MospInstance) -> None:
        ticks = instance.scaled()
        self.tick = ticks.tick
        self.widths = sorted(set(ticks.widths))
        work: dict[tuple[int, int], int] = {}
        for time, width, release in zip(ticks.times, ticks.widths, ticks.releases, strict=True):
            work[-release, width] = work.get((-release, width), 0) + time
        self.kinds = sorted(work)
        self._kind_widths = [width for _, width in self.kinds]
        self._kind_times = [work[kind] for kind in self.kinds]
        steps = []  # moment, processors free from then on and before, of one cluster
        for timeline in free_timelines(ticks):
            before = 0
            for moment, free in timeline:
                steps.append((moment, free, before))
                before = free
        steps.sort()
        self._moments = [moment for moment, _, _ in steps]
        self._after = [after for _, after, _ in steps]
        self._before = [before for _, _, before in steps]
        self._lengths = [end - begin for begin, end in pairwise(self._moments)]
        self.levels = sorted({0, *self._after})
        # The step in which each kind is released, and how long after its begin.
        self._begun = [bisect_right(self._moments, -release) - 1 for release, _ in self.kinds]
        self._since = [-release - self._moments[at] for (release, _), at in zip(self.kinds, self._begun, strict=True)]
        self._cells = len(self.kinds) + len(steps)

    def greatest(self, weight: Callable[[int, int], int], parameters: list[int]) -> Fraction:
        """Return the greatest bound over functions f(q) = ``weight(parameter, q)``; 0 if nothing has any weight."""
        best = Fraction(0)
        for parameter in spread_out(parameters, max(2, MAX_VOLUME_CELLS // self._cells)):
            of_width = {width: weight(parameter, width) for width in self.widths}
            work = list(map(mul, map(of_width.__getitem__, self._kind_widths), self._kind_times))
            best = max(best, self.bound(work, {level: weight(parameter, level) for level in self.levels}))
        return best

    def bound(self, work: Sequence[int], of_level: dict[int, int]) -> Fraction:
        """Return the bound in the instance's time unit, from Σ p·w of each of `kinds` and W(c) of each of `levels`."""
        changes = map(sub, map(of_level.__getitem__, self._after), map(of_level.__getitem__, self._before))
        rates = list(accumulate(changes))
        filled = list(accumulate(map(mul, rates, self._lengths), initial=0))
        target = 0
        # The work of what is released with a kind or later: in full where the last kind of a release is counted.
        for left, step, since in zip(accumulate(work), self._begun, self._since, strict=True):
            if left:
                total = filled[step] + rates[step] * since + left
                if total > target:
                    target = total
        if not target:
            return Fraction(0)
        step = bisect_left(filled, target) - 1
        return (self._moments[step] + Fraction(target - filled[step], rates[step])) * self.tick
