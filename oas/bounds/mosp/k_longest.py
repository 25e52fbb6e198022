"""The k-longest bound: among so many long jobs some must run one after another."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from oas.bounds.lower_bound import LowerBound

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance


def k_longest(instance: MospInstance) -> Fraction:
    """Return the greatest sum of jobs that one lane must hold, over all widths and numbers of jobs.

    Jobs of width w or more run in Σ_k ⌊m_k / w⌋ lanes, each one job at a time. Of k·lanes + 1 such jobs some lane
    holds k + 1, which last at least as long as the k + 1 shortest of them, and start no earlier than the first of all
    is released. Reservations are left out: they only take lanes away.
    """
    scaled = instance.scaled()
    by_time = sorted(zip(scaled.times, scaled.widths, scaled.releases, strict=True), reverse=True)
    best = 0
    for width in set(scaled.widths):
        lanes = sum(size // width for size in scaled.processors)
        wide = [(time, release) for time, own, release in by_time if own >= width]
        sums = list(accumulate((time for time, _ in wide), initial=0))
        longest = max(sums[last + 1] - sums[last - last // lanes] for last in range(0, len(wide), lanes))
        best = max(best, min(release for _, release in wide) + longest)
    return scaled.to_time(best)


BOUND = LowerBound("k-longest", k_longest)
