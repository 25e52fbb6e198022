"""Attack on the certificate *shared links*: trees over options and orders, with the least capacity that is accepted."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import islice
from math import ceil, lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.robustness.invented.grids import keeps
from benchmarks.robustness.invented.targets import Attempt, Target, draw_target, judged, split_in_parts, whole
from oas.checker.coallocation_shared_links import SharedLeaf, check_coallocation_shared_links, order_of_alike_jobs
from oas.checker.coallocation_spread import SlowedOptions
from oas.checker.effort import Effort

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from random import Random

    from benchmarks.robustness.invented.drawing import Document
    from benchmarks.robustness.invented.grids import Items, Ran
    from oas.checker.coallocation_shared_links import EventOrder

SCHEDULES = 20  # shortest schedules of a case, whose jobs that run together are weighed


class Case(NamedTuple):
    """The case of a node: the options of each job, pairs of events, and the checker's order of events."""

    allowed: tuple[frozenset[int], ...]
    earlier: tuple[tuple[int, int], ...]
    order: EventOrder


class Weighed(NamedTuple):
    """A leaf: its weights, weights for slots, and capacity; its bound, and its fault if any."""

    weights: list[int]
    slots: list[int]
    capacity: int
    bound: F
    fault: str

    def node(self) -> Document:
        return {"weights": self.weights, "slots": self.slots, "capacity": self.capacity}


class SharedLinks:
    """The attack on an instance."""

    def __init__(self, draw: Random, target: Target) -> None:
        self.draw, self.target, self.grid = draw, target, target.grid
        self.options = SlowedOptions(target.own, Effort(10**12))
        self.span = self.grid.slot or F(1)
        self.known: dict[Any, set[Items]] = {}  # by case: sets of jobs that run together
        speeds = [[self.grid.progress(((job, at),))[0] for at in range(len(own))] for job, own in enumerate(target.all)]
        self.least_slots = [[ceil(1 / (self.span * speed)) for speed in own] for own in speeds]
        self.speeds = {
            items: [speed * self.span for speed in self.grid.progress(items)]
            for items in self.grid.running_sets(target.all)
        }
        parts = [speed.denominator for own in self.speeds.values() for speed in own]
        self.unit = lcm(*parts, *[count for own in self.least_slots for count in own])

    def root(self) -> Case:
        return Case(tuple(self.target.all), (), order_of_alike_jobs(self.target.own))

    def children(self, case: Case) -> tuple[Document, list[Case]] | None:
        """Return a random inner node with its cases; None if no job has several options, and there is no order."""
        draw, many = self.draw, [job for job, own in enumerate(case.allowed) if len(own) > 1]
        if many and draw.random() < 0.4:
            job = draw.choice(many)
            parts = split_in_parts(draw, sorted(case.allowed[job]))
            made = [(*case.allowed[:job], frozenset(part), *case.allowed[job + 1 :]) for part in parts]
            return {"job": job, "parts": parts}, [case._replace(allowed=one) for one in made]
        one, two = draw.sample(range(2 * len(case.allowed)), 2)
        pairs = ((one, two), (two, one))
        cases = [case._replace(earlier=(*case.earlier, pair), order=case.order.with_before(*pair)) for pair in pairs]
        return {"before": [one, two]}, cases

    def weight_of(self, items: Items, speeds: Sequence[F], weights: Sequence[int], slots: Sequence[int]) -> F:
        parts = zip(items, speeds, strict=True)
        return sum(
            (weights[job] * speed + F(slots[job], self.least_slots[job][at]) for (job, at), speed in parts), F(0)
        )

    def weighed(self, case: Case, weights: list[int], slots: list[int]) -> Weighed | None:
        """Return the leaf of these weights with the least capacity that the checker accepts; None for weights of 0."""
        allowed = [
            self.weight_of(items, speeds, weights, slots)
            for items, speeds in self.speeds.items()
            if all(option in case.allowed[job] for job, option in items)
        ]
        tried = sorted({ceil(one) for one in allowed if one})
        if not tried:
            return None
        left = {job: own for job, own in enumerate(case.allowed) if len(own) < len(self.target.all[job])}
        low, high = 0, len(tried) - 1  # the heaviest set is always accepted
        while low < high:
            middle = (low + high) // 2
            leaf = SharedLeaf(self.options, left, weights, slots, tried[middle], case.order)
            if leaf.can_exceed_capacity(Effort(10**12)):
                low = middle + 1
            else:
                high = middle
        held = max((self.weight_of(one, self.speeds[one], weights, slots) for one in self.phases(case)), default=F(0))
        fault = f"{held} run together, above {tried[low]}" if held > tried[low] else ""
        bound = F(sum(weights) + sum(slots), tried[low])
        return Weighed(weights, slots, tried[low], (ceil(bound) if self.grid.slot else bound) * self.span, fault)

    def schedules(self, case: Case) -> list[Ran]:
        """Return the shortest schedules of a case."""
        earlier = (*case.earlier, *self.grid.alike)
        return list(islice((ran for ran in self.target.schedules if keeps(ran, case.allowed, earlier)), SCHEDULES))

    def phases(self, case: Case) -> set[Items]:
        """Return the sets of jobs that run together in these."""
        key = case[:2]
        if key not in self.known:
            self.known[key] = {items for ran in self.schedules(case) for items in ran.phases if items}
        return self.known[key]

    def climbed(self, case: Case, count: int) -> Iterator[Weighed]:
        """Yield leaves of a case whose weights change for as long as the bound rises."""
        draw, jobs = self.draw, len(case.allowed)
        most = draw.choice((1, 3, 12, 1000))
        best: Weighed | None = None
        weights = [draw.randint(0, most) for _ in range(jobs)]
        slots = [draw.randint(0, most) if self.grid.slot and most < 12 else 0 for _ in range(jobs)]
        for _ in range(count):
            unit = self.unit
            found = self.weighed(case, [unit * one for one in weights], [unit * one for one in slots])
            if found is not None:
                yield found
            if found is not None and (best is None or found.bound >= best.bound):
                best = found
            elif best is not None:
                weights, slots = [one // unit for one in best.weights], [one // unit for one in best.slots]
            changed = draw.choice((weights, slots)) if self.grid.slot else weights
            at = draw.randrange(jobs)
            changed[at] = draw.choice((0, changed[at] + 1, max(0, changed[at] - 1), draw.randint(0, most)))


def attack_shared_links(draw: Random, steps: int) -> Iterator[Attempt]:
    """Leaves at the ends of random paths, and whole trees."""
    attack = SharedLinks(draw, draw_target(draw, slows=True))
    for _ in range(max(1, steps // 15)):
        case = attack.root()
        for _ in range(draw.choice((0, 1, 2, 3, 5))):
            made = attack.children(case)
            case = case if made is None else draw.choice(made[1])
        optimum = next((ran.makespan for ran in attack.schedules(case)), None)
        if not case.order.possible:
            fault = "" if optimum is None else f"no order, but {optimum}: {case} {attack.target.document}"
            yield Attempt(confirmed=True, fault=fault)
            continue
        for leaf in attack.climbed(case, 20):
            attempt = judged(leaf.bound, optimum, (leaf, case.earlier, case.allowed, attack.target.document))
            yield (
                attempt._replace(fault=f"{leaf.fault}: {leaf} {case.earlier} {attack.target.document}")
                if leaf.fault
                else attempt
            )
        yield whole(attack.target, check_coallocation_shared_links, {"tree": tree_of(attack)})


def tree_of(attack: SharedLinks) -> list[Document]:
    """Return a random tree in preorder."""
    nodes: list[Document] = []
    waiting = [(attack.root(), 0)]
    while waiting:
        case, depth = waiting.pop()
        made = attack.children(case) if attack.draw.random() < 0.75 - 0.1 * depth else None
        if made is not None:
            nodes.append(made[0])
            waiting += [(one, depth + 1) for one in reversed(made[1])]
            continue
        leaves = list(attack.climbed(case, 4)) if case.order.possible else []
        best = max(leaves, key=lambda one: one.bound, default=None)
        zeros = [0] * len(case.allowed)
        nodes.append({"weights": zeros, "slots": zeros, "capacity": 0} if best is None else best.node())
    return nodes
