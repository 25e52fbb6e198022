"""Processors that reservations leave free on a cluster, and performance ratios of list scheduling.

Source: Eyraud-Dubois, Mounié, Trystram, *Analysis of Scheduling Algorithms with Reservations*, IPDPS 2007, section 4.2.
The ratios are functions of α, a share of the processors that is always free and that no job exceeds.
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
from oas.core.rigid import free_steps

if TYPE_CHECKING:
    from oas.core.rigid import Organization


@dataclass(frozen=True)
class Availability:
    """The processors m(t) = m − U(t) that the reservations of one cluster leave free, and the paper's classes.

    There are two restricted classes: α-restricted reservations, if `alpha` is not None (section 4.2), and
    non-increasing reservations (section 4.1). Reservations of neither class are general.
    """

    # (moment, free processors until the next moment, the last forever), in the instance's time unit: the first moment
    # is 0, moments ascend, and neighbouring numbers differ.
    steps: tuple[tuple[Fraction, int], ...]
    widest: int  # q of the widest job; 0 without jobs

    def free_at(self, moment: Exact) -> int:
        """Return the number of free processors at `moment` and just after it.

        Raises `InputError` if `moment` is negative or a float that is not whole.
        """
        time = exact(moment, "moment")
        if time < 0:
            raise InputError("must not be negative", field="moment", value=str(time))
        return self.steps[bisect_right(self.steps, time, key=lambda step: step[0]) - 1][1]

    @property
    def processors(self) -> int:
        """Number m of the cluster's processors, which are all free after the last reservation."""
        return self.steps[-1][1]

    @cached_property
    def least_free(self) -> int:
        """Minimum number of free processors over time."""
        return min(free for _, free in self.steps)

    @cached_property
    def alpha(self) -> Fraction | None:
        """The largest α in ]0, 1] such that α·m processors are always free and no job is wider (section 4.2).

        It is `least_free` / m; None if a job is wider than `least_free`, or if `least_free` is 0.
        """
        if not self.least_free or self.widest > self.least_free:
            return None
        return Fraction(self.least_free, self.processors)

    @cached_property
    def non_increasing(self) -> bool:
        """Whether the number of reserved processors never increases (section 4.1)."""
        return all(before < after for (_, before), (_, after) in pairwise(self.steps))

    @property
    def general(self) -> bool:
        """Whether there is no class; then no polynomial algorithm has a finite ratio unless P = NP (theorem 1)."""
        return self.alpha is None and not self.non_increasing

    def __str__(self) -> str:
        """Return the classes of the reservations as text; ``none`` without reservations."""
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
    """Return the availability of an organization's cluster."""
    blocks = ((one.start, one.end, one.processors) for one in organization.reservations)
    steps = free_steps(organization.processors, blocks, Fraction(0))
    return Availability(steps, max((job.processors for job in organization.jobs), default=0))


def share(alpha: Exact) -> Fraction:
    """Return α as a Fraction; raises `InputError` unless 0 < α ≤ 1."""
    value = exact(alpha, "alpha")
    if not 0 < value <= 1:
        raise InputError("must be above 0 and at most 1", field="alpha", value=str(value))
    return value


def attained_ratio(alpha: Fraction) -> Fraction:
    """Return the ratio B₁ = ⌈2/α⌉ - 1 + 1/N of some list schedule, with N from `short_jobs`.

    If 2/α is an integer, this is 2/α - 1 + α/2 of Proposition 2; the abstract's 2/α - 1 omits the last term.
    """
    return ceil(2 / alpha) - 1 + Fraction(1, short_jobs(alpha))


def short_jobs(alpha: Fraction) -> int:
    """Return N = ⌊(1 - α/2) / (1 - (α/2)(⌈2/α⌉ - 1))⌋ + 1, one more than fit alongside a job of αm/2 processors."""
    half = alpha / 2
    return floor((1 - half) / (1 - half * (ceil(2 / alpha) - 1))) + 1


def attained_ratio_bound(alpha: Fraction) -> Fraction:
    """Return B₂ = ⌈2/α⌉ - (⌈2/α⌉ - 1) · α/2 ≤ B₁, with equality if 2/α is an integer."""
    whole = ceil(2 / alpha)
    return whole - (whole - 1) * alpha / 2


def proven_ratio(alpha: Fraction) -> Fraction:
    """Return 2/α, an upper bound on the ratio of list schedules (Proposition 3)."""
    return 2 / alpha
