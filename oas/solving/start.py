"""Heuristic schedules from which a solve starts."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from oas.core.errors import LongTimesError
from oas.core.verifier import verify
from oas.solving.method import NotApplicableError, NotPlacedError
from oas.solving.methods import toolkit_methods

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


class Candidate(NamedTuple):
    """A heuristic's schedule, not yet verified."""

    method: str  # the heuristic's name
    schedule: Schedule  # its schedule
    promised: bool  # whether the heuristic promises to keep every rule of the instance, so that a violation is a fault


def candidates(
    instance: Instance,
    seed: int = 0,
    made: Mapping[str, Schedule | None] = MappingProxyType({}),
    *,
    strongest_first: bool = False,
) -> Iterator[Candidate]:
    """Yield the schedule of each heuristic for `instance`, each computed when it is requested.

    Methods that do not apply to the instance are left out.

    `made`: schedules of methods that have run already, by name, or None to exclude a method; these do not run again.
    `strongest_first`, for a limited time: methods that keep all rules come first, and among these the most elaborate
    ones, which are listed last. Otherwise the order is that of the listing.

    Raises `LongTimesError` if the exact times of every schedule are too long for files.
    """
    long: LongTimesError | None = None
    any_made = any(schedule is not None for schedule in made.values())
    plain = instance.relaxed() is instance  # there is no rule that a method may ignore
    methods = toolkit_methods(instance.problem, instance.variant)
    if strongest_first:
        methods = tuple(sorted(reversed(methods), key=lambda method: not (plain or method.respects_locality)))
    for method in methods:
        if method.name in made:
            if (earlier := made[method.name]) is not None:
                yield Candidate(method.name, earlier, promised=True)
            continue
        try:
            schedule = method(instance, seed=seed)
        except (NotApplicableError, NotPlacedError):
            continue
        except LongTimesError as error:
            long = error
            continue
        any_made = True
        yield Candidate(method.name, schedule, plain or method.respects_locality)
    if long is not None and not any_made:
        raise long


def heuristic_schedules(instance: Instance) -> Iterator[tuple[str, Schedule]]:
    """Yield the name and the schedule of each heuristic for `instance`; errors as for `candidates`.

    If a method does not promise locality, its schedule is skipped if it violates the locality. A schedule that happens
    to keep it is often the shortest.
    """
    for candidate in candidates(instance):
        if candidate.promised or not verify(instance, candidate.schedule):
            yield candidate.method, candidate.schedule
