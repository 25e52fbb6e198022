"""Models under slowdown for given nodes: they choose the starts alone.

Jobs that share a node never run together, and each has one allocation. A lower bound of such a model holds for
schedules on these nodes only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.models.formulation import Placed
from oas.problems.coallocation.allocations import placements_by_job
from oas.problems.coallocation.running import StartedRun, ends_of, starts_from_schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from oas.models.formulation import Formulation
    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance

# Rules of the verifier on jobs and nodes, not on times.
_NODE_RULES = ("missing_job", "duplicate_job", "unknown_job", "unknown_cluster", "unknown_node", "tasks")

Nodes = tuple[tuple[tuple[str, tuple[int, ...]], ...], ...]
"""For each job, by index, the clusters that it uses and its nodes there."""


@dataclass(frozen=True)
class GivenNodes:
    """The nodes of each job.

    Attributes
    ----------
    nodes
        As a schedule has them.
    choices
        The one allocation of each job.
    apart
        Pairs of jobs that share a node.
    """

    nodes: Nodes
    choices: tuple[tuple[Allocation, ...], ...]
    apart: frozenset[frozenset[int]]


def given_nodes(instance: CoallocationInstance, plan: Schedule) -> GivenNodes:
    """Return the nodes that a plan gives to the jobs; its times do not matter.

    Raises
    ------
    InputError
        If it leaves out a job, has one twice, or gives a job other nodes than there are, or too few or too many.
    """
    broken = next((one for one in verify(instance, plan) if one.rule in _NODE_RULES), None)
    if broken is not None:
        raise InputError(f"the plan gives no nodes that will do: {broken}", field="placements")
    placed = placements_by_job(instance, plan)
    nodes = tuple(tuple((name, tuple(own)) for name, own in one.nodes.items()) for one in placed)
    taken = [{(name, number) for name, own in one for number in own} for one in nodes]
    pairs = combinations(range(len(taken)), 2)
    apart = frozenset(frozenset((one, other)) for one, other in pairs if taken[one] & taken[other])
    return GivenNodes(nodes, tuple((run.allocation,) for run in starts_from_schedule(instance, plan)), apart)


def placed(
    formulation: Formulation, spec_of: Callable[..., Any], instance: CoallocationInstance, plan: Schedule
) -> Placed:
    """Return the formulation for the nodes of a plan, and all jobs on them, one after the other in the plan's order.

    Parameters
    ----------
    formulation
        Its answers are read as ever.
    spec_of
        ``(instance, horizon, lower_bound, choices, identical, apart) -> spec``.
    instance
        Under slowdown.
    plan
        Whose nodes are used.

    Raises
    ------
    InputError
        If the plan gives nodes that will not do, or links forbid a job on them.
    """
    given = given_nodes(instance, plan)
    order = sorted(range(len(given.choices)), key=lambda job: (placements_by_job(instance, plan)[job].start, job))
    runs: list[StartedRun] = []
    now = Fraction(0)
    try:
        for job in order:
            alone = StartedRun(job, now, given.choices[job][0])
            now = ends_of(instance, [alone])[0]
            runs.append(alone)
    except InputError as error:
        raise InputError(f"the plan gives no nodes that will do: {error.reason}", field="placements") from error
    own = replace(
        formulation,
        prepare=partial(_prepare, spec_of, given.choices, given.apart),
        schedule=partial(_schedule, given.nodes),
        placed=None,
    )
    return Placed(own, _schedule(given.nodes, instance, runs))


def _prepare(
    spec_of: Callable[..., Any],
    choices: tuple[tuple[Allocation, ...], ...],
    apart: frozenset[frozenset[int]],
    instance: CoallocationInstance,
    _scaled: object,
    horizon: Any,
    lower_bound: Any,
) -> Any:
    return spec_of(instance, horizon, lower_bound, choices, (), apart)


def _schedule(nodes: Nodes, instance: CoallocationInstance, runs: Iterable[StartedRun]) -> Schedule:
    """Give runs their ends, and the nodes of their jobs."""
    ordered = list(runs)
    ends = ends_of(instance, ordered)
    return Schedule(
        [
            Placement(instance.jobs[run.job].id, run.start, end, _mapping(nodes[run.job]))
            for run, end in zip(ordered, ends, strict=True)
        ]
    )


def _mapping(own: tuple[tuple[str, tuple[int, ...]], ...]) -> Mapping[str, tuple[int, ...]]:
    return dict(own)
