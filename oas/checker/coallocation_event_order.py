"""Orders of the jobs' starts and ends, and which jobs can run together in them.

The start of job j is event 2j, its end event 2j + 1. Sets of events are the bits of integers.
"""

from __future__ import annotations

from collections.abc import Iterator

from oas.checker.coallocation_instance import CoallocationInstance


class EventOrder:
    """A partial order of events.

    Parameters
    ----------
    earlier
        Of each event of which more is known than that starts are before ends: those that are no later, itself too.
    """

    def __init__(self, earlier: dict[int, int]) -> None:
        self.earlier = earlier

    def before(self, event: int) -> int:
        """Return the events that are no later, itself among them."""
        return self.earlier.get(event) or (3 << event - 1 if event % 2 else 1 << event)

    def with_before(self, event: int, other: int) -> EventOrder:
        """Return the order in which `event` is no later than `other` too."""
        added = self.before(event)
        found = dict(self.earlier)
        for later in {*found, other, other | 1}:
            mask = self.before(later)
            if mask >> other & 1:
                found[later] = mask | added
        return EventOrder(found)

    @property
    def possible(self) -> bool:
        """Whether no job would have to end before it starts, or at once."""
        return not any(event % 2 == 0 and mask >> event + 1 & 1 for event, mask in self.earlier.items())

    def apart(self, jobs: int) -> list[int]:
        """Return for each job those, as bits, that have ended before it starts or start after it has ended."""
        found = [0] * jobs
        for event, mask in self.earlier.items():
            if event % 2 == 0:
                for ended in _bits(mask):
                    if ended % 2:
                        found[ended // 2] |= 1 << event // 2
                        found[event // 2] |= 1 << ended // 2
        return found

    def allows(self, running: int) -> bool:
        """Return whether at some moment these jobs, given as bits, can run and no others.

        Their starts are past then, and with each event all that are no later. A job that does not run and has started
        has ended. If no job that runs must have ended, let all else be yet to come.
        """
        past = 0
        waiting = [2 * job for job in _bits(running)]
        while waiting:
            fresh = self.before(waiting.pop()) & ~past
            past |= fresh
            for event in _bits(fresh):
                job = event // 2
                if running >> job & 1:
                    if event % 2:
                        return False
                elif not past >> 2 * job + 1 & 1:
                    waiting.append(2 * job + 1)
        return True


def order_of_alike_jobs(instance: CoallocationInstance) -> EventOrder:
    """Return what may be assumed: of two jobs that are alike but for their names, the first starts no later."""
    order = EventOrder({})
    last: dict[tuple[object, ...], int] = {}
    for index, job in enumerate(instance.jobs):
        kind = (job.tasks, job.base_time, job.bandwidth, job.sigma)
        if kind in last:
            order = order.with_before(2 * last[kind], 2 * index)
        last[kind] = index
    return order


def _bits(number: int) -> Iterator[int]:
    """Yield the places of the bits of a number, least first."""
    while number:
        lowest = number & -number
        number ^= lowest
        yield lowest.bit_length() - 1
