"""Checks under slowdown alone: the search over grid moments, and optima of related instances, by brute force.

Under either sharing the optimum is at least that with links without limit, at most that with saturation forbidden,
which is what a threshold of 1 is, and does not fall as the threshold grows: each of these only takes schedules away.
Under the paper's sharing it does not grow with a wider link: with the same starts all jobs are as fast or faster. Under
max-min sharing that does not follow; where it fails is counted only.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from benchmarks.soak.findings import AGREED, TOO_LARGE, Finding, finding, trial
from oas.core.errors import InfeasibleError, TooLargeError
from oas.core.verifier import verify
from oas.exact.coallocation.brute_force import brute_force as plain_brute_force
from oas.exact.coallocation.chronological.search import Verdict
from oas.exact.coallocation.saturated.brute_force import brute_force
from oas.exact.coallocation.saturated.grid_search import GridSearch
from oas.problems.coallocation.running import schedule_from_starts
from oas.problems.coallocation.saturation import Saturation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.soak.findings import Asked
    from oas.problems.coallocation.instance import CoallocationInstance

GRID = "search over grid moments"
THRESHOLDS = (None, Fraction(1, 2), Fraction(3, 4), Fraction(1))


def slowed(instance: CoallocationInstance, optimum: Fraction, asked: Asked) -> Iterator[Finding]:
    """Yield the findings under slowdown alone; on relatives of the instance if all participants are asked."""
    if instance.scaled().tick and asked.wants(GRID):
        yield trial(GRID, partial(_grid_fault, instance, optimum))
    if asked.full:
        try:
            for one in chain(*(part(instance, optimum) for part in (_limits, _thresholds, _wider_links))):
                if asked.wants(one.participant):
                    yield one
        except TooLargeError as error:
            yield Finding("relations", TOO_LARGE, str(error))
        except InfeasibleError:  # a job may have no allocation where saturation is forbidden
            return


def _grid_fault(instance: CoallocationInstance, optimum: Fraction) -> str:
    """Have the search over grid moments refute one slot less than the optimum, and find a schedule of its slots."""
    slots = optimum / instance.slot
    if slots.denominator != 1:
        return f"the optimum {optimum} is no number of slots"
    below, at = (GridSearch(instance, int(slots) - less) for less in (1, 0))
    for search, expected in ((below, Verdict.REFUTED), (at, Verdict.FOUND)):
        while (verdict := search.go_on(10**6)) is Verdict.UNDECIDED:
            pass
        if verdict is not expected:
            return f"{verdict.name.lower()}, not {expected.name.lower()}"
    schedule = schedule_from_starts(instance, at.runs())
    violations = verify(instance, schedule)
    if violations:
        return str(violations[0])
    return "" if schedule.makespan == optimum else f"{schedule.makespan}, optimum {optimum}"


def _limits(instance: CoallocationInstance, optimum: Fraction) -> Iterator[Finding]:
    plain = instance.with_saturation("forbid")
    forbid = plain_brute_force(plain)[0]
    every = Fraction(1) + sum(job.bandwidth * job.tasks for job in instance.jobs) * len(instance.jobs)
    wide = tuple(replace(one, bandwidth=every) for one in plain.clusters)
    free = plain_brute_force(replace(plain, clusters=wide))[0]
    yield finding("slowdown <= forbid", f"{optimum}, forbid {forbid}" if optimum > forbid else "")
    yield finding("slowdown >= links without limit", f"{optimum}, without {free}" if optimum < free else "")
    alike = brute_force(instance.with_saturation(Saturation("slowdown", 1, instance.saturation.sharing)))[0]
    yield finding("threshold 1 = forbid", f"{alike}, forbid {forbid}" if alike != forbid else "")


def _thresholds(instance: CoallocationInstance, optimum: Fraction) -> Iterator[Finding]:
    own = instance.saturation
    for threshold in THRESHOLDS:
        if threshold == own.threshold:
            continue
        other = brute_force(instance.with_saturation(Saturation("slowdown", threshold, own.sharing)))[0]
        greater = (threshold or 0) > (own.threshold or 0)
        wrong = other < optimum if greater else other > optimum
        yield finding("no less at a greater threshold", f"{own}: {optimum}; {threshold}: {other}" if wrong else "")


def _wider_links(instance: CoallocationInstance, optimum: Fraction) -> Iterator[Finding]:
    for index, cluster in enumerate(instance.clusters):
        wide = replace(cluster, bandwidth=cluster.bandwidth * Fraction(3, 2) + Fraction(index % 2))
        if wide.bandwidth == cluster.bandwidth:
            continue
        clusters = (*instance.clusters[:index], wide, *instance.clusters[index + 1 :])
        other = brute_force(replace(instance, clusters=clusters))[0]
        detail = f"link {cluster.id} of {wide.bandwidth}: {other}, before {optimum}" if other > optimum else ""
        if instance.saturation.sharing == "paper":
            yield finding("no more with a wider link", detail)
        else:
            name = "max-min: more with a wider link (counted)" if detail else "max-min: no more with a wider link"
            yield Finding(name, AGREED, detail)
