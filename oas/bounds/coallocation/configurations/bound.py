"""The configuration bound of an instance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from oas.bounds.budget import Budget
from oas.bounds.coallocation.configurations.certificate import every_mode, leaf, longest, ticks
from oas.bounds.coallocation.configurations.modes import Modes, job_modes, mode_of_level
from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.configurations.pricing import heaviest
from oas.bounds.request import check_in_worker, search_in_worker, search_limits, unchecked
from oas.core.result import Bound, Termination

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.coallocation.ticks import ScaledCoallocation
    from oas.solvers.isolation.session import Session

NAME = "configurations"
FEW_SETS = 2_000  # looked at for a capacity below the one that the search needed


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
        With its certificate; the value was re-computed from it by exact pricing.
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
    note
        Says which bound is not used, because it was not checked again in time.
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
    note: str = ""


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
    worker, then branching on levels; the result is priced again by `check`, so a wrong solver cannot make it wrong.

    Parameters
    ----------
    upper
        A makespan that is attained: the search ends where the bound reaches it.
    seconds, memory
        Limits of search and re-check together; None for none. If there is no time to check the whole tree, the bound is
        that of its root.
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
    known: dict[str, Any] = {"certificate": {"tree": [zeros]}, "ticks": longest(modes, every_mode(modes)), "duals": []}
    outcome = search_in_worker(
        "oas.bounds.coallocation.configurations.generation:generate",
        instance,
        Fraction(0),
        upper,
        search_limits(seconds, memory),
        on_progress,
        alternatives=alternatives,
    )
    answer: Any = outcome.value or {"levels": [], "pricing_seconds": 0.0}
    termination, note = outcome.termination, ""
    if outcome.value is not None:
        checked = check_in_worker(f"{__name__}:check", (instance, answer), outcome, seconds, memory)
        known = checked.value or known  # type: ignore[assignment]
        note = unchecked(NAME, outcome, scaled.to_time(known["ticks"]), instance)
        if checked.termination is Termination.INTERRUPTED:
            termination = checked.termination
    duals = [Dual(_by_level(scaled, modes, one["weights"], repeat=True), one["capacity"]) for one in known["duals"]]
    root, *others = duals or [Dual(_by_level(scaled, modes, zeros["weights"], repeat=True), 0)]  # type: ignore[arg-type]
    return ConfigurationBound(
        bound=Bound(NAME, scaled.to_time(known["ticks"]), known["certificate"]),
        weights=root.weights,
        capacity=root.capacity,
        alternatives=tuple(others),
        levels=_by_level(scaled, modes, answer["levels"], repeat=False) if answer["levels"] else (),
        termination=termination,
        message=outcome.message,
        seconds=outcome.seconds,
        pricing_seconds=answer["pricing_seconds"],
        note=note,
    )


def check(given: tuple[CoallocationInstance, Mapping[str, Any]], session: Session) -> dict[str, Any]:
    """Price again what the search has returned (in the worker): first the root, then the tree, then alternatives.

    Returns
    -------
    dict
        ``certificate`` and the ``ticks`` that it proves; ``duals``, the leaves of the root and of the alternatives with
        capacities that hold. Also streamed on the way.
    """
    instance, answer = given
    scaled = instance.scaled()
    modes, packing = job_modes(scaled), Packing(scaled, Budget())

    def priced(one: Mapping[str, Any]) -> dict[str, Any]:
        weights = one["weights"]
        proven = heaviest(packing, modes, weights, floor=one["capacity"]).weight
        return leaf(weights, min(proven, heaviest(packing, modes, weights, limit=FEW_SETS).weight))

    duals = [priced(answer["root"])]
    certificate: Mapping[str, Any] = {"tree": duals[:]}
    known = {"certificate": certificate, "ticks": ticks(packing, modes, certificate), "duals": duals}
    session.partial(known)
    if len(answer["certificate"]["tree"]) > 1:
        certificate = answer["certificate"]
        known = {"certificate": certificate, "ticks": ticks(packing, modes, certificate), "duals": duals}
        session.partial(known)
    duals += map(priced, answer["alternatives"])
    return known


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
