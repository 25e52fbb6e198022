"""Column generation and best-first branching on levels (worker side).

No solver is trusted: every bound is Farley's, from duals rounded to integers and priced exactly.

The root starts with simple weights and with the sets of simple schedules.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, NamedTuple

from oas.coallocation.bounds.configurations import Allowed, every_mode, job_modes, leaf, longest, quotient
from oas.coallocation.bounds.configurations.master import LevelMaster, apart_weights, first_columns, spread_weights
from oas.coallocation.bounds.configurations.packing import Packing
from oas.coallocation.bounds.configurations.pricing import HeaviestSet, heaviest
from oas.lp.generation import generate_columns
from oas.lp.tree import BestFirstTree, Node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.coallocation.bounds.configurations.packing import Item
    from oas.solvers.isolation.protocol import Session
    from oas.solving.lower_bound import BoundRequest

MAX_LEAVES = 6_000
MAX_WEIGHTS = 400_000  # in the certificate: leaves times modes
# Duals lie in [0, 1] with a resolution of about 2^-50; rounding costs the bound at most jobs·ticks / SCALE.
SCALE = 2**46
# A set that weighs more than this is a column worth adding; smaller excesses over 1 are numerical noise.
_HEAVY = SCALE + 2**16
_TILT = 0.3  # greatest relative increase of the jobs' times for alternative weights of the root
_FRACTION = 1e-6  # a z within this distance of 0 or 1 counts as integral
_ROUNDING = 1e-9  # relative tolerance within which the value of a program equals a bound
BRANCHED_JOBS = 128  # with more jobs there is no branching, and no search that could use alternative weights
FEW_SETS = 2_000  # maximum number of sets in the search for a lower capacity
CANDIDATES = 6  # number of jobs whose branches are evaluated before one of them is chosen


class _Split(NamedTuple):
    """A job and two parts of its modes."""

    job: int
    parts: tuple[frozenset[int], frozenset[int]]


@dataclass(eq=False, kw_only=True)
class _Node(Node):
    """A tree node; `bound` is in ticks."""

    allowed: Allowed  # the modes that the jobs still have
    # value, weights, capacity: Farley's bound with its proof: no set weighs more than `capacity`
    value: Fraction
    weights: list[list[int]]
    capacity: int
    # Splits of the jobs with fractional z, the most fractional first; None before the node is solved.
    splits: list[_Split] | None = None


def generate(request: BoundRequest, session: Session) -> dict[str, object]:
    """Return the certificate and the data of `ConfigurationBound`; also streamed as the bound grows."""
    generation = _Generation(request, session)
    last = generation.run()
    answer = generation.answer(last)
    session.partial(answer)
    session.progress(last.bound, None)
    duals = []
    for dual in (answer["root"], *answer["alternatives"]):  # a short search may prove a lower capacity
        most = heaviest(generation.packing, generation.modes, dual["weights"], limit=FEW_SETS).weight
        duals.append(leaf(dual["weights"], min(dual["capacity"], most)))
    return answer | {"root": duals[0], "alternatives": duals[1:]}


class _Generation(BestFirstTree[_Node, _Split, Allowed]):
    def __init__(self, request: BoundRequest, session: Session) -> None:
        self.session, self.wanted = session, request.alternatives
        self.modes = job_modes(request.scaled)
        self.packing = Packing(request.scaled)
        self.master = LevelMaster(self.modes)
        self.start: list[float] = []  # weights of the root, in the scale of duals
        self.alternatives: list[dict[str, object]] = []
        self.told, self.tell_after = 0, 0.0
        most = min(MAX_LEAVES, MAX_WEIGHTS // sum(map(len, self.modes)))
        if len(self.modes) > BRANCHED_JOBS:
            self.wanted, most = 0, 1
        allowed, zeros = every_mode(self.modes), [[0] * len(row) for row in self.modes]
        root = _Node(bound=longest(self.modes, allowed), allowed=allowed, value=Fraction(0), weights=zeros, capacity=0)
        super().__init__(root, request.upper, most, session.must_stop)

    def run(self) -> _Node:
        """Price simple weights of the root, and search; return the last open node."""
        self.report(self.root)
        if self.root.bound < self.upper:
            self.start = self._begin()
        return super().run()

    def improve(self, node: _Node) -> bool:
        """Generate columns once for each node, and alternatives for the root."""
        if node.splits is not None:
            return False
        self._solve(node, self.start if node is self.root else ())
        if node is self.root and node.bound < self.upper:
            self._find_alternatives(self.wanted)
        return True

    def report(self, node: _Node) -> None:
        """Report the current answer to the parent process; with very many jobs in at most a tenth of the time."""
        began = time.monotonic()
        if node.bound > self.told and began >= self.tell_after:
            self.told = node.bound
            self.session.partial(self.answer(node))
            self.session.progress(node.bound, None)
            if len(self.modes) > BRANCHED_JOBS:
                now = time.monotonic()
                self.tell_after = now + 10 * (now - began)

    def answer(self, node: _Node) -> dict[str, Any]:
        """Return the certificate and the data of the search when `node` is the open node with the least bound."""
        return {
            "certificate": {"tree": self.preorder(node.bound)},
            "root": leaf(self.root.weights, self.root.capacity),
            "alternatives": self.alternatives,
        }

    def leaf_document(self, node: _Node) -> dict[str, object]:
        return leaf(node.weights, node.capacity)

    def split_document(self, split: _Split) -> dict[str, object]:
        levels = [[self.modes[split.job][index].level for index in sorted(part)] for part in split.parts]
        return {"job": split.job, "parts": levels}

    def parts(self, node: _Node, split: _Split) -> list[Allowed]:
        return [(*node.allowed[: split.job], part, *node.allowed[split.job + 1 :]) for part in split.parts]

    def child(self, node: _Node, part: Allowed) -> _Node:
        """Return a node for a part: with fewer choices the parent's bound is valid, and its weights may prove more."""
        weights = [
            [weight * (index in indices) for index, weight in enumerate(row)]
            for row, indices in zip(node.weights, part, strict=True)
        ]
        value = quotient(self.modes, part, weights, node.capacity)
        bound = max(node.bound, longest(self.modes, part), ceil(value))
        return _Node(bound=bound, allowed=part, value=value, weights=weights, capacity=node.capacity)

    def estimate(self, part: Allowed) -> float:
        return self.master.solve(part)[0]

    def find_split(self, node: _Node) -> _Split | None:
        """Return the strongest of the most fractional splits; None if the choice of modes is integral."""
        return self.strongest(node, node.splits[:CANDIDATES]) if node.splits else None

    def _begin(self) -> list[float]:
        """Give the root the better one of two simple weights, and the program the sets of simple schedules.

        Returns the weights in the scale of duals.
        """
        self._offer(self.root, spread_weights(self.packing, self.modes))
        self._offer(self.root, apart_weights(self.packing, self.modes, self.must_stop))
        if self.root.bound < self.upper:
            self.master.add(first_columns(self.packing, self.modes, self.must_stop))
        return [weight / SCALE for row in self.root.weights for weight in row]

    def _solve(self, node: _Node, start: Sequence[float]) -> None:
        """Generate columns until the bound reaches `upper`, the linear program is solved, or time is up.

        `start`: weights in the scale of duals; may be empty.
        """
        node.splits = []  # also if there is no time for a program
        if node.bound >= self.upper or self.must_stop():
            return

        def solve() -> tuple[float, list[float]]:
            value, duals, chosen = self.master.solve(node.allowed)
            node.splits = self._undecided(node.allowed, chosen)
            return value, duals

        def price(value: float, weights: Sequence[float]) -> tuple[bool, list[tuple[Item, ...]]] | None:
            better, priced = self._offer(node, weights)
            # Branching needs the columns that are still missing when the bound equals the value.
            proven = len(self.modes) > BRANCHED_JOBS and node.bound >= value * (1 - _ROUNDING)
            if proven or node.bound >= self.upper or self.must_stop():
                return None
            return better, _columns(priced)

        generate_columns(self.master, solve, price, start)

    def _offer(self, node: _Node, weights: Sequence[float]) -> tuple[bool, HeaviestSet[Item]]:
        """Price weights and store them if they prove more; return whether they do, and the result of pricing."""
        rounded = self._rounded(node.allowed, weights)
        priced = self._heaviest(rounded)
        return self._improve(node, rounded, priced), priced

    def _rounded(self, allowed: Allowed, weights: Sequence[float]) -> list[list[int]]:
        """Return weights of all modes as integers by job; 0 for modes that are not allowed."""
        left = iter(weights)
        return [
            [max(0, floor(next(left) * SCALE)) * (index in indices) for index in range(len(row))]
            for row, indices in zip(self.modes, allowed, strict=True)
        ]

    def _improve(self, node: _Node, weights: list[list[int]], found: HeaviestSet[Item]) -> bool:
        """Store priced weights if they prove a better bound; return whether they do."""
        value = quotient(self.modes, node.allowed, weights, found.weight)
        if value <= node.value:
            return False
        node.value, node.weights, node.capacity = value, weights, found.weight
        node.bound = max(node.bound, ceil(value))
        if node is self.root:
            self.report(node)
        return True

    def _heaviest(self, weights: list[list[int]]) -> HeaviestSet[Item]:
        return heaviest(self.packing, self.modes, weights, floor=_HEAVY, stop=self.must_stop)

    def _find_alternatives(self, count: int) -> None:
        """Find other weights with the bound of the root: duals of the same program with slightly longer jobs."""
        draw = random.Random(0)
        known = {_coarse(self.root.weights)}
        for _ in range(count):
            if self.must_stop():
                return
            with self.master.longer([[_TILT * draw.random() for _ in row] for row in self.modes]):
                settled = self._settle(self.root.allowed)
            if settled is not None and _coarse(settled[0]) not in known:
                known.add(_coarse(settled[0]))
                self.alternatives.append(leaf(*settled))

    def _settle(self, allowed: Allowed) -> tuple[list[list[int]], int] | None:
        """Generate columns until none is missing; return duals and capacity if they prove the root's bound in time."""
        while not self.must_stop():
            _, duals, _ = self.master.solve(allowed)
            weights = self._rounded(allowed, duals)
            priced = self._heaviest(weights)
            if not self.master.add(_columns(priced)):
                proven = ceil(quotient(self.modes, allowed, weights, priced.weight))
                return (weights, priced.weight) if proven >= self.root.bound else None
        return None

    def _undecided(self, allowed: Allowed, chosen: list[list[float]]) -> list[_Split]:
        """Return splits of the jobs with fractional modes around the mean mode, the most fractional first."""
        splits = []
        for job, indices in enumerate(allowed):
            fraction = max(min(chosen[job][index], 1 - chosen[job][index]) for index in indices)
            if len(indices) > 1 and fraction > _FRACTION:
                mean = sum(index * chosen[job][index] for index in indices)
                low = frozenset(index for index in indices if index <= mean)
                if not low or low == indices:
                    low = indices - {max(indices)}
                splits.append((-fraction, job, _Split(job, (low, indices - low))))
        return [split for *_, split in sorted(splits, key=lambda one: one[:2])]


def _columns(priced: HeaviestSet[Item]) -> list[tuple[Item, ...]]:
    """Return the sets found by pricing if they are worth adding."""
    return priced.sets if priced.weight > _HEAVY else []


def _coarse(weights: list[list[int]]) -> tuple[tuple[float, ...], ...]:
    """Return rounded weights, which are equal for weights that differ only by numerical noise."""
    return tuple(tuple(round(weight / _HEAVY, 6) for weight in row) for row in weights)
