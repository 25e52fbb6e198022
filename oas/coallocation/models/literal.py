"""The literal OAS model, before and after the solver: data, size check, warm start, reading of answers.

`literal_model` builds it, in the solver's process.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

from oas.coallocation.allocations import Run, fastest_level, make_allocation, schedule_from_runs
from oas.coallocation.models.feasible_sets import JobSets
from oas.coallocation.models.reductions import check_forbidden, latest_end, link_rows
from oas.core.errors import InputError, SolverError
from oas.solving.formulation import LATER_ENDS, STARTS, Formulation, Meaning, check_size
from oas.solving.weight_rows import Hull

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from fractions import Fraction

    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.ticks import NodeClass, ScaledCoallocation
    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import Key

MAX_VARIABLES = 200_000
MAX_COEFFICIENTS = 2_000_000


@dataclass(frozen=True)
class Link:
    """The link of one cluster, in the unit of `link_rows`."""

    nodes: tuple[int, ...]  # indices of the cluster's nodes in `LiteralSpec.nodes`
    capacity: float  # MBW
    # counts[j]: how many tasks of job j the cluster may hold, given the nodes here and elsewhere.
    counts: tuple[range, ...]
    loads: tuple[tuple[float, ...], ...]  # loads[j][c]: equation (4) at c tasks of job j here
    # Jobs that overload the link if each holds one of these numbers of tasks here, and that `capacity` allows.
    covers: tuple[tuple[tuple[int, tuple[int, ...]], ...], ...]


@dataclass(frozen=True)
class LiteralSpec:
    """The data that the model is built from."""

    instance: CoallocationInstance
    scaled: ScaledCoallocation  # the instance in ticks
    horizon: int  # θ: number of slots (ticks if η = 0); no job ends later
    lower_bound: int  # proven lower bound on the makespan in ticks
    strict: bool = False  # whether the rows are those of the paper only, and its (14) is as printed
    # Weights of the jobs and their capacity: jobs that can run at the same moment weigh no more together.
    weights: tuple[int, ...] = ()
    capacity: int = 0

    @cached_property
    def nodes(self) -> tuple[tuple[int, int], ...]:
        """The resources R: (class index, node number in its cluster), by cluster, then fastest first."""
        return tuple((index, node) for index, one in enumerate(self.scaled.classes) for node in one.nodes)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """The links L, one for each cluster."""
        capacities, loads, rows = link_rows(self.scaled)
        links = []
        for cluster, capacity in enumerate(capacities):
            nodes = tuple(node for node in range(len(self.nodes)) if self.node_class(node).cluster == cluster)
            here, elsewhere = len(nodes), len(self.nodes) - len(nodes)
            counts = [range(max(0, tasks - elsewhere), min(tasks, here) + 1) for tasks in self.scaled.tasks]
            exact = self.scaled.link_loads
            covers = tuple(
                tuple((job, tuple(one for one in counts[job] if exact[job][one] >= load)) for job, load in cover)
                for cover in rows[cluster].covers
            )
            links.append(Link(nodes, capacity, tuple(counts), loads, covers))
        return tuple(links)

    def node_class(self, node: int) -> NodeClass:
        """Class of a node, by its index in `nodes`."""
        return self.scaled.classes[self.nodes[node][0]]

    def power(self, node: int) -> Fraction:
        """Γ of a node."""
        return self.scaled.powers[self.node_class(node).level]

    def shortest(self, job: int) -> int:
        """Number of slots of `job` on the fastest nodes there are, or unless `strict`, on the fastest that suffice."""
        return self.scaled.durations[job][0 if self.strict else fastest_level(self.scaled, job) or 0]

    def start_slots(self, job: int) -> range:
        """Slots in which `job` could start and end by the horizon."""
        return range(1, self.horizon - self.shortest(job) + 2)

    def started(self, job: int, slot: int, length: int) -> range:
        """Slots of a start from which `job` still runs in `slot` if it runs for `length` slots."""
        starts = self.start_slots(job)
        return range(max(1, slot - length + 1), min(slot, len(starts)) + 1)

    def linked(self, job: int) -> tuple[int, int]:
        """Return in how many slots `job` cannot run from every start, and the number of starts for these slots."""
        starts, longest = len(self.start_slots(job)), self.scaled.durations[job][-1]
        every = max(0, min(longest, self.horizon) - starts + 1)  # slots in which it can
        whole = max(0, min(starts, self.horizon - longest + 1))  # starts after which the longest run ends in time
        ends = range(self.horizon - starts + 1, self.horizon - whole + 1)  # slots left from the other starts on
        total = whole * longest + len(ends) * (ends.start + ends.stop - 1) // 2
        return self.horizon - every, total - every * starts

    @property
    def variable_count(self) -> int:
        """Number of variables."""
        jobs, nodes, links = self.scaled.job_count, len(self.nodes), len(self.links)
        starts = sum(len(self.start_slots(job)) for job in range(jobs))
        counts = sum(len(counts) for link in self.links for counts in link.counts)
        return self.horizon * (jobs * nodes + jobs * links + links) + jobs * nodes + starts + 5 * jobs + counts + 1

    @property
    def coefficient_count(self) -> int:
        """Number of coefficients in all rows, including coefficients that happen to be zero."""
        nodes, links = len(self.nodes), len(self.links)
        total = 2 * links * self.horizon + (1 if self.strict else 2)
        for job, tasks in enumerate(self.scaled.tasks):
            starts, linked = len(self.start_slots(job)), self.linked(job)
            counts = sum(len(link.counts[job]) for link in self.links)
            total += self.horizon * nodes * (6 + (nodes if tasks > 1 else 0))  # (10), (11), (13), (17), (20)
            before = starts * (starts - 1) if self.strict else sum(linked)
            total += nodes * before + 2 * starts  # (14); (15), (16)
            if not self.strict:
                total += self.horizon * (nodes + 2 * self.shortest(job)) + 1  # added to the paper's
            total += self.horizon * (links * (4 + 2 * nodes) + 2 * counts)  # BW, (21)
            total += 6 * nodes + 2 * counts + 11  # the rest has no slot
        for cover in (cover for link in self.links for cover in link.covers):
            total += self.horizon * sum(nodes + len(counts) for _, counts in cover)
        return total


def prepare(
    instance: CoallocationInstance, scaled: ScaledCoallocation, horizon: int, lower_bound: int, *, strict: bool = False
) -> LiteralSpec:
    """Collect the data of the model, and check its size before it is built.

    `strict`: only the rows of the paper, with (14) as printed; otherwise equivalent and further rows strengthen the
    linear relaxation.

    Raises `InputError` if some job is longer than the horizon even on the fastest nodes; `TooLargeError` if there would
    be more than 200,000 variables or 2,000,000 coefficients, or if too many sets of jobs nearly fill a link.
    """
    check_forbidden(instance.saturation)
    spec = LiteralSpec(instance, scaled, horizon, lower_bound, strict)
    longest = max(map(spec.shortest, range(scaled.job_count)))
    if horizon < longest:
        raise InputError(f"some job takes {longest} ticks on the fastest nodes", field="horizon", value=horizon)
    check_size("literal", "variables", spec.variable_count, MAX_VARIABLES)
    check_size("literal", "coefficients", spec.coefficient_count, MAX_COEFFICIENTS)
    return spec


def strengthen(spec: LiteralSpec, _session: Session) -> LiteralSpec:
    """Return the spec with the weights of the jobs that prove most if each runs on its fastest nodes (worker side)."""
    sets = JobSets(spec.scaled)
    times = [spec.shortest(job) for job in range(spec.scaled.job_count)]
    hull = Hull(sets, 0)
    try:
        weights = hull.separating([time / sum(times) for time in times], 0.0)
    except SolverError:  # numbers are difficult
        return spec
    return spec if weights is None else replace(spec, weights=weights, capacity=hull.most(weights))


def ticks_of(spec: LiteralSpec, objective: int) -> int:
    """Return `objective`: it is the makespan in ticks."""
    return objective


def read(spec: LiteralSpec, values: Mapping[Key, float]) -> list[Run]:
    """Return the runs that an incumbent's nonzero values stand for.

    A run is as long as its nodes require, even if the model holds them longer.

    Raises `SolverError` if the values do not give each job one start and, from it, an unbroken and long enough run on τ
    nodes.
    """
    starts: dict[int, list[int]] = defaultdict(list)
    nodes: dict[int, set[int]] = defaultdict(set)
    cells: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for (name, index), value in values.items():
        match (name, index) if value else None:
            case "Y", (int(job), int(slot)):
                starts[job].append(slot)
            case "Z", (int(job), int(node)):
                nodes[job].add(node)
            case "X", (int(job), int(node), int(slot)):
                cells[job].add((node, slot))
    return [_run(spec, job, starts[job], nodes[job], cells[job]) for job in range(spec.scaled.job_count)]


def _run(spec: LiteralSpec, job: int, starts: list[int], nodes: set[int], cells: set[tuple[int, int]]) -> Run:
    name = spec.instance.jobs[job].id
    if len(starts) != 1:
        raise SolverError(f"the solver's incumbent starts job {name} {len(starts)} times")
    if len(nodes) != spec.scaled.tasks[job]:
        raise SolverError(f"the solver's incumbent gives job {name} {len(nodes)} nodes, not {spec.scaled.tasks[job]}")
    start = starts[0]
    counts = [0] * len(spec.scaled.classes)
    for node in nodes:
        counts[spec.nodes[node][0]] += 1
    allocation = make_allocation(spec.scaled, job, counts)
    end = 1 + max((slot for _, slot in cells), default=0)
    if cells != {(node, slot) for node in nodes for slot in range(start, end)} or end - start < allocation.duration:
        raise SolverError(f"the solver's incumbent does not hold the nodes of job {name} for an unbroken, whole run")
    return Run(job, start - 1, allocation)


def start_values(spec: LiteralSpec, runs: Sequence[Run]) -> dict[Key, float] | None:
    """Return the nonzero values of all variables for feasible runs, nodes given by first fit in time.

    None if a run ends after the horizon. Raises `InputError` if at some moment the runs use more nodes of a class than
    it has.
    """
    if any(run.end > spec.horizon for run in runs):
        return None
    values: dict[Key, float] = {("makespan", ()): max(spec.lower_bound, *(run.end for run in runs))}
    taken = _nodes_taken(spec, runs)
    for run in runs:
        values |= _run_values(spec, run, taken[run.job])
    for k, link in enumerate(spec.links):
        for slot in range(1, spec.horizon + 1):
            used = sum(values.get(("BW", (run.job, k, slot)), 0) for run in runs)
            values["ABW", (k, slot)] = link.capacity - used
    return {key: value for key, value in values.items() if value}


def _run_values(spec: LiteralSpec, run: Run, nodes: list[int]) -> dict[Key, float]:
    job, slots = run.job, range(run.start + 1, run.end + 1)
    sigma = spec.instance.jobs[job].sigma
    slowdown = max(1 / spec.power(node) for node in nodes)
    values: dict[Key, float] = {
        ("Y", (job, run.start + 1)): 1,
        ("s", (job,)): run.start,
        ("f", (job,)): run.end,
        ("n", (job,)): run.allocation.duration,
        ("SP", (job,)): float(slowdown),
        ("ct", (job,)): float(sigma * slowdown + 1 - sigma),
    }
    for node in nodes:
        values["Z", (job, node)] = 1
        values.update({("X", (job, node, slot)): 1 for slot in slots})
    for k, link in enumerate(spec.links):
        count = len(set(nodes) & set(link.nodes))
        values["tasks_on", (job, k, count)] = 1
        values.update({("BW", (job, k, slot)): link.loads[job][count] for slot in slots})
    return values


def _nodes_taken(spec: LiteralSpec, runs: Sequence[Run]) -> dict[int, list[int]]:
    """Return for each job the indices of its nodes in `LiteralSpec.nodes`."""
    clusters = [cluster.id for cluster in spec.instance.clusters]
    places = {(clusters[spec.scaled.classes[one].cluster], number): r for r, (one, number) in enumerate(spec.nodes)}
    jobs = {job.id: index for index, job in enumerate(spec.instance.jobs)}
    return {
        jobs[placement.job]: [places[name, node] for name, numbers in placement.nodes.items() for node in numbers]
        for placement in schedule_from_runs(spec.instance, spec.scaled, runs).placements
    }


def meanings(instance: CoallocationInstance, spec: LiteralSpec) -> Iterator[tuple[Key, Meaning]]:
    """Yield the meaning of each variable, with the names of the paper."""
    to_time, slots = spec.scaled.to_time, range(1, spec.horizon + 1)
    clusters = [cluster.id for cluster in instance.clusters]
    places = [(clusters[spec.node_class(r).cluster], number) for r, (_, number) in enumerate(spec.nodes)]
    for j, job in enumerate(instance.jobs):
        for t in spec.start_slots(j):
            yield ("Y", (j, t)), Meaning(STARTS, job.id, start=to_time(t - 1))
        for r, (cluster, number) in enumerate(places):
            yield ("Z", (j, r)), Meaning(f"the job uses node {number}", job.id, {cluster: 1})
            for t in slots:
                one = Meaning(f"the job runs on node {number}", job.id, {cluster: 1}, to_time(t - 1), to_time(t))
                yield ("X", (j, r, t)), one
        for k, link in enumerate(spec.links):
            for count in link.counts[j]:
                yield (
                    ("tasks_on", (j, k, count)),
                    Meaning("number of tasks on the cluster", job.id, {clusters[k]: count}),
                )
            for t in slots:
                load = Meaning(f"load of the link of {clusters[k]}", job.id, None, to_time(t - 1), to_time(t))
                yield ("BW", (j, k, t)), load
        words = {"s": "start in slots", "f": "end in slots", "n": "number of slots held"}
        for name, kind in (words | {"SP": "slowdown of processing", "ct": "time over base time"}).items():
            yield (name, (j,)), Meaning(kind, job.id)
    for k, cluster in enumerate(clusters):
        for t in slots:
            free = Meaning(f"free bandwidth of the link of {cluster}", start=to_time(t - 1), end=to_time(t))
            yield ("ABW", (k, t)), free
    yield ("makespan", ()), Meaning("makespan in slots")


FORMULATION = Formulation(
    name="literal",
    builder="oas.coallocation.models.literal_model:build",
    prepare=prepare,
    read=read,
    start_values=start_values,
    ticks_of=ticks_of,
    summary="the paper's own, one variable for (job, node, slot); small instances only",
    strengthen=strengthen,
    prepare_full=partial(prepare, strict=True),
    latest_end=latest_end,
    meanings=meanings,
    assumptions=(LATER_ENDS,),
)
