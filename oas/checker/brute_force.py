"""Lower bounds that rest on enumeration: every schedule of a tiny instance is looked at again.

Some optimal schedule with the least sum of starts is reached by placing the jobs in the order of their starts, each at
the first moment, not before the job placed last, at which it fits beside those placed: if a job fitted earlier than it
starts in such a schedule, then until its start only jobs placed before it run, and from then on it asks for no more
than it holds; so it could start there, against the least sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from oas.checker.coallocation_instance import CoallocationInstance, CoallocationTicks
from oas.checker.errors import Refused
from oas.checker.mosp_instance import MospInstance, MospTicks
from oas.checker.node_choices import compositions
from oas.checker.slowed_brute_force import refute_slowed

MOST_ENUMERATED_JOBS = 6
MOST_ENUMERATED_NODES = 8
MOST_ENUMERATED_MOSP_JOBS = 7
MOST_PLACEMENTS_TRIED = 5_000_000

# A job placed: index, start, end, and what it takes: (cluster, processors), or nodes by class and loads by link.
Placed = tuple[int, int, int, tuple[int, ...], tuple[int, ...]]


def refute_by_enumeration(instance: CoallocationInstance | MospInstance, lowest: Fraction) -> None:
    """Refuse the claim that no schedule ends before `lowest` if one does, or if there are too many to enumerate."""
    if isinstance(instance, CoallocationInstance) and instance.saturation.slows:
        refute_slowed(instance, lowest)
        return
    ticks = instance.scaled()
    if isinstance(ticks, MospTicks):
        few, most = ticks.job_count <= MOST_ENUMERATED_MOSP_JOBS, f"{MOST_ENUMERATED_MOSP_JOBS} jobs"
    else:
        nodes = sum(len(one.nodes) for one in ticks.classes)
        few = ticks.job_count <= MOST_ENUMERATED_JOBS and nodes <= MOST_ENUMERATED_NODES
        most = f"{MOST_ENUMERATED_JOBS} jobs and {MOST_ENUMERATED_NODES} nodes"
    if not few:
        reason = f"enumeration takes at most {most}"
        raise Refused(f"the lower bound {lowest} is said to come from enumeration, but {reason}")
    limit = -(-lowest // ticks.tick)
    try:
        search = MospEnumeration(ticks) if isinstance(ticks, MospTicks) else CoallocationEnumeration(ticks)
        found = search.first_before(limit)
    except Refused as error:
        raise Refused(f"the lower bound {lowest} is said to come from enumeration, but {error}") from error
    if found is not None:
        raise Refused(f"the lower bound {lowest} is above the makespan {ticks.to_time(found)} that a schedule has")


class Enumeration:
    """Depth-first search over the orders in which jobs can start, and over where they can run."""

    def __init__(self, shortest: list[int], widths: tuple[int, ...], nodes: int) -> None:
        self.jobs = len(shortest)
        self.shortest = shortest
        self.widths = widths
        self.nodes = nodes
        self.tried = 0
        self.seen: set[object] = set()

    def first_before(self, limit: int, placed: tuple[Placed, ...] = ()) -> int | None:
        """Return the makespan of a schedule that goes on from `placed` and ends before `limit`; None if none does.

        Raises
        ------
        Refused
            If too many placements have been tried.
        """
        done = {one[0] for one in placed}
        left = [job for job in range(self.jobs) if job not in done]
        if not left:
            return max(one[2] for one in placed)
        last = placed[-1] if placed else (-1, 0, 0, (), ())
        state = (tuple(left), last[1], last[0], self.state([one for one in placed if one[2] > last[1]]))
        if state in self.seen:
            return None
        self.seen.add(state)
        ways = []
        for job in left:
            own = list(self.placements(job, last[1], placed))
            self.tried += len(own)
            if self.tried > MOST_PLACEMENTS_TRIED:
                raise Refused(f"{MOST_PLACEMENTS_TRIED:,} placements have been tried")
            if all(one[1] >= limit for one in own):
                return None  # the job ends too late on every cluster, now and later
            ways.append((job, own))
        for job, own in ways:
            for start, end, taken, loads in own:
                if end >= limit or (start, job) <= (last[1], last[0]):  # starts alike: in one order only
                    continue
                more = (*placed, (job, start, end, taken, loads))
                if self._has_room(limit, start, more, [other for other in left if other != job]):
                    found = self.first_before(limit, more)
                    if found is not None:
                        return found
        return None

    def _has_room(self, limit: int, since: int, placed: tuple[Placed, ...], left: list[int]) -> bool:
        """Tell whether the jobs left, which start no earlier than `since`, may end in time and find room until then."""
        room = self.nodes * (limit - 1 - since)
        room -= sum(self.widths[one[0]] * max(0, one[2] - since) for one in placed)
        room -= sum(self.widths[job] * self.shortest[job] for job in left)
        return room >= 0 and all(since + self.shortest[job] < limit for job in left)

    def state(self, running: list[Placed]) -> object:
        """Return all that matters of the jobs that still run."""
        return tuple(sorted((end, taken, loads) for _, _, end, taken, loads in running))

    def placements(
        self, job: int, since: int, placed: tuple[Placed, ...]
    ) -> Iterator[tuple[int, int, tuple[int, ...], tuple[int, ...]]]:
        """Yield start, end and what the job takes for every way to place it next, not before `since`."""
        raise NotImplementedError


class MospEnumeration(Enumeration):
    """Enumeration of an instance of MOSP; a job takes (cluster, processors)."""

    def __init__(self, ticks: MospTicks) -> None:
        super().__init__(list(ticks.times), ticks.widths, sum(ticks.processors))
        self.ticks = ticks
        self.held = [
            sorted(one[1:] for one in ticks.reservations if one[0] == cluster) for cluster in range(ticks.cluster_count)
        ]

    def state(self, running: list[Placed]) -> object:
        """Return all that matters of the clusters: size, reservations and what runs there; their order does not."""
        return tuple(sorted(self._cluster_state(cluster, running) for cluster in range(self.ticks.cluster_count)))

    def _cluster_state(self, cluster: int, running: list[Placed]) -> tuple[object, ...]:
        own = tuple(sorted((one[2], one[3][1]) for one in running if one[3][0] == cluster))
        return self.ticks.processors[cluster], tuple(self.held[cluster]), own

    def placements(
        self, job: int, since: int, placed: tuple[Placed, ...]
    ) -> Iterator[tuple[int, int, tuple[int, ...], tuple[int, ...]]]:
        """Yield the earliest placement on each cluster, of those alike on one, that ends by the job's deadline."""
        ticks = self.ticks
        width, time, deadline = ticks.widths[job], ticks.times[job], ticks.deadlines[ticks.owners[job]]
        running = [one for one in placed if one[2] > since]
        known = set()
        for cluster, size in enumerate(ticks.processors):
            state = self._cluster_state(cluster, running)
            if width > size or state in known:
                continue
            known.add(state)
            blocks = [(start, end, taken[1]) for _, start, end, taken, _ in placed if taken[0] == cluster]
            blocks += self.held[cluster]
            earliest = max(since, ticks.releases[job])
            moments = sorted({earliest, *(end for _, end, _ in blocks if end > earliest)})
            start = next(moment for moment in moments if _peak(blocks, moment, moment + time) + width <= size)
            if deadline is None or start + time <= deadline:
                yield start, start + time, (cluster, width), ()


def _peak(blocks: list[tuple[int, int, int]], start: int, end: int) -> int:
    moments = [start, *(begin for begin, _, _ in blocks if start < begin < end)]
    return max(sum(width for begin, stop, width in blocks if begin <= one < stop) for one in moments)


class CoallocationEnumeration(Enumeration):
    """Enumeration of an instance of co-allocation; a job takes numbers of nodes by class, and loads links.

    Nodes of one class are interchangeable, and runs that never need more of a class than it has can be given fixed
    nodes, so the numbers are all that counts.
    """

    def __init__(self, ticks: CoallocationTicks) -> None:
        self.ticks = ticks
        self.choices = [list(self._choices(job)) for job in range(ticks.job_count)]
        if [] in self.choices:
            raise Refused("a job has no allocation")
        shortest = [min(choice[0] for choice in own) for own in self.choices]
        super().__init__(shortest, ticks.tasks, sum(len(one.nodes) for one in ticks.classes))

    def _choices(self, job: int) -> Iterator[tuple[int, tuple[int, ...], tuple[int, ...]]]:
        """Yield duration, nodes by class and loads by link of every choice that no link forbids on an empty grid."""
        ticks = self.ticks
        for counts in compositions(ticks.tasks[job], [len(one.nodes) for one in ticks.classes]):
            inside = [0] * ticks.cluster_count
            for one, count in zip(ticks.classes, counts, strict=True):
                inside[one.cluster] += count
            loads = tuple(ticks.link_loads[job][count] for count in inside)
            if all(load <= most for load, most in zip(loads, ticks.link_capacity, strict=True)):
                slowest = max(one.level for one, count in zip(ticks.classes, counts, strict=True) if count)
                yield ticks.durations[job][slowest], counts, loads

    def placements(
        self, job: int, since: int, placed: tuple[Placed, ...]
    ) -> Iterator[tuple[int, int, tuple[int, ...], tuple[int, ...]]]:
        """Yield the earliest placement for each choice of nodes: those placed all start by then, and only end later."""
        moments = sorted({since, *(end for _, _, end, _, _ in placed if end > since)})
        for time, counts, loads in self.choices[job]:
            start = next(moment for moment in moments if self._fits(counts, loads, moment, placed))
            yield start, start + time, counts, loads

    def _fits(self, counts: tuple[int, ...], loads: tuple[int, ...], moment: int, placed: tuple[Placed, ...]) -> bool:
        running = [one for one in placed if one[2] > moment]
        for index, node_class in enumerate(self.ticks.classes):
            if counts[index] + sum(one[3][index] for one in running) > len(node_class.nodes):
                return False
        return all(
            load + sum(one[4][link] for one in running) <= self.ticks.link_capacity[link]
            for link, load in enumerate(loads)
        )
