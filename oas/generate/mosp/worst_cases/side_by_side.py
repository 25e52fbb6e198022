"""Two organizations that both end sooner by running wide and narrow jobs side by side: MOLBA paper, figure 2.

The figure's drawing is lost; the instance is ours, made to what its caption says: by matching certain types of jobs a
cooperative solution has better makespans for both organizations than scheduling all jobs locally.
"""

from __future__ import annotations

from fractions import Fraction

from oas.generate.mosp.worst_cases.gallery import Quantity, WorstCase, WorstCaseClaim, build
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)


def matching() -> MospInstance:
    """Return two clusters of 5 processors; O1 has 3 jobs (p, q) = (1, 3), O2 has 3 jobs (1, 2)."""
    return build("matching", [5, 5], [[(1, 3)] * 3, [(1, 2)] * 3])


def claims() -> tuple[WorstCaseClaim, ...]:
    """Return what is true of `matching`; the figure's numbers are lost."""
    why = "three jobs of 3 processors, no two of which fit on one cluster, on two clusters"
    return (
        WorstCaseClaim(Quantity.LOCAL, None, Fraction(3), "O1's jobs one after the other; O2's end at 2"),
        WorstCaseClaim(Quantity.OPTIMUM, None, Fraction(2), why),
        WorstCaseClaim(Quantity.FREE_OPTIMUM, None, Fraction(2), why),
    )


WORST_CASE = WorstCase(
    "matching",
    matching,
    claims,
    "MOLBA paper, figure 2 (made to its caption)",
    "wide and narrow jobs side by side: both organizations gain",
    rank=20,
)
