"""Column generation and best-first branching on the jobs' options (worker side).

The certificate is checked elsewhere, and plans pass the verifier.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from oas.coallocation.bounds.saturated.master import SCALE, Answer, ConfigurationMaster, Leaf, quotient, written
from oas.coallocation.bounds.saturated.options import Allowed, Event, Item, Options, Order, first_order
from oas.coallocation.bounds.saturated.phases import PhaseSearch, Plan
from oas.coallocation.bounds.saturated.pricing import WHOLE, Pricing
from oas.coallocation.simplex import Column, solve
from oas.lp.generation import generate_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.coallocation.instance import CoallocationInstance
    from oas.solvers.isolation.protocol import Session

MAX_LEAVES = 3_000
EXACT_JOBS = 20  # maximum number of jobs for exact duals; with more, their numbers have too many digits
# A configuration that weighs more than this is worth adding; smaller excesses are numerical noise.
_HEAVY = WHOLE + (WHOLE >> 30)
_FRACTION = 1e-6
_NEAR = 1 - Fraction(1, 10**7)  # values within this ratio of a makespan may be equal to it
# Maximum number of linear programs in a search for a schedule, at the root and at each other node of the tree.
ROOT_STEPS, PHASE_STEPS = 400, 25
PLAN_EVERY = 4  # number of nodes between such searches
MAX_TIES = 300  # configurations of reduced cost 0 that are added for plans
CANDIDATES = 4  # number of splits whose two parts are evaluated before one split is chosen


class _Options(NamedTuple):
    """A split: a job, and two parts of its options."""

    job: int
    parts: tuple[frozenset[int], frozenset[int]]


class _Events(NamedTuple):
    """A split: two events, the first no later than the second, or vice versa."""

    first: Event
    second: Event


@dataclass(eq=False)
class _Node:
    """A tree node; `value` is its bound, at least that of its parent; `exact` if no duals prove more."""

    allowed: Allowed
    order: Order
    value: Fraction
    leaf: Leaf
    answer: Answer | None = None
    exact: bool = False
    seen: bool = False
    taken: _Options | _Events | None = None
    children: list[_Node] = field(default_factory=list)


def generate(given: tuple[CoallocationInstance, Fraction], session: Session) -> dict[str, object]:
    """Return the certificate and the shortest plan found; also streamed.

    `given`: the instance, and the makespan of a known schedule, in slots or units of time.
    """
    generation = _Generation(*given, session)
    return generation.answer(generation.run())


class _Generation:
    def __init__(self, instance: CoallocationInstance, upper: Fraction, session: Session) -> None:
        self.options = Options(instance)
        self.upper, self.session, self._must_stop = upper, session, session.must_stop
        self.allowed = self.options.every()
        self.order = first_order(instance)
        self.master = ConfigurationMaster(self.options)
        self.columns: list[Column] = []
        self.plan: Plan | None = None
        self.looks = 0
        self.told = (Fraction(-1), Fraction(-1))
        self.phases = None if self.options.slotted else PhaseSearch(self.options, self._must_stop)

    def run(self) -> _Node:
        """Solve the root, then always the open node with the smallest bound; return the last such node."""
        allowed = self.allowed
        none = [0] * self.options.job_count
        self.root = _Node(allowed, self.order, self.options.longest(allowed), Leaf(none, none, 0))
        heap = [(self._rounded(self.root), 0, self.root)]
        count = 1
        while True:
            bound, serial, node = heap[0]
            self._tell(node)
            if bound >= self.upper or self._must_stop():
                return node
            if node.answer is None or (not node.exact and self._is_near(node)):
                self._solve(node)
                heapq.heapreplace(heap, (self._rounded(node), serial, node))
                continue
            self._look_for_plan(node)
            if self._is_near(node) and not node.exact:
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

    def _tell(self, node: _Node) -> None:
        state = (self._rounded(node), self.upper)
        if state != self.told:
            self.told = state
            self.session.partial(self.answer(node))

    def answer(self, node: _Node) -> dict[str, object]:
        """Return the results while `node` is the open node with the smallest bound."""
        return {
            "certificate": {"tree": self._preorder(node)},
            "bound": self._rounded(node),
            "plan": self.plan,
        }

    def _preorder(self, last: _Node) -> list[dict[str, object]]:
        """Return the tree as a list; nodes below one that already proves the bound of `last` are omitted."""
        bound = self._rounded(last)
        listed: list[dict[str, object]] = []
        stack = [self.root]
        while stack:
            node = stack.pop()
            if not node.children or self._rounded(node) >= bound:
                listed.append(written(node.leaf))
                continue
            assert node.taken is not None
            if isinstance(node.taken, _Options):
                listed.append({"job": node.taken.job, "parts": [sorted(part) for part in node.taken.parts]})
            else:
                listed.append({"before": list(node.taken)})
            stack += reversed(node.children)
        return listed

    def _branch(self, node: _Node) -> list[_Node]:
        """Create the children; return those for which an order exists."""
        assert node.taken is not None
        for allowed, order in self._parts(node, node.taken):
            value = max(node.value, self.options.longest(allowed))
            node.children.append(_Node(allowed, order, value, node.leaf))
        return [child for child in node.children if child.order.possible]

    def _parts(self, node: _Node, split: _Options | _Events) -> list[tuple[Allowed, Order]]:
        if isinstance(split, _Events):
            orders = (node.order.with_before(*split), node.order.with_before(split.second, split.first))
            return [(node.allowed, order) for order in orders]
        job, parts = split
        return [((*node.allowed[:job], part, *node.allowed[job + 1 :]), node.order) for part in parts]

    def _is_near(self, node: _Node) -> bool:
        """Whether exact duals may matter: at the root, whose configurations plans use, or near a makespan."""
        if self.options.slotted or self.options.job_count > EXACT_JOBS:
            return False
        return node is self.root or node.value >= self.upper * _NEAR

    def _solve(self, node: _Node) -> None:
        """Generate columns until none is missing, then make the duals exact if this may matter."""

        def solve() -> tuple[float, list[float]]:
            node.answer = self.master.solve(self._within(node))
            return node.answer.objective, node.answer.duals

        def price(_: float, duals: Sequence[float]) -> tuple[bool, list[tuple[Item, ...]]] | None:
            configurations = self._price(node, self.master.leaf(duals))
            return None if self._must_stop() else (False, configurations)  # smoothing takes as long here

        generate_columns(self.master, solve, price)
        if self._is_near(node):
            node.exact = True
            while not self._must_stop() and self._solve_exactly(node):
                pass

    def _price(self, node: _Node, leaf: Leaf) -> list[tuple[Item, ...]]:
        """Return heavy configurations, and store the bound proven by the weights."""
        if not any(leaf.weights) and not any(leaf.slots):
            return []
        pricing = Pricing(self.options, node.allowed, leaf.weights, leaf.slots, Fraction(SCALE), node.order)
        priced = pricing.rising(WHOLE, self._must_stop)
        self._keep(node, leaf._replace(capacity=-(-priced.most * SCALE // WHOLE)))
        return priced.heavy if priced.most > _HEAVY else []

    def _keep(self, node: _Node, leaf: Leaf) -> None:
        if quotient(leaf) > node.value or not node.leaf.capacity:
            node.leaf = leaf
            node.value = max(node.value, quotient(leaf))

    def _solve_exactly(self, node: _Node) -> bool:
        """Compute the exact optimum over the known columns and price it; return whether columns were missing."""
        columns = [index for index, usable in enumerate(self._within(node)) if usable]
        place = {index: number for number, index in enumerate(columns)}
        basis = [place.get(column, -1) if column >= 0 else column for column in self.master.basis() or []]
        self.columns += map(self.options.column, self.master.columns[len(self.columns) :])
        solution = solve([self.columns[index] for index in columns], self.options.job_count, basis)
        if solution is None:
            return False
        whole = lcm(*(dual.denominator for dual in solution.duals))
        leaf = Leaf([int(dual * whole) for dual in solution.duals], [0] * len(solution.duals), whole)
        pricing = Pricing(self.options, node.allowed, leaf.weights, leaf.slots, Fraction(whole), node.order)
        priced = pricing.exceeding(self._must_stop, ties=self.phases is not None)
        if not priced.complete:
            return False
        if priced.heavy:
            added = self.master.add(priced.heavy)
            node.answer = self.master.solve(self._within(node))
            return added
        self._keep(node, leaf)
        self.master.add(priced.ties[:MAX_TIES])
        return False

    def _within(self, node: _Node) -> list[bool]:
        return self.master.within(node.allowed, node.order)

    def _look_for_plan(self, node: _Node) -> None:
        if self.phases is None or node.answer is None or node.seen:
            return
        node.seen = True
        self.looks += 1
        if self.looks % PLAN_EVERY != 1:
            return
        steps = ROOT_STEPS if node is self.root else PHASE_STEPS
        plan = self.phases.search(self.master, self._within(node), node.value, self.upper, steps)
        if plan is not None and plan.makespan < self.upper:
            self.plan, self.upper = plan, plan.makespan
            self._tell(node)

    def _best_split(self, node: _Node) -> _Options | _Events | None:
        """Return the split whose weaker part has the greatest value over the known columns."""
        candidates: list[_Options | _Events] = [*self._option_splits(node)[:CANDIDATES]]
        candidates = candidates or [*self._event_splits(node)[:CANDIDATES]]
        if not candidates:
            return self._any_split(node)
        gains = []
        for place, split in enumerate(candidates):
            values = [self._estimate(*part) for part in self._parts(node, split)]
            gains.append((min(values), max(values), -place, split))
        return max(gains, key=lambda gain: gain[:3])[-1]

    def _any_split(self, node: _Node) -> _Events | None:
        """Return a pair of events whose order is still undecided and whose jobs may or may not overlap."""
        used = [(frozenset(job for job, _ in items), time) for items, time in self._used(node)]
        rated = []
        for first, second in self._open_pairs(node):
            pair = {first // 2, second // 2}
            both = sum(time for jobs, time in used if pair <= jobs)
            apart = sum(time for jobs, time in used if len(pair & jobs) == 1)
            rated.append((min(both, apart), first % 2 == second % 2, -first, -second))
        return _Events(-max(rated)[2], -max(rated)[3]) if rated else None

    def _open_pairs(self, node: _Node) -> Iterator[tuple[Event, Event]]:
        """Yield the pairs of events of different jobs whose order is undecided."""
        knows = node.order.knows
        for first, second in combinations(range(2 * self.options.job_count), 2):
            if first // 2 != second // 2 and not knows(first, second) and not knows(second, first):
                yield first, second

    def _estimate(self, allowed: Allowed, order: Order) -> float:
        if not order.possible or self._must_stop():
            return float(self.upper)
        return min(float(self.upper), self.master.solve(self.master.within(allowed, order)).objective)

    def _used(self, node: _Node) -> list[tuple[tuple[Item, ...], float]]:
        assert node.answer is not None
        least = _FRACTION * float(node.value)
        pairs = zip(self.master.columns, node.answer.times, strict=False)
        return [(configuration, time) for configuration, time in pairs if time > least]

    def _event_splits(self, node: _Node) -> list[_Events]:
        """Return pairs of events for which one or both orders exclude many of the configurations in use."""
        used = [(frozenset(job for job, _ in items), time) for items, time in self._used(node)]
        rated = []
        for first, second in self._open_pairs(node):
            lost = [
                sum(time for jobs, time in used if not order.allows(jobs)) if order.possible else float(node.value)
                for _, order in self._parts(node, _Events(first, second))
            ]
            if any(lost):
                rated.append((min(lost), max(lost), -first, -second))
        return [_Events(-first, -second) for *_, first, second in sorted(rated, reverse=True)]

    def _option_splits(self, node: _Node) -> list[_Options]:
        """Return splits of jobs with fractional options around the mean level, then the mean nodes of a class.

        The most fractional jobs come first.
        """
        shares: list[dict[int, float]] = [{} for _ in self.options.rows]
        for configuration, time in self._used(node):
            for (job, option), progress in zip(configuration, self.options.progress(configuration), strict=True):
                shares[job][option] = shares[job].get(option, 0.0) + time * float(progress)
        splits = []
        for feature in range(len(self.options.sizes) + 1):
            for job, shares_of_job in enumerate(shares):
                rated = {}  # the level of each option, or its nodes of a class
                for index in node.allowed[job]:
                    row = self.options.rows[job][index]
                    rated[index] = row.allocation.counts[feature - 1] if feature else row.level
                total = sum(shares_of_job.values())
                if not total:
                    continue
                mean = sum(rated[index] * share for index, share in shares_of_job.items()) / total
                low = frozenset(index for index in node.allowed[job] if rated[index] <= mean)
                part = sum(share for index, share in shares_of_job.items() if index in low) / total
                if low and low != node.allowed[job] and min(part, 1 - part) > _FRACTION:
                    splits.append((feature > 0, -min(part, 1 - part), job, feature, low))
        splits.sort(key=lambda split: split[:4])
        return [_Options(job, (low, node.allowed[job] - low)) for _, _, job, _, low in splits]
