"""Column generation and best-first branching on the jobs' options (worker side).

Nothing here is trusted: what it returns is priced again, and plans pass the verifier.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from oas.bounds.coallocation.saturated.certificate import Leaf, quotient, written
from oas.bounds.coallocation.saturated.master import SCALE, Answer, Master
from oas.bounds.coallocation.saturated.options import Allowed, Item, Options
from oas.bounds.coallocation.saturated.phases import PhaseSearch, Plan
from oas.bounds.coallocation.saturated.pricing import WHOLE, Pricing
from oas.bounds.coallocation.saturated.simplex import Column, solve

if TYPE_CHECKING:
    from oas.bounds.coallocation.saturated.request import Request
    from oas.solvers.isolation.session import Session

MAX_LEAVES = 3_000
EXACT_JOBS = 20  # up to which duals are made exact: beyond, their digits take too long
# A configuration that weighs more than this is worth adding; what is below is noise of the program.
_HEAVY = WHOLE + (WHOLE >> 30)
_FRACTION = 1e-6
# Linear programs that the search for a schedule may take at each node of the tree.
PHASE_STEPS = 400


class _Split(NamedTuple):
    """A job, and two parts of its options."""

    job: int
    parts: tuple[frozenset[int], ...]


@dataclass(eq=False)
class _Node:
    """A node of the tree; `value` is what it proves, never less than its parent."""

    allowed: Allowed
    value: Fraction
    leaf: Leaf
    answer: Answer | None = None
    ties: list[tuple[Item, ...]] = field(default_factory=list)
    taken: _Split | None = None
    children: list[_Node] = field(default_factory=list)


def generate(request: Request, session: Session) -> dict[str, object]:
    """Return the certificate, the shortest plan found, and configurations with their times; also streamed."""
    generation = _Generation(request, session)
    return generation.answer(generation.run())


class _Generation:
    def __init__(self, request: Request, session: Session) -> None:
        self.options = Options(request.instance)
        self.upper, self.session = request.upper, session
        self.master = Master(self.options)
        self.columns: list[Column] = []
        self.plan: Plan | None = None
        self.told = (Fraction(-1), Fraction(-1))
        planned = request.plans and not self.options.slotted
        self.phases = PhaseSearch(self.options, self._must_stop) if planned else None

    def run(self) -> _Node:
        """Solve the root, then the open node with the least bound each time; return the one that has it at the end."""
        allowed = self.options.every()
        none = [0] * self.options.job_count
        self.root = _Node(allowed, self.options.longest(allowed), Leaf(none, none, 0))
        heap = [(self._rounded(self.root), 0, self.root)]
        count = 1
        while True:
            bound, serial, node = heap[0]
            self._tell(node)
            if bound >= self.upper or self._must_stop():
                return node
            if node.answer is None:
                self._solve(node)
                heapq.heapreplace(heap, (self._rounded(node), serial, node))
                continue
            self._look_for_plan(node)
            if self._rounded(node) >= self.upper:
                continue
            node.taken = self._best_split(node)
            if node.taken is None or count >= MAX_LEAVES:
                return node
            heapq.heappop(heap)
            for child in self._branch(node):
                count += 1
                heapq.heappush(heap, (self._rounded(child), -count, child))

    def _rounded(self, node: _Node) -> Fraction:
        return Fraction(-(-node.value // 1)) if self.options.slotted else node.value

    def _must_stop(self) -> bool:
        return self.session.stop.requested or self.session.time_is_up

    def _tell(self, node: _Node) -> None:
        state = (self._rounded(node), self.upper)
        if state != self.told:
            self.told = state
            self.session.partial(self.answer(node))

    def answer(self, node: _Node) -> dict[str, object]:
        """Return what is known when `node` is the open node with the least bound."""
        times = node.answer.times if node.answer is not None else []
        used = [(one, time) for one, time in zip(self.master.configurations, times, strict=False) if time > 0]
        return {
            "certificate": {"tree": self._preorder(node)},
            "plan": self.plan,
            "configurations": used,
            "root": self.root.leaf,
        }

    def _preorder(self, last: _Node) -> list[dict[str, object]]:
        """The tree as a list; below a node that proves as much as the last one by itself nothing is needed."""
        bound = self._rounded(last)
        listed: list[dict[str, object]] = []
        stack = [self.root]
        while stack:
            node = stack.pop()
            if not node.children or self._rounded(node) >= bound:
                listed.append(written(node.leaf))
                continue
            assert node.taken is not None
            listed.append({"job": node.taken.job, "parts": [sorted(part) for part in node.taken.parts]})
            stack += reversed(node.children)
        return listed

    def _branch(self, node: _Node) -> list[_Node]:
        assert node.taken is not None
        job, parts = node.taken
        for part in parts:
            allowed = (*node.allowed[:job], part, *node.allowed[job + 1 :])
            value = max(node.value, self.options.longest(allowed))
            node.children.append(_Node(allowed, value, node.leaf))
        return node.children

    def _solve(self, node: _Node) -> None:
        """Generate columns until none is missing; then make the duals exact, if that is not too much."""
        while True:
            node.answer = self.master.solve(self.master.within(node.allowed))
            found = self._price(node, node.answer)
            if self._must_stop() or not self.master.add(found):
                break
        while not (self.options.slotted or self.options.job_count > EXACT_JOBS or self._must_stop()):
            if not self._solve_exactly(node):
                break

    def _price(self, node: _Node, answer: Answer) -> list[tuple[Item, ...]]:
        """Return heavy configurations, and keep what the weights prove."""
        if not any(answer.weights) and not any(answer.slots):
            return []
        pricing = Pricing(self.options, node.allowed, answer.weights, answer.slots, Fraction(SCALE))
        found = pricing.rising(WHOLE, self._must_stop)
        self._keep(node, Leaf(answer.weights, answer.slots, -(-found.most * SCALE // WHOLE)))
        return found.heavy if found.most > _HEAVY else []

    def _keep(self, node: _Node, leaf: Leaf) -> None:
        if quotient(leaf) > node.value or not node.leaf.capacity:
            node.leaf = leaf
            node.value = max(node.value, quotient(leaf))

    def _solve_exactly(self, node: _Node) -> bool:
        """Find the exact optimum over the columns known and price it; return whether columns were missing."""
        kept = [index for index, one in enumerate(self.master.within(node.allowed)) if one]
        place = {index: number for number, index in enumerate(kept)}
        basis = [place.get(one, -1) if one >= 0 else one for one in self.master.basis()]
        for configuration in self.master.configurations[len(self.columns) :]:
            progress = self.options.progress(configuration)
            self.columns.append({job: one for (job, _), one in zip(configuration, progress, strict=True)})
        found = solve([self.columns[index] for index in kept], self.options.job_count, basis)
        if found is None:
            return False
        whole = lcm(*(one.denominator for one in found.duals))
        leaf = Leaf([int(one * whole) for one in found.duals], [0] * len(found.duals), whole)
        pricing = Pricing(self.options, node.allowed, leaf.weights, leaf.slots, Fraction(whole))
        priced = pricing.exceeding(self._must_stop, ties=self.phases is not None)
        if not priced.complete:
            return False
        if priced.heavy:
            added = self.master.add(priced.heavy)
            node.answer = self.master.solve(self.master.within(node.allowed))
            return added
        self._keep(node, leaf)
        node.ties = priced.ties
        return False

    def _look_for_plan(self, node: _Node) -> None:
        if self.phases is None or node.answer is None:
            return
        kept = [
            one for one, own in zip(self.master.configurations, self.master.within(node.allowed), strict=True) if own
        ]
        found = self.phases.search([*node.ties, *kept], node.value, self.upper, PHASE_STEPS)
        if found is not None and found.makespan < self.upper:
            self.plan, self.upper = found, found.makespan
            self._tell(node)

    def _best_split(self, node: _Node) -> _Split | None:
        """The job whose options are the least whole by level, then by nodes of a class; two parts around the mean."""
        assert node.answer is not None
        shares: list[dict[int, float]] = [{} for _ in self.options.rows]
        for configuration, time in zip(self.master.configurations, node.answer.times, strict=False):
            if time > _FRACTION * float(node.value):
                for (job, option), progress in zip(configuration, self.options.progress(configuration), strict=True):
                    shares[job][option] = shares[job].get(option, 0.0) + time * float(progress)
        best: tuple[float, _Split] | None = None
        for feature in range(len(self.options.sizes) + 1):
            for job, own in enumerate(shares):
                rated = {one: self._feature(job, one, feature) for one in node.allowed[job]}
                total = sum(own.values())
                mean = sum(rated[one] * share for one, share in own.items()) / total
                low = frozenset(one for one in node.allowed[job] if rated[one] <= mean)
                part = sum(share for one, share in own.items() if one in low) / total
                fraction = min(part, 1 - part)
                if low and low != node.allowed[job] and fraction > _FRACTION and (best is None or fraction > best[0]):
                    best = (fraction, _Split(job, (low, node.allowed[job] - low)))
            if best is not None and feature == 0:
                break
        return best and best[1]

    def _feature(self, job: int, option: int, feature: int) -> int:
        own = self.options.rows[job][option]
        return own.level if feature == 0 else own.allocation.counts[feature - 1]
