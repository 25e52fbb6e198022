"""The bound by shared links of an instance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.bounds.coallocation.saturated.request import Request
from oas.core.result import Bound
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.running import StartedRun
from oas.solvers.isolation.client import call
from oas.solvers.task import limits_of_part

if TYPE_CHECKING:
    from oas.core.result import Termination
    from oas.problems.coallocation.instance import CoallocationInstance

NAME = "shared links"


@dataclass(frozen=True)
class SharedLinksBound:
    """The bound, and what the search for it found beside.

    Attributes
    ----------
    bound
        With its certificate, by exact pricing.
    runs
        A schedule as starts and allocations, not verified; none if the search found none.
    weights
        w of each job and W: no configuration weighs more than W by w alone, see the certificate; None without any.
    configurations
        Those of the last linear program, each as (job, index of its allocation), with their times: a hint, in floats.
    termination, message, seconds
        How the search ended; ``finished``: it found no more.
    """

    bound: Bound
    runs: tuple[StartedRun, ...]
    weights: tuple[list[int], int] | None
    configurations: tuple[tuple[tuple[tuple[int, int], ...], float], ...]
    termination: Termination
    message: str = ""
    seconds: float = 0.0


def shared_links_bound(
    instance: CoallocationInstance,
    upper: Fraction,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    plans: bool = True,
) -> SharedLinksBound:
    """Bound the makespan of a feasible instance whose saturated links slow jobs down.

    A configuration is a set of jobs with their allocations that can run at the same moment. Each job's progress adds
    up to 1 over the configurations that it is in. The bound lets jobs be preempted and migrate, as far as branching on
    their allocations and on the order of starts and ends does not forbid it. Column generation in the worker.

    Parameters
    ----------
    upper
        A makespan that is attained: the search ends where the bound reaches it.
    seconds, memory
        Limits of the search; None for none.
    plans
        Look for schedules too, where there are no slots.
    """
    outcome = call(
        "oas.bounds.coallocation.saturated.generation:generate",
        Request(instance, upper / (instance.slot or 1), plans),
        limits_of_part(seconds, memory),
    )
    answer: Any = outcome.value
    if answer is None:
        return SharedLinksBound(
            Bound(NAME, Fraction(0), None), (), None, (), outcome.termination, outcome.message, outcome.seconds
        )
    runs: tuple[StartedRun, ...] = ()
    if answer["plan"] is not None:
        scaled = instance.scaled()
        runs = tuple(
            StartedRun(job, start, allocations(scaled, job)[option])
            for job, (option, start) in enumerate(zip(answer["plan"].options, answer["plan"].starts, strict=True))
        )
    return SharedLinksBound(
        bound=Bound(NAME, answer["bound"] * (instance.slot or 1), answer["certificate"]),
        runs=runs,
        weights=answer["weights"],
        configurations=tuple(answer["configurations"]),
        termination=outcome.termination,
        message=outcome.message,
        seconds=outcome.seconds,
    )
