"""REF by unit steps, algorithm 1 of Skowron and Rzadca with its misprints repaired: plain, for tiny instances."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import factorial
from typing import TYPE_CHECKING

from tests.problems.fair.naive import placed

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.fair.instance import FairInstance

Coalition = tuple[int, ...]


def unit_ref(instance: FairInstance) -> Schedule:
    """At every moment, coalitions by size: start the head of who is owed most, φ − ψ at the next moment."""
    queues = [[(int(job.release), int(job.time), job.processors) for job in one.jobs] for one in instance.organizations]
    sizes = [one.processors for one in instance.organizations]
    members = range(len(sizes))
    coalitions = [one for size in range(1, len(sizes) + 1) for one in combinations(members, size)]
    starts: dict[Coalition, dict[int, list[int]]] = {one: {u: [] for u in one} for one in coalitions}

    def psi(coalition: Coalition, u: int, now: int) -> int:
        runs = zip(starts[coalition][u], queues[u], strict=False)
        return sum(width * sum(now - unit for unit in range(s, min(s + time, now))) for s, (_, time, width) in runs)

    def idle(coalition: Coalition, now: int) -> int:
        runs = [pair for u in coalition for pair in zip(starts[coalition][u], queues[u], strict=False)]
        return sum(sizes[u] for u in coalition) - sum(w for s, (_, time, w) in runs if s <= now < s + time)

    for now in range(instance.horizon):
        worth: dict[Coalition, int] = {(): 0}  # at now + 1, where what starts now has an effect
        for grand in coalitions:
            while True:
                worth[grand] = sum(psi(grand, u, now + 1) for u in grand)
                heads = {u: queues[u][len(starts[grand][u]) :][:1] for u in grand}
                fits = [u for u, head in heads.items() if head and head[0][0] <= now and head[0][2] <= idle(grand, now)]
                if not fits:
                    break
                owed = {u: _shapley(u, grand, worth) - psi(grand, u, now + 1) for u in fits}
                starts[grand][max(fits, key=lambda u: (owed[u], -u))].append(now)
    own = zip(instance.organizations, starts[coalitions[-1]].values(), strict=True)
    return placed(instance, {job.id: s for one, begun in own for job, s in zip(one.jobs, begun, strict=False)})


def _shapley(u: int, grand: Coalition, worth: dict[Coalition, int]) -> Fraction:
    """Equation (1) of the paper."""
    size, total = len(grand), Fraction(0)
    for part in worth:
        if u in part and set(part) <= set(grand):
            weight = Fraction(factorial(len(part) - 1) * factorial(size - len(part)), factorial(size))
            total += weight * (worth[part] - worth[tuple(one for one in part if one != u)])
    return total
