"""List scheduling at 2/α − 1 + α/2 times the optimum: reservations paper, proposition 2 and figure 3.

For k = 2 the print asks for a reservation of 0 processors; there is none then, and α = 1. The abstract's 2/α − 1 leaves
out the last term.
"""

from __future__ import annotations

from fractions import Fraction

from oas.core.numbers import integer
from oas.generate.mosp.worst_cases.gallery import Quantity, WorstCase, WorstCaseClaim, build_alone
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)
from oas.problems.rigid import Reservation


def tight_lsrc(*, k: int = 3) -> MospInstance:
    """Return k jobs (p, q) = (1/k, (k − 1)²), then k − 1 jobs (1, k(k − 1) + 1), on k²(k − 1) processors.

    From 1 on a reservation leaves α = 2/k of the processors, for 2k time units.

    Parameters
    ----------
    k
        2/α, at least 2.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    k = integer(k, "k", least=2)
    shapes = [(Fraction(1, k), (k - 1) ** 2)] * k + [(Fraction(1), k * (k - 1) + 1)] * (k - 1)
    held = [Reservation(1, 1 + 2 * k, k * (k - 1) * (k - 2))] if k > 2 else []
    return build_alone("tight-lsrc", k * k * (k - 1), shapes, held, k=k)


def claims(*, k: int = 3) -> tuple[WorstCaseClaim, ...]:
    """Return what is claimed of `tight_lsrc` and what is true."""
    one, late = Fraction(1), k - 1 + Fraction(1, k)
    return (
        WorstCaseClaim(Quantity.OPTIMUM, one, one, "the long jobs beside one another, the short ones in turn"),
        WorstCaseClaim(
            Quantity.LSRC, late, late, "all short jobs first; then no two long ones fit, for each runs beyond 1"
        ),
        WorstCaseClaim(Quantity.CONSERVATIVE, None, late, "the same starts: no job can be promised an earlier one"),
        WorstCaseClaim(Quantity.LSRC_LONGEST, None, one, "the list reversed is the optimum"),
    )


WORST_CASE = WorstCase(
    "tight-lsrc",
    tight_lsrc,
    claims,
    "reservations paper, proposition 2 and figure 3",
    "list scheduling ends at 2/α − 1 + α/2 times the optimum, 2/α whole",
    rank=100,
)
