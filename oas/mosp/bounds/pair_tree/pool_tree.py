"""Branching on pairs within a pool: no set is missing, so pricing looks up a list (worker side).

If the values of the program are no packing, some pair of items shares a set fractionally. The branches put its items
into one bin, or apart (Ryan and Foster, *An integer programming approach to scheduling*, 1981). Of several pairs with
fractions near one half, strong branching selects the one that leaves the fewest sets. Each node drops the sets that
waste more than the gap by its weights.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.core.errors import TooLargeError
from oas.mosp.bounds.covering import SCALE, Covering, broken_cuts, split_pairs
from oas.mosp.bounds.pair_tree.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oas.mosp.bounds.covering import Column, Pair, Triple
    from oas.mosp.bounds.pair_tree.bins import Kind

# Limits of a certificate. The effort is in cells of the tables that close its leaves, some fifteen seconds.
MAX_NODES = 20_000
MAX_DEPTH = 200
MAX_CUTS = 200
MAX_EFFORT = 15_000_000_000
_WHOLE = 1e-6
_NOISE = 1e-9
ROOT_CUTTING, CUTTING = 30, 2  # rounds of cuts at the root and at any other node
CUTS_A_ROUND = 20
COLUMNS_A_ROUND = 60
BROKEN = 0.02
MOST_FIXES = ROOT_CUTTING + 2  # maximum number of nodes that `_grow` adds for one open node
TRIED = 8  # maximum number of pairs for strong branching at each node
LISTED = 0.5  # minimum fraction of the items that a pool lists
FIXES = 0.02  # weights are kept if they drop more than this fraction of the sets
# Scales for the greatest weight of a leaf and of weights that drop sets; the smallest that is a proof is used.
SHORT, SHORT_FIXING = (2**12, 2**18, 2**28), 2**30


def pool_of(sizes: Sequence[int], kinds: Sequence[Kind], weights: Sequence[int]) -> Pool | None:
    """Return the pool that lists as many of the largest items as possible; None if these are too few."""
    order = sorted(range(len(sizes)), key=lambda item: -sizes[item])
    pool, least, most = None, int(len(sizes) * LISTED), len(sizes)
    while least <= most:
        middle = most if pool is None and most == len(sizes) else (least + most) // 2
        try:
            pool, least = Pool(sizes, kinds, order[:middle], weights), middle + 1
        except TooLargeError:
            most = middle - 1
    return pool


class PoolTree:
    """A tree that packs the items or proves that they do not fit.

    `pool`: without cuts. `weights`: with which it was enumerated. `columns`: initial sets; sets outside the pool are
    ignored.

    Attributes: `packed`: the bins, if all items are packed. `cuts`, `weights`, `nodes`: of the certificate, complete if
    `refuted`.
    """

    def __init__(
        self, pool: Pool, weights: Sequence[int], columns: Iterable[Column], must_stop: Callable[[], bool]
    ) -> None:
        self.pool, self.must_stop = pool, must_stop
        self.counts = [kind.count for kind in pool.kinds]
        count = len(pool.sizes)
        self.master = Covering(range(count), [1.0] * count, [(bins, 0.0) for bins in self.counts])
        self.packed: list[Column] | None = None
        self.cuts: list[Triple] = []
        self.weights = [list(weights)]
        self.nodes: list[int | list[int]] = []
        self.effort = 0
        self._set_of: list[int] = []  # index in the pool of each column's set
        self._values: Any = None  # of the sets, by the last weights
        self._open: list[tuple[Any, int]] = [(np.ones(len(pool.holds), dtype=bool), 0)]
        self._places = {
            (int(kind), row.tobytes()): index
            for index, (kind, row) in enumerate(zip(pool.kind_of, pool.holds, strict=True))
        }
        self._add(columns)

    @property
    def refuted(self) -> bool:
        """Whether every leaf is closed."""
        return not self._open and self.packed is None

    def grow(self, nodes: int) -> bool:
        """Extend the tree by up to `nodes` nodes; return whether it is unfinished and can be continued."""
        nodes += len(self.nodes)
        while self._open and self.packed is None:
            mask, depth = self._open[-1]
            if len(self.nodes) + MOST_FIXES >= MAX_NODES or self.effort > MAX_EFFORT or depth + MOST_FIXES >= MAX_DEPTH:
                return False
            if len(self.nodes) >= nodes:
                return True
            if not self._grow(mask, depth):
                return False
        return False

    def _grow(self, mask: Any, depth: int) -> bool:
        """Close a node, branch on it, or find a packing; return whether any of these succeeded."""
        for _ in range(1 + (CUTTING if self.nodes else ROOT_CUTTING)):
            weights = self._solve(mask)
            if weights is None:
                return False
            values = self._values
            excess = self.pool.excess(mask, values, weights)
            if excess is None or excess > 0:
                self.nodes.append(0 if excess is None else self._keep(mask, weights))
                self.effort += self.pool.effort
                self._open.pop()
                return True
            short = _shortened(weights, SHORT_FIXING)
            left = self.pool.fixed(mask, self.pool.weigh(short), short)
            if left.sum() < (1 - FIXES) * mask.sum():
                self.nodes.append([len(self.weights)])
                self.weights.append(short)
                self.effort += self.pool.effort
                mask, depth = left, depth + 1
                self._open[-1] = mask, depth
            if not self._cut():
                break
        pair = self._pair(mask)
        if pair is None:
            self.packed = self._packing()
            return self.packed is not None
        self.nodes.append(list(pair))
        self._open[-1:] = [
            (self.pool.apart(mask, pair), depth + 1),
            (self.pool.together(mask, pair), depth + 1),
        ]
        return True

    def _solve(self, mask: Any) -> tuple[int, ...] | None:
        """Generate sets until none is missing or the bins do not suffice; return the weights, None if it must stop."""
        for index, place in enumerate(self._set_of):
            self.master.bound(index, 0, math.inf if mask[place] else 0)
        while not self.must_stop():
            _, duals, rooms = self.master.solve()
            scale = SCALE / max(1.0, *duals)  # duals exceed 1 if the pool does not cover some items
            weights = tuple(max(0, math.floor(dual * scale)) for dual in duals)
            self._values = values = self.pool.weigh(weights)
            excess = self.pool.excess(mask, values, weights)
            if excess is None or excess > 0:
                return weights
            limits = np.array([math.ceil(room * scale + _NOISE * SCALE) for room in rooms])
            better = np.flatnonzero(mask & (values > limits[self.pool.kind_of]))
            if not len(better):
                return weights
            best = better[np.argsort(-(values - limits[self.pool.kind_of])[better], kind="stable")]
            if not self._add(self.pool.filled(best[:COLUMNS_A_ROUND].tolist(), weights)):
                return weights
        return None

    def _add(self, columns: Iterable[Column]) -> bool:
        """Add sets of the pool; return whether any is new."""
        new = False
        for kind, items in columns:
            row = np.zeros(len(self.pool.listed), dtype=bool)
            row[[self.pool.place[item] for item in items if item in self.pool.place]] = True
            place = self._places.get((kind, row.tobytes()))
            if place is not None and self.master.add([(kind, items)]):
                self._set_of += [place] * (len(self.master.columns) - len(self._set_of))
                new = True
        return new

    def _cut(self) -> bool:
        """Add the cuts that the values violate most; return whether there are any."""
        broken = broken_cuts(self._used(), BROKEN)
        broken = broken[: min(CUTS_A_ROUND, MAX_CUTS - len(self.cuts))]
        for cut in broken:
            self.master.cut(cut)
            self.pool.cut(cut)
        self.cuts += broken
        for row in self.weights:
            row += [0] * len(broken)
        return bool(broken)

    def _used(self) -> list[tuple[tuple[int, ...], float]]:
        """Return the listed items of the sets in use, with their values."""
        return [
            (tuple(item for item in jobs if item in self.pool.place), amount)
            for (_, jobs), amount in zip(self.master.columns, self.master.values, strict=True)
            if amount > _WHOLE
        ]

    def _pair(self, mask: Any) -> Pair | None:
        """Return the pair to branch on; None if the values are a packing of the listed items."""
        split = split_pairs(self._used())
        sizes = self.pool.sizes
        even = sorted(split, key=lambda pair: (-split[pair], pair))
        great = sorted(split, key=lambda pair: (-split[pair] * (sizes[pair[0]] + sizes[pair[1]]), pair))
        tried = list(dict.fromkeys((*even[: TRIED // 2], *great[: TRIED // 2])))
        if len(tried) < 2:
            return tried[0] if tried else None
        return min(tried, key=lambda pair: self._left(self.pool.together(mask, pair), self.pool.apart(mask, pair)))

    def _left(self, *sides: Any) -> float:
        """Return a measure of the sets that remain if a pair is branched on; smaller is better."""
        amount = 0.0
        for side in sides:
            weights = self._solve(side)
            count = 0 if weights is None else int(self.pool.fixed(side, self._values, weights).sum())
            amount += math.log(1 + count)
        return amount

    def _keep(self, mask: Any, weights: Sequence[int]) -> int:
        """Store weights that close a node, shortened as far as possible; return their index."""
        for scale in SHORT:
            short = _shortened(weights, scale)
            excess = self.pool.excess(mask, self.pool.weigh(short), short)
            if excess is not None and excess > 0:
                break
        else:
            short = list(weights)
        self.weights.append(short)
        return len(self.weights) - 1

    def _packing(self) -> list[Column] | None:
        """Return the packing of the listed items by the values, with the other items added; None if they do not fit."""
        pool = self.pool
        amounts: dict[tuple[int, ...], float] = defaultdict(float)
        kinds_of: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for (kind, jobs), amount in zip(self.master.columns, self.master.values, strict=True):
            if amount > _WHOLE:
                block = tuple(item for item in jobs if item in pool.place)
                amounts[block] += amount
                kinds_of[block].append(kind)
        left = set(pool.listed)
        choices, blocks = [], []
        for jobs in sorted(amounts, key=lambda jobs: -amounts[jobs]):
            block = tuple(item for item in jobs if item in left)
            if block:
                blocks.append(block)
                choices.append(kinds_of[jobs])
                left -= {*block}
        chosen = None if left else assigned(choices, self.counts)
        if chosen is None:
            return None
        bins = [(kind, list(block)) for kind, block in zip(chosen, blocks, strict=True)]
        for number, count in enumerate(self.counts):
            bins += [(number, []) for _ in range(count - chosen.count(number))]
        room = [pool.kinds[kind].capacity - sum(pool.sizes[item] for item in items) for kind, items in bins]
        for item in sorted(pool.others, key=lambda item: -pool.sizes[item]):
            fits = [
                (room[place], place)
                for place, (kind, _) in enumerate(bins)
                if pool.sizes[item] <= min(room[place], pool.kinds[kind].limits[item])
            ]
            if not fits:
                return None
            place = min(fits)[1]
            bins[place][1].append(item)
            room[place] -= pool.sizes[item]
        return [(kind, tuple(items)) for kind, items in bins if items]


def _shortened(weights: Sequence[int], scale: int) -> list[int]:
    most = max(1, *weights)
    return [weight * scale // most for weight in weights] if most > scale else list(weights)


def assigned(choices: Sequence[Sequence[int]], counts: Sequence[int]) -> list[int] | None:
    """Return one choice for each entry, none used more often than its count; None if there is no such assignment."""
    taken: list[list[int]] = [[] for _ in counts]

    def place(entry: int, seen: set[int]) -> bool:
        for kind in choices[entry]:
            if kind in seen:
                continue
            seen.add(kind)
            if len(taken[kind]) < counts[kind]:
                taken[kind].append(entry)
                return True
            for index, holder in enumerate(taken[kind]):
                if place(holder, seen):
                    taken[kind][index] = entry
                    return True
        return False

    if not all(place(entry, set()) for entry in range(len(choices))):
        return None
    choice_of = [0] * len(choices)
    for kind, entries in enumerate(taken):
        for entry in entries:
            choice_of[entry] = kind
    return choice_of
