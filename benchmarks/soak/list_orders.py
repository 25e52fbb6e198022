"""Theorems of the reservations paper on list schedules, in many random orders of random instances of one cluster.

Half of the instances have at most six jobs, and brute force finds C*. The others have up to forty jobs; they are
compared with L ≤ C*, the maximum of the area and the longest-job bound, for which the proofs are valid too. Values are
makespan / (ratio · C*) and makespan / (ratio · L). `guarantees` tests the guarantees that users see.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING

from benchmarks.soak.findings import Finding, finding
from benchmarks.soak.list_theorems import SMALL_JOBS, THEOREMS, Theorem
from oas.mosp.availability import availability
from oas.mosp.bounds.simple import area, longest_job
from oas.mosp.search.queueing import empty_profiles, list_runs
from oas.solving.brute_force import brute_force

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from fractions import Fraction

    from benchmarks.soak.findings import Asked
    from oas.mosp.instance import MospInstance
    from oas.mosp.runs import ClusterRun
    from oas.mosp.ticks import ScaledMosp

ORDERS = 100  # of each instance
BY_NAME = {one.name: one for one in THEOREMS}


def examine(instance: MospInstance, asked: Asked) -> Iterator[Finding]:
    """Yield the findings on `ORDERS` list orders of an instance drawn for the theorem of its name."""
    theorem = BY_NAME[instance.name]
    small = len(instance.jobs) <= SMALL_JOBS
    least = brute_force(instance)[0] if small else max(area(instance), longest_job(instance))
    limit = theorem.ratio(instance, least) * least * (2 if theorem.batches else 1)
    name = f"{theorem.name}, against {'C*' if small else 'L'}"
    for makespan, lemma in _scheduled(theorem, instance, Random(asked.number // len(THEOREMS))):
        broken = makespan > limit or (small and makespan < least)
        detail = f"makespan {makespan}, bound {least}, limit {limit}"
        tight = None if limit == least else float(makespan / limit)  # otherwise every list schedule is optimal
        yield finding(name, detail if broken else "", tight)
        if lemma is not None:
            yield finding("lemma 1", "" if lemma else f"does not hold at makespan {makespan}")


def _scheduled(theorem: Theorem, instance: MospInstance, rng: Random) -> Iterator[tuple[Fraction, bool | None]]:
    """Yield the makespan of each list schedule, and whether Lemma 1 holds; None if it does not apply."""
    scaled = instance.scaled()
    held = availability(instance.organizations[0])
    order = list(range(scaled.job_count))
    for _ in range(ORDERS):
        rng.shuffle(order)
        if theorem.batches:
            runs = batch_runs(scaled, order)
        else:
            runs = list_runs(empty_profiles(scaled), scaled, [0], order, compiled=True)
        applies = not theorem.batches and held.alpha is not None
        yield scaled.to_time(end_of(scaled, runs)), lemma1(scaled, runs, held.least_free) if applies else None


def batch_runs(scaled: ScaledMosp, order: Sequence[int]) -> list[ClusterRun]:
    """List-schedule one cluster's jobs in batches, each in the same order; `BATCH` does so with instances."""
    profiles = empty_profiles(scaled)
    runs: list[ClusterRun] = []
    waiting, now = list(order), 0
    while waiting:
        now = max(now, min(scaled.releases[job] for job in waiting))
        batch = [job for job in waiting if scaled.releases[job] <= now]
        made = list_runs(profiles, replace(scaled, releases=(now,) * scaled.job_count), [0], batch, compiled=True)
        now = end_of(scaled, made)
        waiting = [job for job in waiting if job not in batch]
        runs += made
    return runs


def end_of(scaled: ScaledMosp, runs: Iterable[ClusterRun]) -> int:
    """Return the end of the last run."""
    return max(run.start + scaled.times[run.job] for run in runs)


def lemma1(scaled: ScaledMosp, runs: Iterable[ClusterRun], free: int) -> bool:
    """Return whether r(t) + r(t') > αm for all t' ≥ t + p_max; r: processors that jobs hold, αm: `free`."""
    changes: dict[int, int] = {0: 0}
    for run in runs:
        width, end = scaled.widths[run.job], run.start + scaled.times[run.job]
        changes[run.start] = changes.get(run.start, 0) + width
        changes[end] = changes.get(end, 0) - width
    moments = sorted(changes)
    used = list(accumulate(changes[moment] for moment in moments))[:-1]
    later = list(accumulate(reversed(used), min))[::-1]  # the minimum from each step on
    longest = max(scaled.times)
    for begin, busy in zip(moments, used, strict=False):
        step = bisect_right(moments, begin + longest) - 1  # of the first t' that is far enough
        if step < len(later) and busy + later[step] <= free:
            return False
    return True
