"""BJF: list scheduling over all clusters, big jobs first (most processors); for rigid jobs the same as HF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.method import Method
from heuristics.mosp.global_list import global_list
from heuristics.mosp.guarantees import one_cluster_list
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from oas.core.schedule import Schedule


def schedule(instance: MospInstance, *, seed: int = 0) -> Schedule:
    """List-schedule all jobs over all clusters by BJF; deterministic, `seed` is not used."""
    return global_list(instance, "BJF", seed)


METHOD = Method(
    "BJF",
    schedule,
    "list scheduling over all clusters, big jobs first",
    rank=30,
    problem=MospInstance,
    respects_locality=False,
    guarantee=one_cluster_list,
)
