"""Without cooperation the makespan can be N times the optimum: MOCCA paper, section 2.3; MOLBA paper, figure 1."""

from __future__ import annotations

from fractions import Fraction

from oas.core.numbers import integer
from oas.generate.mosp.worst_cases.gallery import Quantity, WorstCase, WorstCaseClaim, build
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)


def no_cooperation(*, organizations: int = 4, processors: int = 1) -> MospInstance:
    """Give O1 as many jobs as there are organizations, each of length 1 and as wide as a cluster; the others none.

    Parameters
    ----------
    organizations
        N, at least 1.
    processors
        m of each cluster, at least 1.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    count = integer(organizations, "organizations", least=1)
    width = integer(processors, "processors", least=1)
    shapes = [[(1, width)] * count, *[[] for _ in range(count - 1)]]
    return build("no-cooperation", [width] * count, shapes, organizations=count, processors=width)


def claims(*, organizations: int = 4, processors: int = 1) -> tuple[WorstCaseClaim, ...]:
    """Return what is claimed of `no_cooperation` and what is true."""
    count = Fraction(organizations)
    one = Fraction(1)
    return (
        WorstCaseClaim(Quantity.LOCAL, count, count, "one job after the other on one cluster"),
        WorstCaseClaim(Quantity.OPTIMUM, one, one, "one job on each cluster; no job ends before 1"),
    )


WORST_CASE = WorstCase(
    "no-cooperation",
    no_cooperation,
    claims,
    "MOCCA paper, section 2.3; MOLBA paper, figure 1",
    "local schedules N times as long as the optimum",
    rank=10,
)
