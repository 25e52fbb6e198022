"""The type of a formulation: how a model is built in the solver's process, and how its answers are read back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.solvers.task import MIP

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oas.core.schedule import Schedule
    from oas.solvers.task import Key


def takes_all(_instance: object) -> str:
    """Refuse no instance."""
    return ""


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
        Its objective, minimised, takes only integer values, unless it is `continuous`.
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
    continuous
        Its objective is time, for instances without ticks: horizon and bound of `prepare` are Fractions in the
        instance's time unit, and `ticks_of` takes any objective value and returns such a time. What a solver proves of
        it counts less a margin (`oas.exact.model_run`), so that it closes no instance by itself.
    refusal
        ``instance -> text``: why it does not take an instance of a variant that it is valid for; empty if it does.
    schedule
        ``(instance, runs) -> schedule``; None: as the problem's `oas.exact.parts.ExactParts` make it.
    placed
        ``(instance, plan) -> Placed``: the same for the nodes of a plan, with only the starts to choose; None if it
        does not know given nodes.
    """

    name: str
    builder: str
    prepare: Callable[[Any, Any, Any, Any], Any]
    read: Callable[[Any, Mapping[Key, float]], list[Any]]
    start_values: Callable[[Any, Sequence[Any]], dict[Key, float] | None]
    ticks_of: Callable[[Any, Any], Any]
    summary: str
    family: str = MIP
    variants: tuple[str, ...] = ()
    continuous: bool = False
    refusal: Callable[[Any], str] = takes_all
    schedule: Callable[[Any, Any], Schedule] | None = None
    placed: Callable[[Any, Schedule], Placed] | None = None


@dataclass(frozen=True)
class Placed:
    """A formulation for given nodes.

    Attributes
    ----------
    formulation
        Its lower bounds hold for schedules on these nodes only.
    schedule
        Some schedule on them, to be verified.
    """

    formulation: Formulation
    schedule: Schedule
