"""Bounds on each objective of fair sharing, for every schedule that keeps the order of each organization's jobs."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from itertools import accumulate, pairwise
from math import comb
from typing import TYPE_CHECKING

from oas.core.result import Bound
from oas.fair.objectives import Objective, earliest_starts

if TYPE_CHECKING:
    from oas.fair.ticks import FairTicks


def objective_bound(ticks: FairTicks, objective: Objective) -> Bound:
    """Return a proven bound on `objective`: a lower bound, but an upper bound on Σ ψ_sp.

    Its certificate is empty: the re-check computes it again from the instance, in integers.
    """
    name, value = {
        Objective.STRATEGY_PROOF: ("work", most_utility),
        Objective.FLOW: ("earliest starts", least_flow),
        Objective.MAKESPAN: ("work", least_makespan),
    }[objective]
    return Bound(name, Fraction(value(ticks)), {})


def least_flow(ticks: FairTicks) -> int:
    """Return the flow if each job released before the horizon starts at its earliest (`earliest_starts`)."""
    rows = zip(earliest_starts(ticks), ticks.release.tolist(), ticks.time.tolist(), strict=True)
    return sum(min(start + time, ticks.horizon) - release for start, release, time in rows if release < ticks.horizon)


def most_utility(ticks: FairTicks) -> int:
    """Return an upper bound on Σ ψ_sp.

    A unit before t_end counts once for every later moment t, up to t_end: so Σ ψ_sp is the sum over 1 ≤ t ≤ t_end of
    the work done by t. That is at most F(a) + M·(t − a) for every a ≤ t, where M is the number of processors and F(a) =
    Σ q·min(p, (a − e)⁺), with the earliest start e of each job, bounds the work done by a.
    """
    total = work = 0
    moments, supplies, slopes = _supply(ticks)
    ends = [*moments[: bisect_left(moments, ticks.horizon)], ticks.horizon]
    for (begin, end), supply, slope in zip(pairwise(ends), supplies, slopes, strict=False):
        length = end - begin
        # Until the work reaches the supply it grows by M a moment, then as the supply does.
        lag = length if slope >= ticks.total else min(length, (supply - work) // (ticks.total - slope))
        rest = length - lag
        total += lag * work + ticks.total * comb(lag + 1, 2)
        total += rest * supply + slope * (comb(length + 1, 2) - comb(lag + 1, 2))
        work = min(work + ticks.total * length, supply + slope * length)
    return total


def least_makespan(ticks: FairTicks) -> int:
    """Return the first moment by which all work can be done: where F(a) + M·(t − a) reaches it for every a.

    See `most_utility`. It is at least the earliest end of every job.
    """
    whole = int((ticks.time * ticks.width).astype(object).sum())
    moments, supplies, _ = _supply(ticks)
    late = (a + -((supply - whole) // ticks.total) for a, supply in zip(moments, supplies, strict=True))
    return max(late, default=0)


def _supply(ticks: FairTicks) -> tuple[list[int], list[int], list[int]]:
    """Return the moments at which the slope of F changes, from 0 on, with F and its slope from there on."""
    change = {0: 0}
    rows = zip(earliest_starts(ticks), ticks.time.tolist(), ticks.width.tolist(), strict=True)
    for start, time, width in rows:
        change[start] = change.get(start, 0) + width
        change[start + time] = change.get(start + time, 0) - width
    moments = sorted(change)
    slopes = list(accumulate(change[moment] for moment in moments))
    grown = [slope * (end - begin) for slope, (begin, end) in zip(slopes, pairwise(moments), strict=False)]
    return moments, list(accumulate(grown, initial=0)), slopes
