"""Preparing a model in the solver's process.

What a model is made of can take longer to list than any limit allows: beside the solver it is watched like one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.solvers.isolation.session import Session

# The place of `prepare`, as `oas.solvers.isolation.client.call` takes it.
PREPARE = f"{__name__}:prepare"


@dataclass(frozen=True)
class Preparation:
    """The arguments of a formulation's `prepare`.

    Attributes
    ----------
    prepare, start_values
        The formulation's (see `oas.models.formulation.Formulation`), importable where the solver runs.
    instance
        What is to be modelled.
    horizon, lower_bound
        In ticks, or in the instance's time unit for a continuous formulation; the horizon is the makespan of `runs`.
    runs
        A feasible schedule to start from.
    """

    prepare: Callable[[Any, Any, Any, Any], Any]
    start_values: Callable[[Any, Sequence[Any]], Any]
    instance: Instance
    horizon: int | Fraction
    lower_bound: int | Fraction
    runs: Sequence[Any]


def prepare(given: Preparation, _session: Session) -> tuple[Any, Any]:
    """Return the model's spec and its warm start, None if it takes none (worker side).

    Raises
    ------
    TooLargeError
        If the model would pass its caps.
    """
    spec = given.prepare(given.instance, given.instance.scaled(), given.horizon, given.lower_bound)
    return spec, given.start_values(spec, given.runs)
