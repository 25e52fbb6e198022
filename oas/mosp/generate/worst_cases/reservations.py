"""List scheduling and back-filling on one cluster, with and without reservations: the reservations paper.

- *blocked-queue*: first come, first served at nearly m times the optimum (section 2.2). The paper states "optimal
  makespan 1 and ... FCFS schedule has makespan m", for FCFS "even with conservative back-filling", without an instance.
  In the instances generated here both values are limits for ε → 0. If the narrow jobs have equal lengths, back-filling
  finds the optimum; if each is longer than the one before it, none fits before a wide job.
- *graham-list*: the ratio 2 − 1/m of list scheduling is attained (Graham 1969; section 2.2 and theorem 2).
- *three-partition*: every schedule that misses the optimum misses it by an arbitrary factor (theorem 1 and figure 1,
  from 3-PARTITION). 3k numbers x with Σ x = kB and B/4 < x < B/2, a condition omitted in the text, must be divided into
  k groups of sum B. A schedule gives such a partition if and only if it ends before the last reservation, a long one.
  Solvable numbers are random multiples of 7, as is B. Unsolvable ones are derived from them: in one group two numbers
  are raised by 1 and the largest is lowered by 3, and in the group with the smallest number the largest is raised by 1.
  The remainders of these four numbers are 1, 1, 1 and 4: no one, two or three of them sum to a multiple of 7, and no
  group contains all four.
- *tight-lsrc*: list scheduling at 2/α − 1 + α/2 times the optimum (proposition 2 and figure 3). For k = 2 the paper
  requires a reservation of 0 processors; it is omitted, and α = 1. The value 2/α − 1 in the abstract omits the last
  term.
- *tight-lsrc-alpha*: list scheduling at B₁ times the optimum, for any α (section 4.2, after proposition 2). The paper
  omits the "similar but more tedious instance"; this one was constructed for the toolkit. With x = α/2 and c = ⌈1/x⌉,
  c − 1 long jobs of just more than xm processors and one short job fill the m processors until 1; N short jobs in turn
  take as long as a long one. If all N start at time 0, no long job fits next to them, and afterwards the long jobs run
  one after another.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import count
from math import ceil
from random import Random
from typing import Literal

from oas.core.errors import unknown_name
from oas.core.numbers import Exact, integer
from oas.core.rigid import Reservation
from oas.mosp.availability import attained_ratio, share, short_jobs
from oas.mosp.generate.worst_cases import Case, Quantity, build_alone, worst_case
from oas.mosp.generate.worst_cases import WorstCaseClaim as Claim

Variant = Literal["one-processor", "one-reservation"]
SUM = 280  # B: 7 times 40, so that there are numbers of all remainders between a quarter and half of it


@worst_case(
    "reservations paper, section 2.2 (made to its text)",
    "first come, first served ends near m times the optimum, even with back-filling",
    85,
)
def blocked_queue(*, processors: int = 8, parts: int = 1000, growing: bool = True) -> Case:
    """Return m serial jobs of length 1, or 1 + iε for i = 1, …, m, and between them jobs of length ε on all processors.

    Parameters
    ----------
    processors
        m, at least 2.
    parts
        1/ε, at least 1.
    growing
        Whether each serial job is longer than the one before it.
    """
    count, parts = integer(processors, "processors", least=2), integer(parts, "parts", least=1)
    brief = Fraction(1, parts)
    narrow = [(1 + i * brief * growing, 1) for i in range(1, count + 1)]
    shapes = [shape for job in narrow for shape in (job, (brief, count))][:-1]
    instance = partial(build_alone, "blocked-queue", count, shapes, processors=count, parts=parts, growing=growing)
    limit = Fraction(count)
    wide = (count - 1) * brief
    late = limit + wide + growing * brief * count * (count + 1) / 2
    best = 1 + growing * count * brief + wide
    filled, printed = (late, limit) if growing else (best, None)
    why = "no narrow job ends before a wide one can start" if growing else "all narrow jobs start at 0"
    return instance, (
        Claim(
            Quantity.OPTIMUM, Fraction(1), best, "the longest narrow job beside the others, then the wide ones; limit 1"
        ),
        Claim(Quantity.STRICT, limit, late, "one job after the other; limit m"),
        Claim(Quantity.CONSERVATIVE, printed, filled, why),
        Claim(Quantity.EASY, None, filled, why),
        Claim(Quantity.LSRC, None, best, "all narrow jobs start at 0"),
    )


@worst_case(
    "Graham 1969; reservations paper, section 2.2 and theorem 2",
    "list scheduling ends at 2 − 1/m times the optimum, no reservations",
    86,
)
def graham_list(*, processors: int = 3) -> Case:
    """Return m(m − 1) serial jobs of length 1, then one of length m.

    Parameters
    ----------
    processors
        m, at least 1.
    """
    count = integer(processors, "processors", least=1)
    instance = partial(
        build_alone, "graham-list", count, [(1, 1)] * (count * (count - 1)) + [(count, 1)], processors=count
    )
    late, best = Fraction(2 * count - 1), Fraction(count)
    return instance, (
        Claim(Quantity.OPTIMUM, best, best, "the long job first; it takes m"),
        Claim(Quantity.LSRC, late, late, "the short jobs fill all processors until m − 1"),
        Claim(Quantity.LSRC_LONGEST, None, best, "the long job first"),
    )


@worst_case(
    "reservations paper, theorem 1 and figure 1", "3-PARTITION in the gaps between reservations, solvable or not", 90
)
def three_partition(
    *, variant: Variant = "one-processor", groups: int = 2, solvable: bool = True, factor: int = 2, seed: int = 0
) -> Case:
    """Return 3-PARTITION as serial jobs that can or cannot fill k gaps of length B, or k processors until B.

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
    """
    count, factor = integer(groups, "groups", least=1 if solvable else 2), integer(factor, "factor", least=1)
    numbers = _numbers(count, solvable, integer(seed, "seed", least=0))
    size, blocks = _cluster(variant, count, factor)
    instance = partial(
        build_alone,
        "three-partition",
        size,
        [(number, 1) for number in numbers],
        blocks,
        variant=variant,
        groups=count,
        solvable=solvable,
        factor=factor,
        seed=seed,
    )
    if solvable:
        best = blocks[-1].start
        printed = best if variant == "one-processor" else None
        return instance, (Claim(Quantity.OPTIMUM, printed, best, "until the last reservation no processor idles"),)
    why = "some job runs after the last reservation; without the least one, the others fit before it"
    return instance, (Claim(Quantity.OPTIMUM, None, blocks[-1].end + min(numbers), why),)


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
    groups_of_numbers = sorted((_triple(rng) for _ in range(groups)), key=min)  # the least number is in the first group
    if not solvable:
        (first, *_), second = groups_of_numbers[0], groups_of_numbers[1]
        raised = [first, *groups_of_numbers[0][1:-1], groups_of_numbers[0][-1] + 1]
        groups_of_numbers[:2] = [raised, [second[0] + 1, second[1] + 1, second[2] - 3]]
    numbers = [number for group in groups_of_numbers for number in group]
    rng.shuffle(numbers)
    return numbers


def _triple(rng: Random) -> list[int]:
    """Draw three multiples of 7 between B/4 and B/2, ascending, that add up to B."""
    least, most, total = SUM // 28 + 1, SUM // 14 - 1, SUM // 7
    while True:
        first, second = rng.randint(least, most), rng.randint(least, most)
        if least <= total - first - second <= most:
            return [7 * number for number in sorted((first, second, total - first - second))]


@worst_case(
    "reservations paper, proposition 2 and figure 3",
    "list scheduling ends at 2/α − 1 + α/2 times the optimum, 2/α whole",
    100,
)
def tight_lsrc(*, k: int = 3) -> Case:
    """Return k jobs (p, q) = (1/k, (k − 1)²), then k − 1 jobs (1, k(k − 1) + 1), on k²(k − 1) processors.

    From 1 on a reservation leaves α = 2/k of the processors, for 2k time units.

    Parameters
    ----------
    k
        2/α, at least 2.
    """
    k = integer(k, "k", least=2)
    shapes = [(Fraction(1, k), (k - 1) ** 2)] * k + [(Fraction(1), k * (k - 1) + 1)] * (k - 1)
    blocks = [Reservation(1, 1 + 2 * k, k * (k - 1) * (k - 2))] if k > 2 else []
    instance = partial(build_alone, "tight-lsrc", k * k * (k - 1), shapes, blocks, k=k)
    one, late = Fraction(1), k - 1 + Fraction(1, k)
    return instance, (
        Claim(Quantity.OPTIMUM, one, one, "the long jobs beside one another, the short ones in turn"),
        Claim(Quantity.LSRC, late, late, "all short jobs first; then no two long ones fit, for each runs beyond 1"),
        Claim(Quantity.CONSERVATIVE, None, late, "the same starts: no job can be promised an earlier one"),
        Claim(Quantity.LSRC_LONGEST, None, one, "the list reversed is the optimum"),
    )


@worst_case(
    "reservations paper, section 4.2 (made to its bound B₁)", "list scheduling ends at B₁ times the optimum, any α", 101
)
def tight_lsrc_alpha(*, alpha: Exact = "3/5") -> Case:
    """Return N jobs of length 1/N, then ⌈2/α⌉ − 1 of length 1, on the fewest processors with which they make B₁.

    From 1 on a reservation leaves αm processors until ⌈2/α⌉; for α = 1 there is none.

    Parameters
    ----------
    alpha
        α, above 0 and at most 1.
    """
    free = share(alpha)
    short, long = short_jobs(free), ceil(2 / free) - 1
    for size in count(free.denominator, free.denominator):
        wide = int(free * size / 2) + 1  # two long jobs do not fit on the processors left by the reservation
        narrow = size - long * wide  # a short job fits next to the long ones
        # All short jobs fit together but not with a long one, and every job fits on the processors always available.
        if narrow > 0 and short * narrow <= size < short * narrow + wide and max(wide, narrow) <= free * size:
            break
    shapes = [(Fraction(1, short), narrow)] * short + [(Fraction(1), wide)] * long
    blocks = [Reservation(1, long + 1, int(size - free * size))] if free < 1 else []
    instance = partial(build_alone, "tight-lsrc-alpha", size, shapes, blocks, alpha=free)
    one, late = Fraction(1), attained_ratio(free)
    return instance, (
        Claim(Quantity.OPTIMUM, one, one, "the long jobs beside one another, the short ones in turn"),
        Claim(Quantity.LSRC, late, late, "all short jobs first; then the long ones in turn, beyond 1"),
        Claim(Quantity.LSRC_LONGEST, None, one, "the list reversed is the optimum"),
    )
