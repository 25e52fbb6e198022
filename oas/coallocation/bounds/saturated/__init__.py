"""The bound by shared links: configurations over time in which saturated links slow their jobs down."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.coallocation.allocations import allocations
from oas.coallocation.running import StartedRun
from oas.core.registry import MAX_MIN, SLOWDOWN
from oas.core.result import Bound
from oas.solvers.isolation.client import call
from oas.solvers.task import limits_of_part
from oas.solving.lower_bound import CertifiedBound

if TYPE_CHECKING:
    from oas.coallocation.instance import CoallocationInstance
    from oas.core.result import Termination

NAME = "shared links"
BOUND = CertifiedBound(NAME, variants=(SLOWDOWN, MAX_MIN))


@dataclass(frozen=True)
class SharedLinksBound:
    """The bound, and further results of the search."""

    bound: Bound  # with its certificate, by exact pricing
    runs: tuple[StartedRun, ...]  # a schedule as starts and allocations, not verified; none if the search found none
    termination: Termination  # ``finished``: the search is complete


def shared_links_bound(
    instance: CoallocationInstance, upper: Fraction, *, seconds: float | None = None, memory: int | None = None
) -> SharedLinksBound:
    """Bound the makespan of a feasible instance whose saturated links slow jobs down.

    A configuration is a set of jobs with their allocations that can run at the same moment. Each job's progress adds up
    to 1 over its configurations. The bound permits preemption and migration, unless branching on allocations and on the
    order of starts and ends excludes them. The worker generates columns; for instances without slots it also searches
    for schedules.

    `upper`: the makespan of a known schedule; the search ends when the bound reaches it. `seconds`, `memory`: limits of
    the search; None for no limit.
    """
    outcome = call(
        "oas.coallocation.bounds.saturated.generation:generate",
        (instance, upper / (instance.slot or 1)),
        limits_of_part(seconds, memory),
    )
    answer: Any = outcome.value
    if answer is None:
        return SharedLinksBound(Bound(NAME, Fraction(0), None), (), outcome.termination)
    runs: tuple[StartedRun, ...] = ()
    if answer["plan"] is not None:
        scaled = instance.scaled()
        runs = tuple(
            StartedRun(job, start, allocations(scaled, job)[option])
            for job, (option, start) in enumerate(zip(answer["plan"].options, answer["plan"].starts, strict=True))
        )
    bound = Bound(NAME, answer["bound"] * (instance.slot or 1), answer["certificate"])
    return SharedLinksBound(bound, runs, outcome.termination)
