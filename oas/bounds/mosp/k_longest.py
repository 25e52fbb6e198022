"""The k-longest bound: among so many long jobs some must run one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

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
    order = np.argsort(-np.array(scaled.times), kind="stable")
    jobs = np.array((scaled.times, scaled.widths, scaled.releases))[:, order]
    best = 0
    for width in sorted(set(scaled.widths)):
        lanes = sum(size // width for size in scaled.processors)
        jobs = jobs[:, jobs[1] >= width]
        times, _, releases = jobs
        sums = np.append(0, np.cumsum(times))
        last = np.arange(0, len(times), lanes)
        longest = np.max(sums[last + 1] - sums[last - last // lanes])
        best = max(best, int(np.min(releases) + longest))
    return scaled.to_time(best)


BOUND = LowerBound("k-longest", k_longest)
