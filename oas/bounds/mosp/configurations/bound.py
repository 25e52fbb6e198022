"""The configuration bound of an instance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.mosp.configurations.certificate import value
from oas.bounds.mosp.knapsack import heaviest_by_capacity
from oas.bounds.request import search_in_worker
from oas.core.numbers import ceil_to
from oas.core.result import Bound, Termination
from oas.solvers.task import limits_of_part

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.problems.mosp.instance import MospInstance

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
    """

    bound: Bound
    weights: tuple[int, ...]
    capacities: tuple[int, ...]
    termination: Termination
    message: str = ""
    seconds: float = 0.0


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
    releases count, locality does not. Column generation in the worker; whatever it finds is priced again here, so a
    wrong solver cannot make it wrong.

    Parameters
    ----------
    upper
        A makespan that is attained: the search ends where the bound reaches it.
    seconds, memory
        Limits of the search; None for none. The weights are priced again after that.
    on_progress
        Called with the bound as it grows.
    """
    scaled = instance.scaled()
    outcome = search_in_worker(
        "oas.bounds.mosp.configurations.generation:find_weights",
        instance,
        Fraction(0),
        upper,
        limits_of_part(seconds, memory),
        on_progress,
    )
    weights = [0] * scaled.job_count if outcome.value is None else list(outcome.value)  # type: ignore[call-overload]
    certificate = {"weights": weights}
    most = heaviest_by_capacity(weights, scaled.widths, max(scaled.processors))
    return ConfigurationBound(
        bound=Bound(NAME, ceil_to(value(instance, certificate), scaled.tick), certificate),
        weights=tuple(weights),
        capacities=tuple(most[size] for size in scaled.processors),
        termination=outcome.termination,
        message=outcome.message,
        seconds=outcome.seconds,
    )
