"""The check of a lower bound in exact arithmetic, by code that shares nothing with the search that found it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from oas.bounds.lower_bound import LowerBound, all_bounds, on_grid
from oas.checker.answers import StatedBound
from oas.checker.bound_checks import CERTIFIED_BOUNDS, SIMPLE_BOUNDS, find_objection
from oas.checker.effort import Effort, TooCostly
from oas.checker.errors import Refused
from oas.checker.files import parse_document
from oas.checker.main import read_instance
from oas.core.errors import InputError
from oas.core.formats import show_exact
from oas.core.numbers import ceil_to
from oas.io.certificates import certificate_to_file
from oas.io.writing import dumps
from oas.solvers.isolation.client import call
from oas.solvers.task import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.core.instances import Instance
    from oas.core.result import Bound
    from oas.solvers.isolation.session import Session

PATIENCE = 20
"""Times the checker's own limit of steps: some minutes of one processor for one certificate."""


class Verdict(Enum):
    """The result of a check of a bound within limits."""

    CONFIRMED = "confirmed"
    REFUSED = "refused"
    TOO_COSTLY = "too costly"  # `recheck` would not confirm it either
    UNDECIDED = "undecided"  # in this time


class LimitedCheck(NamedTuple):
    """A verdict, and the reason if the bound is not confirmed."""

    verdict: Verdict
    reason: str = ""


def recheck_within(instance: Instance, bound: Bound, seconds: float, memory: int | None) -> LimitedCheck:
    """Check a bound in the worker, within limits of seconds and bytes.

    Checking in plain Python may take longer than the search did. The worker can be stopped at any time.
    """
    outcome = call(f"{__name__}:check_in_worker", (instance, bound), Limits(seconds, memory, grace=0))
    if isinstance(outcome.value, LimitedCheck):
        return outcome.value
    return LimitedCheck(Verdict.UNDECIDED, outcome.message)


def check_in_worker(given: tuple[Instance, Bound], _: Session) -> LimitedCheck:
    """Check a bound (in the worker)."""
    try:
        reason = _objection(*given)
    except (TooCostly, MemoryError) as error:
        return LimitedCheck(Verdict.TOO_COSTLY, str(error))
    return LimitedCheck(Verdict.REFUSED if reason else Verdict.CONFIRMED, reason)


def recheck(instance: Instance, bound: Bound) -> bool:
    """Return whether exact arithmetic confirms that no schedule of `instance` is shorter than `bound`.

    A certificate that takes more than some minutes to check is not confirmed.
    """
    return not objection(instance, bound)


def objection(instance: Instance, bound: Bound) -> str:
    """Return why `recheck` does not confirm the bound; empty if it does.

    The bounds of this package are checked by `oas.checker`; a bound that it does not know, by the function that its
    module declares.
    """
    try:
        return _objection(instance, bound)
    except TooCostly as error:
        return str(error)
    except MemoryError:
        return "to check it takes more memory than there is"


def _objection(instance: Instance, bound: Bound) -> str:
    if bound.certificate is None:
        return "it has no certificate"
    if instance.variant not in instance.problem.variants:
        return "no bound is known for the rules of this instance"
    key = (instance.problem.name, bound.name)
    try:
        if key in SIMPLE_BOUNDS or key in CERTIFIED_BOUNDS:
            return _objection_of_checker(instance, bound, bound.certificate)
        return _objection_of_declared(instance, bound, bound.certificate)
    except InputError as error:
        return str(error)


def _objection_of_checker(instance: Instance, bound: Bound, certificate: Mapping[str, object]) -> str:
    stated = StatedBound(bound.name, bound.value, certificate_to_file(certificate))
    before = Effort.patience
    Effort.patience = PATIENCE
    try:
        return find_objection(read_instance(parse_document(dumps(instance))), stated)
    except TooCostly:
        raise
    except Refused as error:  # an instance too large for a file
        return str(error)
    finally:
        Effort.patience = before


def _objection_of_declared(instance: Instance, bound: Bound, certificate: Mapping[str, object]) -> str:
    declared = next((one for one in all_bounds(instance.problem) if one.name == bound.name), None)
    if declared is None or not declared.holds_for(instance):
        return "no bound for this instance has that name"
    if isinstance(declared, LowerBound):
        proven = on_grid(instance, declared)
    elif declared.value is not None:
        proven = ceil_to(declared.value(instance, certificate), instance.scaled().tick)
    else:
        return "its module declares no function that checks certificates"
    return "" if bound.value <= proven else f"{show_exact(proven)} is proven"
