"""Orders of the jobs' starts and ends, and which jobs can run together in them.

The start of job j is event 2j, its end event 2j + 1. Sets of events are the bits of integers.
"""

from __future__ import annotations

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
        ends = ((1 << 2 * jobs) - 1) // 3 * 2
        for event, mask in self.earlier.items():
            ended = mask & ends if event % 2 == 0 else 0
            while ended:
                lowest = ended & -ended
                ended ^= lowest
                job = lowest.bit_length() // 2 - 1
                found[job] |= 1 << event // 2
                found[event // 2] |= 1 << job
        return found

    def allows(self, running: int) -> bool:
        """Tell whether at some moment these jobs, given as bits, can run and no others.

        Their starts are past then, and with each event all that are no later. A job that does not run and has started
        has ended. If no job that runs must have ended, let all else be yet to come.
        """
        past, waiting = 0, running
        events = []
        while waiting:
            lowest = waiting & -waiting
            waiting ^= lowest
            events.append(2 * (lowest.bit_length() - 1))
        while events:
            fresh = self.before(events.pop()) & ~past
            past |= fresh
            while fresh:
                lowest = fresh & -fresh
                fresh ^= lowest
                event = lowest.bit_length() - 1
                job = event // 2
                if running >> job & 1:
                    if event % 2:
                        return False
                elif not past >> 2 * job + 1 & 1:
                    events.append(2 * job + 1)
        return True


def order_of_alike_jobs(instance: CoallocationInstance) -> EventOrder:
    """Return what may be assumed: of two jobs that are alike but for their names, the first starts no later."""
    earlier: dict[int, int] = {}
    last: dict[tuple[object, ...], int] = {}
    for index, job in enumerate(instance.jobs):
        kind = (job.tasks, job.base_time, job.bandwidth, job.sigma)
        if kind in last:
            before = earlier.get(2 * last[kind], 1 << 2 * last[kind])
            earlier[2 * index] = before | 1 << 2 * index
            earlier[2 * index + 1] = before | 3 << 2 * index
        last[kind] = index
    return EventOrder(earlier)
