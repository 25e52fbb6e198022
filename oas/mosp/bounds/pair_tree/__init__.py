"""The bound by a tree over pairs of items, for bin packing instances: together in a bin, or apart.

A tree of one node is Gilmore and Gomory's bound; instances without the integer round-up property need branching. The
bound is for jobs of equal times, or of one processor each; see `oas.mosp.bounds.pair_tree.bins`. The certificate is the
tree, with weights at its leaves; `oas.checker.mosp_pair_tree` proves the bound.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError
from oas.mosp.bounds.covering import Covering
from oas.mosp.bounds.pair_tree.bins import bins_of
from oas.mosp.bounds.pair_tree.packing import Diving, fill, suffices
from oas.mosp.bounds.pair_tree.pool_tree import PoolTree, pool_of
from oas.mosp.bounds.searched import RefutingSearch, SearchedBound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.mosp.bounds.covering import Column, Triple
    from oas.mosp.bounds.pair_tree.bins import Kind
    from oas.solvers.isolation.protocol import Session
    from oas.solving.lower_bound import BoundRequest

BOUND = SearchedBound("pair tree", search="oas.mosp.bounds.pair_tree:find_packing")
pair_tree_bound = BOUND

MAX_CELLS = 50_000_000  # items times capacity
DIVES = 6  # number at a makespan before a tree is grown for it
DIVES_ABOVE = 2  # number at each makespan above
MOST_DIVES = 300  # maximum number at a makespan
GREED = 0.7  # of all dives except the first, see `Diving.dive`
TREE_JOBS = 300  # maximum number for trees, whose programs have a row for each job
SLICE = 50  # nodes of a tree between two dives


class PairSearch(RefutingSearch):
    """The search for packings, and for proofs that there is none."""

    def __init__(self, request: BoundRequest, session: Session) -> None:
        bins = bins_of(request.scaled)
        if bins is None:
            raise TooLargeError("the jobs have neither equal times nor one processor each: this is no bin packing")
        super().__init__(request, session, bins.unit)
        self.upper = request.upper // bins.unit
        self.bins, self.random = bins, Random(0)
        self._begun: tuple[Sequence[Kind], Diving | None, Sequence[int]] | None = None  # of the last `_begin`
        capacity = max((kind.capacity for kind in bins.kinds(self.upper)), default=0)
        if len(bins.sizes) * capacity > MAX_CELLS:
            raise TooLargeError(f"items × capacity are {len(bins.sizes) * capacity:,}; at most {MAX_CELLS:,} are taken")

    def run(self) -> dict[str, object]:
        """Refute one makespan after the other until one is attained, as long as there is time."""
        if self.lower < self.upper and self._begin(self.bins.kinds(self.lower))[1]:
            self._halve()
        while self.lower < self.upper and not self.must_stop() and self._settle():
            pass
        return self.found

    def _halve(self) -> None:
        """Refute the greatest makespan that weights refute without a tree, by bisection."""
        least, most = self.lower, self.upper  # makespans below `least` are refuted, `most` is not refuted by weights
        while most - least > 1 and not self.must_stop():
            middle = (least + most) // 2
            diving, weights = self._begin(self.bins.kinds(middle))
            if weights:
                self.lower = middle
                self._refute((), [list(weights)], [0])
                least = middle + 1
            elif diving is not None:
                most = middle
            else:
                break  # the program could not be solved

    def _settle(self) -> bool:
        """Refute or attain the smallest open makespan; return whether it is refuted."""
        kinds = self.bins.kinds(self.lower)
        diving, weights = self._begin(kinds)
        if weights:
            self._refute((), [list(weights)], [0])
        if diving is None:
            return bool(weights)
        if any(self._dive(diving, self.lower, turn) for turn in range(DIVES)):
            return False
        self._dive_above()
        grows = len(self.bins.sizes) <= TREE_JOBS and all(kind.uniform for kind in kinds)
        tree = None
        if grows:  # over the sets that waste little, unless these are too many
            weights = fill(diving.master, self.bins.sizes, kinds, self.must_stop, best=True).weights
            pool = pool_of(self.bins.sizes, kinds, weights)
            tree = None if pool is None else PoolTree(pool, weights, diving.master.columns, self.must_stop)
        for turn in range(DIVES, MOST_DIVES):
            if tree is not None and not tree.grow(SLICE):
                if tree.packed is not None:
                    self._pack(self.lower, tree.packed)
                    return False
                if tree.refuted:
                    self._refute(tree.cuts, tree.weights, tree.nodes, tree.pool.listed)
                    return True
                tree = None
            if self.must_stop() or self._dive(diving, self.lower, turn):
                return False
        return False

    def _begin(self, kinds: Sequence[Kind]) -> tuple[Diving | None, Sequence[int]]:
        """Return a start for dives, or weights that refute the makespan; neither if the search must stop."""
        if self._begun is not None and self._begun[0] == kinds:
            return self._begun[1:]
        sizes = self.bins.sizes
        if not kinds:
            return None, [1] * len(sizes)
        row_of: dict[object, int] = {}
        keys = [(size, *(kind.limits[item] for kind in kinds)) for item, size in enumerate(sizes)]
        rows = [row_of.setdefault(key, len(row_of)) for key in keys]
        demands = [0.0] * len(row_of)
        for row in rows:
            demands[row] += 1
        master = Covering(rows, demands, [(kind.count, 0.0) for kind in kinds])
        for number, kind in enumerate(kinds):
            master.add((number, (item,)) for item, size in enumerate(sizes) if size <= kind.limits[item])
        proven = fill(master, sizes, kinds, self.must_stop)
        diving = Diving(master, sizes, kinds, self.must_stop, self.random) if suffices(proven) else None
        self._begun = kinds, diving, proven.weights if proven.value > 1 else ()
        return self._begun[1:]

    def _dive(self, diving: Diving, makespan: int, turn: int) -> bool:
        """Dive; return whether all items were packed."""
        packed = diving.dive(1.0 if turn == 0 else GREED)
        if packed is not None:
            self._pack(makespan, packed)
        return packed is not None

    def _dive_above(self) -> None:
        """Search for packings at greater makespans, which are easier."""
        makespan, step = self.lower + 1, 1
        while makespan < self.upper and not self.must_stop():
            diving, _ = self._begin(self.bins.kinds(makespan))
            if diving is not None and any(self._dive(diving, makespan, turn) for turn in range(DIVES_ABOVE)):
                return
            makespan, step = makespan + step, 2 * step

    def _pack(self, makespan: int, packed: Sequence[Column]) -> None:
        """Report a packing."""
        self.upper = makespan
        runs = self.bins.runs(makespan, packed)
        self.attain([(run.job, run.cluster, run.start) for run in runs])

    def _refute(
        self,
        cuts: Sequence[Triple],
        weights: list[list[int]],
        tree: list[int | list[int]],
        pool: Sequence[int] | None = None,
    ) -> None:
        """Report the proof that the smallest makespan is infeasible."""
        certificate = {
            "makespan": self.lower * self.unit,
            "cuts": [list(cut) for cut in cuts],
            "weights": weights,
            "tree": tree,
        } | ({} if pool is None else {"pool": list(pool)})
        self.refute(self.lower, certificate)


find_packing = PairSearch.start
