"""The bound by shared links of an instance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.bounds.coallocation.saturated.certificate import Leaf, value, written
from oas.bounds.coallocation.saturated.options import Options
from oas.bounds.coallocation.saturated.order import Order
from oas.bounds.coallocation.saturated.pricing import Pricing
from oas.bounds.coallocation.saturated.request import Request
from oas.bounds.request import UNCHECKED, check_in_worker, search_limits
from oas.core.result import Bound, Termination
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.progress import StartedRun
from oas.solvers.isolation.client import call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.solvers.isolation.session import Session

NAME = "shared links"


@dataclass(frozen=True)
class SharedLinksBound:
    """The bound, and what the search for it found beside.

    Attributes
    ----------
    bound
        With its certificate; the value was re-computed from it by exact pricing.
    runs
        A schedule as starts and allocations, not verified; none if the search found none.
    weights
        w of each job and W: no configuration weighs more than W by w alone, see the certificate; None without any.
    configurations
        Those of the last linear program, each as (job, index of its allocation), with their times: a hint, in floats.
    termination, message, seconds
        How the search ended; ``finished``: it found no more.
    note
        Says which bound is not used, because it was not checked again in time.
    """

    bound: Bound
    runs: tuple[StartedRun, ...]
    weights: tuple[list[int], int] | None
    configurations: tuple[tuple[tuple[tuple[int, int], ...], float], ...]
    termination: Termination
    message: str = ""
    seconds: float = 0.0
    note: str = ""


def shared_links_bound(
    instance: CoallocationInstance,
    upper: Fraction,
    *,
    seconds: float | None = None,
    memory: int | None = None,
    plans: bool = True,
) -> SharedLinksBound:
    """Bound the makespan of a feasible instance whose saturated links slow jobs down.

    A configuration is a set of jobs with their allocations that can run at the same moment. Each job's progress adds
    up to 1 over the configurations that it is in. The bound lets jobs be preempted and migrate, as far as branching on
    their allocations and on the order of starts and ends does not forbid it. Column generation in the worker; the
    result is priced again by `check`.

    Parameters
    ----------
    upper
        A makespan that is attained: the search ends where the bound reaches it.
    seconds, memory
        Limits of search and re-check together; None for none.
    plans
        Look for schedules too, where there are no slots.
    """
    outcome = call(
        "oas.bounds.coallocation.saturated.generation:generate",
        Request(instance, upper / (instance.slot or 1), plans),
        search_limits(seconds, memory),
    )
    answer: Any = outcome.value
    if answer is None:
        return SharedLinksBound(
            Bound(NAME, Fraction(0), None), (), None, (), outcome.termination, outcome.message, outcome.seconds
        )
    certificate = answer["certificate"]
    runs: tuple[StartedRun, ...] = ()
    if answer["plan"] is not None:
        scaled = instance.scaled()
        runs = tuple(
            StartedRun(job, start, allocations(scaled, job)[option])
            for job, (option, start) in enumerate(zip(answer["plan"].options, answer["plan"].starts, strict=True))
        )
    checked = check_in_worker(f"{__name__}:check", (instance, certificate, answer["root"]), outcome, seconds, memory)
    known: Any = checked.value or {"bound": Bound(NAME, Fraction(0), None), "weights": None}
    interrupted = Termination.INTERRUPTED in (outcome.termination, checked.termination)
    return SharedLinksBound(
        bound=known["bound"],
        runs=runs,
        weights=known["weights"],
        configurations=tuple(answer["configurations"]),
        termination=Termination.INTERRUPTED if interrupted else outcome.termination,
        message=outcome.message,
        seconds=outcome.seconds,
        note="" if known["bound"].certificate == certificate else f"a bound ({NAME}) {UNCHECKED}",
    )


def check(given: tuple[CoallocationInstance, Mapping[str, object], Leaf], session: Session) -> dict[str, object]:
    """Price again what the search has returned (in the worker): first the root alone, then the whole tree.

    Returns
    -------
    dict
        ``bound`` with its certificate, and the ``weights`` of the root if they hold. Also streamed on the way.
    """
    instance, certificate, root = given
    alone: Mapping[str, object] = {"tree": [written(root)]}
    session.partial({"bound": Bound(NAME, value(instance, alone), alone), "weights": None})
    bound = Bound(NAME, value(instance, certificate), certificate)
    session.partial({"bound": bound, "weights": None})
    return {"bound": bound, "weights": _weights(instance, root)}


def _weights(instance: CoallocationInstance, root: Leaf) -> tuple[list[int], int] | None:
    """Return the weights of the root if they hold."""
    if not root.capacity:
        return None
    options = Options(instance)
    pricing = Pricing(
        options, options.every(), root.weights, root.slots, Fraction(root.capacity), Order(options.job_count)
    )
    found = pricing.exceeding()
    return None if found.heavy or not found.complete else (root.weights, root.capacity)
