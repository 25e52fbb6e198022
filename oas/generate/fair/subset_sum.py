"""SUBSET SUM by contributions: the instances of theorem 5.1 of the fair scheduling paper, as printed and repaired.

Source: Skowron, Rzadca, SPAA 2013, theorem 5.1. One organization for each number, one machine each, and two more: *a*
without jobs, *b* with a job so large that it dominates. From the contribution of *a* the paper reads in how many
orderings of the organizations *a* comes right after *b* and a set of numbers whose sum is below x, in any order.

As printed the reduction fails: it takes for granted that b goes first whenever it competes, for which the two unit jobs
of each number are too small. In the repair these have length H = 20·x_tot each, everything else is shifted by 2H − 2,
and the large job is longer: (k + 2)! times the square of all other work, which bounds what *a* gains otherwise.
"""

from __future__ import annotations

from itertools import combinations
from math import factorial
from typing import TYPE_CHECKING

from oas.generate.fair.paper import fair_ticks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from oas.problems.fair.ticks import FairTicks

LONG = 20  # H over x_tot


def subset_sum_ticks(numbers: Sequence[int], bound: int, *, repaired: bool = True) -> tuple[FairTicks, int]:
    """Return the instance, and L: the length of the large job.

    The horizon is late enough for all jobs to end in every coalition.

    Parameters
    ----------
    numbers
        S: at least 1 each. Their organizations come first, then a, then b.
    bound
        x, at least 1.
    repaired
        Whether the reduction is repaired; else it is that of the print.
    """
    count, total = len(numbers), sum(numbers) + 2
    early = LONG * total if repaired else 1
    shift = 2 * early - 2
    jobs = [  # organization, release, time
        job
        for own, number in enumerate(numbers)
        for job in (
            (own, 0, early),
            (own, 0, early),
            (own, 3 + shift, 2 * total),
            (own, 4 + shift, 2 * number),
        )
    ]
    jobs.append((count + 1, 2 + shift, 2 * bound + 2))
    other = sum(time for _, _, time in jobs)
    gain = other**2 if repaired else 4 * count * total**2
    large = gain * factorial(count + 2) + 1
    jobs.append((count + 1, 2 * bound + 3 + shift, large))
    return fair_ticks([1] * (count + 2), jobs, shift + 2 * bound + 4 + other + large), large


def orderings_below(numbers: Sequence[int], bound: int) -> int:
    """Return n of theorem 5.1: Σ (|S'| + 1)! (|S| − |S'|)! over the subsets S' whose sum is below `bound`."""
    count = len(numbers)
    return sum(
        factorial(size + 1) * factorial(count - size)
        for size in range(count + 1)
        for part in combinations(numbers, size)
        if sum(part) < bound
    )


def orderings_read(contribution: Fraction, numbers: Sequence[int], large: int) -> int:
    """Return the same as the paper reads it from the contribution of a: ⌊(k + 2)! φ / L⌋."""
    return int(factorial(len(numbers) + 2) * contribution // large)
