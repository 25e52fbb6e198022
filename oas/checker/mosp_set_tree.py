"""The bounds "set tree", over pairs of jobs, refuted by sets that a cluster can run, and "cluster sets", one leaf.

The certificate is ``{"makespan": C, "mirrored": false, "steps": s, "refuted": [[j, …], …], "cuts": [[i, j, k], …],
"weights": [[w, …], …], "tree": [node, …]}``, C in ticks. Nodes are in preorder. An inner node is a pair of jobs: what
follows supposes first that one cluster runs both, then that none does. A leaf is the index of one of the lists of
weights, each with one for every job and then a price for every cut, which is three jobs. That of "cluster sets" is
``{"makespan": C, "weights": [w, …], "steps": s, "mirrored": false}``: a tree of one leaf without cuts.

*Theorem.* For each leaf let no set that cluster k can run by C, with pairs as supposed, weigh more than W_k, where a
set with two jobs of a cut or all three weighs less by its price. If at each leaf all jobs weigh more than Σ_k W_k and
all prices together, no schedule ends by C.

*Proof.* A schedule that ends by C agrees with one leaf, for at each inner node one cluster runs both jobs or none
does. At this leaf the set of cluster k weighs at most W_k after prices, and at most one of the sets holds two of the
three jobs of a cut. So all jobs weigh at most Σ_k W_k and all prices: a contradiction. W_k is found by a search through
all sets, which leaves out those that do not fit into knapsacks or that a packing refutes (`mosp_possible_sets`), and
those that hold such a set. A packing takes at most s steps; a set not decided by then counts as one that can run,
unless it holds one of those *refuted*, which are packed first, for longer. Deadlines come from C and from locality.
Mirrored, a schedule is read backwards from C: then each job has to end by C less its release, and locality is left out.
Reservations are always left out: without them there are more schedules. The weights are dual to Dantzig and Wolfe's
program with subset-row cuts (Jepsen and others, Operations Research 2008).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from oas.checker.effort import Effort
from oas.checker.mosp_branches import (
    MAX_PAIR_DEPTH,
    PairBranch,
    SupposedPairs,
    after_pair,
    outweighs_all,
    read_item_lists,
    read_items,
)
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_possible_sets import MAX_PACKING_STEPS, JobsByArea, PossibleSets
from oas.checker.mosp_weights import read_makespan, read_weight_lists
from oas.checker.reading import fields_of, flag_of, integer_of
from oas.checker.trees import walk_tree

SET_TREE_MAX_NODES = 2_000
SET_TREE_MAX_CUTS = 200
SET_TREE_MAX_REFUTED = 1_000
SET_TREE_LONG = 200_000  # steps for a set that is refuted for good
SET_TREE_STEPS = 1_000_000  # in all
SET_TREE_MAX_WEIGHT = 2**50


def check_mosp_cluster_sets(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    document = fields_of(certificate, "certificate", "makespan", "weights", "steps", "mirrored")
    leaf = {"weights": [document["weights"]], "tree": [0], "cuts": [], "refuted": []}
    return check_mosp_set_tree(instance, {**document, **leaf})


def check_mosp_set_tree(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    names = ("makespan", "mirrored", "steps", "refuted", "cuts", "weights", "tree")
    document = fields_of(certificate, "certificate", *names)
    makespan, mirrored = read_makespan(document["makespan"]), flag_of(document["mirrored"], "certificate.mirrored")
    steps = integer_of(document["steps"], "certificate.steps", 1, MAX_PACKING_STEPS)
    ticks = instance.scaled()
    count = ticks.job_count
    refuted = read_item_lists(document["refuted"], count, "certificate.refuted", SET_TREE_MAX_REFUTED)
    cuts = read_item_lists(document["cuts"], count, "certificate.cuts", SET_TREE_MAX_CUTS, 3)
    weights = read_weight_lists(document["weights"], count + len(cuts), SET_TREE_MAX_NODES, SET_TREE_MAX_WEIGHT)
    leaves: list[tuple[int, SupposedPairs]] = []

    def follow(node: Any, field: str, supposed: SupposedPairs) -> list[SupposedPairs]:
        if type(node) is int:
            leaves.append((integer_of(node, field, 0, len(weights) - 1), supposed))
            return []
        return after_pair(read_items(node, count, field, 2), supposed)

    root: SupposedPairs = ((), ())
    walk_tree(document["tree"], root, follow, SET_TREE_MAX_NODES, MAX_PAIR_DEPTH)
    jobs = JobsByArea.of(ticks, makespan, mirrored=mirrored)
    if not jobs.all_in_time:
        return ticks.to_time(makespan + 1)
    sums, effort = Effort(), Effort(SET_TREE_STEPS)
    kinds = [(PossibleSets(jobs, size, steps, sums, effort), number) for size, number in ticks.cluster_sizes]
    place = {job: at for at, job in enumerate(jobs.order)}

    def placed(rows: Any) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(place[job] for job in row) for row in rows)

    for found in placed(refuted):
        if not all(sets.refute(sum(1 << job for job in found), SET_TREE_LONG) for sets, _ in kinds):
            return Fraction(0)
    for index, (together, apart) in leaves:
        own, prices = weights[index][:count], weights[index][count:]
        row = [*(own[job] for job in jobs.order), *prices]
        branch = PairBranch(count, (placed(together), placed(apart)), placed(cuts))

        def heaviest(sets: PossibleSets, floor: int, branch: PairBranch = branch, row: list[int] = row) -> int:
            return sets.heaviest(row, floor, branch)

        if not outweighs_all(sum(own) - sum(prices), kinds, heaviest):
            return Fraction(0)
    return ticks.to_time(makespan + 1)
