"""From the literal model's values to runs, and back to a complete warm start."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from oas.core.errors import SolverError
from oas.problems.coallocation.allocations import make_allocation
from oas.problems.coallocation.runs import Run, schedule_from_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from oas.models.coallocation.literal import LiteralSpec
    from oas.solvers.task import Key


def read(spec: LiteralSpec, values: Mapping[Key, float]) -> list[Run]:
    """Return the runs that an incumbent's nonzero values stand for.

    A run is as long as its nodes need, also where the model held them longer.

    Raises
    ------
    SolverError
        If the values are not, for each job, one start and one unbroken run of τ nodes from it, long enough.
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
    allocation = make_allocation(spec.scaled, job, _counts(spec, nodes))
    end = 1 + max((slot for _, slot in cells), default=0)
    if cells != {(node, slot) for node in nodes for slot in range(start, end)} or end - start < allocation.duration:
        raise SolverError(f"the solver's incumbent does not hold the nodes of job {name} for an unbroken, whole run")
    return Run(job, start - 1, allocation)


def _counts(spec: LiteralSpec, nodes: Iterable[int]) -> list[int]:
    counts = [0] * len(spec.scaled.classes)
    for node in nodes:
        counts[spec.nodes[node][0]] += 1
    return counts


def start_values(spec: LiteralSpec, runs: Sequence[Run]) -> dict[Key, float] | None:
    """Return the nonzero values of all variables for feasible runs, nodes given by first fit in time.

    Returns
    -------
    dict or None
        None if a run ends after the horizon.

    Raises
    ------
    InputError
        If at some moment the runs ask for more nodes of a class than it has.
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
    """For each job, the indices of its nodes in `LiteralSpec.nodes`."""
    clusters = [cluster.id for cluster in spec.instance.clusters]
    places = {(clusters[spec.scaled.classes[one].cluster], number): r for r, (one, number) in enumerate(spec.nodes)}
    jobs = {job.id: index for index, job in enumerate(spec.instance.jobs)}
    return {
        jobs[placement.job]: [places[name, node] for name, numbers in placement.nodes.items() for node in numbers]
        for placement in schedule_from_runs(spec.instance, spec.scaled, runs).placements
    }
