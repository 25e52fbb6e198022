"""What a schedule of fair sharing comes to: utilities, waits, and the measures of fairness that others use."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from heuristics.fair.engine import run_policy
from heuristics.fair.online_policies import FirstPresented
from oas.problems.fair.ticks import NOT_STARTED, FairTicks
from oas.problems.fair.utilities import completed_work, strategy_proof

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class FairFigures:
    """Figures of one schedule at the horizon t_end, in ticks; waits and flows are of jobs released before it.

    Attributes
    ----------
    utilities
        ψ_sp of each organization.
    work
        Units of each organization's jobs that are over: processors × time.
    utilisation
        Work over what all processors could do until the horizon.
    mean_wait
        From the release to the start, or to the horizon for what has not started.
    mean_flow
        From the release to the end, or to the horizon for what has not ended.
    jain
        Jain's index of the organizations' work for each processor that they own, those without a job left out: 1 if it
        is the same for all, 1/k if one gets everything. It asks nobody how much they wanted.
    finish_ratio
        ρ of each organization, finish-time fairness: the flow of its jobs over what it would be alone on its own
        processors; above 1 for who would be better off alone. None without a job.
    """

    utilities: tuple[int, ...]
    work: tuple[int, ...]
    utilisation: Fraction
    mean_wait: Fraction
    mean_flow: Fraction
    jain: float
    finish_ratio: tuple[Fraction | None, ...]

    @property
    def worst_ratio(self) -> Fraction:
        """The greatest ρ."""
        return max(one for one in self.finish_ratio if one is not None)


def figures_of(ticks: FairTicks, starts: Numbers, alone: Sequence[int]) -> FairFigures:
    """Return the figures of a schedule.

    Parameters
    ----------
    ticks
        The jobs; at least one is released before the horizon.
    starts
        When each starts, -1 for not before the horizon.
    alone
        As `flows_alone` returns them.
    """
    work = completed_work(ticks, starts)
    flows = flows_of(ticks, starts)
    come = ticks.release < ticks.horizon
    count = int(np.count_nonzero(come))
    waits = (np.where(starts == NOT_STARTED, ticks.horizon, starts) - ticks.release)[come]
    shares = [Fraction(work[one], int(ticks.machines[one])) for one in np.unique(ticks.owner[come]).tolist()]
    return FairFigures(
        tuple(strategy_proof(ticks, starts)),
        tuple(work),
        Fraction(sum(work), ticks.total * ticks.horizon),
        Fraction(sum(waits.tolist()), count),
        Fraction(sum(flows), count),
        jain_index(shares),
        tuple(Fraction(own, best) if best else None for own, best in zip(flows, alone, strict=True)),
    )


def flows_of(ticks: FairTicks, starts: Numbers) -> list[int]:
    """Return Σ min(end, t_end) − release of each organization's jobs that are released before t_end."""
    ends = np.where(starts == NOT_STARTED, ticks.horizon, np.minimum(starts + ticks.time, ticks.horizon))
    come = ticks.release < ticks.horizon
    return [
        sum((ends - ticks.release)[come & (ticks.owner == one)].tolist()) for one in range(ticks.organization_count)
    ]


def flows_alone(ticks: FairTicks) -> list[int]:
    """Return `flows_of` each organization on its own processors, where FIFO and greed leave it one schedule."""
    found = []
    for one in range(ticks.organization_count):
        own = ticks.owner == one
        single = FairTicks(
            ticks.machines[one : one + 1],
            np.zeros(int(own.sum()), dtype=np.int64),
            ticks.release[own],
            ticks.time[own],
            ticks.width[own],
            ticks.horizon,
        )
        found += flows_of(single, run_policy(single, FirstPresented))
    return found


def jain_index(values: Sequence[Fraction]) -> float:
    """Return (Σx)² / (n Σx²) of values ≥ 0; 1 where all are 0."""
    squares = sum((one * one for one in values), Fraction(0))
    return float(sum(values, Fraction(0)) ** 2 / (len(values) * squares)) if squares else 1.0
