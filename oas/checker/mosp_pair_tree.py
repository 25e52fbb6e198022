"""The bound "pair tree": a tree over pairs of items, for instances that are bin packing (`mosp_pair_pool`).

The certificate is ``{"makespan": C, "cuts": [[i, j, k], …], "weights": [[w, …], …], "tree": [node, …]}``, C in ticks.
Nodes are in preorder. An inner node is a pair of items: what follows supposes first that they are in one bin, then that
they are not. A leaf is the index of one of the lists of weights, each with one for every item and then a price for
every cut, which is three items.

*Theorem.* For each leaf let no set that fits into a bin of kind k, with pairs as supposed, weigh more than W_k, where a
set with two items of a cut or all three weighs less by its price, and let there be n_k such bins. If at each leaf all
items weigh more than Σ_k n_k·W_k and all prices together, no schedule ends by C.

*Proof.* A schedule that ends by C is a packing of all items into these bins, which agrees with one leaf, for at each
inner node one bin has both items or none has. At most one of its bins holds two items of a cut, for it has three. So
all items weigh at most Σ_k n_k·W_k and all prices: a contradiction. W_k is found by a search through the sets of items
that pairs or cuts name; the room that these leave is filled by other items as a knapsack.

With ``"pool": [i, …]``, items, the leaves need only hold for the sets of the pool that the first weights make
(`mosp_pair_pool`): a packing has no other ones. Cuts and pairs are of these items. A node may then be the index of
weights in a list of one: what follows leaves out all sets that waste more than the gap by them, by the same theorem.
Trees of several nodes without a pool come from earlier versions of the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from oas.checker.effort import Effort
from oas.checker.mosp_branches import (
    MAX_PAIR_DEPTH,
    ItemTuple,
    PairBranch,
    SetKnapsack,
    SupposedPairs,
    after_pair,
    outweighs_all,
    read_item_lists,
    read_items,
)
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_pair_pool import BinKind, BinPacking, PairPool, PoolPart, bin_packing_of
from oas.checker.mosp_weights import KnapsackItem, knapsack_items, read_makespan, read_weight_lists, suffix_sums
from oas.checker.reading import fields_of, integer_of, list_of, refused
from oas.checker.trees import walk_tree

PAIR_MAX_WEIGHT = 2**53
PAIR_MAX_NODES = 20_000
PAIR_MAX_CUTS = 200


def check_mosp_pair_tree(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; refuse one that proves none."""
    document = fields_of(certificate, "certificate", "makespan", "cuts", "weights", "tree", optional=("pool",))
    makespan, ticks = read_makespan(document["makespan"]), instance.scaled()
    packing, count, effort = bin_packing_of(ticks, makespan), ticks.job_count, Effort()
    cuts = read_item_lists(document["cuts"], count, "certificate.cuts", PAIR_MAX_CUTS, 3)
    weights = read_weight_lists(document["weights"], count + len(cuts), PAIR_MAX_NODES, PAIR_MAX_WEIGHT)
    tree = list_of(document["tree"], "certificate.tree", most=PAIR_MAX_NODES)
    if not packing.has_one_limit:
        for name, is_used in (("cuts", cuts), ("pool", "pool" in document), ("tree", len(tree) > 1)):
            if is_used:
                raise refused(f"certificate.{name}", "must be left out where the order of items in a bin matters")
    if "pool" in document:
        _check_pooled_leaves(packing, cuts, weights, document["pool"], tree, effort)
    else:
        _check_leaves(packing, cuts, weights, tree, effort)
    return ticks.to_time((makespan // packing.unit + 1) * packing.unit)


def _check_leaves(
    packing: BinPacking, cuts: Sequence[ItemTuple], weights: Sequence[list[int]], tree: object, effort: Effort
) -> None:
    """Check that each leaf is closed."""
    count = len(packing.sizes)

    def follow(node: Any, field: str, supposed: SupposedPairs) -> list[SupposedPairs]:
        if type(node) is not int:
            return after_pair(read_items(node, count, field, 2), supposed)
        own = weights[integer_of(node, field, 0, len(weights) - 1)]
        effort.spend(count * (1 + len(supposed[0])))
        branch = PairBranch(count, supposed, cuts)

        def heaviest(kind: BinKind, floor: int) -> int:
            knapsack = _bin_knapsack(packing.sizes, kind, branch, own, effort)
            return branch.heaviest(own, floor, knapsack, effort.spend)

        kinds = [(kind, kind.number) for kind in packing.kinds]
        if not outweighs_all(sum(own[:count]) - sum(own[count:]), kinds, heaviest):
            raise refused(field, "the weights do not close it", node)
        return []

    root: SupposedPairs = ((), ())
    walk_tree(tree, root, follow, PAIR_MAX_NODES, MAX_PAIR_DEPTH)


def _bin_knapsack(
    sizes: Sequence[int], kind: BinKind, branch: PairBranch, weights: Sequence[int], effort: Effort
) -> SetKnapsack:
    """Return the knapsack of a bin: groups with pairs or cuts are put into it one by one, others fill it."""
    effort.spend(8 * len(sizes))
    own = branch.group_weights(weights)
    size_of = [sum(sizes[item] for item in group) for group in branch.groups]
    limits = [min(kind.limits[item] for item in group) for group in branch.groups]
    fitting = [group for group, size in enumerate(size_of) if size <= limits[group]]
    linked = [group for group in fitting if branch.has_links(group)]
    others = [group for group in fitting if not branch.has_links(group)]
    other_items = knapsack_items(*([row[group] for group in others] for row in (own, size_of, limits)))
    linked_items = [KnapsackItem(size_of[group], own[group], kind.capacity) for group in linked]
    rests = suffix_sums(other_items, linked_items, effort)
    return SetKnapsack(linked, [size_of[group] for group in linked], kind.capacity, rests)


def _check_pooled_leaves(
    packing: BinPacking,
    cuts: Sequence[ItemTuple],
    weights: Sequence[list[int]],
    pool_items: object,
    tree: object,
    effort: Effort,
) -> None:
    """Check that each leaf is closed for the sets of the pool."""
    count = len(packing.sizes)
    listed = read_items(pool_items, count, "certificate.pool") if pool_items != [] else ()

    def check_listed(items: Sequence[int], field: str) -> None:
        if not {*items} <= {*listed}:
            raise refused(field, "must be of items of the pool")

    for index, cut in enumerate(cuts):
        check_listed(cut, f"certificate.cuts[{index}]")
    if not weights or not packing.kinds:
        raise refused("certificate.pool", "a pool needs weights and bins")
    pool = PairPool(packing, listed, weights[0][:count], cuts, effort)

    def follow(node: Any, field: str, part: PoolPart) -> list[PoolPart]:
        effort.spend(1 + 2 * sum(map(len, part)))
        if type(node) is int:
            if not pool.closes(part, weights[integer_of(node, field, 0, len(weights) - 1)]):
                raise refused(field, "the weights do not close this leaf of the pool", node)
            return []
        if len(list_of(node, field)) == 1:
            return [pool.fixed(part, weights[integer_of(node[0], field, 0, len(weights) - 1)])]
        pair = read_items(node, count, field, 2)
        check_listed(pair, field)
        return [pool.together(part, pair), pool.apart(part, pair)]

    walk_tree(tree, pool.all, follow, PAIR_MAX_NODES, MAX_PAIR_DEPTH)
