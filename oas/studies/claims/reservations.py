"""Functions that recompute the claims of the reservations paper on its worst cases, by claim id.

Its theorems are tested on many list orders by ``python -m benchmarks.soak --check list-orders``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from heuristics.registry import find_method
from oas.exact.mosp.brute_force import brute_force
from oas.generate.mosp.worst_cases import WORST_CASES, Quantity
from oas.problems.mosp.availability import attained, attained_at_least, proved
from oas.problems.mosp.instance import MospInstance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ALPHAS = ("9/10", "4/5", "3/4", "3/5", "4/7", "9/20", "7/20", "3/10", "1/4", "1/5")


def ratio(method: str, case: str, **parameters: object) -> Fraction:
    """Return a method's makespan on a worst case over its optimum, which a test of the case proves."""
    (optimum,) = (one.true for one in WORST_CASES[case].claims(**parameters) if one.about is Quantity.OPTIMUM)
    return find_method(method, MospInstance)(WORST_CASES[case].function(**parameters)).makespan / optimum


def _joined(values: Iterable[Fraction]) -> str:
    return ", ".join(map(str, values))


def blocked(method: str) -> str:
    """Section 2.2: ratios on the instance made to its text."""
    found = [float(ratio(method, "blocked-queue", processors=count, parts=10**6)) for count in (8, 64)]
    return f"{', '.join(f'{one:.4f}' for one in found)} times the optimum for m = 8, 64"


def strict() -> str:
    """Section 2.2: FCFS."""
    return blocked("FCFS-strict")


def conservative() -> str:
    """Section 2.2: FCFS with conservative back-filling."""
    return blocked("conservative")


def graham() -> str:
    """Section 2.2: list scheduling's ratio 2 − 1/m is reached."""
    return f"{_joined(ratio('LSRC(FCFS)', 'graham-list', processors=m) for m in range(2, 9))} for m = 2 to 8"


def theorem1(variant: str) -> str:
    """Theorem 1: optima by brute force, 3-PARTITION of 6 numbers with a solution and without."""
    early, late = (
        [
            brute_force(WORST_CASES["three-partition"].function(variant=variant, solvable=solvable, seed=seed))[0]
            for seed in range(4)
        ]
        for solvable in (True, False)
    )
    return f"with a solution {_joined(sorted(set(early)))}; without one at least {min(late)}"


def one_processor() -> str:
    """Theorem 1 with m = 1."""
    return theorem1("one-processor")


def one_reservation() -> str:
    """Theorem 1 with n′ = 1."""
    return theorem1("one-reservation")


def proposition2() -> str:
    """Proposition 2: LSRC's ratios."""
    return f"{_joined(ratio('LSRC(FCFS)', 'tight-lsrc', k=k) for k in range(2, 9))} for k = 2 to 8"


def any_alpha() -> str:
    """Section 4.2: B₁ against the ratio of LSRC on instances made for it."""
    met = sum(ratio("LSRC(FCFS)", "tight-lsrc-alpha", alpha=one) == attained(Fraction(one)) for one in ALPHAS)
    return f"LSRC reaches B₁ on {met} of {len(ALPHAS)} α"


def in_order() -> str:
    """Figure 4: B₂, B₁ and 2/α on many rationals."""
    shares = {Fraction(p, q) for q in range(1, 120) for p in range(1, q + 1)}
    broken = sum(not attained_at_least(one) <= attained(one) <= proved(one) for one in shares)
    equal = sum(attained_at_least(one) == attained(one) for one in shares)
    whole = sum((2 / one).denominator == 1 for one in shares)
    return f"{broken} of {len(shares)} α otherwise; B₂ = B₁ on {equal}, 2/α whole on {whole}"


def closest() -> str:
    """Figure 4: B₁ / (2/α) just below the α at which 2/α is whole."""
    shares = [Fraction(2, k) - Fraction(1, 10**6) for k in (2, 3, 4)]
    return f"B₁ / (2/α) {', '.join(f'{float(attained(one) / proved(one)):.6f}' for one in shares)} below 1, 2/3, 1/2"


CHECKS: dict[str, Callable[[], str]] = {
    "reservations-2.2-fcfs": strict,
    "reservations-2.2-conservative": conservative,
    "reservations-2.2-tight": graham,
    "reservations-theorem-1": one_processor,
    "reservations-theorem-1-one": one_reservation,
    "reservations-prop-2": proposition2,
    "reservations-4.2-b1": any_alpha,
    "reservations-4.2-b2": in_order,
    "reservations-fig-4": closest,
}
