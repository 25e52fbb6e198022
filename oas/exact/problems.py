"""What the pipeline must know of each problem, in one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.core.schedule import runs_from_schedule, schedule_from_runs
from oas.exact.coallocation.brute_force import brute_force
from oas.exact.coallocation.search import CoallocationCloser
from oas.exact.mosp.brute_force import brute_force_mosp
from oas.exact.mosp.search import MospCloser
from oas.problems.coallocation.allocations import jobs_without_allocation
from oas.problems.coallocation.instance import CoallocationInstance
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import cluster_runs_from_schedule, schedule_from_cluster_runs

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.exact.search import Closer


@dataclass(frozen=True)
class Problem:
    """A problem's own parts; verifier, heuristics, bounds and formulations are found by the instance's type.

    Attributes
    ----------
    hopeless
        ``instance -> ids`` of the jobs that can never run: the instance is infeasible exactly when there is one.
    to_runs
        ``(instance, scaled, schedule) -> runs`` of a verified schedule, as the formulations take them.
    from_runs
        ``(instance, scaled, runs) -> schedule``, as the formulations read them.
    brute_force
        ``instance -> (optimum, schedule)``; raises `TooLargeError` beyond tiny instances.
    closer
        What stands behind ``--formulation auto``: bounds and searches of the problem's own; None where that is the
        default formulation.
    """

    hopeless: Callable[[Any], list[str]]
    to_runs: Callable[[Any, Any, Schedule], list[Any]]
    from_runs: Callable[[Any, Any, list[Any]], Schedule]
    brute_force: Callable[[Any], tuple[Fraction, Schedule]]
    closer: type[Closer] | None = None


def _jobs_without_allocation(instance: CoallocationInstance) -> list[str]:
    return [instance.jobs[job].id for job in jobs_without_allocation(instance.scaled())]


PROBLEMS: dict[type, Problem] = {
    CoallocationInstance: Problem(
        _jobs_without_allocation, runs_from_schedule, schedule_from_runs, brute_force, CoallocationCloser
    ),
    # Local schedules are feasible, so an instance of MOSP always is.
    MospInstance: Problem(
        lambda _: [], cluster_runs_from_schedule, schedule_from_cluster_runs, brute_force_mosp, MospCloser
    ),
}


def problem_of(instance: Instance) -> Problem:
    """Return the problem that `instance` is of."""
    return PROBLEMS[type(instance)]
