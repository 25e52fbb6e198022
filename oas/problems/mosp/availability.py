"""Processors that reservations leave free on a cluster, and ratios of list schedules as functions of that share.

Source: Eyraud-Dubois, Mounié, Trystram, *Analysis of Scheduling Algorithms with Reservations*, IPDPS 2007;
section 4.2 for the ratios. α is the share of a cluster's processors that is always free, and that no job exceeds.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.numbers import Exact, exact
from oas.problems.rigid import free_steps

if TYPE_CHECKING:
    from oas.problems.rigid import Organization


@dataclass(frozen=True)
class Availability:
    """The processors m(t) = m − U(t) that the reservations of one cluster leave free, and the classes of the paper.

    An organization may be of both restricted classes: α, where `alpha` is not None (section 4.2), and non-increasing
    reservations (section 4.1). One of neither is general.
    """

    # (moment, processors): so many are free from this moment until the next one, the last for ever. The first moment is
    # 0, they ascend, and neighbours differ. In the instance's time unit.
    steps: tuple[tuple[Fraction, int], ...]
    widest: int  # q of the widest job; 0 without jobs

    def free_at(self, moment: Exact) -> int:
        """Return how many processors are free at `moment` and just after it.

        Raises `InputError` if `moment` is negative or a float that is not whole.
        """
        found = exact(moment, "moment")
        if found < 0:
            raise InputError("must not be negative", field="moment", value=str(found))
        return self.steps[bisect_right(self.steps, found, key=lambda step: step[0]) - 1][1]

    @property
    def processors(self) -> int:
        """m: all that the cluster has, and what is free when the last reservation has ended."""
        return self.steps[-1][1]

    @cached_property
    def least_free(self) -> int:
        """The fewest processors that are ever free."""
        return min(free for _, free in self.steps)

    @cached_property
    def alpha(self) -> Fraction | None:
        """The largest α in ]0, 1] such that α·m processors are free at all times and no job is wider (section 4.2).

        That is `least_free` / m; None if a job is wider than `least_free`, or if that is 0.
        """
        if not self.least_free or self.widest > self.least_free:
            return None
        return Fraction(self.least_free, self.processors)

    @cached_property
    def non_increasing(self) -> bool:
        """Whether the processors reserved never grow in number (section 4.1)."""
        return all(before < after for (_, before), (_, after) in pairwise(self.steps))

    @property
    def general(self) -> bool:
        """Whether it is of neither class: then no polynomial algorithm has a finite ratio unless P = NP (theorem 1)."""
        return self.alpha is None and not self.non_increasing

    def __str__(self) -> str:
        """Say of which classes the reservations are; of none, where there are none."""
        if len(self.steps) == 1:
            return "none"
        words = []
        if self.alpha is not None:
            part = f"at most {1 - self.alpha} of the processors at once"
            words.append(f"{part}, no job wider than the rest (α = {self.alpha})")
        if self.non_increasing:
            words.append("non-increasing")
        return "; ".join(words) or "general"


def availability(organization: Organization) -> Availability:
    """Return what the reservations of an organization leave free on its cluster."""
    blocks = ((one.start, one.end, one.processors) for one in organization.reservations)
    steps = free_steps(organization.processors, blocks, Fraction(0))
    return Availability(steps, max((job.processors for job in organization.jobs), default=0))


def share(alpha: Exact) -> Fraction:
    """Return α as a Fraction.

    Raises
    ------
    InputError
        If it is not above 0, or above 1.
    """
    found = exact(alpha, "alpha")
    if not 0 < found <= 1:
        raise InputError("must be above 0 and at most 1", field="alpha", value=str(found))
    return found


def attained(alpha: Fraction) -> Fraction:
    """Return B₁, which some list schedule attains: ⌈2/α⌉ - 1 + 1/N, N as `short_jobs`.

    Where 2/α is an integer, that is 2/α - 1 + α/2, of Proposition 2. The abstract's 2/α - 1 leaves out the last term.
    """
    return ceil(2 / alpha) - 1 + Fraction(1, short_jobs(alpha))


def short_jobs(alpha: Fraction) -> int:
    """Return N = ⌊(1 - α/2) / (1 - (α/2)(⌈2/α⌉ - 1))⌋ + 1, one more than fit beside a job of αm/2 processors."""
    half = alpha / 2
    return floor((1 - half) / (1 - half * (ceil(2 / alpha) - 1))) + 1


def attained_at_least(alpha: Fraction) -> Fraction:
    """Return B₂ = ⌈2/α⌉ - (⌈2/α⌉ - 1) · α/2, at most B₁, and B₁ where 2/α is an integer."""
    whole = ceil(2 / alpha)
    return whole - (whole - 1) * alpha / 2


def proved(alpha: Fraction) -> Fraction:
    """Return 2/α, which no list schedule exceeds (Proposition 3)."""
    return 2 / alpha
