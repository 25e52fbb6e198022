"""The small instances that the fair scheduling paper prints, as arrays, and its reduction from SUBSET SUM.

Source: Skowron, Rzadca, *Non-monetary Fair Scheduling: a Cooperative Game Theory Approach*, SPAA 2013. An organization
may be without jobs here.

SUBSET SUM by contributions is theorem 5.1, as printed and repaired. One organization for each number, one machine each,
and two more: *a* without jobs, *b* with a job so large that it dominates. From the contribution of *a* the paper reads
in how many orderings of the organizations *a* comes right after *b* and a set of numbers whose sum is below x, in any
order.

As printed the reduction fails: it takes for granted that b goes first whenever it competes, for which the two unit jobs
of each number are too small. In the repair these have length H = 20·x_tot each, everything else is shifted by 2H − 2,
and the large job is longer: (k + 2)! times the square of all other work, which bounds what *a* gains otherwise.
"""

from __future__ import annotations

from itertools import combinations
from math import factorial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from oas.problems.fair.ticks import FairTicks


def fair_ticks(machines: Sequence[int], jobs: Iterable[tuple[int, int, int]], horizon: int) -> FairTicks:
    """Return arrays of jobs of one processor, each given by organization, release and time.

    Parameters
    ----------
    machines
        Processors of each organization.
    jobs
        Those of each organization in its order.
    horizon
        t_end.
    """
    import numpy as np

    from oas.problems.fair.ticks import FairTicks

    owner, release, time = np.array(sorted(jobs, key=lambda job: (job[1], job[0])), dtype=np.int64).T
    return FairTicks(np.array(machines), owner, release, time, np.ones_like(time), horizon)


FIGURE_1_STARTS = (0, 0, 0, 3, 3, 4, 6, 9, 10, 9)
"""Of the jobs of `figure_1`: J1 to J9 of the first organization, then the second one's."""


def figure_1(horizon: int = 14) -> FairTicks:
    """Return figure 1: nine jobs of one organization and one of another on three processors, all released at 0."""
    jobs = [*((0, 0, time) for time in (3, 4, 3, 6, 3, 6, 3, 3, 4)), (1, 0, 5)]
    return fair_ticks([2, 1], jobs, horizon)


def not_supermodular() -> FairTicks:
    """Return proposition 5.5's instance: a and b release two unit jobs each at 0, c has none; one machine each."""
    return fair_ticks([1, 1, 1], [(0, 0, 1), (0, 0, 1), (1, 0, 1), (1, 0, 1)], 2)


def last_batch(organizations: int, each: int, time: int) -> FairTicks:
    """Return the last batch of theorem 5.3: as many machines as each organization has jobs, all of one length.

    With one job each it is the family of the remark before the theorem. The horizon is when all have run. The machines
    are the first organization's; for the others one each that stands apart is added, as an organization needs one.
    """
    jobs = [(own, 0, time) for own in range(organizations) for _ in range(each)]
    return fair_ticks([each, *[1] * (organizations - 1)], jobs, organizations * time)


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
