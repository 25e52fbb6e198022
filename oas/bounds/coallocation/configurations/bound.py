"""The configuration bound of an instance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.bounds.coallocation.configurations.certificate import value
from oas.bounds.coallocation.configurations.modes import job_modes, mode_of_level
from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.configurations.pricing import heaviest
from oas.bounds.coallocation.configurations.search import Search
from oas.core.result import Bound, Termination
from oas.solvers.client import call
from oas.solvers.task import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.core.coallocation import CoallocationInstance
    from oas.solvers.outcome import Progress

NAME = "configurations"


@dataclass(frozen=True)
class ConfigurationBound:
    """The bound, and the weights of its root for a search that goes on.

    Attributes
    ----------
    bound
        With its certificate; the value was re-computed from it by exact pricing.
    weights
        weights[j][l]: of job j while it runs at level l, at least 0. Levels below the job's fastest weigh 0.
    capacity
        No set of jobs that can run together weighs more; what it takes to run all of them at their levels,
        Σ ticks·weight, must fit into makespan · capacity.
    termination
        Why the search ended; ``finished``: it reached `upper`, or branching on levels proves no more.
    message
        For people.
    seconds, pricing_seconds
        Wall time of the search, and how much of it went into pricing.
    """

    bound: Bound
    weights: tuple[tuple[int, ...], ...]
    capacity: int
    termination: Termination
    message: str = ""
    seconds: float = 0.0
    pricing_seconds: float = 0.0


def configuration_bound(
    instance: CoallocationInstance,
    upper: Fraction,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    on_progress: Callable[[Fraction], None] | None = None,
) -> ConfigurationBound:
    """Bound the makespan of a feasible instance by the configurations its jobs can run in.

    A configuration is a set of (job, level) that can run at the same moment. The bound lets jobs be preempted and
    migrate, but packs nodes and links exactly at each moment and gives each job one level. Column generation in the
    worker, then branching on levels; whatever it finds is priced again here, so a wrong solver cannot make it wrong.

    Parameters
    ----------
    upper
        A makespan that is attained: the search ends where the bound reaches it.
    seconds, memory
        Limits of the search; None for none. Certificate and root are priced again after that.
    on_progress
        Called with the bound as it grows.

    Raises
    ------
    InfeasibleError
        If a job has no allocation.
    """
    scaled = instance.scaled()
    modes = job_modes(scaled)

    def report(progress: Progress) -> None:
        if on_progress is not None and progress.bound is not None:
            on_progress(scaled.to_time(int(progress.bound)))

    zeros = [[0] * len(row) for row in modes]
    answer: Any = {"certificate": {"tree": [{"weights": zeros}]}, "root": zeros, "pricing_seconds": 0.0}
    outcome = call(
        "oas.bounds.coallocation.configurations.generation:generate",
        Search(scaled, -(-upper // scaled.tick)),
        Limits(seconds, memory),
        report,
    )
    if outcome.value is not None:
        answer = outcome.value
    certificate, root = answer["certificate"], answer["root"]
    weights = []
    for job, ticks in enumerate(scaled.durations):
        at_level = (mode_of_level(modes[job], ticks, level) for level in range(len(ticks)))
        weights.append(tuple(0 if index is None else root[job][index] for index in at_level))
    return ConfigurationBound(
        bound=Bound(NAME, value(instance, certificate), certificate),
        weights=tuple(weights),
        capacity=heaviest(Packing(scaled), modes, root).weight,
        termination=outcome.termination,
        message=outcome.message,
        seconds=outcome.seconds,
        pricing_seconds=answer["pricing_seconds"],
    )
