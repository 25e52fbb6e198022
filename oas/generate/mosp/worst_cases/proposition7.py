"""The optimum can come as close to 3 LB as one likes: MOCCA paper, proposition 7.

The print does not say whose the jobs are; here all are O1's. Without locality it is the same optimum.
"""

from __future__ import annotations

from fractions import Fraction

from oas.core.errors import InputError
from oas.core.numbers import integer
from oas.generate.mosp.worst_cases.gallery import Quantity, WorstCase, WorstCaseClaim, build
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)


def near_three_bounds(*, organizations: int = 10, processors: int = 100) -> MospInstance:
    """Give O1 2N + 1 jobs just too wide to run in pairs, of a length that makes LB = 1.

    Parameters
    ----------
    organizations
        N, at least 1.
    processors
        m of each cluster, even, at least 2.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    count = integer(organizations, "organizations", least=1)
    processors = integer(processors, "processors", least=2)
    if processors % 2:
        raise InputError("must be even", field="processors", value=processors)
    jobs = [(_length(count, processors), processors // 2 + 1)] * (2 * count + 1)
    shapes = [jobs, *[[] for _ in range(count - 1)]]
    return build("near-three-bounds", [processors] * count, shapes, organizations=count, processors=processors)


def claims(*, organizations: int = 10, processors: int = 100) -> tuple[WorstCaseClaim, ...]:
    """Return what is claimed of `near_three_bounds` and what is true."""
    length = _length(organizations, processors)
    return (
        WorstCaseClaim(Quantity.LOWER_BOUND, Fraction(1), Fraction(1), "the area; the longest job is no longer"),
        WorstCaseClaim(
            Quantity.OPTIMUM,
            3 * length,
            3 * length,
            "jobs run one at a time on each cluster, and 2N + 1 of them on N clusters: three on some cluster",
        ),
        WorstCaseClaim(
            Quantity.FREE_OPTIMUM, 3 * length, 3 * length, "as with locality: O1's local makespan is longer"
        ),
    )


def _length(organizations: int, processors: int) -> Fraction:
    """N·m / ((2N + 1)(m/2 + 1))."""
    return Fraction(organizations * processors, (2 * organizations + 1) * (processors // 2 + 1))


WORST_CASE = WorstCase(
    "near-three-bounds",
    near_three_bounds,
    claims,
    "MOCCA paper, proposition 7",
    "an optimum near three times the paper's lower bound",
    rank=40,
)
