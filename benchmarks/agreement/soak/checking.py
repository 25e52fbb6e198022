"""What checkers make of results: true ones go through the file format and are confirmed, false ones are refused.

False are, of a result with a bound: the same proof for a bound a tick above the optimum; and that the instance, which
has a schedule, has none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.agreement.soak import standalone
from benchmarks.agreement.soak.asked import trial
from oas.core.errors import InputError, VerificationError
from oas.core.result import Proof, ProofKind, Result, Status, Termination
from oas.exact.recheck import recheck_result, recheck_schedule
from oas.io import dumps, loads
from oas.io.reading import loads_any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.agreement.participants import ParticipantFinding
    from benchmarks.agreement.soak.asked import Asked
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.exact.evidence import Evidence

STANDALONE = 1 / 6  # of the results that the stand-alone checker is shown where not all are asked
HAIR = Fraction(1, 10**9)  # a tick in continuous time


@dataclass(frozen=True)
class Claimed:
    """A result that a checker is shown.

    Attributes
    ----------
    name
        Of the participant that finds out whether a checker is right about it.
    result
        What it is shown.
    true
        Whether it is to accept it.
    """

    name: str
    result: Result
    true: bool


def result_of(evidence: Evidence, ended: Termination) -> Result:
    """Return what a search has found as a result."""
    return Result(
        Status.OPTIMAL if evidence.closed else Status.FEASIBLE,
        ended,
        evidence.schedule,
        evidence.lower_bound,
        evidence.proof(),
        evidence.instance.digest,
    )


def proof_name(result: Result) -> str:
    """Return what proves the bound of a result, in a word or two."""
    proof = result.proof
    if proof is None:
        return "none"
    if proof.kind is ProofKind.CERTIFICATE:
        return proof.bound.name if proof.bound is not None else "no allocation"
    return proof.kind.value


def claims(source: str, instance: Instance, result: Result, optimum: Fraction | None) -> Iterator[Claimed]:
    """Yield the result and false ones made of it; the optimum is None where there is no schedule."""
    yield Claimed(f"{source}: result", result, True)
    if optimum is None:
        return
    nothing = replace(result, schedule=None, status=Status.FEASIBLE)
    if result.proof is not None and result.proof.kind is not ProofKind.SOLVER:
        above = optimum + (instance.scaled().tick or HAIR)
        bound = result.proof.bound and replace(result.proof.bound, value=above)
        raised = replace(nothing, lower_bound=above, proof=replace(result.proof, bound=bound))
        yield Claimed(f"{source}: bound a tick too high", raised, False)
    infeasible = replace(
        nothing, status=Status.INFEASIBLE, lower_bound=None, proof=Proof(ProofKind.CERTIFICATE), message=""
    )
    yield Claimed(f"{source}: said to be infeasible", infeasible, False)


def check(
    source: str, instance: Instance, result: Result, optimum: Fraction | None, asked: Asked
) -> Iterator[ParticipantFinding]:
    """Yield what the checkers make of a result and of false ones; the stand-alone one where all are, or by lot."""
    for claimed in claims(source, instance, result, optimum):
        name = f"re-check of the {claimed.name}"
        if asked.wants(name):
            yield trial(name, partial(recheck_fault, instance, claimed))
        name = f"stand-alone checker of the {claimed.name}"
        its_turn = asked.full or asked.only == name or asked.rng(name).random() < STANDALONE
        if asked.wants(name) and its_turn and standalone.takes(instance):
            yield trial(name, partial(standalone.fault, instance, claimed.result, claimed.true))


def recheck_fault(instance: Instance, claimed: Claimed) -> str:
    """Return how the re-check is wrong about a result written to a file and read again; nothing if it is right."""
    read = loads_any(dumps(claimed.result))
    same = replace(claimed.result, instance=None)
    if not isinstance(read, Result) or (read.status, read.lower_bound, read.proof, read.schedule) != (
        same.status,
        same.lower_bound,
        same.proof,
        same.schedule,
    ):
        return "written to a file and read it is another"
    try:
        recheck_result(loads(dumps(instance)), read)
    except (InputError, VerificationError) as error:
        return f"refuses what is true: {error}" if claimed.true else ""
    return "" if claimed.true else "accepts what is false"


def check_schedule(instance: Instance, schedule: Schedule, asked: Asked) -> Iterator[ParticipantFinding]:
    """Yield what the re-check makes of a schedule with a certificate, and of one whose jobs have changed places."""
    name = "re-check of REF's schedule"
    if asked.wants(name):
        yield trial(name, lambda: _schedule_fault(instance, schedule))


def _schedule_fault(instance: Instance, schedule: Schedule) -> str:
    read = loads_any(dumps(schedule, instance=instance))
    if read != schedule:
        return "written to a file and read it is another"
    recheck_schedule(loads(dumps(instance)), schedule)
    later = [replace(one, start=one.start + 1, end=one.end + 1) for one in schedule.placements]
    try:
        recheck_schedule(instance, replace(schedule, placements=tuple(later)))
    except (InputError, VerificationError):
        return ""
    return "accepts what starts a moment later, and leaves processors idle"
