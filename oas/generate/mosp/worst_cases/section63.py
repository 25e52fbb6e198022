"""ILBA's ratio 2 − 1/m for serial jobs is reached: MOCCA paper, section 6.3, on Graham's worst case of SPT.

The print speaks of "one organization with m clusters"; a cluster of m processors is meant, and taken here.
"""

from __future__ import annotations

from fractions import Fraction

from oas.core.numbers import integer
from oas.generate.mosp.worst_cases.gallery import Quantity, WorstCase, WorstCaseClaim, build
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)


def graham_spt(*, processors: int = 3) -> MospInstance:
    """Return one organization with m(m − 1) serial jobs of length 1 and one of length m, scheduled by SPT.

    Parameters
    ----------
    processors
        m, at least 1.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    count = integer(processors, "processors", least=1)
    return build("graham-spt", [count], [[(1, 1)] * (count * (count - 1)) + [(count, 1)]], "SPT", processors=count)


def claims(*, processors: int = 3) -> tuple[WorstCaseClaim, ...]:
    """Return what is claimed of `graham_spt` and what is true."""
    late, best = Fraction(2 * processors - 1), Fraction(processors)
    return (
        WorstCaseClaim(
            Quantity.LOCAL, late, late, "the short jobs fill all processors until m − 1, then comes the long one"
        ),
        WorstCaseClaim(Quantity.ILBA_LOCAL, late, late, "with one cluster no job moves"),
        WorstCaseClaim(Quantity.OPTIMUM, best, best, "the long job first; it takes m"),
    )


WORST_CASE = WorstCase(
    "graham-spt",
    graham_spt,
    claims,
    "MOCCA paper, section 6.3",
    "ILBA ends at 2 − 1/m times the optimum, serial jobs",
    rank=70,
)
