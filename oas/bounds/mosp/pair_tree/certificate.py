"""The certificate of a bound by a tree over pairs of items, and its re-check in integers.

The certificate is ``{"makespan": C, "cuts": [[i, j, k], …], "weights": [[w, …], …], "tree": [node, …]}``, C in ticks,
for an instance that is bin packing (`bins_of`). Nodes are in preorder. An inner node is a pair of items [i, j]: what
follows supposes first that they are in one bin, then that they are not (Ryan and Foster). A leaf is the index of one of
the lists of weights, each with one for every item, and then a price for every cut, which is three items. At most one
bin of a packing holds two of them or more; its set weighs less by the price. Let no set of items that fits into a bin
of kind k, with pairs as supposed, weigh more than W_k: then all items that fit into n_k bins of each kind weigh at most
Σ_k n_k·W_k and all prices together, so if they weigh more, no schedule as supposed ends by C. It is the dual of Gilmore
and Gomory's program with subset-row cuts.

Each W_k is found here again, by dynamic programming.

With ``"pool": [i, …]``, items, the leaves need only hold for the sets of the pool that the first weights make
(`oas.bounds.mosp.pair_tree.pool`), which is listed here again. Cuts and pairs are of these items. A node may then be
the index of weights in a list of one, [w]: what follows leaves out all sets that waste more than the gap by them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.budget import CALL, LINE, LONG
from oas.bounds.mosp.configurations.certificate import job_weights
from oas.bounds.mosp.knapsack import table_type
from oas.bounds.mosp.pair_tree.bins import bins_of
from oas.bounds.mosp.pair_tree.packing import Packing
from oas.bounds.mosp.pair_tree.pool import Pool
from oas.bounds.reading import fields_of, integer_of, list_of
from oas.core.errors import InputError, TooLargeError
from oas.problems.mosp.ticks import MAX_TICKS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from oas.bounds.mosp.pair_tree.bins import Bins, Kind
    from oas.bounds.mosp.pair_tree.packing import Pair
    from oas.problems.mosp.instance import MospInstance

MAX_WEIGHT = 2**53
MAX_NODES = 20_000
MAX_DEPTH = 200
MAX_CUTS = 200
# Cells of all tables, some thirty seconds.
MAX_EFFORT = 30_000_000_000
MAX_CAPACITY = 10_000_000


def value(instance: MospInstance, certificate: Mapping[str, object]) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`.

    Raises
    ------
    InputError
        If the certificate is malformed or no proof, or the instance no bin packing or too large.
    """
    names = ("makespan", "cuts", "weights", "tree")
    pooled = isinstance(certificate, Mapping) and "pool" in certificate
    fields = fields_of(certificate, "certificate", *names, *(("pool",) if pooled else ()))
    makespan = integer_of(fields["makespan"], "certificate.makespan", MAX_TICKS - 1)
    scaled = instance.scaled()
    bins = bins_of(scaled)
    if bins is None:
        raise InputError("is for bin packing, which this instance is not", field="certificate")
    weights = list_of(fields["weights"], "certificate.weights")
    tree = list_of(fields["tree"], "certificate.tree")
    if max(len(weights), len(tree)) > MAX_NODES:
        raise InputError(f"must have at most {MAX_NODES:,} nodes", field="certificate.tree")
    cuts = list_of(fields["cuts"], "certificate.cuts")
    if len(cuts) > MAX_CUTS:
        raise InputError(f"must have at most {MAX_CUTS:,} entries", field="certificate.cuts")
    try:
        read = bins, makespan // bins.unit, cuts, weights
        walk = _PoolWalk(*read, list_of(fields["pool"], "certificate.pool")) if pooled else _Walk(*read)
        walk.check(tree)
    except TooLargeError as error:
        raise InputError(str(error), field="certificate") from error
    return scaled.to_time((makespan // bins.unit + 1) * bins.unit)


def excess(kinds: Sequence[Kind], packings: Sequence[Packing], weights: Sequence[int]) -> int:
    """Return by how much all items weigh more than what fits into all bins and the prices of cuts: above 0, a proof."""
    room = sum(kind.count * one.heaviest(weights) for kind, one in zip(kinds, packings, strict=True))
    items = len(kinds[0].limits) if kinds else len(weights)
    return sum(weights[:items]) - sum(weights[items:]) - room


class _Walk:
    """The walk through a tree of suppositions."""

    def __init__(self, bins: Bins, makespan: int, cuts: Sequence[Any], weights: Sequence[Any]) -> None:
        self.sizes = bins.sizes
        self.kinds = bins.kinds(makespan)
        if any(kind.capacity > MAX_CAPACITY for kind in self.kinds):
            raise TooLargeError(f"a bin's capacity is above {MAX_CAPACITY:,}")
        self.cuts: list[Any] = [self._items(cut, 3, f"certificate.cuts[{index}]") for index, cut in enumerate(cuts)]
        count = len(self.sizes) + len(cuts)
        self.weights = [job_weights(one, count, f"certificate.weights[{index}]") for index, one in enumerate(weights)]
        for index, one in enumerate(self.weights):
            if max(one) > MAX_WEIGHT:
                raise InputError(f"must be at most {MAX_WEIGHT}", field=f"certificate.weights[{index}]")
        self.effort = 0

    def check(self, tree: Sequence[Any]) -> None:
        """Check that every leaf is closed.

        Raises
        ------
        InputError
            If one is not, or the tree is none.
        TooLargeError
            If that takes too much effort.
        """
        open_nodes = [self._root()]
        for index, node in enumerate(tree):
            field = f"certificate.tree[{index}]"
            if not open_nodes:
                raise InputError("the tree ends before", field=field)
            open_nodes += self._follow(node, open_nodes.pop(), field)
        if open_nodes:
            raise InputError("nodes are missing", field="certificate.tree")

    def _root(self) -> Any:
        return (), ()

    def _follow(self, node: Any, place: Any, field: str) -> list[Any]:
        """Return the places that follow, the last one to be walked first."""
        together, apart = place
        if type(node) is int:
            self._close(node, together, apart, field)
            return []
        pair: Any = self._items(node, 2, field)
        if len(together) + len(apart) >= MAX_DEPTH:
            raise InputError(f"is deeper than {MAX_DEPTH}", field=field)
        return [(together, (*apart, pair)), ((*together, pair), apart)]

    def _items(self, node: Any, count: int, field: str) -> tuple[int, ...]:
        items = tuple(list_of(node, field, count))
        for item in items:
            if type(item) is not int or not 0 <= item < len(self.sizes):
                raise InputError("must be the indices of jobs", field=field)
        if len(set(items)) < count:
            raise InputError("must be the indices of different jobs", field=field)
        if not all(kind.uniform for kind in self.kinds):
            raise InputError("pairs and cuts are for bins that do not depend on order", field=field)
        return items

    def _close(self, node: int, together: Sequence[Pair], apart: Sequence[Pair], field: str) -> None:
        if not 0 <= node < len(self.weights):
            raise InputError("must be the index of weights", field=field)
        weights, items = self.weights[node], len(self.sizes)
        cost = 1 if table_type(weights) is np.int64 else LONG
        left = sum(weights[:items]) - sum(weights[items:])
        for kind in self.kinds:  # one after the other: of many items each takes much memory
            self._spend(10 * LINE * (items + len(self.cuts)) + LINE * len(together) * items)
            packing = Packing(self.sizes, kind, together, apart, self.cuts)
            self._spend(packing.effort * cost)
            left -= kind.count * packing.heaviest(weights)
        if left <= 0:
            raise InputError("the weights do not close it", field=field)

    def _spend(self, effort: int) -> None:
        self.effort += effort
        if self.effort > MAX_EFFORT:
            raise TooLargeError("the tree takes too much effort to check")


class _PoolWalk(_Walk):
    """The walk through a tree whose leaves are for the sets of a pool."""

    def __init__(
        self, bins: Bins, makespan: int, cuts: Sequence[Any], weights: Sequence[Any], pool: Sequence[Any]
    ) -> None:
        super().__init__(bins, makespan, cuts, weights)
        listed = self._items(pool, len(pool), "certificate.pool")
        for index, cut in enumerate(self.cuts):
            if not {*cut} <= {*listed}:
                raise InputError("must be of items of the pool", field=f"certificate.cuts[{index}]")
        if not self.weights or not self.kinds:
            raise InputError("a pool needs weights and bins", field="certificate.pool")
        self.pool = Pool(self.sizes, self.kinds, listed, self.weights[0][: len(self.sizes)], self.cuts)

    def _root(self) -> Any:
        return self.pool.all(), 0

    def _follow(self, node: Any, place: Any, field: str) -> list[Any]:
        mask, depth = place
        self._spend(len(self.kinds) * (10 * len(mask) + CALL))
        if type(node) is int:
            weights, values = self._weighed(node, field)
            excess = self.pool.excess(mask, values, weights)
            if excess is not None and excess <= 0:
                raise InputError("the weights do not close this leaf of the pool", field=field)
            return []
        if depth >= MAX_DEPTH:
            raise InputError(f"is deeper than {MAX_DEPTH}", field=field)
        if len(list_of(node, field)) == 1:
            weights, values = self._weighed(node[0], field)
            return [(self.pool.fixed(mask, values, weights), depth + 1)]
        pair: Any = self._items(node, 2, field)
        if not {*pair} <= {*self.pool.listed}:
            raise InputError("must be of items of the pool", field=field)
        return [(self.pool.apart(mask, pair), depth + 1), (self.pool.together(mask, pair), depth + 1)]

    def _weighed(self, node: Any, field: str) -> tuple[list[int], Any]:
        if type(node) is not int or not 0 <= node < len(self.weights):
            raise InputError("must be the index of weights", field=field)
        self._spend(self.pool.effort)
        return self.weights[node], self.pool.weigh(self.weights[node])
