"""The choices of brute force: the nodes that jobs may take, and the rates of jobs that run together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from operator import itemgetter, le
from typing import TYPE_CHECKING

from oas.coallocation.rates import rate, slowdowns
from oas.core.clock import check_clock
from oas.core.errors import InfeasibleError, TooLargeError
from oas.core.numbers import ceil_to
from oas.core.schedule import Placement, Schedule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from oas.coallocation.instance import CoallocationInstance

    Placements = Mapping[str, Mapping[str, Sequence[int]]]


@dataclass(frozen=True)
class Kind:
    """Interchangeable nodes: those of one cluster with the same Γ."""

    cluster: int
    power: Fraction
    nodes: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Choice:
    """An allocation of a job: its number of nodes of each kind."""

    counts: tuple[int, ...]  # by kind
    power: Fraction  # Γ of the slowest node
    loads: tuple[int, ...]  # on each link, in the unit of the scaled instance
    least: Fraction  # running time on these nodes if no link is saturated


Running = tuple[tuple[int, Choice], ...]
"""Jobs that run together, ascending, and the allocation of each."""
Run = tuple[Fraction, Fraction, int, Choice]
"""Start, end, job, and allocation."""


class Choices:
    """The possible allocations of every job, and the rates that follow from them.

    `instance`: under any saturation policy. `placements`: the prescribed nodes by job id; None if brute force chooses
    them. `limit`: maximum number of steps.

    Raises `InfeasibleError` if a job has no choice even on an empty grid.
    """

    def __init__(self, instance: CoallocationInstance, placements: Placements | None, limit: int) -> None:
        self.instance, self.placements, self.limit = instance, placements, limit
        self.steps = 0
        self.kinds = list(self._kinds())
        self.of = [list(self._choices(job)) for job in range(len(instance.jobs))]
        self._rates: dict[Running, tuple[Fraction, ...]] = {}
        self._starts: dict[tuple[Running, tuple[int, ...]], list[Running]] = {}
        for job, choices in zip(instance.jobs, self.of, strict=True):
            if not choices:
                where = "even on an empty grid" if placements is None else "on the nodes that it is given"
                raise InfeasibleError(f"job {job.id} has no allocation {where}")
        self.least = [min(choice.least for choice in choices) for choices in self.of]

    @property
    def serial(self) -> Fraction:
        """Makespan of all jobs one after the other, each on its best nodes: an upper bound on the optimum."""
        slot = self.instance.slot
        total = Fraction(0)
        for job, choices in enumerate(self.of):
            total += ceil_to(min(1 / self.rates(((job, choice),))[0] for choice in choices), slot)
        return total

    def step(self) -> None:
        """Count a step.

        Raises `TooLargeError` if it exceeds the limit.
        """
        check_clock()
        self.steps += 1
        if self.steps > self.limit:
            raise TooLargeError(f"brute force has taken {self.limit:,} steps; the instance is too large for it")

    def starts(self, running: Running, waiting: Sequence[int]) -> list[Running]:
        """Return all ways to start some of the waiting jobs in addition to the running ones; starting none comes last.

        Of identical jobs, the first starts no later than the others.
        """
        key = (running, tuple(waiting))
        if key not in self._starts:
            self._starts[key] = list(self._started(running, waiting))
        return self._starts[key]

    def _started(self, running: Running, waiting: Sequence[int]) -> Iterator[Running]:
        if not waiting:
            yield running
            return
        job, rest = waiting[0], waiting[1:]
        for choice in self.of[job]:
            more = tuple(sorted([*running, (job, choice)], key=itemgetter(0)))
            if self._fits(more):
                yield from self._started(more, rest)
        yield from self._started(running, [other for other in rest if not self.alike(job, other)])

    def rates(self, running: Running) -> tuple[Fraction, ...]:
        """Return the progress of each running job in a unit of time."""
        if running not in self._rates:
            scaled, sharing = self.instance.scaled(), self.instance.saturation.sharing
            slowed = slowdowns(sharing, scaled.link_bandwidth, [choice.loads for _, choice in running])
            pairs = zip(running, slowed, strict=True)
            rates = (rate(self.instance.jobs[job], choice.power, factor) for (job, choice), factor in pairs)
            self._rates[running] = tuple(rates)
        return self._rates[running]

    def schedule(self, runs: Iterable[Run]) -> Schedule:
        """Assign nodes to runs (start, end, job, choice); of each kind, the nodes that became free first are used."""
        free = [[(Fraction(0), node) for node in kind.nodes] for kind in self.kinds]
        placements = []
        for start, end, job, choice in sorted(runs, key=lambda run: (run[0], run[2])):
            nodes: dict[str, list[int]] = {}
            for kind, idle, count in zip(self.kinds, free, choice.counts, strict=True):
                idle.sort()
                nodes.setdefault(self.instance.clusters[kind.cluster].id, []).extend(node for _, node in idle[:count])
                idle[:count] = [(end, node) for _, node in idle[:count]]
            placements.append(Placement(self.instance.jobs[job].id, start, end, nodes))
        return Schedule(placements, "brute force")

    def _fits(self, running: Running) -> bool:
        needs = [(*choice.counts, *choice.loads) for _, choice in running]
        room = (*(len(kind.nodes) for kind in self.kinds), *self.instance.scaled().link_capacity)
        return all(need <= most for need, most in zip(map(sum, zip(*needs, strict=True)), room, strict=True))

    def alike(self, first: int, second: int) -> bool:
        """Whether two jobs are interchangeable, including the nodes that they may take."""
        return self.placements is None and self.instance.jobs[first].kind == self.instance.jobs[second].kind

    def _choices(self, job: int) -> Iterator[Choice]:
        """Yield the allocations of a job that all links permit on an empty grid; with prescribed nodes, only these."""
        scaled, parameters = self.instance.scaled(), self.instance.jobs[job]
        indices = [index for index, kind in enumerate(self.kinds) for _ in kind.nodes]
        chosen: Iterable[tuple[int, ...]] = combinations(indices, parameters.tasks)
        if self.placements is not None:
            given = self.placements.get(parameters.id, {})
            names = [self.instance.clusters[kind.cluster].id for kind in self.kinds]
            chosen = [tuple(index for index in indices if self.kinds[index].nodes[0] in given.get(names[index], ()))]
        for kinds in sorted(set(chosen)):
            counted = Counter(self.kinds[kind].cluster for kind in kinds)
            loads = tuple(scaled.link_loads[job][counted[link]] for link in range(scaled.cluster_count))
            if len(kinds) == parameters.tasks and all(map(le, loads, scaled.link_capacity)):
                power = min(self.kinds[kind].power for kind in kinds)
                counts = tuple(kinds.count(kind) for kind in range(len(self.kinds)))
                yield Choice(counts, power, loads, 1 / rate(parameters, power, Fraction(1)))

    def _kinds(self) -> Iterator[Kind]:
        """Yield groups of interchangeable nodes; if nodes are prescribed, each group is one node."""
        for index, cluster in enumerate(self.instance.clusters):
            powers = cluster.node_powers
            if self.placements is not None:
                yield from (Kind(index, power, (node,)) for node, power in enumerate(powers))
                continue
            for power in sorted(set(powers), reverse=True):
                yield Kind(index, power, tuple(node for node in range(len(powers)) if powers[node] == power))
