"""Tests of the checkers: true results are written, read and accepted, false ones are refused.

A result with a bound gives two false ones: the same proof for a bound a tick above the optimum, and the claim that the
instance is infeasible. The two checkers are the toolkit's re-check and the file that `oas checker` writes, which uses
only the standard library and runs in a separate process.
"""

from __future__ import annotations

import atexit
import subprocess
import sys
import tempfile
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import TYPE_CHECKING

import oas
from benchmarks.soak.findings import Finding, finding, trial
from oas.core.errors import InputError, VerificationError
from oas.core.result import Proof, ProofKind, Result, Status, Termination
from oas.io import dumps, loads, save
from oas.io.checker_file import bundle
from oas.io.reading import loads_any
from oas.solving.recheck import recheck_result, recheck_schedule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.soak.findings import Asked
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.solving.evidence import Evidence

STANDALONE = 1 / 6  # share of the results for the stand-alone checker unless all participants take part
HAIR = Fraction(1, 10**9)  # a tick in continuous time
SECONDS = 300.0  # limit of the stand-alone checker
HOLDS, DOES_NOT_HOLD = 0, 3


def result_of(evidence: Evidence, ended: Termination) -> Result:
    """Return the evidence of a search as a result."""
    return Result(
        Status.OPTIMAL if evidence.closed else Status.FEASIBLE,
        ended,
        evidence.schedule,
        evidence.lower_bound,
        evidence.proof(),
        evidence.instance.digest,
    )


def proof_name(result: Result) -> str:
    """Return the name of the proof of a result's bound."""
    proof = result.proof
    if proof is None:
        return "none"
    if proof.kind is ProofKind.CERTIFICATE:
        return proof.bound.name if proof.bound is not None else "no allocation"
    return proof.kind.value


def claims(instance: Instance, result: Result, optimum: Fraction | None) -> Iterator[tuple[str, Result, bool]]:
    """Yield the result and, if the optimum is known, false results, each with a name and whether it is true."""
    yield "result", result, True
    if optimum is None:
        return
    nothing = replace(result, schedule=None, status=Status.FEASIBLE)
    if result.proof is not None and result.proof.kind is not ProofKind.SOLVER:
        above = optimum + (instance.scaled().tick or HAIR)
        bound = result.proof.bound and replace(result.proof.bound, value=above)
        yield (
            "bound a tick too high",
            replace(nothing, lower_bound=above, proof=replace(result.proof, bound=bound)),
            False,
        )
    proof = Proof(ProofKind.CERTIFICATE)
    infeasible = replace(nothing, status=Status.INFEASIBLE, lower_bound=None, proof=proof, message="")
    yield "said to be infeasible", infeasible, False


def check(source: str, instance: Instance, result: Result, optimum: Fraction | None, asked: Asked) -> Iterator[Finding]:
    """Yield the checkers' findings on true and false results; the stand-alone checker may run only for some."""
    for title, claimed, true in claims(instance, result, optimum):
        name = f"re-check of the {source}: {title}"
        if asked.wants(name):
            yield trial(name, partial(recheck_fault, instance, claimed, true))
        name = f"stand-alone checker of the {source}: {title}"
        if asked.wants(name) and (asked.full or asked.rng(name).random() < STANDALONE):
            yield trial(name, lambda name=name, claimed=claimed, true=true: standalone(name, instance, claimed, true))  # type: ignore[misc]


def recheck_fault(instance: Instance, result: Result, true: bool) -> str:
    """Describe the fault of the re-check on a result that is written and read again; empty if it is right."""
    read = loads_any(dumps(result))
    fields = ("status", "lower_bound", "proof", "schedule")
    if not isinstance(read, Result) or any(getattr(read, name) != getattr(result, name) for name in fields):
        return "written to a file and read it is another"
    try:
        recheck_result(loads(dumps(instance)), read)
    except (InputError, VerificationError) as error:
        return f"refuses what is true: {error}" if true else ""
    return "" if true else "accepts what is false"


@cache
def checker() -> Path:
    """Return the stand-alone checker, written once for this process."""
    folder = tempfile.TemporaryDirectory(prefix="soak-")
    atexit.register(folder.cleanup)
    file = Path(folder.name) / "check_certificate.py"
    file.write_text(bundle(oas.__version__), encoding="utf-8")
    return file


def standalone(participant: str, instance: Instance, result: Result, true: bool) -> Finding:
    """Return whether the stand-alone checker is right about a result; the value is its processor time in seconds."""
    files = [checker().with_name(name) for name in ("instance.json", "result.json")]
    save(instance, files[0])
    save(result, files[1])
    command = [sys.executable, "-I", "-S", str(checker()), *map(str, files)]
    before = getrusage(RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return finding(participant, f"does not answer in {SECONDS:.0f} s")
    after = getrusage(RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    expected = HOLDS if true else DOES_NOT_HOLD
    answer = " ".join((done.stderr or done.stdout).split())
    wrong = f"exit code {done.returncode}, not {expected}: {answer}"
    return finding(participant, "" if done.returncode == expected else wrong, seconds)


def certified_schedule_fault(instance: Instance, schedule: Schedule) -> str:
    """Describe the fault of the re-check on a schedule with a certificate, or on one that starts slightly later."""
    if loads_any(dumps(schedule, instance=instance)) != schedule:
        return "written to a file and read it is another"
    recheck_schedule(loads(dumps(instance)), schedule)
    later = tuple(replace(one, start=one.start + 1, end=one.end + 1) for one in schedule.placements)
    try:
        recheck_schedule(instance, replace(schedule, placements=later))
    except (InputError, VerificationError):
        return ""
    return "accepts what starts a moment later, and leaves processors idle"
