"""On-line policies without shares: FCFS, ROUNDROBIN and DIRECTCONTR (section 6.1 of the fair scheduling paper).

FCFS serves jobs in submission order, ROUNDROBIN the organizations in turn. DIRECTCONTR (Algorithm 4) estimates
contributions from the owners of the processors that serve each job.
"""

from __future__ import annotations

import random
from bisect import bisect
from typing import TYPE_CHECKING

from oas.fair.search.engine import method_of
from oas.fair.search.policy import FirstPresented, Watcher

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class InTurns(Watcher):
    """Cycles through the organizations; one without waiting jobs, or whose first job does not fit, loses its turn.

    The paper only states that it "cycles through the list of organizations to determine the job to be started". Here
    the cycle begins with the first organization, and continues after the last selected one, also at a later moment.
    """

    def __init__(self, seed: int = 0) -> None:
        self._last = -1

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        """Return the next organization in the cycle."""
        following = bisect(waiting, self._last)
        self._last = waiting[following % len(waiting)]
        return self._last


class DirectContribution(Watcher):
    """Starts the job of the organization whose contribution is farthest above its utility, φ̃ − ψ.

    ψ is the utility ψ_sp of its jobs, on any processors; φ̃ is that of the jobs served by its own processors, of any
    organization. Both count completed units of work, a unit of the slot [i, i + 1) as t − i at the moment t. For each
    starting job, idle processors are drawn at random without replacement. This is equivalent to the random permutation
    of all machines at each moment in Algorithm 4, because only the idle ones matter. A job of q processors draws q of
    them, and its utility is divided among their owners. The first organization wins ties.

    There are two deviations from the paper. Line 20 compares φ and ψ at the moment t, where a start has no effect yet,
    so that one organization would receive every idle processor. Instead, φ + finCon and ψ + finUt are compared at
    t + 1: lines 12 to 17 prepare this, lines 23 and 24 count each start at t + 1, and Algorithm 3 compares there, too.
    The processors are used for this estimate only: any processor can run the job, so the schedule may name others
    (`oas.fair.ticks`).
    """

    def __init__(self, seed: int = 0) -> None:
        self._draw = random.Random(seed)
        self._idle: list[int] = []  # the owner of each idle processor, in any order
        self._serving: dict[int, list[int]] = {}  # owners of the processors of each running job
        self._gaps: list[_Gap] = []

    def begin(self, machines: Sequence[int]) -> None:
        """Begin with every processor idle."""
        self._idle = [owner for owner, number in enumerate(machines) for _ in range(number)]
        self._gaps = [_Gap() for _ in machines]

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        """Draw processors for the job, and begin to count its units."""
        idle = self._idle
        owners = self._serving[job] = []
        for _ in range(width):
            chosen = self._draw.randrange(len(idle))
            idle[chosen], idle[-1] = idle[-1], idle[chosen]
            owners.append(idle.pop())
        self._count(now, organization, owners, 1)

    def ended(self, now: int, organization: int, job: int, width: int) -> None:
        """Take the job's processors back, and stop counting its units."""
        owners = self._serving.pop(job)
        self._idle += owners
        self._count(now, organization, owners, -1)

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        """Return the organization with the greatest φ̃ − ψ at the next moment."""
        return max(waiting, key=lambda one: self._gaps[one].doubled(now + 1))

    def _count(self, now: int, organization: int, owners: Iterable[int], sign: int) -> None:
        for owner in owners:
            if owner != organization:  # own processors that serve own jobs are in both
                self._gaps[owner].change(now, sign)
                self._gaps[organization].change(now, -sign)


class _Gap:
    """φ̃ − ψ of one organization as a polynomial of the moment: Σ c·T(t − s), with T(d) = d(d + 1)/2.

    Each unit of width that begins to count at s changes c by 1 or −1; its end reverses that.
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


METHODS = (
    method_of(FirstPresented, "FCFS", "by the order of presentation; what does not fit lets others pass", rank=20),
    method_of(InTurns, "ROUNDROBIN", "one job of each organization in turn (section 6.1)", rank=30),
    method_of(
        DirectContribution, "DIRECTCONTR", "contributions from whose processors serve whose jobs (Algorithm 4)", rank=10
    ),
)
