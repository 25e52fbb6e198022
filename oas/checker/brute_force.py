"""Lower bounds that rest on enumeration: every schedule of a tiny instance is looked at again.

**Theorem.** Some optimal schedule with the least sum of starts is reached by placing the jobs in the order of their
starts, each at the first moment, not before the job placed last, at which it fits beside those placed.

**Proof.** If a job fitted earlier than it starts in such a schedule, then until its start only jobs placed before it
run, and from then on it asks for no more than it holds; so it could start there, against the least sum.

A job needs amounts of resources for its time. In co-allocation these are nodes by class, which are interchangeable
within a class, so that runs that never need more of it than there are can be given fixed nodes, and links. In MOSP they
are the processors of one cluster, of which reservations hold some.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from oas.checker.coallocation_instance import CoallocationInstance, CoallocationTicks
from oas.checker.coallocation_spread import node_counts
from oas.checker.effort import Effort
from oas.checker.mosp_instance import MospInstance, MospTicks
from oas.checker.reading import Refused
from oas.checker.slowed_brute_force import slowed_makespan_before

MOST_ENUMERATED_JOBS = 6
MOST_ENUMERATED_NODES = 8
MOST_ENUMERATED_MOSP_JOBS = 7
MOST_PLACEMENTS_TRIED = 5_000_000

Needs = tuple[int, ...]  # amounts of each resource
Block = tuple[int, int, Needs]  # start, end, and the amounts that are taken


def coallocation_makespan_before(instance: CoallocationInstance, limit: Fraction) -> Fraction | None:
    """Return the makespan of a schedule that ends before `limit`; None if there is none."""
    if instance.saturation.slows:
        return slowed_makespan_before(instance, limit)
    ticks = instance.scaled()
    found = _coallocation_enumeration(ticks).first_before(-(-limit // ticks.tick))
    return None if found is None else ticks.to_time(found)


def mosp_makespan_before(instance: MospInstance, limit: Fraction) -> Fraction | None:
    """Return the makespan of a schedule that ends before `limit`; None if there is none."""
    ticks = instance.scaled()
    found = _mosp_enumeration(ticks).first_before(-(-limit // ticks.tick))
    return None if found is None else ticks.to_time(found)


def _coallocation_enumeration(ticks: CoallocationTicks) -> Enumeration:
    sizes = [one.count for one in ticks.classes]
    if len(ticks.tasks) > MOST_ENUMERATED_JOBS or sum(sizes) > MOST_ENUMERATED_NODES:
        raise Refused(f"enumeration takes at most {MOST_ENUMERATED_JOBS} jobs and {MOST_ENUMERATED_NODES} nodes")
    ways = []
    for loads, durations in zip(ticks.link_loads, ticks.durations, strict=True):
        own = []
        for counts, asked in node_counts(ticks.classes, loads, sizes, ticks.link_capacity, Effort()):
            slowest = max(one.level for one, count in zip(ticks.classes, counts, strict=True) if count)
            own.append((durations[slowest], (*counts, *asked)))
        ways.append(own)
    if [] in ways:
        raise Refused("a job has no allocation")
    return Enumeration(ways, ticks.tasks, (*sizes, *ticks.link_capacity), sum(sizes))


def _mosp_enumeration(ticks: MospTicks) -> Enumeration:
    if ticks.job_count > MOST_ENUMERATED_MOSP_JOBS:
        raise Refused(f"enumeration takes at most {MOST_ENUMERATED_MOSP_JOBS} jobs")
    clusters = range(ticks.cluster_count)

    def needs(cluster: int, processors: int) -> Needs:
        return tuple(processors if one == cluster else 0 for one in clusters)

    ways = [
        [(time, needs(cluster, width)) for cluster in clusters if width <= ticks.processors[cluster]]
        for time, width in zip(ticks.times, ticks.widths, strict=True)
    ]
    search = Enumeration(ways, ticks.widths, ticks.processors, sum(ticks.processors))
    search.held = [(start, end, needs(cluster, width)) for cluster, start, end, width in ticks.reservations]
    search.releases = ticks.releases
    search.deadlines = [ticks.deadlines[owner] for owner in ticks.owners]
    search.alike = True
    return search


class Enumeration:
    """Depth-first search over the orders in which jobs can start, and over where they can run.

    Each job has its time and needs for each way to run it, and takes `widths` nodes of so many; `capacity` is that of
    each resource.
    """

    def __init__(
        self, ways: Sequence[Sequence[tuple[int, Needs]]], widths: Sequence[int], capacity: Needs, nodes: int
    ) -> None:
        self.ways, self.widths, self.capacity, self.nodes = ways, widths, capacity, nodes
        self.shortest = [min(time for time, _ in own) for own in ways]
        self.held: list[Block] = []  # no job can have these
        self.releases: Sequence[int] = [0] * len(ways)
        self.deadlines: Sequence[int | None] = [None] * len(ways)
        # Whether each need is for one resource, so that resources with equal capacities and blocks are interchangeable.
        self.alike = False
        self.tried = 0
        self.seen: set[object] = set()

    def first_before(self, limit: int, jobs: tuple[int, ...] = (), placed: tuple[Block, ...] = ()) -> int | None:
        """Return the makespan of a schedule that starts with `jobs`, `placed` so, and ends before `limit`; or None."""
        left = [job for job in range(len(self.ways)) if job not in jobs]
        if not left:
            return max(end for _, end, _ in placed)
        last, since = (jobs[-1], placed[-1][0]) if jobs else (-1, 0)
        room = self.nodes * (limit - 1 - since) - sum(self.widths[job] * self.shortest[job] for job in left)
        if sum(self.widths[job] * max(0, end - since) for job, (_, end, _) in zip(jobs, placed, strict=True)) > room:
            return None  # all jobs together need more nodes than there are until the limit
        state = (tuple(left), last, since, self._usage(since, placed))
        if state in self.seen:
            return None
        self.seen.add(state)
        choices = []
        for job in left:
            own = [block for block in self._placements(job, since, placed) if block[1] < limit]
            if not own:
                return None  # the job ends too late wherever it runs, now and later
            choices.append((job, own))
        for job, own in choices:
            for block in own:
                if (block[0], job) > (since, last):  # starts alike: in one order only
                    found = self.first_before(limit, (*jobs, job), (*placed, block))
                    if found is not None:
                        return found
        return None

    def _placements(self, job: int, since: int, placed: tuple[Block, ...]) -> Iterator[Block]:
        """Yield the earliest placement of a job for each way to run it, not before `since`."""
        blocks = [*self.held, *placed]
        earliest, deadline = max(since, self.releases[job]), self.deadlines[job]
        moments = sorted({earliest, *(end for _, end, _ in blocks if end > earliest)})
        for time, needs in self.ways[job]:
            start = next(moment for moment in moments if self._fits(needs, moment, moment + time, blocks))
            if deadline is None or start + time <= deadline:
                self.tried += 1
                if self.tried > MOST_PLACEMENTS_TRIED:
                    raise Refused(f"{MOST_PLACEMENTS_TRIED:,} placements have been tried")
                yield start, start + time, needs

    def _fits(self, needs: Needs, start: int, end: int, blocks: list[Block]) -> bool:
        left = [(at, self.capacity[at] - need) for at, need in enumerate(needs) if need]
        for moment in [start, *[begin for begin, _, _ in blocks if start < begin < end]]:
            running = [taken for begin, stop, taken in blocks if begin <= moment < stop]
            for at, most in left:
                if sum([taken[at] for taken in running]) > most:
                    return False
        return True

    def _usage(self, since: int, placed: tuple[Block, ...]) -> object:
        """Return all that matters of the blocks for jobs that start at `since` or later: what they take, and when."""
        blocks = [(max(start, since), end, needs) for start, end, needs in (*self.held, *placed) if end > since]
        usage = [
            (size, tuple(sorted([(start, end, needs[at]) for start, end, needs in blocks if needs[at]])))
            for at, size in enumerate(self.capacity)
        ]
        return tuple(sorted(usage) if self.alike else usage)
