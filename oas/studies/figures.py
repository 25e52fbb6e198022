"""Figures of a schedule beside its makespan, for comparisons: the part of a problem, and those of two problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.bounds.mosp.simple import PAPER_BOUND
from oas.core.schedule_metrics import compaction
from oas.problems.coallocation.metrics import executed_if_short

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.mosp.instance import MospInstance


def figures_of(instance: Instance, schedule: Schedule, *, keeps_promises: bool) -> dict[str, Any]:
    """Return the problem's own figures as fields of `oas.studies.comparison.ComparisonRow`; none if it names none.

    The schedule is verified, at least for the instance without the promises that a heuristic need not make;
    `keeps_promises` says whether it keeps those too.
    """
    if not instance.problem.has("figures"):
        return {}
    found: dict[str, Any] = instance.problem.part("figures")(instance, schedule, keeps_promises=keeps_promises)
    return found


def coallocation_figures(instance: CoallocationInstance, schedule: Schedule, *, keeps_promises: bool) -> dict[str, Any]:
    """Return makespan and compaction degree of the executed schedule; None where its times are too long."""
    run = executed_if_short(instance, schedule)
    return {
        "executed": None if run is None else run.makespan,
        "executed_compaction": None if run is None else compaction(instance, run),
    }


def mosp_figures(instance: MospInstance, schedule: Schedule, *, keeps_promises: bool) -> dict[str, Any]:
    """Return the ratio to the papers' lower bound, and whether no organization ends later than it may."""
    return {"ratio": schedule.makespan / PAPER_BOUND.compute(instance), "keeps_locality": keeps_promises}
