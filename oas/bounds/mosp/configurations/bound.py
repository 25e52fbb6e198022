"""The configuration bound of an instance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.mosp.configurations.certificate import value
from oas.bounds.mosp.knapsack import heaviest_by_capacity
from oas.bounds.request import check_in_worker, search_in_worker, search_limits, unchecked
from oas.core.numbers import ceil_to
from oas.core.result import Bound, Termination

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.problems.mosp.instance import MospInstance
    from oas.solvers.isolation.session import Session

NAME = "configurations"


@dataclass(frozen=True)
class ConfigurationBound:
    """The bound, and the data that a subsequent search can use.

    Attributes
    ----------
    bound
        With its certificate; the value was re-computed from it by exact pricing. 0 if nothing was found.
    weights
        Of each job, at least 0.
    capacities
        M_k of each cluster without reservations: no jobs that fit on it together weigh more. Without releases, what
        they take in all, Σ p·w, must fit into makespan · Σ M_k.
    termination
        Why the search ended; ``finished``: it reached `upper`, or configurations prove no more.
    message
        For people.
    seconds
        Wall time of the search.
    note
        Says which bound is not used, because it was not checked again in time.
    """

    bound: Bound
    weights: tuple[int, ...]
    capacities: tuple[int, ...]
    termination: Termination
    message: str = ""
    seconds: float = 0.0
    note: str = ""


def configuration_bound(
    instance: MospInstance,
    upper: Fraction,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    on_progress: Callable[[Fraction], None] | None = None,
) -> ConfigurationBound:
    """Bound the makespan of an instance by the sets of jobs that fit side by side.

    The bound lets jobs be preempted and migrate, but packs processors exactly at each moment; reservations and
    releases count, locality does not. Column generation in the worker; its weights are priced again by `check`, so a
    wrong solver cannot make the bound wrong.

    Parameters
    ----------
    upper
        A makespan that is attained: the search ends where the bound reaches it.
    seconds, memory
        Limits of search and re-check together; None for none.
    on_progress
        Called with the bound as it grows.
    """
    scaled = instance.scaled()
    outcome = search_in_worker(
        "oas.bounds.mosp.configurations.generation:find_weights",
        instance,
        Fraction(0),
        upper,
        search_limits(seconds, memory),
        on_progress,
    )
    weights, note = [0] * scaled.job_count, ""
    proven, capacities, termination = Fraction(0), (0,) * len(scaled.processors), outcome.termination
    if outcome.value is not None:
        given = instance, list(outcome.value)  # type: ignore[call-overload]
        checked = check_in_worker(f"{__name__}:check", given, outcome, seconds, memory)
        if checked.value is not None:
            weights = given[1]
            proven, capacities = checked.value  # type: ignore[misc]
        proven = ceil_to(proven, scaled.tick)
        note = unchecked(NAME, outcome, proven, instance)
        if checked.termination is Termination.INTERRUPTED:
            termination = checked.termination
    return ConfigurationBound(
        bound=Bound(NAME, proven, {"weights": weights}),
        weights=tuple(weights),
        capacities=capacities,
        termination=termination,
        message=outcome.message,
        seconds=outcome.seconds,
        note=note,
    )


def check(given: tuple[MospInstance, list[int]], _: Session) -> tuple[Fraction, tuple[int, ...]]:
    """Return what weights of the jobs prove, and the capacity M_k of each cluster (in the worker)."""
    instance, weights = given
    scaled = instance.scaled()
    most = heaviest_by_capacity(weights, scaled.widths, max(scaled.processors))
    return value(instance, {"weights": weights}), tuple(most[size] for size in scaled.processors)
