"""Whoever misses the optimum misses it by any factor: reservations paper, theorem 1 and figure 1, from 3-PARTITION.

3k numbers x with Σ x = kB and B/4 < x < B/2, which the text omits, are to be split into k groups of sum B. That is what
a schedule does which ends before the last reservation, a long one; none that does not split them ends before it.

Numbers with a solution are multiples of 7, drawn by seed, and so is B. Those without one are made of them: in one group
two are raised by 1 and the largest is lowered by 3, in the group with the least number the largest is raised by 1. The
remainders of these four are 1, 1, 1 and 4: no one, two or three of them add up to a multiple of 7, and no group holds
all four.
"""

from __future__ import annotations

from random import Random
from typing import Literal

from oas.core.names import unknown_name
from oas.core.numbers import integer
from oas.generate.mosp.worst_cases.gallery import Quantity, WorstCase, WorstCaseClaim, build_alone
from oas.problems.mosp.instance import MospInstance  # noqa: TC001  (the command line evaluates annotations)
from oas.problems.rigid import Reservation

Variant = Literal["one-processor", "one-reservation"]
SUM = 280  # B: 7 times 40, so that there are numbers of all remainders between a quarter and half of it


def three_partition(
    *, variant: Variant = "one-processor", groups: int = 2, solvable: bool = True, factor: int = 2, seed: int = 0
) -> MospInstance:
    """Return 3-PARTITION as serial jobs that fill k gaps of length B, or k processors until B, or do not.

    Parameters
    ----------
    variant
        ``one-processor``: k reservations, at distance B. ``one-reservation``: k processors, all reserved from B on; the
        paper says only that this is done by the same technique.
    groups
        k, at least 1; at least 2 without a solution.
    solvable
        Whether the numbers can be split.
    factor
        ρ, at least 1: a schedule that does not split them ends after ρ times the optimum of one that does.
    seed
        Of the numbers.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    count, factor = integer(groups, "groups", least=1 if solvable else 2), integer(factor, "factor", least=1)
    numbers = _numbers(count, solvable, integer(seed, "seed", least=0))
    size, held = _cluster(variant, count, factor)
    return build_alone(
        "three-partition",
        size,
        [(number, 1) for number in numbers],
        held,
        variant=variant,
        groups=count,
        solvable=solvable,
        factor=factor,
        seed=seed,
    )


def _cluster(variant: str, groups: int, factor: int) -> tuple[int, list[Reservation]]:
    """Return processors and reservations; the last reservation is `factor` times as long as all before it."""
    if variant == "one-processor":
        period = SUM + 1
        short = [Reservation(j * period - 1, j * period, 1) for j in range(1, groups)]
        return 1, [*short, Reservation(groups * period - 1, (factor + 1) * groups * period, 1)]
    if variant == "one-reservation":
        return groups, [Reservation(SUM, (factor + 1) * SUM + 1, groups)]
    raise unknown_name(variant, ("one-processor", "one-reservation"), "variant")


def _numbers(groups: int, solvable: bool, seed: int) -> list[int]:
    rng = Random(seed)
    found = sorted((_triple(rng) for _ in range(groups)), key=min)  # the least number is in the first group
    if not solvable:
        (first, *_), second = found[0], found[1]
        raised = [first, *found[0][1:-1], found[0][-1] + 1]
        found[:2] = [raised, [second[0] + 1, second[1] + 1, second[2] - 3]]
    numbers = [number for group in found for number in group]
    rng.shuffle(numbers)
    return numbers


def _triple(rng: Random) -> list[int]:
    """Draw three multiples of 7 between B/4 and B/2, ascending, that add up to B."""
    least, most, total = SUM // 28 + 1, SUM // 14 - 1, SUM // 7
    while True:
        first, second = rng.randint(least, most), rng.randint(least, most)
        if least <= total - first - second <= most:
            return [7 * number for number in sorted((first, second, total - first - second))]


def claims(
    *, variant: Variant = "one-processor", groups: int = 2, solvable: bool = True, factor: int = 2, seed: int = 0
) -> tuple[WorstCaseClaim, ...]:
    """Return what is claimed of `three_partition` and what is true."""
    _, held = _cluster(variant, groups, factor)
    if solvable:
        best = held[-1].start
        printed = best if variant == "one-processor" else None
        return (WorstCaseClaim(Quantity.OPTIMUM, printed, best, "until the last reservation no processor idles"),)
    why = "some job runs after the last reservation; without the least one, the others fit before it"
    return (WorstCaseClaim(Quantity.OPTIMUM, None, held[-1].end + min(_numbers(groups, solvable, seed)), why),)


WORST_CASE = WorstCase(
    "three-partition",
    three_partition,
    claims,
    "reservations paper, theorem 1 and figure 1",
    "3-PARTITION in the gaps between reservations, solvable or not",
    rank=90,
)
