"""Column generation and best-first branching on the jobs' options (worker side).

The certificate is checked elsewhere, and plans pass the verifier.
"""

from __future__ import annotations

from dataclasses import dataclass
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
from oas.lp.tree import BestFirstTree, Node

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


_Split = _Options | _Events


class _Part(NamedTuple):
    """The options that the jobs still have, and the known order of events."""

    allowed: Allowed
    order: Order


@dataclass(eq=False, kw_only=True)
class _Node(Node):
    """A tree node; its bound is `value`, with slots rounded up."""

    part: _Part
    value: Fraction
    leaf: Leaf
    answer: Answer | None = None
    exact: bool = False  # whether no duals prove more
    seen: bool = False  # whether plans have been looked for


def generate(given: tuple[CoallocationInstance, Fraction], session: Session) -> dict[str, object]:
    """Return the certificate and the shortest plan found; also streamed.

    `given`: the instance, and the makespan of a known schedule, in slots or units of time.
    """
    generation = _Generation(*given, session)
    return generation.answer(generation.run())


class _Generation(BestFirstTree[_Node, _Split, _Part]):
    def __init__(self, instance: CoallocationInstance, upper: Fraction, session: Session) -> None:
        self.options = Options(instance)
        self.session = session
        self.master = ConfigurationMaster(self.options)
        self.columns: list[Column] = []
        self.plan: Plan | None = None
        self.looks = 0
        self.told = (Fraction(-1), Fraction(-1))
        self.phases = None if self.options.slotted else PhaseSearch(self.options, session.must_stop)
        part, none = _Part(self.options.every(), first_order(instance)), [0] * self.options.job_count
        root = self._node(part, self.options.longest(part.allowed), Leaf(none, none, 0))
        super().__init__(root, upper, MAX_LEAVES, session.must_stop)

    def _node(self, part: _Part, value: Fraction, leaf: Leaf) -> _Node:
        return _Node(bound=self._rounded(value), part=part, value=value, leaf=leaf)

    def _rounded(self, value: Fraction) -> Fraction:
        return Fraction(-(-value // 1)) if self.options.slotted else value

    def improve(self, node: _Node) -> bool:
        """Generate columns once for each node, and again with exact duals once these matter; look for plans."""
        if node.answer is None or (not node.exact and self._is_near(node)):
            self._solve(node)
            return True
        self._look_for_plan(node)
        return self._is_near(node) and not node.exact

    def report(self, node: _Node) -> None:
        state = (node.bound, self.upper)
        if state != self.told:
            self.told = state
            self.session.partial(self.answer(node))

    def answer(self, node: _Node) -> dict[str, object]:
        """Return the results while `node` is the open node with the smallest bound."""
        return {
            "certificate": {"tree": self.preorder(node.bound)},
            "bound": node.bound,
            "plan": self.plan,
        }

    def leaf_document(self, node: _Node) -> dict[str, object]:
        return written(node.leaf)

    def split_document(self, split: _Split) -> dict[str, object]:
        if isinstance(split, _Options):
            return {"job": split.job, "parts": [sorted(part) for part in split.parts]}
        return {"before": list(split)}

    def parts(self, node: _Node, split: _Split) -> list[_Part]:
        allowed, order = node.part
        if isinstance(split, _Events):
            orders = (order.with_before(*split), order.with_before(split.second, split.first))
            return [_Part(allowed, order) for order in orders]
        job = split.job
        return [_Part((*allowed[:job], part, *allowed[job + 1 :]), order) for part in split.parts]

    def child(self, node: _Node, part: _Part) -> _Node:
        return self._node(part, max(node.value, self.options.longest(part.allowed)), node.leaf)

    def is_open(self, node: _Node) -> bool:
        return node.part.order.possible

    def estimate(self, part: _Part) -> float:
        if not part.order.possible or self.must_stop():
            return float(self.upper)
        return min(float(self.upper), self.master.solve(self.master.within(*part)).objective)

    def find_split(self, node: _Node) -> _Split | None:
        """Return the strongest split of options, otherwise of events; None if nothing is left to split."""
        splits: Sequence[_Split] = self._option_splits(node) or self._event_splits(node)
        return self.strongest(node, splits[:CANDIDATES]) if splits else self._any_split(node)

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
            return None if self.must_stop() else (False, configurations)  # smoothing takes as long here

        generate_columns(self.master, solve, price)
        if self._is_near(node):
            node.exact = True
            while not self.must_stop() and self._solve_exactly(node):
                pass

    def _price(self, node: _Node, leaf: Leaf) -> list[tuple[Item, ...]]:
        """Return heavy configurations, and store the bound proven by the weights."""
        if not any(leaf.weights) and not any(leaf.slots):
            return []
        pricing = Pricing(self.options, node.part.allowed, leaf.weights, leaf.slots, Fraction(SCALE), node.part.order)
        priced = pricing.rising(WHOLE, self.must_stop)
        self._keep(node, leaf._replace(capacity=-(-priced.most * SCALE // WHOLE)))
        return priced.heavy if priced.most > _HEAVY else []

    def _keep(self, node: _Node, leaf: Leaf) -> None:
        if quotient(leaf) > node.value or not node.leaf.capacity:
            node.leaf = leaf
            node.value = max(node.value, quotient(leaf))
            node.bound = self._rounded(node.value)

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
        pricing = Pricing(self.options, node.part.allowed, leaf.weights, leaf.slots, Fraction(whole), node.part.order)
        priced = pricing.exceeding(self.must_stop, ties=self.phases is not None)
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
        return self.master.within(*node.part)

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
            self.report(node)

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
        knows = node.part.order.knows
        for first, second in combinations(range(2 * self.options.job_count), 2):
            if first // 2 != second // 2 and not knows(first, second) and not knows(second, first):
                yield first, second

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
                for _, order in self.parts(node, _Events(first, second))
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
                for index in node.part.allowed[job]:
                    row = self.options.rows[job][index]
                    rated[index] = row.allocation.counts[feature - 1] if feature else row.level
                total = sum(shares_of_job.values())
                if not total:
                    continue
                mean = sum(rated[index] * share for index, share in shares_of_job.items()) / total
                low = frozenset(index for index in node.part.allowed[job] if rated[index] <= mean)
                part = sum(share for index, share in shares_of_job.items() if index in low) / total
                if low and low != node.part.allowed[job] and min(part, 1 - part) > _FRACTION:
                    splits.append((feature > 0, -min(part, 1 - part), job, feature, low))
        splits.sort(key=lambda split: split[:4])
        return [_Options(job, (low, node.part.allowed[job] - low)) for _, _, job, _, low in splits]
