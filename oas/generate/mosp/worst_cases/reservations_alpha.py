"""List scheduling at B₁ times the optimum, for any α: reservations paper, section 4.2, after proposition 2.

The paper leaves out the "similar but more tedious instance"; this one is ours. With x = α/2 and c = ⌈1/x⌉, c − 1 long
jobs of just more than xm processors and one short job fill the m processors until 1; N short jobs in turn take as long
as a long one. If all N start at once, no long job fits beside them, and from then on the long ones run in turn.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from math import ceil

from oas.core.numbers import Exact  # noqa: TC001  (the command line evaluates annotations)
from oas.generate.mosp.worst_cases.gallery import Quantity, WorstCase, WorstCaseClaim, build_alone
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)
from oas.problems.mosp.list_ratios import attained, share, short_jobs
from oas.problems.rigid import Reservation


def tight_lsrc_alpha(*, alpha: Exact = "3/5") -> MospInstance:
    """Return N jobs of length 1/N, then ⌈2/α⌉ − 1 of length 1, on the fewest processors with which they make B₁.

    From 1 on a reservation leaves αm processors until ⌈2/α⌉; for α = 1 there is none.

    Parameters
    ----------
    alpha
        α, above 0 and at most 1.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    free = share(alpha)
    short, long = short_jobs(free), ceil(2 / free) - 1
    size = next(m for m in count(free.denominator, free.denominator) if _is_tight(m, free, short, long))
    wide = _wide(size, free)
    shapes = [(Fraction(1, short), size - long * wide)] * short + [(Fraction(1), wide)] * long
    held = [Reservation(1, long + 1, int(size - free * size))] if free < 1 else []
    return build_alone("tight-lsrc-alpha", size, shapes, held, alpha=free)


def _wide(size: int, free: Fraction) -> int:
    """Return how many processors a long job takes: two do not fit into those that are free beside the reservation."""
    return int(free * size / 2) + 1


def _is_tight(size: int, free: Fraction, short: int, long: int) -> bool:
    """Tell whether a short job fits beside the long ones and all short ones fit at once, but no long one beside them.

    No job may be wider than what is always free.
    """
    wide = _wide(size, free)
    narrow = size - long * wide
    return narrow > 0 and short * narrow <= size < short * narrow + wide and max(wide, narrow) <= free * size


def claims(*, alpha: Exact = "3/5") -> tuple[WorstCaseClaim, ...]:
    """Return what is claimed of `tight_lsrc_alpha` and what is true."""
    one, late = Fraction(1), attained(share(alpha))
    return (
        WorstCaseClaim(Quantity.OPTIMUM, one, one, "the long jobs beside one another, the short ones in turn"),
        WorstCaseClaim(Quantity.LSRC, late, late, "all short jobs first; then the long ones in turn, beyond 1"),
        WorstCaseClaim(Quantity.LSRC_LONGEST, None, one, "the list reversed is the optimum"),
    )


WORST_CASE = WorstCase(
    "tight-lsrc-alpha",
    tight_lsrc_alpha,
    claims,
    "reservations paper, section 4.2 (made to its bound B₁)",
    "list scheduling ends at B₁ times the optimum, any α",
    rank=101,
)
