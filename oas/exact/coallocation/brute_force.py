"""The optimum of a tiny instance by brute force: the reference that every model is tested against.

It shares no code with the models, the heuristics or `oas.problems.coallocation.allocations`: nodes are concrete here.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import TYPE_CHECKING

from oas.core.clock import check_clock
from oas.core.errors import InfeasibleError, TooLargeError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import check
from oas.problems.coallocation.ticks import duration, link_load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.problems.coallocation.instance import CoallocationInstance

MAX_JOBS = 6
MAX_NODES = 8
MAX_PLACEMENTS = 5_000_000


@dataclass(frozen=True)
class _Choice:
    """Nodes that a job may take, numbered through all clusters, and what they imply."""

    nodes: tuple[int, ...]
    time: int
    loads: tuple[int, ...]


@dataclass(frozen=True)
class _Placed:
    job: int
    start: int
    end: int
    choice: _Choice


def brute_force(instance: CoallocationInstance, limit: int = MAX_PLACEMENTS) -> tuple[Fraction, Schedule]:
    """Return the least makespan of `instance` and a verified schedule that has it.

    Depth first over the orders in which jobs can start and over the nodes that each can take; a job starts at the
    first moment, not before the job started last, at which its nodes are free and the links have room. That moment is
    0 or the end of a job, hence on the slot grid. Every active schedule (no job can start earlier with the others left
    where they are) arises so, in the order of its starts, and some active schedule is optimal. Branches are cut if they
    cannot end sooner than the best so far, or leave jobs, nodes and links as another branch did.

    It takes at most 6 jobs and 8 nodes, and tries at most `limit` placements of a job.

    Raises
    ------
    TooLargeError
        If the instance is beyond these sizes, or the search beyond `limit`.
    InfeasibleError
        If a job has no allocation even on an empty grid.
    """
    if len(instance.jobs) > MAX_JOBS or instance.node_count > MAX_NODES:
        size = f"{len(instance.jobs):,} jobs on {instance.node_count:,} nodes"
        raise TooLargeError(f"brute force takes at most {MAX_JOBS} jobs and {MAX_NODES} nodes, not {size}")
    search = _Search(instance, limit)
    search.extend([])
    return search.makespan, check(instance, search.schedule(), "the brute-force schedule")


class _Search:
    """Depth-first search; `best` is the best complete list of placements so far, in the order of their starts."""

    def __init__(self, instance: CoallocationInstance, limit: int) -> None:
        self.instance = instance
        self.limit = limit
        self.tried = 0
        self.best: list[_Placed] = []
        self.best_end: int | None = None
        self.seen: set[tuple[object, ...]] = set()
        powers = sorted({power for cluster in instance.clusters for power in cluster.node_powers}, reverse=True)
        self.nodes = [
            (index, number, powers.index(power))
            for index, cluster in enumerate(instance.clusters)
            for number, power in enumerate(cluster.node_powers)
        ]
        times = [[duration(job, power, instance.slot) for power in powers] for job in instance.jobs]
        loads = [[link_load(job, count) for count in range(job.tasks + 1)] for job in instance.jobs]
        widths = [cluster.bandwidth for cluster in instance.clusters]
        self.unit = lcm(*(time.denominator for row in times for time in row))
        width = lcm(*(load.denominator for row in [*loads, widths] for load in row))
        self.ticks = [[int(time * self.unit) for time in row] for row in times]
        self.loads = [[int(load * width) for load in row] for row in loads]
        self.bandwidth = [int(one * width) for one in widths]
        self.choices = [list(self._choices(job)) for job in range(len(instance.jobs))]
        for each, choices in zip(instance.jobs, self.choices, strict=True):
            if not choices:
                raise InfeasibleError(f"job {each.id} has no allocation even on an empty grid")
        self.least = [min(choice.time for choice in choices) for choices in self.choices]

    @property
    def makespan(self) -> Fraction:
        """Makespan of the best schedule, in the instance's time unit."""
        return Fraction(max(one.end for one in self.best), self.unit)

    def schedule(self) -> Schedule:
        """Return the best schedule."""
        placements = []
        for one in self.best:
            nodes: dict[str, list[int]] = {}
            for cluster, number, _ in (self.nodes[node] for node in one.choice.nodes):
                nodes.setdefault(self.instance.clusters[cluster].id, []).append(number)
            start, end = Fraction(one.start, self.unit), Fraction(one.end, self.unit)
            placements.append(Placement(self.instance.jobs[one.job].id, start, end, nodes))
        return Schedule(placements, "brute force")

    def extend(self, placed: list[_Placed]) -> None:
        """Try every way to go on from `placed`."""
        check_clock()
        left = set(range(len(self.choices))) - {one.job for one in placed}
        end = max((one.end for one in placed), default=0)
        if not left:
            self.best, self.best_end = list(placed), end
            return
        free = self._free_at(placed)
        if placed and not self._is_new(placed, free, end):
            return
        nexts = [one for job in left for one in self._placements(job, placed, free)]
        for one in sorted(nexts, key=lambda one: (one.end, one.start, one.job)):
            if self.best_end is None or max(one.end, self._least_end(left, one, free)) < self.best_end:
                placed.append(one)
                self.extend(placed)
                placed.pop()

    def _is_new(self, placed: list[_Placed], free: list[int], end: int) -> bool:
        """Whether no branch has come to the same state: what is left to place, where, and beside which loads."""
        last = placed[-1]
        done = tuple(sorted(one.job for one in placed))
        nodes = tuple(
            sorted((cluster, level, moment) for (cluster, _, level), moment in zip(self.nodes, free, strict=True))
        )
        running = tuple(sorted((one.end, one.choice.loads) for one in placed if one.end > last.start))
        state = (done, last.start, last.job, end, nodes, running)
        if state in self.seen:
            return False
        self.seen.add(state)
        return True

    def _least_end(self, left: set[int], one: _Placed, free: list[int]) -> int:
        """No schedule that goes on with `one` ends sooner: later jobs start no earlier than it and need room.

        The area of nodes × makespan holds what is passed or taken, and each job left on its fastest choice.
        """
        taken = sum(one.end if node in one.choice.nodes else max(free[node], one.start) for node in range(len(free)))
        work = sum(self.least[job] * self.instance.jobs[job].tasks for job in left if job != one.job)
        longest = max((one.start + self.least[job] for job in left if job != one.job), default=0)
        return max(longest, -(-(taken + work) // len(free)))

    def _placements(self, job: int, placed: list[_Placed], free: list[int]) -> Iterator[_Placed]:
        """Place `job` next in every way that differs by more than the names of interchangeable nodes."""
        last = placed[-1] if placed else None
        kinds = [(cluster, level, moment) for (cluster, _, level), moment in zip(self.nodes, free, strict=True)]
        seen = set()
        for choice in self.choices[job]:
            kind = tuple(sorted(kinds[node] for node in choice.nodes))
            if kind in seen:
                continue
            seen.add(kind)
            self.tried += 1
            if self.tried > self.limit:
                raise TooLargeError(
                    f"brute force has tried {self.limit:,} placements; the instance is too large for it"
                )
            start = self._start(choice, max(free[node] for node in choice.nodes), placed)
            if last is None or (start, job) > (last.start, last.job):  # starts alike: in one order only
                yield _Placed(job, start, start + choice.time, choice)

    def _free_at(self, placed: list[_Placed]) -> list[int]:
        """From when on each node is free, not before the last start: earlier moments no longer matter."""
        free = [placed[-1].start if placed else 0] * len(self.nodes)
        for one in placed:
            for node in one.choice.nodes:
                free[node] = max(free[node], one.end)
        return free

    def _start(self, choice: _Choice, earliest: int, placed: list[_Placed]) -> int:
        """First moment from `earliest` on at which every link has room.

        All of `placed` start by then, so a link's load only falls afterwards: room at the start is room throughout.
        """
        moments = sorted({earliest, *(one.end for one in placed if one.end > earliest)})
        return next(moment for moment in moments if self._room(choice, moment, placed))

    def _room(self, choice: _Choice, moment: int, placed: list[_Placed]) -> bool:
        running = [one.choice.loads for one in placed if one.end > moment]
        return all(
            not load or load + sum(loads[cluster] for loads in running) <= self.bandwidth[cluster]
            for cluster, load in enumerate(choice.loads)
        )

    def _choices(self, job: int) -> Iterator[_Choice]:
        """Every set of nodes that `job` may take on an empty grid."""
        for nodes in combinations(range(len(self.nodes)), self.instance.jobs[job].tasks):
            usage = [sum(self.nodes[node][0] == cluster for node in nodes) for cluster in range(len(self.bandwidth))]
            loads = tuple(self.loads[job][count] for count in usage)
            if all(load <= most for load, most in zip(loads, self.bandwidth, strict=True)):
                time = max(self.ticks[job][self.nodes[node][2]] for node in nodes)
                yield _Choice(nodes, time, loads)
