"""Comparison of the pipeline and the toolkit's search with the optimum; the checkers test their results."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import TYPE_CHECKING

from benchmarks.soak.findings import (
    AGREED,
    MISMATCH,
    TIME_LIMIT,
    TOO_LARGE,
    Asked,
    Finding,
    finding,
    raise_if_interrupted,
    trial,
)
from benchmarks.soak.poor_schedules import poor
from benchmarks.soak.results import check, proof_name, result_of
from oas.core.result import Bound, Result, Status, Termination
from oas.solving.evidence import Evidence
from oas.solving.parts import exact_parts
from oas.solving.pipeline import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule

SEARCH, PIPELINE = "search from a poor schedule", "pipeline"


def solved(instance: Instance, optimum: Fraction | None, asked: Asked) -> Iterator[Finding]:
    """Solve the instance with the pipeline, as users do."""

    def run() -> tuple[Result, Finding]:
        result = solve(instance, time_limit=asked.search_seconds)
        raise_if_interrupted(result.termination)
        return result, _solve_finding(instance, result, optimum)

    return _judged(PIPELINE, run, instance, optimum, asked)


def _judged(
    participant: str,
    run: Callable[[], tuple[Result | None, Finding]],
    instance: Instance,
    optimum: Fraction | None,
    asked: Asked,
) -> Iterator[Finding]:
    """Yield the findings on a participant, and on the checkers if its result has a proof."""
    results: list[Result | None] = []

    def call() -> Finding:
        result, found = run()
        results.append(result)
        return found

    if asked.wants(participant):
        yield trial(participant, call)
    for result in filter(None, results):
        asked.proofs[participant] = proof_name(result)
        yield from check(participant, instance, result, optimum, asked)


def _solve_finding(instance: Instance, result: Result, optimum: Fraction | None) -> Finding:
    detail = f"{result.status.value}, bound {result.lower_bound}, makespan {result.objective}, optimum {optimum}"
    detail = f"{detail}; {result.termination.value}; {result.message}"
    if result.status is Status.NO_SOLUTION and result.termination is Termination.TIME_LIMIT:
        return Finding(PIPELINE, TIME_LIMIT, detail)
    if optimum is None or result.objective is None or result.lower_bound is None:
        return finding(PIPELINE, "" if optimum is None and result.status is Status.INFEASIBLE else detail)
    if not result.lower_bound <= optimum <= result.objective:
        return Finding(PIPELINE, MISMATCH, detail)
    if result.status is Status.OPTIMAL:
        return Finding(PIPELINE, AGREED)
    if result.termination is Termination.TOO_LARGE:
        return Finding(PIPELINE, TOO_LARGE, detail)
    # Instances with slowdown in continuous time may remain open.
    may_be_open = result.termination is Termination.TIME_LIMIT or not instance.scaled().tick
    return Finding(PIPELINE, TIME_LIMIT if may_be_open else MISMATCH, detail)


def searched(instance: Instance, optimum: Fraction, asked: Asked) -> Iterator[Finding]:
    """Start the toolkit's search from a poor schedule and the bound 0."""

    def run() -> tuple[Result | None, Finding]:
        evidence, ended = search_from(instance, poor(instance), asked.search_seconds)
        result = None if evidence.bound is None or evidence.bound.name == "none" else result_of(evidence, ended)
        assert evidence.lower_bound is not None and evidence.makespan is not None
        assert evidence.claimed_bound is not None
        detail = f"bound {evidence.lower_bound}, makespan {evidence.makespan}, optimum {optimum}; {ended.value}"
        if not evidence.claimed_bound <= optimum <= evidence.makespan:
            return result, Finding(SEARCH, MISMATCH, detail)
        # The models find the optimum if the search leaves it open.
        return result, Finding(SEARCH, AGREED) if evidence.closed else Finding(SEARCH, TIME_LIMIT, detail)

    return _judged(SEARCH, run, instance, optimum, asked)


def search_from(instance: Instance, start: Schedule, seconds: float) -> tuple[Evidence, Termination]:
    """Return the evidence and the termination of the toolkit's search from this schedule and the bound 0."""
    search = exact_parts(instance).search
    assert search is not None
    evidence = poor_evidence(instance, start)
    deadline = time.monotonic() + seconds
    ended = search(evidence, 0, lambda: deadline - time.monotonic(), lambda: None).close()
    raise_if_interrupted(ended)
    return evidence, ended


def poor_evidence(instance: Instance, start: Schedule) -> Evidence:
    """Return evidence of a poor schedule and the bound 0."""
    evidence = Evidence(instance)
    fault = evidence.offer(start, "poor")
    if fault is not None:
        raise ValueError(fault)
    evidence.bound = Bound("none", Fraction(0))
    return evidence
