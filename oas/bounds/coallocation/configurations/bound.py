"""The configuration bound of an instance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from oas.bounds.coallocation.configurations.leaves import leaf
from oas.bounds.coallocation.configurations.modes import Modes, every_mode, job_modes, longest, mode_of_level
from oas.bounds.request import claimed_bound, search_in_worker
from oas.core.result import Bound

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.core.result import Termination
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.ticks import ScaledCoallocation

NAME = "configurations"


class Dual(NamedTuple):
    """Weights and capacity: no set of jobs that can run together weighs more, as in `ConfigurationBound`."""

    weights: tuple[tuple[int, ...], ...]
    capacity: int


@dataclass(frozen=True)
class ConfigurationBound:
    """The bound, and the data that a subsequent search can use.

    Attributes
    ----------
    bound
        With its certificate, by exact pricing.
    weights
        weights[j][l]: of job j while it runs at level l, at least 0. Levels below the job's fastest weigh 0.
    capacity
        No set of jobs that can run together weighs more; what it takes to run all of them at their levels,
        Σ ticks·weight, must fit into makespan · capacity.
    alternatives
        Other weights that prove as much as `weights` do, valid for every choice of levels as well.
    levels
        levels[j][l]: the share of level l in the choice of job j that bounds least, from the linear program: a hint, in
        floats. Empty where none was solved.
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
    alternatives: tuple[Dual, ...]
    levels: tuple[tuple[float, ...], ...]
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
    alternatives: int = 0,
    on_progress: Callable[[Fraction], None] | None = None,
) -> ConfigurationBound:
    """Bound the makespan of a feasible instance by the configurations its jobs can run in.

    A configuration is a set of (job, level) that can run at the same moment. The bound lets jobs be preempted and
    migrate, but packs nodes and links exactly at each moment and gives each job one level. Column generation in the
    worker, then branching on levels; what weights prove is priced exactly, so a wrong solver cannot make it wrong.

    Parameters
    ----------
    upper
        A makespan that is attained: the search ends where the bound reaches it.
    seconds, memory
        Limits of the search; None for none.
    alternatives
        Look for so many other weights of the root; fewer may be found.
    on_progress
        Called with the bound as it grows.

    Raises
    ------
    InfeasibleError
        If a job has no allocation.
    """
    scaled = instance.scaled()
    modes = job_modes(scaled)
    zeros = leaf([[0] * len(row) for row in modes], 0)
    outcome = search_in_worker(
        "oas.bounds.coallocation.configurations.generation:generate",
        instance,
        Fraction(0),
        upper,
        seconds=seconds,
        memory=memory,
        on_progress=on_progress,
        alternatives=alternatives,
    )
    answer: Any = outcome.value or {"certificate": None, "levels": [], "pricing_seconds": 0.0}
    bound = claimed_bound(NAME, instance, outcome, answer["certificate"])
    found = [] if bound is None else [answer["root"], *answer["alternatives"]]
    duals = [Dual(_by_level(scaled, modes, one["weights"], repeat=True), one["capacity"]) for one in found]
    root, *others = duals or [Dual(_by_level(scaled, modes, zeros["weights"], repeat=True), 0)]  # type: ignore[arg-type]
    return ConfigurationBound(
        bound=bound or Bound(NAME, scaled.to_time(longest(modes, every_mode(modes))), {"tree": [zeros]}),
        weights=root.weights,
        capacity=root.capacity,
        alternatives=tuple(others),
        levels=_by_level(scaled, modes, answer["levels"], repeat=False) if answer["levels"] else (),
        termination=outcome.termination,
        message=outcome.message,
        seconds=outcome.seconds,
        pricing_seconds=answer["pricing_seconds"],
    )


def _by_level(
    scaled: ScaledCoallocation, modes: Modes, rows: Sequence[Sequence[Any]], *, repeat: bool
) -> tuple[tuple[Any, ...], ...]:
    """Numbers of modes as numbers of levels: those of equal durations all have their mode's, or the slowest alone."""
    found = []
    for job, times in enumerate(scaled.durations):
        own = []
        for level in range(len(times)):
            index = mode_of_level(modes[job], times, level)
            kept = index is not None and (repeat or modes[job][index].level == level)
            own.append(rows[job][index] if index is not None and kept else 0)
        found.append(tuple(own))
    return tuple(found)
