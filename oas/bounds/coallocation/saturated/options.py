"""What each job may choose from, in integers: its allocations, and its time on each at any slowdown."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from oas.core.errors import InfeasibleError, TooLargeError
from oas.core.numbers import common_denominator
from oas.problems.coallocation.allocations import Allocation, allocations
from oas.problems.coallocation.rates import slowdowns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.coallocation.instance import CoallocationInstance

MAX_OPTIONS = 20_000  # of all jobs together
LONGEST_UNIT = 2**256  # times in this unit are also kept as floats

Item = tuple[int, int]
"""A job, and the index of one of its options."""
Allowed = tuple[frozenset[int], ...]
"""For each job, the indices of the options that it still has."""


class Option(NamedTuple):
    """An allocation of a job."""

    allocation: Allocation  # node counts and loads
    level: int  # index of the slowest Γ used in the scaled instance's powers
    # computing, sending: Tb·σ/Γ and Tb·(1 − σ) in the unit of `Options`: at slowdown SC the job takes computing +
    # sending·SC
    computing: int
    sending: int
    # What it takes alone, in slots or units of time, with slots not rounded; a lone job may saturate a link too.
    alone: Fraction
    slots: int  # with slots, how many the job takes at least; 1 otherwise


class Options:
    """The options of all jobs of an instance, and what sets of them do.

    Attributes
    ----------
    unit
        Times are multiples of 1 / unit of the instance's time unit.
    step
        How long a configuration stays the same: η in that unit; `unit`, a whole, without slots.
    slotted
        Whether there are slots.
    rows
        Of each job, in the order of `oas.problems.coallocation.allocations.allocations`.
    sizes
        Nodes of each class.
    shares_alike
        Whether links are shared as in the paper: then jobs that join others make nobody faster.

    Raises
    ------
    InfeasibleError
        If a job has no allocation.
    TooLargeError
        If there are more than MAX_OPTIONS, or times have no common unit of a length that floats can hold.
    """

    def __init__(self, instance: CoallocationInstance) -> None:
        scaled = instance.scaled()
        self.instance, self.scaled = instance, scaled
        self.slotted = instance.slot > 0
        self.shares_alike = instance.saturation.sharing == "paper"
        self.capacity, self.bandwidth = scaled.link_capacity, scaled.link_bandwidth
        self.sizes = tuple(len(one.nodes) for one in scaled.classes)
        times = [
            [(job.base_time * job.sigma / power, job.base_time * (1 - job.sigma)) for power in scaled.powers]
            for job in instance.jobs
        ]
        self.unit = common_denominator([instance.slot, *chain.from_iterable(chain.from_iterable(times))], LONGEST_UNIT)
        if self.unit > LONGEST_UNIT:
            raise TooLargeError(f"times have no common unit of at most {LONGEST_UNIT.bit_length() - 1} bits")
        self.step = int((instance.slot or 1) * self.unit)
        self.rows: list[list[Option]] = []
        left = MAX_OPTIONS
        for job, row in enumerate(times):
            found = allocations(scaled, job, left)
            if not found:
                raise InfeasibleError(f"job {instance.jobs[job].id} has no allocation")
            left -= len(found)
            if left < 0:
                raise TooLargeError(f"more than {MAX_OPTIONS:,} allocations in all; this bound lists them")
            self.rows.append([self._option(one, row) for one in found])

    def _option(self, allocation: Allocation, times: Sequence[tuple[Fraction, Fraction]]) -> Option:
        pairs = zip(self.scaled.classes, allocation.counts, strict=True)
        level = max(node_class.level for node_class, count in pairs if count)
        computing, sending = (int(time * self.unit) for time in times[level])
        slowdown = slowdowns(self.instance.saturation.sharing, self.bandwidth, [allocation.loads])[0]
        alone = (computing + sending * slowdown) / self.step
        return Option(allocation, level, computing, sending, alone, ceil(alone) if self.slotted else 1)

    @property
    def job_count(self) -> int:
        """Number of jobs."""
        return len(self.rows)

    def every(self) -> Allowed:
        """Every option of every job."""
        return tuple(frozenset(range(len(row))) for row in self.rows)

    def slowdowns(self, items: Sequence[Item]) -> list[Fraction]:
        """Return SC of each of these jobs while they run together."""
        loads = [self.rows[job][option].allocation.loads for job, option in items]
        return slowdowns(self.instance.saturation.sharing, self.bandwidth, loads)

    def progress(self, items: Sequence[Item]) -> list[Fraction]:
        """Return the progress of each of these jobs in a slot, or in a unit of time, in which they run together."""
        return [
            self.step / (self.rows[job][option].computing + self.rows[job][option].sending * factor)
            for (job, option), factor in zip(items, self.slowdowns(items), strict=True)
        ]

    def longest(self, allowed: Allowed) -> Fraction:
        """Return what the longest job takes alone, in slots or units of time, each on its best allowed option."""
        return max(
            min(Fraction(row[one].slots) if self.slotted else row[one].alone for one in kept)
            for row, kept in zip(self.rows, allowed, strict=True)
        )
