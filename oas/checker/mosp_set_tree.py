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

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from oas.checker.effort import Effort
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_possible_sets import MAX_PACKING_STEPS, JobsByArea, PossibleSets
from oas.checker.mosp_weights import (
    ItemTuple,
    KnapsackItem,
    read_item_lists,
    read_items,
    read_makespan,
    read_weight_lists,
    suffix_sums,
)
from oas.checker.reading import fields_of, flag_of, integer_of, refused
from oas.checker.trees import walk_tree

SET_TREE_MAX_NODES = 2_000
SET_TREE_MAX_DEPTH = 200
SET_TREE_MAX_CUTS = 200
SET_TREE_MAX_REFUTED = 1_000
SET_TREE_LONG = 200_000  # steps for a set that is refuted for good
SET_TREE_STEPS = 1_000_000  # in all
SET_TREE_MAX_WEIGHT = 2**50

# Pairs of jobs that are together, and pairs that are apart.
SupposedPairs = tuple[tuple[ItemTuple, ...], tuple[ItemTuple, ...]]


def check_mosp_cluster_sets(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; refuse one that proves none."""
    document = fields_of(certificate, "certificate", "makespan", "weights", "steps", "mirrored")
    leaf = {"weights": [document["weights"]], "tree": [0], "cuts": [], "refuted": []}
    return check_mosp_set_tree(instance, {**document, **leaf})


def check_mosp_set_tree(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; refuse one that proves none."""
    names = ("makespan", "mirrored", "steps", "refuted", "cuts", "weights", "tree")
    document = fields_of(certificate, "certificate", *names)
    makespan, mirrored = read_makespan(document["makespan"]), flag_of(document["mirrored"], "certificate.mirrored")
    steps = integer_of(document["steps"], "certificate.steps", 1, MAX_PACKING_STEPS)
    ticks = instance.scaled()
    count = ticks.job_count
    refuted = read_item_lists(document["refuted"], count, "certificate.refuted", SET_TREE_MAX_REFUTED)
    cuts = read_item_lists(document["cuts"], count, "certificate.cuts", SET_TREE_MAX_CUTS, 3)
    weights = read_weight_lists(document["weights"], count + len(cuts), SET_TREE_MAX_NODES, SET_TREE_MAX_WEIGHT)
    jobs = JobsByArea.of(ticks, makespan, mirrored=mirrored)
    sums, effort = Effort(), Effort(SET_TREE_STEPS)
    kinds = []
    if jobs.all_in_time:
        kinds = [(PossibleSets(jobs, size, steps, sums, effort), number) for size, number in ticks.cluster_sizes]
    place = {job: at for at, job in enumerate(jobs.order)}
    for index, found in enumerate(refuted):
        if not all(sets.refute(sum(1 << place[job] for job in found), SET_TREE_LONG) for sets, _ in kinds):
            raise refused(f"certificate.refuted[{index}]", "a cluster may be able to run these jobs")
    cuts = [tuple(place[job] for job in cut) for cut in cuts]

    def follow(node: Any, field: str, supposed: SupposedPairs) -> list[SupposedPairs]:
        together, apart = supposed
        if type(node) is not int:
            pair = tuple(place[job] for job in read_items(node, count, field, 2))
            return [((*together, pair), apart), (together, (*apart, pair))]
        row = weights[integer_of(node, field, 0, len(weights) - 1)]
        if not kinds:  # some job cannot end in time on any cluster
            return []
        own, prices = [row[job] for job in jobs.order], row[count:]
        groups = job_groups(count, together, apart, cuts)
        *others, (largest, number) = kinds
        left = sum(own) - sum(prices) - 1  # what all clusters together may hold
        left -= sum(alike * heaviest_cluster_set(sets, own, prices, 0, groups) for sets, alike in others)
        if left < 0 or heaviest_cluster_set(largest, own, prices, left // number, groups) > left // number:
            raise refused(field, "the weights do not close this leaf", node)
        return []

    root: SupposedPairs = ((), ())
    walk_tree(document["tree"], root, follow, SET_TREE_MAX_NODES, SET_TREE_MAX_DEPTH)
    return ticks.to_time(makespan + 1)


class JobGroup(NamedTuple):
    """Jobs that a set holds together."""

    jobs: list[int]
    bits: int  # the jobs, like the next
    apart: int  # jobs that are apart from one of these
    held: int  # how many of the jobs are of each cut, two bits for a cut


def job_groups(
    count: int, together: Sequence[ItemTuple], apart: Sequence[ItemTuple], cuts: Sequence[ItemTuple]
) -> list[JobGroup]:
    """Return `count` jobs in groups that are together, without groups of which two jobs are apart, too."""
    group_of = list(range(count))
    for one, other in together:
        kept, gone = group_of[one], group_of[other]
        group_of = [kept if group == gone else group for group in group_of]
    foes, held = [0] * count, [0] * count
    for one, other in apart:
        foes[group_of[one]] |= 1 << other
        foes[group_of[other]] |= 1 << one
    for index, cut in enumerate(cuts):
        for job in cut:
            held[group_of[job]] += 1 << 2 * index
    members: dict[int, list[int]] = {}
    for job, group in enumerate(group_of):
        members.setdefault(group, []).append(job)
    groups = [JobGroup(own, sum(1 << job for job in own), foes[one], held[one]) for one, own in members.items()]
    return [group for group in groups if not group.bits & group.apart]


def heaviest_cluster_set(
    sets: PossibleSets, weights: Sequence[int], prices: Sequence[int], floor: int, groups: Sequence[JobGroup]
) -> int:
    """Return the weight of the heaviest set of these groups that may run; `floor`, at least 0, if none is heavier.

    A set that has two jobs of a cut or three pays its price. Weights of jobs and prices are at least 0.
    """
    chosen = []  # the groups of jobs that the cluster can run, with their weights and sizes
    for group in groups:
        if all(job in sets.sizes for job in group.jobs):
            own, size = sum(weights[job] for job in group.jobs), sum(sets.sizes[job] for job in group.jobs)
            chosen.append((group, own, size))
    rests = suffix_sums((), [KnapsackItem(size, own, sets.capacity) for _, own, size in chosen], sets.sums)
    second_bits = sum(2 << 2 * cut for cut, price in enumerate(prices) if price)
    stack = [(0, 0, sets.capacity, 0, 0, 0)]
    while stack:
        begin, weight, room, found, barred, held = stack.pop()
        place = begin
        for place in range(begin, len(chosen)):
            if weight + rests[place].within(room) <= floor:
                break
            group, own, size = chosen[place]
            if barred & group.bits or not own or size > room:
                continue
            now = held + group.held
            total = weight + own - _prices_of(now & second_bits & ~held, prices)
            grown = found | group.bits
            if total + rests[place + 1].within(room - size) > floor and sets.may_run(grown):
                floor = max(floor, total)
                stack.append((place + 1, weight, room, found, barred, held))
                stack.append((place + 1, total, room - size, grown, barred | group.apart, now))
                break
        sets.effort.spend(1 + place - begin)
    return floor


def _prices_of(cuts: int, prices: Sequence[int]) -> int:
    """Return the prices of these cuts, given by their second bits."""
    paid = 0
    while cuts:
        lowest = cuts & -cuts
        paid += prices[lowest.bit_length() // 2 - 1]
        cuts ^= lowest
    return paid
