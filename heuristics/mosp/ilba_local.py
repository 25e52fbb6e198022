"""ILBA on the local schedules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.method import Method
from heuristics.mosp.balancing import balanced
from heuristics.mosp.guarantees import balanced_sequential
from heuristics.mosp.ticks import local_runs
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from oas.core.schedule import Schedule


def schedule(instance: MospInstance, *, seed: int = 0) -> Schedule:
    """Balance the local schedules (paper, section 6); deterministic, `seed` is not used."""
    scaled = instance.scaled()
    return balanced(local_runs(scaled)).to_schedule(instance, "ILBA-local")


METHOD = Method(
    "ILBA-local",
    schedule,
    "iterative load balancing of the local schedules",
    rank=141,
    problem=MospInstance,
    guarantee=balanced_sequential,
)
