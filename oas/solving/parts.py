"""The parts of a problem that the exact pipeline uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.core.problem import check_variant

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.solving.search import ExactSearch


@dataclass(frozen=True)
class ExactParts:
    """The functions and the search that solve instances of one problem; bounds and formulations are separate parts.

    Attributes
    ----------
    unplaceable
        ``instance -> ids`` of the jobs that can never run: the instance is infeasible exactly when there is one.
    to_runs
        ``(instance, scaled, schedule) -> runs`` of a verified schedule, as the formulations take them.
    from_runs
        ``(instance, scaled, runs) -> schedule``, as the formulations read them.
    brute_force
        ``instance -> (optimum, schedule)``; raises `TooLargeError` beyond tiny instances.
    search
        Bounds and searches of the problem for ``--formulation auto``; None if a formulation is the default.
    worker
        Modules whose functions the search calls in the worker process, which imports them in advance.
    hasty
        ``instance -> schedule``, feasible and made in the least time, for a solve whose heuristics have no schedule by
        the time limit; None if every heuristic is fast.
    variants
        The `Problem.variants` for which all of these parts are valid; empty for the plain one only. A problem has one
        of these objects for each group of variants that are solved alike.
    """

    unplaceable: Callable[[Any], list[str]]
    to_runs: Callable[[Any, Any, Schedule], list[Any]]
    from_runs: Callable[[Any, Any, list[Any]], Schedule]
    brute_force: Callable[[Any], tuple[Fraction, Schedule]]
    search: type[ExactSearch] | None = None
    worker: tuple[str, ...] = ()
    hasty: Callable[[Any], Schedule] | None = None
    variants: tuple[str, ...] = ()


def exact_parts(instance: Instance) -> ExactParts:
    """Return the parts for the problem of `instance` and the variant of its rules; `InputError` if there are none."""
    known: list[str] = []
    for parts in instance.problem.part("exact"):
        variants = parts.variants or instance.problem.variants[:1]
        if instance.variant in variants:
            return parts
        known += variants
    check_variant(instance, "the exact search", tuple(known))
    raise AssertionError(instance.variant)
