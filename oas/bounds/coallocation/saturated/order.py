"""What is known of the order of starts and ends, and which jobs can then run together."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oas.problems.coallocation.instance import CoallocationInstance

Event = int
"""The start of job j is 2j, its end 2j + 1."""


class Order:
    """A partial order of events: a ≤ b means that a is no later than b.

    Attributes: `possible`: whether no job would have to end before it starts, or at once.
    """

    def __init__(self, jobs: int, earlier: tuple[int, ...] | None = None) -> None:
        if earlier is None:
            earlier = tuple(1 << event | (1 << (event - 1) if event % 2 else 0) for event in range(2 * jobs))
        self._earlier = earlier  # of each event, those that are no later, itself among them, as bits
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
        """Whether at some moment these jobs can run, and no others.

        At that moment their starts are past, and with each event all that are no later. A job that does not run and has
        started has ended. If none of the jobs that run must have ended, let all else be yet to come.
        """
        running = sum(1 << job for job in jobs)
        known = self._known.get(running)
        if known is None:
            known = self._known[running] = self._allows(running)
        return known

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
    """Return what may be assumed: of two jobs that are alike but for their names, the first starts no later."""
    order = Order(len(instance.jobs))
    last: dict[object, int] = {}
    for index, job in enumerate(instance.jobs):
        kind = (job.tasks, job.base_time, job.bandwidth, job.sigma)
        if kind in last:
            order = order.with_before(2 * last[kind], 2 * index)
        last[kind] = index
    return order
