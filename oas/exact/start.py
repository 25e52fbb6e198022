"""Heuristic schedules from which a solve starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.registry import own_methods
from heuristics.relaxation import relaxed
from oas.core.errors import LongTimesError
from oas.core.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


def heuristic_schedules(
    instance: Instance, seed: int = 0, made: Mapping[str, Schedule | None] | None = None
) -> Iterator[tuple[str, Schedule]]:
    """Yield what each heuristic makes of `instance`, with its name.

    Left out is a method that says it has nothing to offer here, and what breaks locality though its method never
    promised it. Where such a method happens to keep it, its schedule is often the shortest.

    Parameters
    ----------
    made
        What methods have made of it already, by name, None for one to be left out: these are not run again.

    Raises
    ------
    LongTimesError
        If exact times of every schedule are longer than files hold.
    """
    known = made or {}
    long: LongTimesError | None = None
    any_made = any(schedule is not None for schedule in known.values())
    for method in own_methods(instance.problem, instance.variant):
        if method.name in known:
            if (earlier := known[method.name]) is not None:
                yield method.name, earlier
            continue
        try:
            schedule = method(instance, seed=seed)
        except (NotApplicableError, NotPlacedError):
            continue
        except LongTimesError as error:
            long = error
            continue
        any_made = True
        if relaxed(instance, method) is instance or not verify(instance, schedule):
            yield method.name, schedule
    if long is not None and not any_made:
        raise long
