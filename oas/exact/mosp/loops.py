"""The compiled loops of MOSP, each group run once on next to nothing."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from heuristics.mosp.capacity.profile import COMPILED_FROM
from heuristics.mosp.one_cluster import CONSERVATIVE, EASY, LIST, LONG, starts_on
from heuristics.mosp.queueing import conservative_runs, easy_runs, empty_profiles, list_runs
from heuristics.mosp.search.exact_fill import ExactFill
from heuristics.mosp.search.filling import EventBeam
from heuristics.mosp.search.orders import OrderSearch
from heuristics.mosp.search.pool_beam import PoolBeam, takes
from heuristics.mosp.search.ruin_recreate import RuinSearch
from heuristics.mosp.search.ruin_recreate_arrays import MANY_JOBS
from oas.bounds.mosp.cluster_sets.pricing import load
from oas.bounds.mosp.partitions.sharing import load as load_partitions
from oas.bounds.mosp.set_tree.packing import load as load_set_tree
from oas.bounds.mosp.start_tree.certificate import load as load_tree
from oas.exact.mosp.stages.bounds import CLUSTER_SETS_JOBS
from oas.exact.mosp.stages.local import ORDER_JOBS
from oas.exact.mosp.stages.partitions import shares_out
from oas.exact.mosp.stages.set_tree import branches
from oas.exact.warm_up import Loops
from oas.problems.mosp.ticks import ScaledMosp

if TYPE_CHECKING:
    from oas.problems.mosp.instance import MospInstance

_HERE = "oas.exact.mosp.loops"
RUIN, FILLING, ORDERS, SETS, TREE = (
    Loops(f"{_HERE}:{name}") for name in ("ruin_and_recreate", "filling", "orders", "cluster_sets", "start_tree")
)
POOL, PARTITIONS, SET_TREE = (Loops(f"{_HERE}:{name}") for name in ("pool_beam", "partitions", "set_tree"))
QUEUES, LONG_QUEUES = (Loops(f"{_HERE}:{name}", heuristic=True) for name in ("queues", "long_queues"))


def loops_for(instance: MospInstance | None) -> tuple[Loops, ...]:
    """Return what heuristics and exact search of `instance` may need, the longest to compile first; None: of any."""
    jobs = None if instance is None else len(instance.jobs)
    found = [RUIN]
    if jobs is None or jobs >= COMPILED_FROM:
        found.append(QUEUES)
    if jobs is None or jobs >= LONG:
        found.append(LONG_QUEUES)
    if jobs is None or jobs >= ORDER_JOBS:
        found.append(ORDERS)
    if jobs is None or jobs <= CLUSTER_SETS_JOBS:
        found.append(SETS)
    if instance is None or len(instance.organizations) == 1:
        found += [TREE, FILLING]
    if instance is None or (len(instance.jobs) >= MANY_JOBS and takes(instance.scaled())):
        found.append(POOL)
    if instance is None or shares_out(instance.scaled()):
        found.append(PARTITIONS)
    if instance is None or branches(instance.scaled()):
        found.append(SET_TREE)
    return tuple(found)


def ruin_and_recreate() -> None:
    """Compile local search."""
    RuinSearch(_scaled(), compiled=True).improve(0, 1)


def filling() -> None:
    """Compile the beams on one cluster."""
    beam = EventBeam(_scaled())
    beam.begin(9)
    while not beam.finished:
        beam.sweep()
    _ = beam.starts
    ExactFill(_scaled(), 9).sweep()


def pool_beam() -> None:
    """Compile the beam on several clusters."""
    beam = PoolBeam(_two_clusters())
    beam.begin(9)
    while not beam.finished:
        beam.sweep()
    _ = beam.runs


def partitions() -> None:
    """Compile the search for partitions of the jobs."""
    load_partitions()


def set_tree() -> None:
    """Compile the tree over pairs of jobs with cluster sets at its leaves."""
    load_set_tree()


def orders() -> None:
    """Compile the search over orders."""
    OrderSearch(_scaled()).improve(0, 1)


def queues() -> None:
    """Compile the list scheduling and back-filling of many jobs."""
    for fill in (list_runs, easy_runs, conservative_runs):
        profiles = empty_profiles(_scaled(), compiled=True)
        fill(profiles, _scaled(), [0], [0, 1])
    profiles.earliest([0], 0, 1, 1)


def long_queues() -> None:
    """Compile the same of very many jobs on one cluster."""
    for policy in (LIST, EASY, CONSERVATIVE):
        starts_on(empty_profiles(_scaled(), compiled=True), _scaled(), 0, [0, 1], policy)


def cluster_sets() -> None:
    """Compile the pricing of cluster sets."""
    load()


def start_tree() -> None:
    """Compile the tree over starts."""
    load_tree()


def _two_clusters() -> ScaledMosp:
    """Two clusters of two processors, each with a job."""
    return ScaledMosp(Fraction(1), (2, 2), (2, 1), (1, 2), (0, 0), (0, 1), (), (0, 0), (3, 3))


def _scaled() -> ScaledMosp:
    """One cluster of two processors, with a reservation, and two jobs."""
    return ScaledMosp(Fraction(1), (2,), (2, 1), (1, 2), (0, 0), (0, 0), ((0, 9, 10, 1),), (0, 2), (3,))
