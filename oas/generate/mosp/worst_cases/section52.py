"""MOCCA(4)'s ratio of 4 is reached: MOCCA paper, end of section 5.2."""

from __future__ import annotations

from fractions import Fraction

from oas.generate.mosp.worst_cases.gallery import Quantity, WorstCase, WorstCaseClaim, build
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)


def tight_mocca4() -> MospInstance:
    """Return clusters of 3 processors and of 1; O2, whose is the small one, has 4 serial jobs of length 1."""
    return build("tight-mocca4", [3, 1], [[], [(1, 1)] * 4])


def claims() -> tuple[WorstCaseClaim, ...]:
    """Return what is claimed of `tight_mocca4` and what is true."""
    one, four = Fraction(1), Fraction(4)
    return (
        WorstCaseClaim(Quantity.LOWER_BOUND, one, one, "the area, and the longest job"),
        WorstCaseClaim(Quantity.LOCAL, four, four, "one job after the other"),
        WorstCaseClaim(Quantity.MOCCA4, four, four, "no job ends after 4 LB, so none is moved"),
        WorstCaseClaim(Quantity.OPTIMUM, one, one, "all four jobs at once"),
    )


WORST_CASE = WorstCase(
    "tight-mocca4",
    tight_mocca4,
    claims,
    "MOCCA paper, section 5.2",
    "MOCCA(4) ends at four times the optimum",
    rank=60,
)
