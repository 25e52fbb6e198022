"""Figures of fair sharing: the work released, the share of the processors used, waits, and the distance of utilities.

Source of the distance: Skowron, Rzadca, SPAA 2013, section 6.3.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.problems.fair.ticks import NOT_STARTED, row_of_starts
from oas.problems.fair.utilities import completed_work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from oas.problems.fair.instance import FairInstance
    from oas.problems.fair.ticks import FairTicks


def released_work(instance: FairInstance) -> list[tuple[int, Fraction]]:
    """Return of each organization Σ q·p of the jobs released before the horizon, and its load.

    The load is the work over what the organization's processors can do until the horizon.
    """
    found = []
    for own in instance.organizations:
        work = sum(int(job.time) * job.processors for job in own.jobs if job.release < instance.horizon)
        found.append((work, Fraction(work, own.processors * instance.horizon)))
    return found


def utilisation(ticks: FairTicks, starts: ArrayLike) -> Fraction:
    """Return the share of processors × horizon that jobs hold before the horizon.

    Parameters
    ----------
    ticks
        The jobs.
    starts
        When each starts, -1 for not before the horizon.

    Raises
    ------
    InputError
        If `starts` is not a row of whole numbers from -1 on, one for each job.
    """
    return Fraction(sum(completed_work(ticks, starts)), ticks.total * ticks.horizon)


def mean_wait(ticks: FairTicks, starts: ArrayLike) -> Fraction | None:
    """Return the mean over the jobs that start of start − release; None if none does. Parameters as `utilisation`."""
    begins = row_of_starts(ticks, starts)
    waits = (begins - ticks.release)[begins != NOT_STARTED].tolist()
    return Fraction(sum(waits), len(waits)) if waits else None


def distance(utilities: Sequence[int], reference: Sequence[int]) -> int:
    """Return Δψ = ‖ψ − ψ*‖ in the Manhattan metric: by how much the utilities differ, over all organizations."""
    return sum(abs(value - ideal) for value, ideal in zip(utilities, reference, strict=True))


def unjustified_delay(
    ticks: FairTicks, utilities: Sequence[int], reference: Sequence[int], reference_starts: ArrayLike
) -> Fraction:
    """Return Δψ / p_tot: by how many moments a unit of work is delayed, or sped up, on the average for unfairness.

    Parameters
    ----------
    ticks
        The jobs.
    utilities, reference
        ψ_sp of each organization at the horizon in a schedule, and in the ideally fair one.
    reference_starts
        The fair schedule; p_tot is what of its jobs is over at the horizon, in units, not in jobs.

    Raises
    ------
    InputError
        If nothing of it is.
    """
    total = sum(completed_work(ticks, reference_starts))
    if not total:
        raise InputError("no job has run before the horizon", field="reference_starts")
    return Fraction(distance(utilities, reference), total)
