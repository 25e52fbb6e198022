"""REF as Algorithm 1 and RAND as Algorithm 3, moment by moment and unit by unit, in Fractions: nothing of the
toolkit's.

What is compared at a moment t is compared as it will be at t + 1: see `heuristics.fair.ref`.
"""

from __future__ import annotations

from fractions import Fraction as F
from functools import partial
from itertools import combinations, permutations
from math import factorial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oas.problems.fair.ticks import FairTicks

Coalition = frozenset[int]
Values = dict[Coalition, int]


def subsets(coalition: Coalition) -> list[Coalition]:
    """All subsets, smaller ones first."""
    members = sorted(coalition)
    return [frozenset(part) for size in range(len(members) + 1) for part in combinations(members, size)]


def shapley(values: Mapping[Coalition, int], coalition: Coalition) -> dict[int, F]:
    """Equation (1)."""
    c = len(coalition)
    return {
        u: sum(
            F(factorial(len(part)) * factorial(c - len(part) - 1), factorial(c)) * (values[part | {u}] - values[part])
            for part in subsets(coalition - {u})
        )
        for u in coalition
    }


def shapley_by_orders(values: Mapping[Coalition, int], coalition: Coalition) -> dict[int, F]:
    """Equation (2): what each adds to those before it, on the average over all orders."""
    total = dict.fromkeys(coalition, 0)
    for order in permutations(coalition):
        for place, u in enumerate(order):
            before = frozenset(order[:place])
            total[u] += values[before | {u}] - values[before]
    return {u: F(value, factorial(len(coalition))) for u, value in total.items()}


class Plain:
    """One coalition's schedule in the making."""

    def __init__(self, ticks: FairTicks, members: Coalition) -> None:
        self.owner, self.release, self.time, self.width = (
            list(map(int, one)) for one in (ticks.owner, ticks.release, ticks.time, ticks.width)
        )
        self.members = members
        self.machines = sum(int(ticks.machines[u]) for u in members)
        self.starts: dict[int, int] = {}

    def psi(self, u: int, moment: int) -> int:
        return sum(
            self.width[job] * (moment - unit)
            for job, start in self.starts.items()
            if self.owner[job] == u
            for unit in range(start, min(start + self.time[job], moment))
        )

    def value(self, moment: int) -> int:
        return sum(self.psi(u, moment) for u in self.members)

    def fitting(self, now: int) -> dict[int, int]:
        """The first waiting job of each organization, where it fits."""
        held = sum(self.width[job] for job, start in self.starts.items() if start <= now < start + self.time[job])
        heads: dict[int, int] = {}
        for job, owner in enumerate(self.owner):
            if owner in self.members and job not in self.starts and self.release[job] <= now:
                heads.setdefault(owner, job)
        return {u: job for u, job in heads.items() if self.width[job] <= self.machines - held}

    def fill(self, now: int, pick: Callable[[dict[int, int]], int]) -> None:
        while heads := self.fitting(now):
            self.starts[heads[pick(heads) if len(heads) > 1 else next(iter(heads))]] = now

    def row(self) -> list[int]:
        return [self.starts.get(job, -1) for job in range(len(self.owner))]


class PlainReference:
    """REF for all coalitions up to the horizon."""

    def __init__(self, ticks: FairTicks) -> None:
        self.everyone = frozenset(range(ticks.organization_count))
        self.runs = {one: Plain(ticks, one) for one in subsets(self.everyone) if one}
        self.decisions: list[tuple[int, int, int, F]] = []  # of all together: job, chosen, best of the others, margin
        self.off: list[tuple[int, Coalition]] = []  # decisions that Algorithm 1's line 14 would not allow
        self.contended = 0
        for now in range(ticks.horizon):
            for coalition, run in self.runs.items():
                run.fill(now, lambda heads, one=coalition, at=now + 1: self.pick(one, heads, at))

    def values(self, moment: int) -> Values:
        return {frozenset(): 0} | {one: run.value(moment) for one, run in self.runs.items()}

    def pick(self, coalition: Coalition, heads: dict[int, int], moment: int) -> int:
        run = self.runs[coalition]
        values = {frozenset(): 0} | {one: self.runs[one].value(moment) for one in subsets(coalition) if one}
        phi = shapley(values, coalition)
        psi = {u: run.psi(u, moment) for u in coalition}
        ranked = sorted(heads, key=lambda u: (psi[u] - phi[u], u))
        best = ranked[0]
        self.contended += 1
        if coalition == self.everyone:
            margin = phi[best] - psi[best] - phi[ranked[1]] + psi[ranked[1]]
            self.decisions.append((heads[best], best, ranked[1], margin))
        distance = {}
        for u, job in heads.items():  # line 6: psi grows by one for each processor, and all share it
            step = run.width[job]
            after = {w: phi[w] + F(step, len(coalition)) for w in coalition}
            distance[u] = sum(abs(after[w] - psi[w] - (step if w == u else 0)) for w in coalition)
        if distance[best] != min(distance.values()):
            self.off.append((moment, coalition))
        return best


def _farthest(run: Plain, phi: dict[int, F], moment: int, heads: dict[int, int]) -> int:
    return min(heads, key=lambda u: (run.psi(u, moment) - phi[u], u))


def plain_sampled(ticks: FairTicks, orderings: Sequence[Sequence[int]]) -> list[int]:
    """RAND: contributions from orderings, the coalitions before each by FCFS."""
    everyone = frozenset(range(ticks.organization_count))
    pairs = [(frozenset(order[:place]), u) for order in orderings for place, u in enumerate(order)]
    sampled = {one: Plain(ticks, one) for before, u in pairs for one in (before, before | {u})}
    run = Plain(ticks, everyone)
    for now in range(ticks.horizon):
        for one in sampled.values():
            one.fill(now, lambda heads: min(heads, key=heads.__getitem__))
        value = {one: plain.value(now + 1) for one, plain in sampled.items()}
        phi = dict.fromkeys(everyone, F(0))
        for before, u in pairs:
            phi[u] += F(value[before | {u}] - value[before], len(orderings))
        run.fill(now, partial(_farthest, run, phi, now + 1))
    return run.row()
