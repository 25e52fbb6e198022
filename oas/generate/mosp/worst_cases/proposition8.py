"""The cost of leaving untouched the jobs that start before 2 LB: MOCCA paper, proposition 8.

The print concludes a ratio of 3, which the instance reaches only as N grows: with N organizations the best is
max(2, 3 − 6/N) LB.
"""

from __future__ import annotations

from fractions import Fraction

from oas.core.numbers import integer
from oas.generate.mosp.worst_cases.gallery import Quantity, WorstCase, WorstCaseClaim, build
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)


def kept_schedules(*, organizations: int = 12) -> MospInstance:
    """Return clusters of 2N − 1 processors whose first has wide jobs, its local schedule full until 2 LB.

    O1 has N jobs (p, q) = (2/N, m) and N jobs (1 − 2/N, N), each other organization N jobs (1 − 2/N, 1).

    Parameters
    ----------
    organizations
        N, at least 3.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    count = integer(organizations, "organizations", least=3)
    processors = 2 * count - 1
    brief, rest = Fraction(2, count), 1 - Fraction(2, count)
    shapes = [[(brief, processors)] * count + [(rest, count)] * count, *[[(rest, 1)] * count] * (count - 1)]
    return build("kept-schedules", [processors] * count, shapes, organizations=count)


def claims(*, organizations: int = 12) -> tuple[WorstCaseClaim, ...]:
    """Return what is claimed of `kept_schedules` and what is true."""
    one = Fraction(1)
    kept = max(Fraction(2), 3 - Fraction(6, organizations))
    return (
        WorstCaseClaim(Quantity.LOWER_BOUND, one, one, "the area; no job is longer"),
        WorstCaseClaim(
            Quantity.OPTIMUM,
            one,
            one,
            "first N − 1 narrow jobs beside one of N processors on each cluster, then a job of all processors",
        ),
        WorstCaseClaim(
            Quantity.KEPT,
            Fraction(3),
            kept,
            "O1's cluster is full until 2; the others can take two jobs of N processors each by 3 − 6/N, in all at "
            "least the N there are; 3 is the limit for large N",
        ),
    )


WORST_CASE = WorstCase(
    "kept-schedules",
    kept_schedules,
    claims,
    "MOCCA paper, proposition 8 and figure 5",
    "whoever keeps local schedules until 2 LB comes near three times the optimum",
    rank=50,
)
