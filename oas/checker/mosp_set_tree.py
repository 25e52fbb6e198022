"""The bound "set tree": a tree over pairs of jobs on equal clusters, its leaves refuted by sets that a cluster can run.

The certificate is ``{"makespan": C, "mirrored": false, "steps": s, "refuted": [[j, …], …], "cuts": [[i, j, k], …],
"weights": [[w, …], …], "tree": [node, …]}``, C in ticks, for clusters of one size. Nodes are in preorder. An inner node
is a pair of jobs: what follows supposes first that one cluster runs both, then that none does. A leaf is the index of
one of the lists of weights, each with one for every job and then a price for every cut, which is three jobs. At most
one cluster runs two of them or more; its set weighs less by the price. If no set that a cluster can run by C, with
pairs as supposed, weighs more than W, then all jobs of a schedule that ends by C weigh at most N·W and all prices
together. If they weigh more, there is none as supposed.

W is found by a search through all sets below knapsack bounds, each set packed by a search of at most s steps. A set not
decided by then counts as one that can run, unless it holds one of those *refuted*, which are packed first, for longer.
Reservations are left out.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.mosp_cluster_sets import MAX_PACKING_STEPS, MAX_SET_WEIGHT, ClusterSets
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_possible_sets import PossibleSets
from oas.checker.mosp_set_search import SetBranch
from oas.checker.mosp_weights import mosp_deadlines, read_job_weights, read_makespan, read_mirrored
from oas.checker.reading import fields_of, integer_of, list_of

SET_TREE_MAX_NODES = 2_000
SET_TREE_MAX_DEPTH = 200
SET_TREE_MAX_CUTS = 200
SET_TREE_MAX_REFUTED = 1_000
SET_TREE_LONG = 200_000  # steps for a set that is refuted for good
SET_TREE_STEPS = 1_000_000  # in all


def check_mosp_set_tree(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing.

    Raises
    ------
    Refused
        If the certificate is malformed, the instance too large for one, or the search too long.
    """
    names = ("makespan", "mirrored", "steps", "refuted", "cuts", "weights", "tree")
    document = fields_of(certificate, "certificate", *names)
    makespan, mirrored = read_makespan(document["makespan"]), read_mirrored(document["mirrored"])
    steps = integer_of(document["steps"], "certificate.steps", 1, MAX_PACKING_STEPS)
    ticks = instance.scaled()
    count = ticks.job_count
    refuted = _job_sets(document["refuted"], "certificate.refuted", count, SET_TREE_MAX_REFUTED)
    cuts = _job_sets(document["cuts"], "certificate.cuts", count, SET_TREE_MAX_CUTS, 3)
    rows = list_of(document["weights"], "certificate.weights", most=SET_TREE_MAX_NODES)
    length = count + len(cuts)
    weights = [
        read_job_weights(row, length, f"certificate.weights[{index}]", MAX_SET_WEIGHT) for index, row in enumerate(rows)
    ]
    leaves = _leaves_of(document["tree"], count, len(weights))
    size, *others = {*ticks.processors}
    if others:
        raise refused("certificate", "is for clusters of one size")
    deadlines = mosp_deadlines(ticks, makespan, mirrored=mirrored)
    sets = ClusterSets.of(ticks, deadlines, makespan, size, Effort())
    if len(sets.jobs) < count:  # some job cannot end in time
        return ticks.to_time(makespan + 1)
    bits = {job: 1 << place for place, job in enumerate(sets.jobs)}
    possible = PossibleSets(sets, bits, steps, Effort(SET_TREE_STEPS))
    if not all(possible.refute(one, SET_TREE_LONG) for one in refuted):
        return Fraction(0)
    for index, together, apart in leaves:
        own = weights[index]
        floor = (sum(own[:count]) - sum(own[count:]) - 1) // ticks.cluster_count
        if floor < 0 or SetBranch(possible, together, apart, cuts).heaviest(own, floor, first=True) > floor:
            return Fraction(0)
    return ticks.to_time(makespan + 1)


def _job_sets(value: object, field: str, jobs: int, most: int, count: int | None = None) -> list[tuple[int, ...]]:
    rows = list_of(value, field, most=most)
    return [_job_set(row, f"{field}[{index}]", jobs, count) for index, row in enumerate(rows)]


def _job_set(value: object, field: str, jobs: int, count: int | None) -> tuple[int, ...]:
    members = tuple(integer_of(job, field, 0, jobs - 1) for job in list_of(value, field, count))
    if not members or len({*members}) < len(members):
        raise refused(field, "must be different jobs, one at least", value)
    return members


def _leaves_of(value: object, jobs: int, weights: int) -> list[tuple[int, tuple[Any, ...], tuple[Any, ...]]]:
    """The weights of each leaf, and the pairs that it supposes together and apart."""
    leaves = []
    open_nodes: list[tuple[tuple[Any, ...], tuple[Any, ...]]] = [((), ())]
    for index, node in enumerate(list_of(value, "certificate.tree", most=SET_TREE_MAX_NODES)):
        field = f"certificate.tree[{index}]"
        if not open_nodes:
            raise refused(field, "the tree ends before")
        together, apart = open_nodes.pop()
        if type(node) is int:
            leaves.append((integer_of(node, field, 0, weights - 1), together, apart))
            continue
        pair = _job_set(node, field, jobs, 2)
        if len(together) + len(apart) >= SET_TREE_MAX_DEPTH:
            raise refused(field, f"is deeper than {SET_TREE_MAX_DEPTH}")
        open_nodes.append((together, (*apart, pair)))
        open_nodes.append(((*together, pair), apart))
    if open_nodes:
        raise refused("certificate.tree", "nodes are missing")
    return leaves
