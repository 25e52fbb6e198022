"""Volume bounds of MOSP: area, high jobs, dual feasible functions. Their certificate is ``{}``.

Let f on 0, …, M, M the size of the largest cluster, be non-negative and superadditive: f(a) + f(b) ≤ f(a + b) whenever
a + b ≤ M. Jobs that run at once on c processors then weigh at most f(c) together, each f(q). So from any moment r on,
the jobs released at r or later, Σ f(q)·p of them, have to go into the integral of Σ_k f(free processors of cluster k).
With I the integral from 0 on, the bound is the first moment at which I is the greatest of I(r) + Σ f(q)·p over all r.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from oas.standalone.mosp_free import free_timelines, spread_out
from oas.standalone.mosp_instance import MospInstance

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
        work: dict[int, dict[int, int]] = {}
        for time, width, release in zip(ticks.times, ticks.widths, ticks.releases, strict=True):
            own = work.setdefault(release, {})
            own[width] = own.get(width, 0) + time
        self._work = sorted(((release, list(own.items())) for release, own in work.items()), reverse=True)
        self._cells = sum(map(len, work.values()))
        changes: dict[int, dict[int, int]] = {}
        for timeline in free_timelines(ticks):
            self._cells += len(timeline)
            before = 0
            for moment, free in timeline:
                own = changes.setdefault(moment, {})
                own[free] = own.get(free, 0) + 1
                own[before] = own.get(before, 0) - 1
                before = free
        self._changes = [(moment, list(own.items())) for moment, own in sorted(changes.items())]
        self._levels = sorted({free for _, own in self._changes for free, _ in own})

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
        moments, rates, filled = [], [], []
        rate = total = last = 0
        for moment, own in self._changes:
            total += rate * (moment - last)
            rate += sum(of_level[free] * count for free, count in own)
            last = moment
            moments.append(moment)
            rates.append(rate)
            filled.append(total)
        target = left = 0
        place = len(moments) - 1
        for release, row in self._work:
            left += sum(of_width[width] * time for width, time in row)
            while moments[place] > release:
                place -= 1
            if left:
                target = max(target, filled[place] + rates[place] * (release - moments[place]) + left)
        if not target:
            return Fraction(0)
        place = len(moments) - 1
        while filled[place] >= target:
            place -= 1
        return moments[place] + Fraction(target - filled[place], rates[place])
