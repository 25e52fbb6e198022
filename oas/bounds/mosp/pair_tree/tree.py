"""Branching on pairs of items, together or apart, until bins are packed or refuted (worker side).

Ryan and Foster, *An integer programming approach to scheduling*, 1981: where the values of the program are no packing,
there is a pair that is in one set in part.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from oas.bounds.mosp.pair_tree.cuts import broken_cuts
from oas.bounds.mosp.pair_tree.generation import Generated, fill
from oas.bounds.mosp.pair_tree.master import Master
from oas.bounds.mosp.pair_tree.packing import Packing
from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oas.bounds.mosp.covering import Column
    from oas.bounds.mosp.pair_tree.bins import Kind
    from oas.bounds.mosp.pair_tree.packing import Pair, Triple

# Of a certificate. The effort is in cells of the tables that close its leaves, some fifteen seconds.
MAX_NODES = 20_000
MAX_DEPTH = 200
MAX_CUTS = 200
MAX_EFFORT = 15_000_000_000
_WHOLE = 1e-6
ROOT_CUTTING, CUTTING = 12, 3  # rounds of cuts at the root and at any other node
CUTS_A_ROUND = 8
BROKEN = 0.05
MOST_OPTIONS = 5_000  # of the components that cuts make; the more, the longer every pricing takes
SHORT = (2**8, 2**12, 2**18, 2**28)  # what the greatest weight of a leaf is to be; the least that is a proof is kept
RECENT = 3  # weights that closed leaves, tried first

Node = tuple[tuple["Pair", ...], tuple["Pair", ...]]


class PairTree:
    """A tree that packs the items or proves that they do not fit.

    Attributes
    ----------
    packed
        The bins, if it has found some for all items.
    weights, nodes
        Of the certificate, complete once `refuted`.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        kinds: Sequence[Kind],
        columns: Iterable[Column],
        must_stop: Callable[[], bool],
    ) -> None:
        self.sizes, self.kinds, self.must_stop = sizes, kinds, must_stop
        self.counts = [kind.count for kind in kinds]
        self.master = Master(range(len(sizes)), [1.0] * len(sizes), self.counts)
        self.master.add(columns)
        self.packed: list[Column] | None = None
        self.weights: list[list[int]] = []
        self.nodes: list[int | list[int]] = []
        self.cuts: list[Triple] = []
        self.effort = 0
        self._open: list[Node] = [((), ())]

    @property
    def refuted(self) -> bool:
        """Whether every leaf is closed."""
        return not self._open and self.packed is None

    def grow(self, nodes: int) -> None:
        """Grow the tree by so many nodes, or until it is closed, has found a packing, is too large, or must stop."""
        nodes += len(self.nodes)
        while self._open and self.packed is None and len(self.nodes) < nodes and not self.must_stop():
            if len(self.nodes) >= MAX_NODES or self.effort > MAX_EFFORT:
                return
            together, apart = self._open[-1]
            if len(together) + len(apart) >= MAX_DEPTH or not self._grow(together, apart):
                return

    def _grow(self, together: tuple[Pair, ...], apart: tuple[Pair, ...]) -> bool:
        """Close a node, branch on it, or find a packing; return whether any could be done."""
        for turn in range(ROOT_CUTTING if not together and not apart else CUTTING):
            try:
                packings = self._packings(together, apart, self.cuts, MOST_OPTIONS * 2)
            except TooLargeError:
                return False
            closing = self._known(packings) if turn == 0 else None
            if closing is None:
                self._allow(together, apart)
                found = self._fill(packings)
                if found.weights:
                    closing = self._keep(packings, found.weights)
                elif not found.suffices:
                    return False
            if closing is not None:
                self.effort += sum(one.effort for one in packings)
                self.nodes.append(closing)
                self._open.pop()
                return True
            if not self._cut(together, apart):
                break
        pair = self._pair(together, apart)
        if pair is None:
            self.packed = self._packing()
            return self.packed is not None
        self.nodes.append(list(pair))
        self._open[-1:] = [(together, (*apart, pair)), ((*together, pair), apart)]
        return True

    def _fill(self, packings: Sequence[Packing]) -> Generated:
        """Generate sets until the bins suffice, or weights prove that they do not."""
        return fill(self.master, packings, self.counts, self.must_stop)

    def _packings(
        self, together: Sequence[Pair], apart: Sequence[Pair], cuts: Sequence[Triple], most: int
    ) -> list[Packing]:
        return [Packing(self.sizes, kind, together, apart, cuts, most) for kind in self.kinds]

    def _cut(self, together: Sequence[Pair], apart: Sequence[Pair]) -> bool:
        """Add the cuts that the values break most; return whether there are any, and pricing can take them."""
        if len(self.cuts) >= MAX_CUTS:
            return False
        used = zip((jobs for _, jobs in self.master.columns), self.master.values, strict=True)
        broken = broken_cuts((one for one in used if one[1] > _WHOLE), BROKEN)[:CUTS_A_ROUND]
        broken = broken[: MAX_CUTS - len(self.cuts)]
        while broken:
            try:
                self._packings(together, apart, [*self.cuts, *broken], MOST_OPTIONS)
            except TooLargeError:
                broken = broken[: len(broken) // 2]
                continue
            for cut in broken:
                self.master.cut(cut)
            self.cuts += broken
            for one in self.weights:
                one += [0] * len(broken)
            return True
        return False

    def _known(self, packings: Sequence[Packing]) -> int | None:
        """The index of recent weights that close the node."""
        for index in range(len(self.weights) - 1, max(-1, len(self.weights) - 1 - RECENT), -1):
            if excess(self.kinds, packings, self.weights[index]) > 0:
                return index
        return None

    def _keep(self, packings: Sequence[Packing], weights: Sequence[int]) -> int:
        """Keep weights that close a node, shortened as far as they still do; return their index."""
        most = max(weights)
        for scale in SHORT:
            short = [weight * scale // most for weight in weights]
            if scale < most and excess(self.kinds, packings, short) > 0:
                break
        else:
            short = list(weights)
        self.weights.append(short)
        return len(self.weights) - 1

    def _allow(self, together: Sequence[Pair], apart: Sequence[Pair]) -> None:
        """Forbid the columns that break what is supposed of pairs."""
        for index, (_, jobs) in enumerate(self.master.columns):
            fits = all((one in jobs) == (other in jobs) for one, other in together) and not any(
                one in jobs and other in jobs for one, other in apart
            )
            self.master.bound(index, 0, math.inf if fits else 0)

    def _pair(self, together: Sequence[Pair], apart: Sequence[Pair]) -> Pair | None:
        """The pair to branch on: in one set in part, and of great size; None where the values are a packing."""
        parts: dict[Pair, float] = defaultdict(float)
        for (_, jobs), amount in zip(self.master.columns, self.master.values, strict=True):
            if amount > _WHOLE:
                for place, one in enumerate(jobs):
                    for other in jobs[place + 1 :]:
                        parts[one, other] += amount
        best, chosen = 0.0, None
        for pair, part in parts.items():
            if _WHOLE < part < 1 - _WHOLE:
                score = self.score(pair, part)
                if score > best:
                    best, chosen = score, pair
        return chosen

    def score(self, pair: Pair, part: float) -> float:
        """How good a pair is to branch on."""
        return (self.sizes[pair[0]] + self.sizes[pair[1]]) * min(part, 1 - part)

    def _packing(self) -> list[Column] | None:
        """The packing that the values are, where no pair is in one set in part; None if they are none after all.

        Sets may still be of several kinds in part. Then each can be of one: it is a flow.
        """
        amounts: dict[tuple[int, ...], float] = defaultdict(float)
        kinds_of: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for (kind, jobs), amount in zip(self.master.columns, self.master.values, strict=True):
            if amount > _WHOLE:
                amounts[jobs] += amount
                kinds_of[jobs].append(kind)
        left = set(range(len(self.sizes)))
        blocks: list[tuple[int, ...]] = []
        choices: list[list[int]] = []
        for jobs in sorted(amounts, key=lambda jobs: -amounts[jobs]):
            own = tuple(item for item in jobs if item in left)
            if own:
                blocks.append(own)
                choices.append(kinds_of[jobs])
                left -= set(own)
        chosen = assigned(choices, self.counts)
        return None if left or chosen is None else list(zip(chosen, blocks, strict=True))


def excess(kinds: Sequence[Kind], packings: Sequence[Packing], weights: Sequence[int]) -> int:
    """Return by how much all items weigh more than what fits into all bins and the prices of cuts: above 0, a proof."""
    room = sum(kind.count * one.heaviest(weights) for kind, one in zip(kinds, packings, strict=True))
    items = len(kinds[0].limits) if kinds else len(weights)
    return sum(weights[:items]) - sum(weights[items:]) - room


def assigned(choices: Sequence[Sequence[int]], counts: Sequence[int]) -> list[int] | None:
    """Return for each entry one of its choices, none taken more often than it counts; None if that cannot be."""
    taken: list[list[int]] = [[] for _ in counts]

    def place(entry: int, seen: set[int]) -> bool:
        for kind in choices[entry]:
            if kind in seen:
                continue
            seen.add(kind)
            if len(taken[kind]) < counts[kind]:
                taken[kind].append(entry)
                return True
            for index, other in enumerate(taken[kind]):
                if place(other, seen):
                    taken[kind][index] = entry
                    return True
        return False

    if not all(place(entry, set()) for entry in range(len(choices))):
        return None
    found = [0] * len(choices)
    for kind, entries in enumerate(taken):
        for entry in entries:
            found[entry] = kind
    return found
