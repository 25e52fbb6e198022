"""Volume bounds of MOSP: area, high jobs, dual feasible functions. Their certificate is ``{}``.

Let f on 0, …, M, M the size of the largest cluster, be non-negative and superadditive: f(a) + f(b) ≤ f(a + b) whenever
a + b ≤ M. Jobs that run at once on c processors then weigh at most f(c) together, each f(q). So from any moment r on,
the jobs released at r or later, Σ f(q)·p of them, have to go into the integral of Σ_k f(free processors of cluster k).
With I the integral from 0 on, the bound is the first moment at which I is the greatest of I(r) + Σ f(q)·p over all r.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
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
    volumes = MospVolumes(instance)
    return volumes.greatest(
        lambda least, width: width if width >= least else 0, [0, *(size + 1 for size in sizes[:-1])]
    )


def mosp_high_jobs(instance: MospInstance) -> Fraction:
    """Return the bound of f(q) = ⌊q/w⌋, w a job's width: c processors take at most ⌊c/w⌋ jobs of w or more."""
    volumes = MospVolumes(instance)
    return volumes.greatest(lambda unit, width: width // unit, volumes.widths)


def mosp_dual_feasible(instance: MospInstance) -> Fraction:
    """Return the bound of two families of superadditive dual feasible functions, M the size of the largest cluster.

    One is 0 below a threshold e ≤ M/2, M above M − e and q between; the other is that of Fekete and Schepers (2001):
    k·M·u_k(q/M), where u_k(x) is x if (k + 1)·x is whole, else ⌊(k + 1)·x⌋ / k.
    """
    volumes = MospVolumes(instance)
    sizes = instance.scaled().processors
    largest = max(sizes)
    found = {*volumes.widths, *(size + 1 for size in sizes), *(largest - width + 1 for width in volumes.widths)}
    thresholds = sorted(one for one in found if 2 * one <= largest)

    def ends(threshold: int, width: int) -> int:
        return 0 if width < threshold else largest if width > largest - threshold else width

    def steps(k: int, width: int) -> int:
        whole, rest = divmod((k + 1) * width, largest)
        return whole * largest if rest else k * width

    return max(volumes.greatest(ends, thresholds), volumes.greatest(steps, list(range(1, MAX_DUAL_K + 1))))


class MospVolumes:
    """What all volume bounds of an instance use: the work by release and width, and the changes of free processors.

    Attributes
    ----------
    widths
        The jobs' q, ascending, each once.
    """

    def __init__(self, instance: MospInstance) -> None:
        ticks = instance.scaled()
        self.tick = ticks.tick
        self.widths = sorted(set(ticks.widths))
        work: dict[tuple[int, int], int] = {}
        for time, width, release in zip(ticks.times, ticks.widths, ticks.releases, strict=True):
            work[-release, width] = work.get((-release, width), 0) + time
        kinds = sorted(work)  # those released last first
        self._kind_widths = [width for _, width in kinds]
        self._kind_times = [work[kind] for kind in kinds]
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
        self._levels = sorted({0, *self._after})
        # The step in which each kind is released, and how long after its begin.
        self._begun = [bisect_right(self._moments, -release) - 1 for release, _ in kinds]
        self._since = [-release - self._moments[step] for (release, _), step in zip(kinds, self._begun, strict=True)]
        self._cells = len(kinds) + len(steps)

    def greatest(self, weight: Callable[[int, int], int], parameters: list[int]) -> Fraction:
        """Return the greatest bound over functions f(q) = ``weight(parameter, q)``; 0 if nothing has any weight."""
        best = Fraction(0)
        for parameter in spread_out(parameters, max(2, MAX_VOLUME_CELLS // self._cells)):
            of_width = {width: weight(parameter, width) for width in self.widths}
            of_level = {level: weight(parameter, level) for level in self._levels}
            best = max(best, self._end(of_width, of_level))
        return best * self.tick

    def _end(self, of_width: dict[int, int], of_level: dict[int, int]) -> Fraction:
        """Return the bound of one function in ticks, from its values at the widths and the numbers free."""
        changes = map(sub, map(of_level.__getitem__, self._after), map(of_level.__getitem__, self._before))
        rates = list(accumulate(changes))
        filled = list(accumulate(map(mul, rates, self._lengths), initial=0))
        # The work of what is released with a kind or later: in full where the last kind of a release is counted.
        left = accumulate(map(mul, map(of_width.__getitem__, self._kind_widths), self._kind_times))
        target = 0
        for work, step, since in zip(left, self._begun, self._since, strict=True):
            if work:
                total = filled[step] + rates[step] * since + work
                if total > target:
                    target = total
        if not target:
            return Fraction(0)
        step = bisect_left(filled, target) - 1
        return self._moments[step] + Fraction(target - filled[step], rates[step])
