"""The compiled loops of co-allocation, each group run once on next to nothing."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from heuristics.coallocation.search.annealing import MANY_JOBS, AnnealingSearch
from heuristics.coallocation.search.beam import LEAST_JOBS, BeamSearch
from heuristics.coallocation.search.ruin_recreate import RuinSearch
from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.search_log.certificate import check, compiled_walk
from oas.core.schedule import Placement, Schedule
from oas.exact.coallocation.chronological.search import ChronologicalSearch, Weights
from oas.exact.coallocation.saturated.grid_search import GridSearch
from oas.exact.warm_up import Loops
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.plan_order import PlanOrder
from oas.problems.coallocation.tick_execution import tick_execution

if TYPE_CHECKING:
    from oas.problems.coallocation.ticks import ScaledCoallocation

_HERE = "oas.exact.coallocation.loops"
CHRONOLOGICAL, ANNEALING, SPLITTING = (Loops(f"{_HERE}:{name}") for name in ("chronological", "annealing", "splitting"))
RUIN = Loops(f"{_HERE}:ruin_and_recreate")
BEAM = Loops(f"{_HERE}:beam")
MOMENTS = Loops(f"{_HERE}:grid_moments")
EXECUTION = Loops(f"{_HERE}:execution")
WALK = Loops(f"{_HERE}:walk_of_a_log")


def loops_for(instance: CoallocationInstance | None) -> tuple[Loops, ...]:
    """Return what the exact search of `instance` may need, the longest to compile first; None: of any instance."""
    if instance is not None and instance.saturation.slows:
        return (MOMENTS,) if instance.slot else ()
    jobs = MANY_JOBS if instance is None else len(instance.jobs)
    many = [loops for loops, least in ((RUIN, MANY_JOBS), (BEAM, LEAST_JOBS)) if jobs >= least]
    further = [MOMENTS, EXECUTION, WALK] if instance is None else []  # no solve executes a plan, or checks a log
    return (CHRONOLOGICAL, *many, *further, ANNEALING, SPLITTING)


def annealing() -> None:
    """Compile local search."""
    AnnealingSearch(_scaled(), compiled=True).improve(0, 1)


def ruin_and_recreate() -> None:
    """Compile the local search for many jobs."""
    runs = AnnealingSearch(_scaled(), compiled=False).improve(0, 1)
    assert runs is not None
    RuinSearch(_scaled(), runs, _weights().weights, compiled=True).improve(0, 1)


def beam() -> None:
    """Compile what builds schedules front to back."""
    runs = AnnealingSearch(_scaled(), compiled=False).improve(0, 1)
    assert runs is not None
    BeamSearch(_scaled(), runs, [(_weights().weights, _weights().whole)], compiled=True).improve(0, 1)


def splitting() -> None:
    """Compile the configuration bound's test of what can run together."""
    Packing(_scaled()).load()


def chronological() -> None:
    """Compile the complete search."""
    ChronologicalSearch(_scaled(), [_weights()], 10, placed=True).go_on(1)


def walk_of_a_log() -> None:
    """Compile the checker of the complete search's log."""
    search = ChronologicalSearch(_scaled(), [_weights()], 2, placed=True, compiled=False)
    search.go_on(1000)
    certificate = search.certificate()
    assert certificate is not None
    check(_scaled(), certificate, compiled_walk())


def grid_moments() -> None:
    """Compile the complete search over slots, where saturated links slow jobs down."""
    GridSearch(_instance("slowdown"), 10).go_on(1)


def execution() -> None:
    """Compile the executor on ticks."""
    instance = CoallocationInstance([Cluster("a", [NodeGroup(1, 1)], 2)], [Job("x", 1, 2)], 1)
    ticks = tick_execution(instance, PlanOrder(instance, Schedule([Placement("x", 0, 2, {"a": [0]})])))
    assert ticks is not None
    ticks.run()


def _weights() -> Weights:
    return Weights(((1,), (1,)), 2)


@cache
def _scaled() -> ScaledCoallocation:
    return _instance("forbid").scaled()


def _instance(policy: str) -> CoallocationInstance:
    clusters = [Cluster(name, [NodeGroup(1, 1)], 2) for name in "ab"]
    jobs = (Job("x", 2, 2), Job("y", 1, 1))
    return CoallocationInstance(clusters, jobs, 0 if policy == "forbid" else 1, policy)
