"""List scheduling's ratio 2 − 1/m is reached: Graham (1969); reservations paper, section 2.2 and theorem 2."""

from __future__ import annotations

from fractions import Fraction

from oas.core.numbers import integer
from oas.generate.mosp.worst_cases.gallery import Quantity, WorstCase, WorstCaseClaim, build_alone
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)


def graham_list(*, processors: int = 3) -> MospInstance:
    """Return m(m − 1) serial jobs of length 1, then one of length m.

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
    return build_alone("graham-list", count, [(1, 1)] * (count * (count - 1)) + [(count, 1)], processors=count)


def claims(*, processors: int = 3) -> tuple[WorstCaseClaim, ...]:
    """Return what is claimed of `graham_list` and what is true."""
    late, best = Fraction(2 * processors - 1), Fraction(processors)
    return (
        WorstCaseClaim(Quantity.OPTIMUM, best, best, "the long job first; it takes m"),
        WorstCaseClaim(Quantity.LSRC, late, late, "the short jobs fill all processors until m − 1"),
        WorstCaseClaim(Quantity.LSRC_LONGEST, None, best, "the long job first"),
    )


WORST_CASE = WorstCase(
    "graham-list",
    graham_list,
    claims,
    "Graham 1969; reservations paper, section 2.2 and theorem 2",
    "list scheduling ends at 2 − 1/m times the optimum, no reservations",
    rank=86,
)
