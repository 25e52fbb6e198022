"""Column generation and best-first branching on levels (worker side).

Nothing here is trusted: every bound is Farley's, from duals rounded to integers and priced exactly.
"""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass, field
from math import floor
from typing import TYPE_CHECKING, NamedTuple

from oas.bounds.coallocation.configurations.certificate import Allowed, every_mode, longest, quotient
from oas.bounds.coallocation.configurations.master import Master
from oas.bounds.coallocation.configurations.modes import job_modes
from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.configurations.pricing import heaviest

if TYPE_CHECKING:
    from oas.bounds.coallocation.configurations.search import Search
    from oas.solvers.session import Session

MAX_LEAVES = 6_000
# Weights in the certificate: leaves times modes.
MAX_WEIGHTS = 400_000
# Duals lie in [0, 1]: floats tell them apart to some 2^-50, and rounding costs the bound at most jobs·ticks / SCALE.
SCALE = 2**46
# A set that weighs this much more than a whole is a column worth adding; less is noise of the linear program.
_NOISE = 2**16
# z within this of 0 or 1 is taken to be there.
_FRACTION = 1e-6
# Jobs whose branches are looked at before one of them is taken.
CANDIDATES = 6


class _Split(NamedTuple):
    """A job and two parts of its modes."""

    job: int
    low: frozenset[int]
    high: frozenset[int]


@dataclass(eq=False)
class _Node:
    """A node of the tree: what it proves, by which weights, no set weighing more than `capacity`.

    `splits` are the jobs that z leaves between their modes, the least whole first; None before the node is solved.
    """

    allowed: Allowed
    bound: int
    weights: list[list[int]]
    capacity: int
    splits: list[_Split] | None = None
    taken: _Split | None = None
    children: list[_Node] = field(default_factory=list)


def generate(search: Search, session: Session) -> dict[str, object]:
    """Return the certificate, the weights of its root and the seconds of pricing; also streamed as the bound grows."""
    return _Generation(search, session).run()


class _Generation:
    def __init__(self, search: Search, session: Session) -> None:
        self.upper = search.upper
        self.session = session
        self.modes = job_modes(search.scaled)
        self.packing = Packing(search.scaled)
        self.master = Master(self.modes)
        self.told = 0
        self.pricing_seconds = 0.0

    def run(self) -> dict[str, object]:
        """Root first, then whatever open node bounds least."""
        allowed = every_mode(self.modes)
        zeros = [[0] * len(row) for row in self.modes]
        self.root = _Node(allowed, longest(self.modes, allowed), zeros, 0)
        most = min(MAX_LEAVES, MAX_WEIGHTS // sum(map(len, self.modes)))
        heap = [(self.root.bound, 0, self.root)]
        count = 1
        while True:
            bound, serial, node = heap[0]
            self._tell(bound)
            if bound >= self.upper or (node is not self.root and self._must_stop()):
                return self._answer(bound)
            if node.splits is None:
                self._solve(node)
                heapq.heapreplace(heap, (node.bound, serial, node))
                continue
            if not node.splits or count >= most or self._must_stop():
                return self._answer(bound)
            heapq.heappop(heap)
            for child in self._branch(node):
                count += 1
                heapq.heappush(heap, (child.bound, count, child))

    def _tell(self, bound: int) -> None:
        if bound > self.told:
            self.told = bound
            self.session.partial(self._answer(bound))
            self.session.progress(bound, None)

    def _must_stop(self) -> bool:
        return self.session.stop.requested or self.session.time_is_up

    def _answer(self, bound: int) -> dict[str, object]:
        return {
            "certificate": {"tree": self._preorder(bound)},
            "root": self.root.weights,
            "pricing_seconds": self.pricing_seconds,
        }

    def _preorder(self, bound: int) -> list[dict[str, object]]:
        """The tree as a list; below a node that proves `bound` by itself nothing is needed."""
        listed: list[dict[str, object]] = []
        stack = [self.root]
        while stack:
            node = stack.pop()
            if not node.children or node.bound >= bound:
                listed.append({"weights": node.weights})
                continue
            assert node.taken is not None
            job, *parts = node.taken
            levels = [[self.modes[job][index].level for index in sorted(part)] for part in parts]
            listed.append({"job": job, "parts": levels})
            stack += reversed(node.children)
        return listed

    def _branch(self, node: _Node) -> list[_Node]:
        node.taken = job, *parts = self._best_split(node)
        for part in parts:
            allowed = (*node.allowed[:job], part, *node.allowed[job + 1 :])
            weights = [
                row if own != job else [w * (i in part) for i, w in enumerate(row)]
                for own, row in enumerate(node.weights)
            ]
            # Fewer choices: what the parent proves still holds, and its weights may prove more.
            bound = max(node.bound, longest(self.modes, allowed), quotient(self.modes, allowed, weights, node.capacity))
            node.children.append(_Node(allowed, bound, weights, node.capacity))
        return node.children

    def _best_split(self, node: _Node) -> _Split:
        """The split whose weaker part the columns known so far bound best."""
        assert node.splits
        best, most = node.splits[0], (-1.0, -1.0)
        if len(node.splits) > 1:
            for split in node.splits[:CANDIDATES]:
                job = split.job
                values = [
                    self.master.solve((*node.allowed[:job], part, *node.allowed[job + 1 :]))[0]
                    for part in (split.low, split.high)
                ]
                gain = (min(values), max(values))
                if gain > most:
                    best, most = split, gain
        return best

    def _solve(self, node: _Node) -> None:
        """Generate columns until the bound reaches `upper`, the linear program is solved, or time is up."""
        node.splits = []
        while node.bound < self.upper:
            _, duals, chosen = self.master.solve(node.allowed)
            weights = [
                [max(0, floor(dual * SCALE)) if index in kept else 0 for index, dual in enumerate(row)]
                for row, kept in zip(duals, node.allowed, strict=True)
            ]
            began = time.monotonic()
            found = heaviest(self.packing, self.modes, weights, floor=SCALE + _NOISE, stop=self._must_stop)
            self.pricing_seconds += time.monotonic() - began
            bound = quotient(self.modes, node.allowed, weights, found.weight)
            if bound > node.bound or not any(map(any, node.weights)):
                node.bound, node.weights, node.capacity = max(bound, node.bound), weights, found.weight
                if node is self.root:
                    self._tell(bound)
            node.splits = self._undecided(node.allowed, chosen)
            if self._must_stop():
                return
            if found.weight <= SCALE + _NOISE or not self.master.add(found.sets):
                return

    def _undecided(self, allowed: Allowed, chosen: list[list[float]]) -> list[_Split]:
        """The jobs whose choice of modes is not whole, the least whole first, split below and above their mean."""
        found = []
        for job, kept in enumerate(allowed):
            fraction = max(min(chosen[job][index], 1 - chosen[job][index]) for index in kept)
            if len(kept) > 1 and fraction > _FRACTION:
                mean = sum(index * chosen[job][index] for index in kept)
                low = frozenset(index for index in kept if index <= mean)
                if not low or low == kept:
                    low = kept - {max(kept)}
                found.append((-fraction, job, _Split(job, low, kept - low)))
        return [split for *_, split in sorted(found, key=lambda one: one[:2])]
