"""The bound by shared links: configurations over time, saturated links slow their jobs down."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.bounds.lower_bound import CertifiedBound
from oas.core.result import Bound
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.running import StartedRun
from oas.problems.registry import MAX_MIN, SLOWDOWN
from oas.solvers.isolation.client import call
from oas.solvers.task import limits_of_part

if TYPE_CHECKING:
    from oas.core.result import Termination
    from oas.problems.coallocation.instance import CoallocationInstance

NAME = "shared links"
BOUND = CertifiedBound(NAME, variants=(SLOWDOWN, MAX_MIN))


@dataclass(frozen=True)
class SharedLinksBound:
    """The bound, and further results of the search."""

    bound: Bound  # with its certificate, by exact pricing
    runs: tuple[StartedRun, ...]  # a schedule as starts and allocations, not verified; none if the search found none
    # w of each job and W: no configuration weighs more than W by w alone, see the certificate; None without any.
    weights: tuple[list[int], int] | None
    termination: Termination  # how the search ended; ``finished``: it found no more


def shared_links_bound(
    instance: CoallocationInstance, upper: Fraction, *, seconds: float | None = None, memory: int | None = None
) -> SharedLinksBound:
    """Bound the makespan of a feasible instance whose saturated links slow jobs down.

    A configuration is a set of jobs with their allocations that can run simultaneously. The progress of each job over
    its configurations sums to 1. The bound permits preemption and migration, except as branching on allocations and on
    the order of starts and ends forbids. Column generation runs in the worker, which also searches for schedules if
    there are no slots.

    Parameters
    ----------
    upper
        A makespan that is attained: the search ends where the bound reaches it.
    seconds, memory
        Limits of the search; None for none.
    """
    outcome = call(
        "oas.bounds.coallocation.saturated.generation:generate",
        (instance, upper / (instance.slot or 1)),
        limits_of_part(seconds, memory),
    )
    answer: Any = outcome.value
    if answer is None:
        return SharedLinksBound(Bound(NAME, Fraction(0), None), (), None, outcome.termination)
    runs: tuple[StartedRun, ...] = ()
    if answer["plan"] is not None:
        scaled = instance.scaled()
        runs = tuple(
            StartedRun(job, start, allocations(scaled, job)[option])
            for job, (option, start) in enumerate(zip(answer["plan"].options, answer["plan"].starts, strict=True))
        )
    bound = Bound(NAME, answer["bound"] * (instance.slot or 1), answer["certificate"])
    return SharedLinksBound(bound, runs, answer["weights"], outcome.termination)
