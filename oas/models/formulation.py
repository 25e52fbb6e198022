"""The type of a formulation: how a model is built in the solver's process, and how its answers are read back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.solvers.task import MIP

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oas.solvers.task import Key


@dataclass(frozen=True)
class Formulation:
    """A model of one problem; its runs are those of `oas.problems.coallocation.runs` or `oas.problems.mosp.runs`.

    Attributes
    ----------
    name
        As the command line takes it.
    builder
        ``package.module:function`` that turns what `prepare` returns into a model, in the solver's process: a Pyomo
        model, or a `oas.solvers.cpsat_model.CpTask` where the family is ``cpsat``.
        Its objective, minimised, takes only integer values.
    prepare
        ``(instance, scaled, horizon, lower_bound) -> spec``: horizon and bound in ticks, the horizon a feasible
        makespan. Raises `TooLargeError` before anything large is built.
    read
        ``(spec, values) -> runs`` of an incumbent. Raises `SolverError` if the values are no schedule.
    start_values
        ``(spec, runs) -> values`` of a feasible schedule as a warm start; None if it has no place in the model.
    ticks_of
        ``(spec, objective) -> ticks``: the makespan that an integer objective value stands for. It also turns a lower
        bound on the objective into one on the makespan.
    summary
        One line for ``--help``.
    family
        The family of solvers that take it, `oas.solvers.task.MIP` or `CPSAT`.
    variants
        Those of `Problem.variants` that it is valid for; none for the plain one alone.
    """

    name: str
    builder: str
    prepare: Callable[[Any, Any, int, int], Any]
    read: Callable[[Any, Mapping[Key, float]], list[Any]]
    start_values: Callable[[Any, Sequence[Any]], dict[Key, float] | None]
    ticks_of: Callable[[Any, int], int]
    summary: str
    family: str = MIP
    variants: tuple[str, ...] = ()
