"""Checks of bounds and of stored results in exact arithmetic, without a solver and independent of the search."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from oas.checker.answers import StatedBound
from oas.checker.effort import Effort, TooCostly
from oas.checker.files import parse_document
from oas.checker.main import read_instance
from oas.checker.reading import Refused
from oas.checker.recheck import CERTIFIED_BOUNDS, SIMPLE_BOUNDS, confirm
from oas.core.errors import InputError, TooLargeError, VerificationError
from oas.core.formats import show_count, show_exact
from oas.core.numbers import ceil_to
from oas.core.result import ProofKind, Status, Termination, confirmed_bound
from oas.core.verifier import Violation, check
from oas.io.documents import plain_certificate
from oas.io.writing import dumps
from oas.solvers.isolation.client import call
from oas.solvers.task import Limits
from oas.solving.lower_bound import LowerBound, all_bounds, on_grid
from oas.solving.parts import exact_parts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.result import Bound, Result
    from oas.core.schedule import Schedule

PATIENCE = 100  # factor of the checker's own limit of steps: some minutes of one processor for one certificate


class Verdict(Enum):
    """The result of a check of a bound within limits."""

    CONFIRMED = "confirmed"
    REFUSED = "refused"
    TOO_COSTLY = "too costly"  # `recheck` would not confirm it either
    UNDECIDED = "undecided"  # within the limits


class LimitedCheck(NamedTuple):
    """A verdict, the reason if the bound is not confirmed, and why the check ended."""

    verdict: Verdict
    reason: str = ""
    termination: Termination = Termination.FINISHED


def recheck_within(instance: Instance, bound: Bound, seconds: float, memory: int | None) -> LimitedCheck:
    """Check a bound in the worker, within limits of seconds and bytes.

    Checking in plain Python may take longer than the search did. The worker can be stopped at any time.
    """
    outcome = call(f"{__name__}:check_in_worker", (instance, bound), Limits(seconds, memory, grace=0))
    if isinstance(outcome.value, LimitedCheck):
        return outcome.value
    return LimitedCheck(Verdict.UNDECIDED, outcome.message, outcome.termination)


def check_in_worker(given: tuple[Instance, Bound], _: object = None) -> LimitedCheck:
    """Check a bound without limits."""
    try:
        reason = _objection(*given)
    except TooCostly as error:
        return LimitedCheck(Verdict.TOO_COSTLY, str(error))
    except MemoryError:
        return LimitedCheck(Verdict.TOO_COSTLY, "to check it takes more memory than there is")
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
    return check_in_worker((instance, bound)).reason


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
    stated = StatedBound(bound.name, bound.value, plain_certificate(certificate))
    before = Effort.patience
    Effort.patience = PATIENCE
    try:
        confirm(read_instance(parse_document(dumps(instance))), stated)
    except TooCostly:
        raise
    except Refused as error:  # also of an instance too large for a file
        return str(error)
    finally:
        Effort.patience = before
    return ""


def _objection_of_declared(instance: Instance, bound: Bound, certificate: Mapping[str, object]) -> str:
    declared = next((known for known in all_bounds(instance.problem) if known.name == bound.name), None)
    if declared is None or not declared.holds_for(instance):
        return "no bound for this instance has that name"
    if isinstance(declared, LowerBound):
        proven = on_grid(instance, declared)
    elif declared.value is not None:
        proven = ceil_to(declared.value(instance, certificate), instance.scaled().tick)
    else:
        return "its module declares no function that checks certificates"
    return "" if bound.value <= proven else f"{show_exact(proven)} is proven"


def recheck_result(instance: Instance, result: Result) -> list[str]:
    """Check all claims of `result` about `instance`; return a line for each finding.

    Raises
    ------
    InputError
        If the result is of another instance.
    VerificationError
        If the schedule breaks a rule or a claim does not hold.
    """
    if result.instance_digest != instance.digest:
        raise InputError(
            "the result is of another instance or another slot size", field="instance", value=result.instance_digest
        )
    if result.status is Status.INFEASIBLE:
        if not exact_parts(instance).unplaceable(instance):
            raise _false("the result claims infeasibility, but every job has an allocation")
        return ["infeasible: confirmed, a job has no allocation"]
    lines = []
    if result.schedule is not None:
        lines += recheck_schedule(instance, result.schedule)
    if result.lower_bound is not None:
        lines.append(_recheck_bound(instance, result, result.lower_bound))
        above = result.proof.unconfirmed if result.proof is not None else ()
        lines += [f"not counted: {claim.bound}, claimed by {claim} alone" for claim in above]
    if result.status is Status.OPTIMAL:
        if result.schedule is None or result.objective != result.lower_bound:
            raise _false(f"the result claims an optimum, but {result.objective} is not {result.lower_bound}")
        claimed = result.proof is not None and result.proof.kind is ProofKind.SOLVER
        lines.append(f"status: optimal, {'claimed' if claimed else 'proven'}: schedule and bound meet")
    else:
        lines.append(f"status: {result.status.value}, no optimum is claimed")
    return lines


def recheck_schedule(instance: Instance, schedule: Schedule) -> list[str]:
    """Check a schedule and the claims of its certificate, if it has one; return a line for each finding.

    Raises
    ------
    InputError
        If the certificate cannot be read, or schedules of this problem have none.
    VerificationError
        If a rule is broken, or the certificate does not hold.
    """
    check(instance, schedule)
    count = len(schedule.placements)
    lines = [f"schedule: feasible, {show_count(count, 'job')}, makespan {show_exact(schedule.makespan)}"]
    if schedule.certificate is not None:
        lines.append(instance.problem.part("certificates")(instance, schedule))
    return lines


def _recheck_bound(instance: Instance, result: Result, lowest: Fraction) -> str:
    if result.objective is not None and lowest > result.objective:
        raise _false(f"the lower bound {lowest} is above the feasible makespan {result.objective}")
    proof = result.proof
    if proof is None:
        raise _false(f"the lower bound {lowest} comes without a proof")
    reason = "" if proof.bound is None else objection(instance, proof.bound)
    if proof.bound is not None and reason:
        raise _false(f"the bound {proof.bound.name} = {proof.bound.value} is not confirmed: {reason}")
    if proof.kind is ProofKind.CERTIFICATE:
        if proof.bound is None or proof.bound.value < lowest:
            raise _false(f"no certificate reaches the lower bound {lowest}")
        return f"lower bound: {lowest}, proven here in exact arithmetic ({proof.bound.name})"
    if proof.kind is ProofKind.BRUTE_FORCE:
        return _repeat_enumeration(instance, lowest)
    confirmed = confirmed_bound(proof.claims)
    if confirmed is None or confirmed < lowest:
        count = sum(claim.bound >= lowest for claim in proof.claims)
        raise _false(f"the lower bound {lowest} needs the claims of two different runs, not of {count}")
    certified = f"; certified is {proof.bound.value} ({proof.bound.name})" if proof.bound else ""
    return f"lower bound: {lowest}, not proven here, {proof}{certified}"


def _repeat_enumeration(instance: Instance, lowest: Fraction) -> str:
    try:
        optimum, _ = exact_parts(instance).brute_force(instance)
    except TooLargeError as error:
        raise _false(f"the lower bound {lowest} is said to come from enumeration, but {error}") from error
    if lowest > optimum:
        raise _false(f"the lower bound {lowest} is above the optimum {optimum}")
    return f"lower bound: {lowest}, proven here by enumerating again"


def _false(message: str) -> VerificationError:
    return VerificationError("the result does not hold:", (Violation("claim", (), message),))
