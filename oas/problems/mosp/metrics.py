"""Utilisation, waits and bounded slowdown of schedules of organizations."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.numbers import Exact, exact
from oas.core.schedule_metrics import compaction

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.mosp.instance import MospInstance


def utilisation(instance: MospInstance, schedule: Schedule) -> Fraction:
    """Return the share of processors × makespan that jobs and reservations hold; 0 for an empty schedule.

    Reservations stand for work of others; where there are none this is the compaction degree.
    """
    end = schedule.makespan
    if not end:
        return Fraction(0)
    reserved = sum(
        (
            one.processors * (min(one.end, end) - one.start)
            for organization in instance.organizations
            for one in organization.reservations
            if one.start < end
        ),
        Fraction(0),
    )
    return compaction(instance, schedule) + reserved / (instance.node_count * end)


def mean_wait(instance: MospInstance, schedule: Schedule) -> Fraction:
    """Return the mean over jobs of start − release, in the instance's time unit."""
    return Fraction(sum(_waits(instance, schedule).values(), Fraction(0)), len(instance.jobs))


def mean_bounded_slowdown(instance: MospInstance, schedule: Schedule, threshold: Exact = 10) -> Fraction:
    """Return the mean over jobs of max(1, (wait + p) / max(p, threshold)).

    Feitelson, Rudolph, Schwiegelshohn, Sevcik, Wong, *Theory and practice in parallel job scheduling*, JSSPP 1997;
    Feitelson, *Metrics for parallel job scheduling and their convergence*, JSSPP 2001, where the threshold is 10 s.

    Parameters
    ----------
    threshold
        τ above 0, in the instance's time unit: shorter jobs count as if they ran for so long.

    Raises
    ------
    InputError
        If the threshold is not above 0.
    """
    least = exact(threshold, "threshold")
    if least <= 0:
        raise InputError("must be above 0", field="threshold", value=str(least))
    waits = _waits(instance, schedule)
    slowdowns = (max(Fraction(1), (waits[job.id] + job.time) / max(job.time, least)) for job in instance.jobs)
    return Fraction(sum(slowdowns, Fraction(0)), len(instance.jobs))


def _waits(instance: MospInstance, schedule: Schedule) -> dict[str, Fraction]:
    starts = {placement.job: placement.start for placement in schedule.placements}
    return {job.id: starts[job.id] - job.release for job in instance.jobs}
