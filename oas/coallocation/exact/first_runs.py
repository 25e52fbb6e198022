"""Runs each kernel of co-allocation once on a tiny instance, for `oas.solving.warm_up`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from oas.coallocation.bounds.configurations import Weights
from oas.coallocation.bounds.configurations.packing import Packing
from oas.coallocation.exact.chronological_search import ChronologicalSearch
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.search.annealing import AnnealingSearch
from oas.coallocation.search.beam import BeamSearch

if TYPE_CHECKING:
    from oas.coallocation.ticks import ScaledCoallocation


def run() -> None:
    """Run local searches and complete searches of co-allocation."""
    weights = Weights(((1,), (1,)), 2)
    runs = AnnealingSearch(_scaled()).improve(0, 1)
    BeamSearch(_scaled(), runs, [(weights.weights, weights.whole)]).improve(0, 1)
    crowded = CoallocationInstance([Cluster(name, [NodeGroup(2, 1)], 1) for name in "ab"], [Job("x", 3, 2, 2)], 0)
    Packing(crowded.scaled()).fits([(0, 0)])
    ChronologicalSearch(_scaled(), [weights], 10, placed=True).resume(1)


@cache
def _scaled() -> ScaledCoallocation:
    clusters = [Cluster(name, [NodeGroup(1, 1)], 2) for name in "ab"]
    jobs = (Job("x", 2, 2), Job("y", 1, 1))
    return CoallocationInstance(clusters, jobs, 0).scaled()
