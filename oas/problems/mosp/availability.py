"""How many processors reservations leave free on a cluster, and which class of instances that makes.

Source: Eyraud-Dubois, Mounié, Trystram, *Analysis of Scheduling Algorithms with Reservations*, IPDPS 2007.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.numbers import exact
from oas.problems.rigid import usage_over_time

if TYPE_CHECKING:
    from oas.core.numbers import Exact
    from oas.problems.rigid import Organization


@dataclass(frozen=True)
class Availability:
    """The processors m(t) = m − U(t) that the reservations of one cluster leave free, and the classes of the paper.

    An organization may be of both restricted classes: α, where `alpha` is not None (section 4.2), and non-increasing
    reservations (section 4.1). One of neither is general.

    Attributes
    ----------
    steps
        (moment, processors): so many are free from this moment until the next one, the last for ever. The first moment
        is 0, they ascend, and neighbours differ. In the instance's time unit.
    widest
        q of the widest job; 0 without jobs.
    """

    steps: tuple[tuple[Fraction, int], ...]
    widest: int

    def free_at(self, moment: Exact) -> int:
        """Return how many processors are free at `moment` and just after it.

        Raises
        ------
        InputError
            If `moment` is negative or a float that is not whole.
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
    steps = [(Fraction(0), organization.processors)]
    for moment, used in usage_over_time((one.start, one.end, one.processors) for one in organization.reservations):
        free = organization.processors - used
        if free != steps[-1][1]:
            if moment == steps[-1][0]:
                steps.pop()
            steps.append((moment, free))
    return Availability(tuple(steps), max((job.processors for job in organization.jobs), default=0))
