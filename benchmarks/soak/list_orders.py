"""Theorems of the reservations paper on list schedules, in many random orders of random instances of one cluster.

Half of the instances have at most six jobs, and C* is brute force's. The others have up to forty; they are compared
with L, the greater of the area and the longest-job bound, from which the theorems' proofs follow as well: L ≤ C*. The
guarantee that `oas compare` shows is compared with both. Values are makespan / (ratio · C*), and / (ratio · L).
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING

from benchmarks.soak.drawing import Drawn
from benchmarks.soak.findings import Finding, finding
from heuristics.mosp.guarantees import batched_list, one_cluster_list
from heuristics.mosp.queueing import empty_profiles, list_runs
from oas.bounds.mosp.simple import area, longest_job
from oas.exact.mosp.brute_force import brute_force
from oas.problems.mosp.availability import availability
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from benchmarks.soak.findings import Asked
    from heuristics.method import Guarantee
    from oas.problems.mosp.runs import ClusterRun
    from oas.problems.mosp.ticks import ScaledMosp

SMALL_JOBS, LARGE_JOBS = 6, 40
ORDERS = 100  # of each instance


def no_reservations(rng: Random, size: int) -> tuple[list[Reservation], int]:
    """Return none, and the greatest width of a job."""
    return [], size


def non_increasing(rng: Random, size: int) -> tuple[list[Reservation], int]:
    """Return reservations from 0 on, of different lengths; some jobs may have to wait until they have ended."""
    left, found = size, []
    for _ in range(rng.randint(1, 4)):
        width = rng.randint(0, left)
        left -= width
        if width:
            found.append(Reservation(0, rng.randint(1, rng.choice((24, 120))), width))
    return found, rng.choice((size, -(-size // 3)))


def share_left(rng: Random, size: int) -> tuple[list[Reservation], int]:
    """Return reservations at any time that leave αm processors, and these."""
    least = rng.randint(1, size)
    left, found = size - least, []
    while left:
        width, moment = rng.randint(1, left), 0
        left -= width
        for _ in range(rng.randint(0, 3)):  # these processors' reservations, one after the other
            moment += rng.randint(0, 12)
            found.append(Reservation(moment, moment + rng.randint(1, 12), width))
            moment = int(found[-1].end)
    return found, least


def graham(instance: MospInstance, optimum: Fraction) -> Fraction:
    """2 - 1/m."""
    return 2 - Fraction(1, instance.node_count)


def non_increasing_ratio(instance: MospInstance, optimum: Fraction) -> Fraction:
    """2 - 1/m(C)."""
    return 2 - Fraction(1, availability(instance.organizations[0]).free_at(optimum))


def share_ratio(instance: MospInstance, optimum: Fraction) -> Fraction:
    """2/α."""
    alpha = availability(instance.organizations[0]).alpha
    assert alpha is not None
    return 2 / alpha


@dataclass(frozen=True)
class Theorem:
    """A theorem, and the instances that it speaks of."""

    name: str  # its place in the paper
    # Draws reservations for a number of processors, and the greatest width of a job
    reservations: Callable[[Random, int], tuple[list[Reservation], int]]
    # Whether jobs have releases, and lists are scheduled in batches: then the ratio is twice that of a batch
    batches: bool
    # ``(instance, C)``: what is proved of every order of a batch, C the optimum or a lower bound of it
    ratio: Callable[[MospInstance, Fraction], Fraction]
    promise: Callable[[MospInstance], Guarantee | None]  # the guarantee shown to users


THEOREMS = (
    Theorem("theorem 2", no_reservations, False, graham, one_cluster_list),
    Theorem("proposition 1", non_increasing, False, non_increasing_ratio, one_cluster_list),
    Theorem("proposition 3", share_left, False, share_ratio, one_cluster_list),
    Theorem("section 2.1, no reservations", no_reservations, True, graham, batched_list),
    Theorem("section 2.1, non-increasing", non_increasing, True, graham, batched_list),
    Theorem("section 2.1, α", share_left, True, share_ratio, batched_list),
)
BY_NAME = {one.name: one for one in THEOREMS}


def draw(seed: int) -> Drawn:
    """Return the instance of `seed`: theorems in turn, small and large instances alternately."""
    turn, number = divmod(seed, len(THEOREMS))
    theorem = THEOREMS[number]
    rng = Random(f"{theorem.name} {turn}")
    size = rng.randint(2, rng.choice((4, 16)))
    held, widest = theorem.reservations(rng, size)
    jobs = rng.randint(3, SMALL_JOBS) if turn % 2 == 0 else rng.randint(SMALL_JOBS + 1, LARGE_JOBS)
    latest = rng.randint(1, 6 * jobs) if theorem.batches else 0
    times, narrow = rng.choice((2, 6, 20)), rng.choice((1, widest))
    made = [
        RigidJob(
            f"J{one}",
            rng.randint(1, times),
            rng.randint(1, rng.choice((narrow, widest))),
            rng.choice((0, rng.randint(0, latest))),
        )
        for one in range(jobs)
    ]
    instance = MospInstance([Organization("cluster", size, made, held)], None, name=theorem.name)
    return Drawn(seed, "mosp", theorem.name, instance)


def examine(instance: MospInstance, asked: Asked) -> Iterator[Finding]:
    """Yield the findings on `ORDERS` list orders of an instance drawn for the theorem of its name."""
    theorem = BY_NAME[instance.name]
    small = len(instance.jobs) <= SMALL_JOBS
    least = brute_force(instance)[0] if small else max(area(instance), longest_job(instance))
    limit = theorem.ratio(instance, least) * least * (2 if theorem.batches else 1)
    promised = theorem.promise(instance)
    if promised is None:
        yield finding(theorem.name, "nothing is promised")
        return
    name = f"{theorem.name}, against {'C*' if small else 'L'}"
    for makespan, lemma in _scheduled(theorem, instance, Random(asked.number // len(THEOREMS))):
        broken = makespan > limit or makespan > promised.value * least or (small and makespan < least)
        detail = f"makespan {makespan}, bound {least}, limit {limit}, promised {promised.value}"
        tight = None if limit == least else float(makespan / limit)  # otherwise every list schedule is optimal
        yield finding(name, detail if broken else "", tight)
        if lemma is not None:
            yield finding("lemma 1", "" if lemma else f"does not hold at makespan {makespan}")


def _scheduled(theorem: Theorem, instance: MospInstance, rng: Random) -> Iterator[tuple[Fraction, bool | None]]:
    """Yield the makespan of each list schedule, and whether Lemma 1 holds; None where it does not apply."""
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
    """Return when the last run ends."""
    return max(run.start + scaled.times[run.job] for run in runs)


def lemma1(scaled: ScaledMosp, runs: Iterable[ClusterRun], free: int) -> bool:
    """Tell whether r(t) + r(t') > αm whenever t' ≥ t + p_max, r the processors that jobs hold and αm `free`."""
    changes: dict[int, int] = {0: 0}
    for run in runs:
        width, end = scaled.widths[run.job], run.start + scaled.times[run.job]
        changes[run.start] = changes.get(run.start, 0) + width
        changes[end] = changes.get(end, 0) - width
    moments = sorted(changes)
    used = list(accumulate(changes[moment] for moment in moments))[:-1]
    later = list(accumulate(reversed(used), min))[::-1]  # the least from each step on
    longest = max(scaled.times)
    for begin, busy in zip(moments, used, strict=False):
        step = bisect_right(moments, begin + longest) - 1  # of the first t' that is far enough
        if step < len(later) and busy + later[step] <= free:
            return False
    return True
