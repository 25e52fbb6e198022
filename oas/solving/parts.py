"""The parts of a problem that the exact pipeline uses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oas.core.problem import check_variant

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.solving.local_search import ResumableSearch
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
    local
        ``(scaled, seed) -> search`` from feasible runs for shorter ones; None if there is none for models.
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
    local: Callable[[Any, int], ResumableSearch[Any]] | None = None
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


LOCAL = "local search"  # the method of its schedules
LOCAL_CALLS = 3  # of a local search before a model, each about a tenth of a second or less


def improved(instance: Instance, schedule: Schedule, bound: Fraction | int = 0, seed: int = 0) -> Schedule:
    """Return a schedule of a short local search from a feasible one, which ends at a makespan of `bound`.

    It is the given one if the search finds none that is shorter. The seed decides, not the time, but code that
    is not compiled yet takes fewer steps.
    """
    parts = exact_parts(instance)
    if parts.local is None:
        return schedule
    scaled = instance.scaled()
    search, start = parts.local(scaled, seed), parts.to_runs(instance, scaled, schedule)
    runs: list[Any] = []
    for _ in range(LOCAL_CALLS):
        runs = search.improve(int(bound / scaled.tick), search.pace, start)
    better = parts.from_runs(instance, scaled, runs) if runs else schedule
    return replace(better, method=LOCAL) if better.makespan < schedule.makespan else schedule
