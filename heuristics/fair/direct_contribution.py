"""DIRECTCONTR: contributions estimated from whose processors serve whose jobs (Algorithm 4, section 6.1)."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from heuristics.fair.policy import Watcher
from heuristics.fair.policy_method import method_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class DirectContribution(Watcher):
    """Starts the job of the organization whose contribution is farthest above its utility, φ̃ − ψ.

    ψ is the utility ψ_sp of its jobs, whoever serves them; φ̃ that of the jobs that its own processors serve, whosever
    they are. Both count the units of jobs that are over, a unit of the slot [i, i + 1) as t − i at the moment t. Idle
    processors are drawn by lot, without replacement, for each job that starts: that is Algorithm 4's random permutation
    of all machines at each moment, of which only the idle ones matter. A job of q processors draws q of them, and its
    utility is shared among their owners. Ties go to the first organization.

    Two things depart from the print. Line 20 compares φ and ψ as lines 10 and 11 leave them, at the moment t, where
    what starts at t has no effect yet: one organization would get every idle processor. We compare at t + 1, φ + finCon
    with ψ + finUt, for which lines 12 to 17 prepare and in which lines 23 and 24 count each start, as Algorithm 3 does.
    And the processors are those of this estimate only: a job runs alike on any, so the schedule may name others
    (`oas.problems.fair.runs`).

    Parameters
    ----------
    seed
        Of the lots.
    """

    def __init__(self, seed: int = 0) -> None:
        self._draw = random.Random(seed)
        self._idle: list[int] = []  # the owner of each idle processor, in no order
        self._serving: dict[int, list[int]] = {}  # owners of the processors of each job that runs
        self._gaps: list[_Gap] = []

    def begin(self, machines: Sequence[int]) -> None:
        """Begin with every processor idle."""
        self._idle = [owner for owner, number in enumerate(machines) for _ in range(number)]
        self._gaps = [_Gap() for _ in machines]

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        """Draw processors for the job, and begin to count its units."""
        self._serving[job] = [self._drawn() for _ in range(width)]
        self._count(now, organization, self._serving[job], 1)

    def ended(self, now: int, organization: int, job: int, width: int) -> None:
        """Take the job's processors back, and count no more units of it."""
        owners = self._serving.pop(job)
        self._idle += owners
        self._count(now, organization, owners, -1)

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        """Return the organization with the greatest φ̃ − ψ at the next moment."""
        return max(waiting, key=lambda one: self._gaps[one].doubled(now + 1))

    def _drawn(self) -> int:
        idle = self._idle
        chosen = self._draw.randrange(len(idle))
        idle[chosen], idle[-1] = idle[-1], idle[chosen]
        return idle.pop()

    def _count(self, now: int, organization: int, owners: Iterable[int], sign: int) -> None:
        for owner in owners:
            if owner != organization:  # what one's own processor does for one's own job is in both
                self._gaps[owner].change(now, sign)
                self._gaps[organization].change(now, -sign)


class _Gap:
    """φ̃ − ψ of one organization as a polynomial of the moment: Σ c·T(t − s), with T(d) = d(d + 1)/2.

    Each unit of width that begins to count at s adds 1 to c, or −1; one that ends takes it back.
    """

    __slots__ = ("_count", "_first", "_second")

    def __init__(self) -> None:
        self._count = self._first = self._second = 0  # Σc, Σcs, Σcs²

    def change(self, moment: int, coefficient: int) -> None:
        self._count += coefficient
        self._first += coefficient * moment
        self._second += coefficient * moment * moment

    def doubled(self, moment: int) -> int:
        """Return twice the value, an integer."""
        return moment * ((moment + 1) * self._count - 2 * self._first) - self._first + self._second


METHOD = method_of(
    DirectContribution, "DIRECTCONTR", "contributions from whose processors serve whose jobs (Algorithm 4)", rank=10
)
