"""The options of each job, and the known order of starts and ends.

The options of a job are its allocations, with its time on each at any slowdown, in integers. The known order
determines which jobs can run together.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from oas.coallocation.allocations import Allocation, allocations, slowest_level
from oas.coallocation.rates import slowdowns
from oas.core.errors import InfeasibleError, TooLargeError
from oas.core.numbers import common_denominator

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.coallocation.instance import CoallocationInstance

MAX_OPTIONS = 20_000  # maximum number of options of all jobs together
LONGEST_UNIT = 2**256  # times in this unit are also kept as floats

Item = tuple[int, int]
"""A job, and the index of one of its options."""
Allowed = tuple[frozenset[int], ...]
"""For each job, the indices of the options that it still has."""


class Option(NamedTuple):
    """An allocation of a job."""

    allocation: Allocation  # node counts and loads
    level: int  # index of the slowest Γ used in the scaled instance's powers
    computing: int  # Tb·σ/Γ in the unit of `Options`; at slowdown SC the job takes computing + sending·SC
    sending: int  # Tb·(1 − σ) in this unit
    alone: Fraction  # time alone, in slots (not rounded) or units of time; a single job may saturate a link too
    slots: int  # with slots, the minimum number of slots of the job; 1 otherwise


class Options:
    """The options of all jobs of an instance, and the rates of sets of them.

    `unit`: times are multiples of 1 / unit of the instance's time unit. `step`: duration for which a configuration
    stays the same, in that unit: η, or without slots one time unit of the instance. `slotted`: whether there are slots.
    `rows`: the options of each job, in the order of `oas.coallocation.allocations.allocations`. `sizes`:
    number of nodes of each class. `shares_alike`: whether links are shared as in the paper; then additional jobs never
    make another job faster.

    Raises `InfeasibleError` if a job has no allocation, and `TooLargeError` if there are more than MAX_OPTIONS or times
    have no common unit that floats can hold.
    """

    def __init__(self, instance: CoallocationInstance) -> None:
        scaled = instance.scaled()
        self.instance, self.scaled = instance, scaled
        self.slotted = instance.slot > 0
        self.shares_alike = instance.saturation.sharing == "paper"
        self.capacity, self.bandwidth = scaled.link_capacity, scaled.link_bandwidth
        self.sizes = tuple(len(node_class.nodes) for node_class in scaled.classes)
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
            choices = allocations(scaled, job, left)
            if not choices:
                raise InfeasibleError(f"job {instance.jobs[job].id} has no allocation")
            left -= len(choices)
            if left < 0:
                raise TooLargeError(f"more than {MAX_OPTIONS:,} allocations in all; this bound lists them")
            self.rows.append([self._option(allocation, row) for allocation in choices])

    def _option(self, allocation: Allocation, times: Sequence[tuple[Fraction, Fraction]]) -> Option:
        level = slowest_level(self.scaled, allocation.counts)
        computing, sending = (int(time * self.unit) for time in times[level])
        slowdown = slowdowns(self.instance.saturation.sharing, self.bandwidth, [allocation.loads])[0]
        alone = (computing + sending * slowdown) / self.step
        return Option(allocation, level, computing, sending, alone, ceil(alone) if self.slotted else 1)

    @property
    def job_count(self) -> int:
        return len(self.rows)

    def every(self) -> Allowed:
        """Return every option of every job."""
        return tuple(frozenset(range(len(row))) for row in self.rows)

    def progress(self, items: Sequence[Item]) -> list[Fraction]:
        """Return the progress of each of these jobs in a slot, or in a unit of time, in which they run together."""
        options = [self.rows[job][option] for job, option in items]
        loads = [option.allocation.loads for option in options]
        factors = slowdowns(self.instance.saturation.sharing, self.bandwidth, loads)
        return [
            self.step / (option.computing + option.sending * factor)
            for option, factor in zip(options, factors, strict=True)
        ]

    def column(self, items: Sequence[Item]) -> dict[int, Fraction]:
        """Return the progress of each job, see `progress`."""
        return {job: progress for (job, _), progress in zip(items, self.progress(items), strict=True)}

    def longest(self, allowed: Allowed) -> Fraction:
        """Return the time of the longest job alone, in slots or units of time, on its best permitted option."""
        return max(
            min(Fraction(row[index].slots) if self.slotted else row[index].alone for index in indices)
            for row, indices in zip(self.rows, allowed, strict=True)
        )


Event = int
"""The start of job j is 2j, its end 2j + 1."""


class Order:
    """A partial order of events: a ≤ b means that a is no later than b.

    `possible`: whether every job can end after it starts.
    """

    def __init__(self, jobs: int, earlier: tuple[int, ...] | None = None) -> None:
        if earlier is None:
            earlier = tuple(1 << event | (1 << (event - 1) if event % 2 else 0) for event in range(2 * jobs))
        self._earlier = earlier  # bit masks: for each event, the events that are no later, including itself
        self.trivial = all(mask & ~(3 << (event & ~1)) == 0 for event, mask in enumerate(earlier))
        self.possible = not any(earlier[2 * job] >> (2 * job + 1) & 1 for job in range(jobs))
        self._known: dict[int, bool] = {}
        self.apart = [0] * jobs
        for job in range(jobs):
            for other in range(jobs):
                if self.knows(2 * job + 1, 2 * other) or self.knows(2 * other + 1, 2 * job):
                    self.apart[job] |= 1 << other

    def knows(self, event: Event, other: Event) -> bool:
        """Whether `event` is known to be no later than `other`."""
        return bool(self._earlier[other] >> event & 1)

    def with_before(self, event: Event, other: Event) -> Order:
        """Return the order in which `event` is no later than `other` too."""
        added = self._earlier[event]
        rows = (mask | added if mask >> other & 1 else mask for mask in self._earlier)
        return Order(len(self.apart), tuple(rows))

    def allows(self, jobs: Iterable[int]) -> bool:
        """Whether at some moment exactly these jobs can run.

        At that moment their starts are past, and with each past event all events that are no later. A job that has
        started but does not run has ended. The jobs can run if this does not force one of them to have ended; all other
        events can be later.
        """
        running = sum(1 << job for job in jobs)
        if running not in self._known:
            self._known[running] = self._allows(running)
        return self._known[running]

    def _allows(self, running: int) -> bool:
        past = 0
        todo = [2 * job for job in range(len(self.apart)) if running >> job & 1]
        while todo:
            fresh = self._earlier[todo.pop()] & ~past
            past |= fresh
            while fresh:
                event = fresh.bit_length() - 1
                fresh &= ~(1 << event)
                job = event // 2
                if running >> job & 1:
                    if event % 2:
                        return False
                elif not past >> (2 * job + 1) & 1:
                    todo.append(2 * job + 1)
        return True


def first_order(instance: CoallocationInstance) -> Order:
    """Return the order that holds without loss of generality: of two identical jobs, the first starts no later."""
    order = Order(len(instance.jobs))
    last: dict[object, int] = {}
    for index, job in enumerate(instance.jobs):
        if job.kind in last:
            order = order.with_before(2 * last[job.kind], 2 * index)
        last[job.kind] = index
    return order
