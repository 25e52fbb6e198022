"""Bounds that refute one makespan after the other: what they are asked, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.core.result import Bound, Termination
from oas.solvers.isolation.client import call

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

    from oas.problems.mosp.instance import MospInstance
    from oas.problems.mosp.ticks import ScaledMosp
    from oas.solvers.outcome import Progress
    from oas.solvers.task import Limits


@dataclass(frozen=True)
class Search:
    """What the worker is asked: refute makespans from `lower` up to below `upper`, in ticks.

    `heights` are weights of the jobs to begin with, if any.
    """

    scaled: ScaledMosp
    lower: int
    upper: int
    heights: tuple[int, ...] = ()


@dataclass(frozen=True)
class Refutation:
    """The bound, and why the search for it ended.

    Attributes
    ----------
    bound
        With its certificate; the value was re-computed from it by exact pricing. None if nothing above `lower` was
        proven.
    termination
        ``finished``: it reached `upper`, or can prove no more; ``too_large``: the instance is.
    message
        For people.
    seconds
        Wall time of the search.
    """

    bound: Bound | None
    termination: Termination
    message: str = ""
    seconds: float = 0.0


def refute(
    name: str,
    function: str,
    value: Callable[[MospInstance, Mapping[str, object]], Fraction],
    instance: MospInstance,
    lower: Fraction,
    upper: Fraction,
    limits: Limits,
    on_progress: Callable[[Fraction], None] | None,
    heights: tuple[int, ...] = (),
) -> Refutation:
    """Let the worker search, and price again what it has found.

    Parameters
    ----------
    name
        Of the bound.
    function
        ``package.module:function`` of the worker: takes a `Search`, returns a certificate or None.
    value
        What a certificate proves.
    lower, upper
        A bound that is known, where the search begins; a makespan that is attained, where it ends.
    limits
        Of the search.
    on_progress
        Called with the bound as it grows.
    heights
        As in `Search`.
    """
    scaled = instance.scaled()

    def report(progress: Progress) -> None:
        if on_progress is not None and progress.bound is not None:
            on_progress(scaled.to_time(int(progress.bound)))

    search = Search(scaled, -(-lower // scaled.tick), -(-upper // scaled.tick), heights)
    outcome = call(function, search, limits, report)
    certificate: Any = outcome.value
    proven = None if certificate is None else value(instance, certificate)
    return Refutation(
        bound=Bound(name, proven, certificate) if proven else None,
        termination=outcome.termination,
        message=outcome.message,
        seconds=outcome.seconds,
    )
