"""The configuration bound of an instance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.bounds.request import claimed_bound, search_in_worker
from oas.core.result import Bound

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.result import Termination
    from oas.problems.mosp.instance import MospInstance

NAME = "configurations"


@dataclass(frozen=True)
class ConfigurationBound:
    """The bound, and the data that a subsequent search can use.

    Attributes
    ----------
    bound
        With its certificate, by exact pricing. 0 if nothing was found.
    weights
        Of each job, at least 0.
    termination
        Why the search ended; ``finished``: it reached `upper`, or configurations prove no more.
    message
        For people.
    seconds
        Wall time of the search.
    """

    bound: Bound
    weights: tuple[int, ...]
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
    releases count, locality does not. Column generation in the worker; what weights prove is priced exactly, so a wrong
    solver cannot make the bound wrong.

    Parameters
    ----------
    upper
        A makespan that is attained: the search ends where the bound reaches it.
    seconds, memory
        Limits of the search; None for none.
    on_progress
        Called with the bound as it grows.
    """
    outcome = search_in_worker(
        "oas.bounds.mosp.configurations.generation:find_weights",
        instance,
        Fraction(0),
        upper,
        seconds=seconds,
        memory=memory,
        on_progress=on_progress,
    )
    weights: list[int] = outcome.value or [0] * len(instance.jobs)  # type: ignore[assignment]
    bound = claimed_bound(NAME, instance, outcome, {"weights": weights})
    return ConfigurationBound(
        bound=bound or Bound(NAME, Fraction(0), {"weights": weights}),
        weights=tuple(weights),
        termination=outcome.termination,
        message=outcome.message,
        seconds=outcome.seconds,
    )
