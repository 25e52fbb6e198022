"""Keeping every organization's local makespan can cost half the optimum: MOCCA paper, figure 2; MOLBA paper, figure 3.

The drawings are lost; the instances are ours, made to what the texts say: the globally optimal solution extends the
local makespan of O1 (here of O1 or of O2 in the one with single processors), the best solution that does not has 3/2 of
its makespan, and "this bound still holds for the sub-case where the machines are reduced to only one processor".
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from oas.core.names import unknown_name
from oas.generate.mosp.worst_cases.gallery import Quantity, WorstCase, WorstCaseClaim, build
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)

Machines = Literal["single", "double"]


def locality_price(*, machines: Machines = "single") -> MospInstance:
    """Return the instance in which locality costs 3/2.

    Parameters
    ----------
    machines
        ``single``: three clusters of one processor; O1 and O2 have a job of length 1 each, O3 two of length 2.
        ``double``: two clusters of two processors; O1 has two jobs of length 1, O2 three of length 2, all serial.

    Raises
    ------
    InputError
        If there is no such variant.
    """
    if machines == "single":
        sizes, shapes = [1, 1, 1], [[(1, 1)], [(1, 1)], [(2, 1)] * 2]
    elif machines == "double":
        sizes, shapes = [2, 2], [[(1, 1)] * 2, [(2, 1)] * 3]
    else:
        raise unknown_name(machines, ("single", "double"), "machines")
    return build("locality-price", sizes, shapes, machines=machines)


def claims(*, machines: Machines = "single") -> tuple[WorstCaseClaim, ...]:
    """Return what is claimed of `locality_price` and what is true, the same for both variants."""
    price = Fraction(3, 2)
    return (
        WorstCaseClaim(
            Quantity.FREE_OPTIMUM, None, Fraction(2), "the short jobs one after the other; no processor idles"
        ),
        WorstCaseClaim(
            Quantity.OPTIMUM,
            None,
            Fraction(3),
            "both short jobs must start at 0, each on its own processor, so some long job starts at 1 or later",
        ),
        WorstCaseClaim(Quantity.PRICE, price, price, "3 / 2"),
    )


WORST_CASE = WorstCase(
    "locality-price",
    locality_price,
    claims,
    "MOCCA paper, figure 2 and section 2.3; MOLBA paper, figure 3 (made to their texts)",
    "an optimum with locality 3/2 of that without",
    rank=30,
)
