"""The bound "pair tree": a tree over pairs of items, for instances that are bin packing (`mosp_pair_bins`).

The certificate is ``{"makespan": C, "cuts": [[i, j, k], …], "weights": [[w, …], …], "tree": [node, …]}``, C in ticks.
Nodes are in preorder. An inner node is a pair of items: what follows supposes first that they are in one bin, then that
they are not. A leaf is the index of one of the lists of weights, each with one for every item and then a price for
every cut, which is three items. At most one bin of a packing holds two of them or more; its set weighs less by the
price. If no set that fits into a bin of kind k, with pairs as supposed, weighs more than W_k, then all items that fit
into n_k bins of each kind weigh at most Σ_k n_k·W_k and all prices together. If they weigh more, no schedule as
supposed ends by C.

With ``"pool": [i, …]``, items, the leaves need only hold for the sets of the pool that the first weights make
(`mosp_pair_pool`). Cuts and pairs are of these items. A node may then be the index of weights in a list of one: what
follows leaves out all sets that waste more than the gap by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_pair_bins import PairItems, pair_items_of
from oas.checker.mosp_pair_packing import PairPacking
from oas.checker.mosp_pair_pool import PairPool
from oas.checker.mosp_weights import read_job_weights, read_makespan
from oas.checker.reading import fields_of, integer_of, list_of

PAIR_MAX_WEIGHT = 2**53
PAIR_MAX_NODES = 20_000
PAIR_MAX_DEPTH = 200
PAIR_MAX_CUTS = 200


def check_mosp_pair_tree(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`.

    Raises
    ------
    Refused
        If the certificate is malformed or no proof, or the instance no bin packing or too large.
    """
    document = fields_of(certificate, "certificate", "makespan", "cuts", "weights", "tree", optional=("pool",))
    makespan, ticks = read_makespan(document["makespan"]), instance.scaled()
    items = pair_items_of(ticks, makespan)
    tree = list_of(document["tree"], "certificate.tree", most=PAIR_MAX_NODES)
    effort = Effort()
    if "pool" in document:
        _PoolWalk(items, document, effort).check(tree)
    else:
        _PairWalk(items, document, effort).check(tree)
    return ticks.to_time((makespan // items.unit + 1) * items.unit)


class _PairWalk:
    """The walk through a tree: each leaf must be closed."""

    def __init__(self, items: PairItems, document: dict[str, Any], effort: Effort) -> None:
        self.items, self.effort = items, effort
        self.count = len(items.sizes)
        cuts = list_of(document["cuts"], "certificate.cuts", most=PAIR_MAX_CUTS)
        self.cuts: list[Any] = [self._items(cut, 3, f"certificate.cuts[{index}]") for index, cut in enumerate(cuts)]
        rows = list_of(document["weights"], "certificate.weights", most=PAIR_MAX_NODES)
        length = self.count + len(cuts)
        self.weights = [
            read_job_weights(row, length, f"certificate.weights[{index}]", PAIR_MAX_WEIGHT)
            for index, row in enumerate(rows)
        ]

    def check(self, tree: Sequence[object]) -> None:
        """Check that every leaf is closed; raise `Refused` if one is not, or the tree is none."""
        open_nodes = [self._root()]
        for index, node in enumerate(tree):
            field = f"certificate.tree[{index}]"
            if not open_nodes:
                raise refused(field, "the tree ends before")
            open_nodes += self._follow(node, open_nodes.pop(), field)
        if open_nodes:
            raise refused("certificate.tree", "nodes are missing")

    def _root(self) -> Any:
        return (), ()

    def _follow(self, node: object, place: Any, field: str) -> list[Any]:
        """Return the places that follow, the last one to be walked first."""
        together, apart = place
        if type(node) is int:
            self._close(self._index(node, field), together, apart, field)
            return []
        pair = self._items(node, 2, field)
        if len(together) + len(apart) >= PAIR_MAX_DEPTH:
            raise refused(field, f"is deeper than {PAIR_MAX_DEPTH}")
        return [(together, (*apart, pair)), ((*together, pair), apart)]

    def _items(self, value: object, count: int, field: str) -> tuple[int, ...]:
        items = tuple(integer_of(item, field, 0, self.count - 1) for item in list_of(value, field, count))
        if len({*items}) < count:
            raise refused(field, "must be different items", value)
        if not all(kind.uniform for kind in self.items.bins):
            raise refused(field, "pairs, cuts and pools are for bins in which the order of items does not matter")
        return items

    def _index(self, value: object, field: str) -> int:
        return integer_of(value, field, 0, len(self.weights) - 1)

    def _close(self, node: int, together: Any, apart: Any, field: str) -> None:
        weights, room = self.weights[node], 0
        for kind in self.items.bins:
            self.effort.spend(8 * self.count)
            packing = PairPacking(self.items.sizes, kind, together, apart, self.cuts)
            room += kind.count * packing.heaviest(weights, self.effort)
        room += sum(weights[self.count :])
        if sum(weights[: self.count]) <= room:
            raise refused(field, "the weights do not close it", node)


class _PoolWalk(_PairWalk):
    """The walk through a tree whose leaves are for the sets of a pool."""

    def __init__(self, items: PairItems, document: dict[str, Any], effort: Effort) -> None:
        super().__init__(items, document, effort)
        listed = list_of(document["pool"], "certificate.pool", most=self.count)
        self.listed = self._items(listed, len(listed), "certificate.pool")
        for index, cut in enumerate(self.cuts):
            self._check_listed(cut, f"certificate.cuts[{index}]")
        if not self.weights or not items.bins:
            raise refused("certificate.pool", "a pool needs weights and bins")
        first = self.weights[0][: self.count]
        self.pool = PairPool(items.sizes, items.bins, self.listed, first, self.cuts, effort)

    def _check_listed(self, items: Sequence[int], field: str) -> None:
        if not {*items} <= {*self.listed}:
            raise refused(field, "must be of items of the pool")

    def _root(self) -> Any:
        return self.pool.all, 0

    def _follow(self, node: Any, place: Any, field: str) -> list[Any]:
        part, depth = place
        if type(node) is int:
            weights = self.weights[self._index(node, field)]
            excess = self.pool.excess(self.pool.weigh(part, weights), weights)
            if excess is not None and excess <= 0:
                raise refused(field, "the weights do not close this leaf of the pool", node)
            return []
        if depth >= PAIR_MAX_DEPTH:
            raise refused(field, f"is deeper than {PAIR_MAX_DEPTH}")
        if len(list_of(node, field)) == 1:
            return [(self.pool.fixed(part, self.weights[self._index(node[0], field)]), depth + 1)]
        pair: Any = self._items(node, 2, field)
        self._check_listed(pair, field)
        self.effort.spend(2 * sum(map(len, part)))
        return [(self.pool.apart(part, pair), depth + 1), (self.pool.together(part, pair), depth + 1)]
