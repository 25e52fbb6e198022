"""Re-checking a stored result: schedule and bound in exact arithmetic, without a solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import InputError, TooLargeError, VerificationError
from oas.core.formats import show_count, show_exact
from oas.core.result import ProofKind, Status
from oas.core.verifier import check
from oas.core.violation import Violation
from oas.exact.bound_check import objection
from oas.exact.parts import exact_parts

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.core.schedule import Schedule


def recheck_result(instance: Instance, result: Result) -> list[str]:
    """Check everything that `result` claims of `instance`; return what was found, a line each.

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
    if result.status is Status.OPTIMAL:
        if result.schedule is None or result.objective != result.lower_bound:
            raise _false(f"the result claims an optimum, but {result.objective} is not {result.lower_bound}")
        lines.append("status: optimal, schedule and bound meet")
    else:
        lines.append(f"status: {result.status.value}, no optimum is claimed")
    return lines


def recheck_schedule(instance: Instance, schedule: Schedule) -> list[str]:
    """Check a schedule, and what its certificate claims of it if it has one; return what was found, a line each.

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
        return f"lower bound: {lowest}, confirmed in exact arithmetic ({proof.bound.name})"
    if proof.kind is ProofKind.BRUTE_FORCE:
        return _repeat_enumeration(instance, lowest)
    if not any(claim.bound >= lowest for claim in proof.claims):
        raise _false(f"no solver's claim reaches the lower bound {lowest}")
    certified = f"; certified is {proof.bound.value} ({proof.bound.name})" if proof.bound else ""
    return f"lower bound: {lowest}, not re-checked, {proof}{certified}"


def _repeat_enumeration(instance: Instance, lowest: Fraction) -> str:
    try:
        optimum, _ = exact_parts(instance).brute_force(instance)
    except TooLargeError as error:
        raise _false(f"the lower bound {lowest} is said to come from enumeration, but {error}") from error
    if lowest > optimum:
        raise _false(f"the lower bound {lowest} is above the optimum {optimum}")
    return f"lower bound: {lowest}, confirmed by enumerating again"


def _false(message: str) -> VerificationError:
    return VerificationError("the result does not hold:", (Violation("claim", (), message),))
