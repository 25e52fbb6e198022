"""The size of a MIP at one slot size, counted without building it.

The models start from the best heuristic schedule and the best combinatorial bound, and have no weight rows. The starts
of the start-indexed model are listed in the process of the solvers, within a limit.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from oas.coallocation.allocations import tasks_by_cluster
from oas.coallocation.models.literal import LiteralSpec
from oas.coallocation.models.start_indexed import prepare
from oas.core.errors import TooLargeError
from oas.core.result import Termination
from oas.solvers.isolation.client import call
from oas.solvers.task import Limits
from oas.solving.lower_bound import best_bound
from oas.solving.start import heuristic_schedules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.coallocation.instance import CoallocationInstance
    from oas.coallocation.models.start_indexed import StartIndexedSpec
    from oas.solvers.isolation.protocol import Session
    from oas.solvers.task import CallOutcome

SECONDS = 2.0  # for counting one model


@dataclass(frozen=True)
class ModelSize:
    """Number of variables and of constraints; None for a model that is too large to be counted."""

    variables: int | None
    constraints: int | None


@dataclass(frozen=True)
class ModelSizes:
    """Sizes of both MIP formulations."""

    start_indexed: ModelSize
    literal: ModelSize
    message: str = ""  # the reason why a size is missing; empty if none is


def model_sizes(instance: CoallocationInstance) -> ModelSizes:
    """Return the sizes of both models of `instance`; Ctrl-C raises `KeyboardInterrupt`."""
    scaled = instance.scaled()
    horizon = int(min(schedule.makespan for _, schedule in heuristic_schedules(instance)) / scaled.tick)
    bound = int(best_bound(instance).value / scaled.tick)
    literal = literal_size(LiteralSpec(instance, scaled, horizon, bound))
    _call("begin", None, Limits())  # the limit is for counting, not for starting a process
    outcome = _call("count", (instance, horizon, bound), Limits(SECONDS, grace=0))
    if isinstance(outcome.value, ModelSize):
        return ModelSizes(outcome.value, literal)
    late = outcome.termination is Termination.TIME_LIMIT
    message = f"not counted within {SECONDS:g} s" if late else str(outcome.value or outcome.message)
    return ModelSizes(ModelSize(None, None), literal, message)


def _call(function: str, arguments: object, limits: Limits) -> CallOutcome:
    outcome = call(f"{__name__}:{function}", arguments, limits)
    if outcome.termination is Termination.INTERRUPTED:
        raise KeyboardInterrupt
    return outcome


def begin(_arguments: None, _session: Session) -> None:
    """Load the modules for `count` (worker side)."""


def count(arguments: tuple[CoallocationInstance, int, int], _session: Session) -> ModelSize | str:
    """Return the size of the start-indexed model, or the reason why it is too large (worker side)."""
    instance, horizon, bound = arguments
    try:
        return start_indexed_size(prepare(instance, instance.scaled(), horizon, bound))
    except TooLargeError as error:
        return str(error)


def start_indexed_size(spec: StartIndexedSpec) -> ModelSize:
    """Count the variables and constraints of `oas.coallocation.models.start_indexed`, family by family."""
    jobs, ends = len(spec.choices), len(spec.ends)
    last = [0] * jobs  # number of attainable makespans up to the latest end of each job
    for job, _, duration, starts in spec.columns():
        if starts:
            last[job] = max(last[job], bisect_right(spec.ends, starts[-1] + duration))
    nodes = [[choice.counts for choice in choices] for choices in spec.choices]
    capacities, loads, _ = spec.link_rows
    links = [
        [tuple(loads[job][count] for count in tasks_by_cluster(spec.scaled, choice.counts)) for choice in choices]
        for job, choices in enumerate(spec.choices)
    ]
    rows = _packing_rows(spec, nodes, [len(node_class.nodes) for node_class in spec.scaled.classes])
    rows += _packing_rows(spec, links, capacities) + _packing_rows(spec, *spec.link_covers)
    in_order = sum(len(spec.starts[first]) for group in spec.identical_jobs for first in group[:-1])
    return ModelSize(spec.size + ends, jobs + rows + max(0, ends - 1) + sum(last) + in_order)


def _packing_rows(spec: StartIndexedSpec, uses: Sequence[Sequence[Sequence[float]]], sizes: Sequence[float]) -> int:
    """Count the pairs of a resource that can be scarce and a moment at which one of its users may run."""
    total = 0
    for resource, size in enumerate(sizes):
        if sum(max(use[resource] for use in choices) for choices in uses) <= size:
            continue
        change = [0] * (len(spec.moments) + 1)
        for job, index, duration, starts in spec.columns():
            if uses[job][index][resource]:
                for start in starts:
                    change[bisect_left(spec.moments, start)] += 1
                    change[bisect_left(spec.moments, start + duration)] -= 1
        total += sum(running > 0 for running in accumulate(change))
    return total


def literal_size(spec: LiteralSpec) -> ModelSize:
    """Count the rows of `oas.coallocation.models.literal_model`, family by family."""
    jobs, nodes, links, slots = spec.scaled.job_count, len(spec.nodes), len(spec.links), spec.horizon
    parallel = sum(tasks > 1 for tasks in spec.scaled.tasks)
    rows = slots * nodes * (1 + 2 * jobs + parallel)  # (10); (11) and (17); (13)
    rows += sum(nodes * spec.linked(job)[0] for job in range(jobs))  # (14)
    rows += sum(min(slots, len(spec.start_slots(job)) + spec.shortest(job) - 1) for job in range(jobs))  # running
    rows += slots * (links * (3 * jobs + 2) + sum(len(link.covers) for link in spec.links))  # BW; (21) and (22)
    rows += 2 * jobs * nodes + 2 * jobs * links  # (3) and (19) on each node; the counts of (4)
    rows += 8 * jobs + 1  # (9), (12), (15), (16), (18), (19) twice, (20); the bound
    return ModelSize(spec.variable_count, rows)
