"""Figures of a schedule of fair sharing: utilities, waits, measures of fairness; confidence intervals of means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from oas.core.errors import InputError
from oas.fair.search.engine import run_policy
from oas.fair.search.policy import FirstPresented
from oas.fair.ticks import NOT_STARTED, FairTicks
from oas.fair.utilities import completed_work, strategy_proof

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class FairFigures:
    """Figures of one schedule at the horizon t_end, in ticks; waits and flows are of jobs released before it."""

    utilities: tuple[int, ...]  #: ψ_sp of each organization
    work: tuple[int, ...]  #: completed work of each organization's jobs: processors × time
    utilisation: Fraction  #: work / (all processors × horizon)
    mean_wait: Fraction  #: from the release to the start, or to the horizon for jobs that have not started
    mean_flow: Fraction  #: from the release to the end, or to the horizon for jobs that have not ended
    #: Jain's index of the work of the organizations per own processor, without organizations that have no jobs: 1 if it
    #: is equal for all, 1/k if one organization gets everything. It ignores demand.
    jain: float
    #: ρ of each organization, finish-time fairness: the flow of its jobs / their flow on its own processors alone;
    #: above 1 if the organization would be better off alone. None without jobs.
    finish_ratio: tuple[Fraction | None, ...]

    @property
    def worst_ratio(self) -> Fraction:
        """The greatest ρ."""
        return max(ratio for ratio in self.finish_ratio if ratio is not None)


def figures_of(ticks: FairTicks, starts: Numbers, alone: Sequence[int]) -> FairFigures:
    """Return the figures of the schedule with these starts, -1 for not before the horizon; `alone` by `flows_alone`."""
    work = completed_work(ticks, starts)
    flows = flows_of(ticks, starts)
    come = ticks.release < ticks.horizon
    count = int(np.count_nonzero(come))
    waits = (np.where(starts == NOT_STARTED, ticks.horizon, starts) - ticks.release)[come]
    shares = [Fraction(work[owner], int(ticks.machines[owner])) for owner in np.unique(ticks.owner[come]).tolist()]
    squares = sum((share * share for share in shares), Fraction(0))
    jain = float(sum(shares, Fraction(0)) ** 2 / (len(shares) * squares)) if squares else 1.0  # (Σx)² / (n Σx²)
    return FairFigures(
        tuple(strategy_proof(ticks, starts)),
        tuple(work),
        Fraction(sum(work), ticks.total * ticks.horizon),
        Fraction(sum(waits.tolist()), count),
        Fraction(sum(flows), count),
        jain,
        tuple(Fraction(flow, best) if best else None for flow, best in zip(flows, alone, strict=True)),
    )


def flows_of(ticks: FairTicks, starts: Numbers) -> list[int]:
    """Return Σ min(end, t_end) − release of each organization's jobs that are released before t_end."""
    ends = np.where(starts == NOT_STARTED, ticks.horizon, np.minimum(starts + ticks.time, ticks.horizon))
    come = ticks.release < ticks.horizon
    return [
        sum((ends - ticks.release)[come & (ticks.owner == owner)].tolist()) for owner in range(ticks.organization_count)
    ]


def flows_alone(ticks: FairTicks) -> list[int]:
    """Return `flows_of` each organization alone on its processors; its greedy FIFO schedule is unique."""
    flows = []
    for organization in range(ticks.organization_count):
        owned = ticks.owner == organization
        single = FairTicks(
            ticks.machines[organization : organization + 1],
            np.zeros(int(owned.sum()), dtype=np.int64),
            ticks.release[owned],
            ticks.time[owned],
            ticks.width[owned],
            ticks.horizon,
        )
        flows += flows_of(single, run_policy(single, FirstPresented))
    return flows


CONFIDENCE = 0.95


@dataclass(frozen=True)
class Mean:
    """The mean of a sample with its confidence interval."""

    value: Fraction  # mean of the sample, exact
    margin: float | None  # half the length of the confidence interval; None for a sample of one
    least: Fraction  # minimum of the sample
    most: Fraction  # maximum of the sample
    count: int  # size of the sample


def mean_of(sample: Sequence[Fraction | int]) -> Mean:
    """Return the mean of a sample with its t-interval, which is exact for normally distributed values."""
    if not sample:
        raise InputError("at least one value is needed", field="sample")
    values = [Fraction(value) for value in sample]
    count = len(values)
    middle = sum(values, Fraction(0)) / count
    margin = None
    if count > 1:
        variance = sum(((value - middle) ** 2 for value in values), Fraction(0)) / (count - 1)
        margin = student_quantile(count - 1) * math.sqrt(variance / count)
    return Mean(middle, margin, min(values), max(values), count)


@cache
def student_quantile(degrees: int) -> float:
    """Return t with P(|T| ≤ t) = `CONFIDENCE`, for T with these degrees of freedom, by bisection."""
    low, high = 0.0, 1.0
    while within_student(high, degrees) < CONFIDENCE:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within_student(middle, degrees) < CONFIDENCE else (low, middle)
    return high


def within_student(t: float, degrees: int) -> float:
    """Return P(|T| ≤ t) for a whole number of degrees of freedom, at least 1.

    Source: Abramowitz, Stegun, *Handbook of Mathematical Functions*, 26.7.3 and 26.7.4: finite sums in
    θ = arctan(t/√ν).
    """
    angle = math.atan2(t, math.sqrt(degrees))
    odd = degrees % 2
    term, total = (math.cos(angle) if odd else 1.0), 0.0
    for power in range(1 + odd, degrees, 2):
        total += term
        term *= power / (power + 1) * math.cos(angle) ** 2
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total
