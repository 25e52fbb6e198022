"""Every theorem of the reservations paper on list schedules, in many random orders of many random instances.

    python -m benchmarks.agreement.mosp.list_orders --orders 100000 --seed 0

Half of the instances have at most six jobs, and C* is brute force's. The others have up to forty; they are held against
L, the greater of the area and the longest-job bound, from which the theorems' proofs follow just as well, so that the
claim is stronger: L ≤ C*. What `oas compare` shows as the guarantee is held against both. Exit code 1 on any violation.
"""

from __future__ import annotations

import argparse
import sys
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING

from benchmarks.agreement.mosp.guarantees import markdown
from heuristics.mosp.guarantees import batched_list, one_cluster_list
from heuristics.mosp.queueing import empty_profiles, list_runs
from oas.bounds.mosp.simple import area, longest_job
from oas.exact.mosp.brute_force import brute_force
from oas.problems.mosp.availability import availability
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from heuristics.method import Guarantee
    from oas.problems.mosp.runs import ClusterRun
    from oas.problems.mosp.ticks import ScaledMosp

SMALL_JOBS, LARGE_JOBS = 6, 40
ORDERS = 100  # of each instance


def no_reservations(rng: Random, size: int) -> tuple[list[Reservation], int]:
    """Return none, and how wide a job may be."""
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


@dataclass(frozen=True)
class Theorem:
    """A theorem, and the instances that it speaks of.

    Attributes
    ----------
    name
        Where it stands.
    reservations
        Draws reservations for so many processors, and says how wide a job may be.
    releases
        Whether jobs have releases, and lists are scheduled in batches.
    ratio
        ``(instance, C)``: what is proved of every order, C the optimum or a lower bound of it.
    promise
        What is shown to a user.
    """

    name: str
    reservations: Callable[[Random, int], tuple[list[Reservation], int]]
    releases: bool
    ratio: Callable[[MospInstance, Fraction], Fraction]
    promise: Callable[[MospInstance], Guarantee | None]


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


def twice(ratio: Callable[[MospInstance, Fraction], Fraction]) -> Callable[[MospInstance, Fraction], Fraction]:
    """Twice another ratio: of batches."""
    return lambda instance, optimum: 2 * ratio(instance, optimum)


THEOREMS = (
    Theorem("theorem 2", no_reservations, False, graham, one_cluster_list),
    Theorem("proposition 1", non_increasing, False, non_increasing_ratio, one_cluster_list),
    Theorem("proposition 3", share_left, False, share_ratio, one_cluster_list),
    Theorem("section 2.1, no reservations", no_reservations, True, twice(graham), batched_list),
    Theorem("section 2.1, non-increasing", non_increasing, True, twice(graham), batched_list),
    Theorem("section 2.1, α", share_left, True, twice(share_ratio), batched_list),
)


@dataclass
class Tally:
    """What came of one theorem.

    Attributes
    ----------
    instances, orders
        How many were tried.
    small, large
        The greatest makespan / (ratio · C*), and / (ratio · L), of ratios above 1: 1 where a theorem is tight.
    lemma
        On how many schedules Lemma 1 was tried.
    faults
        Whatever should never happen.
    """

    instances: int = 0
    orders: int = 0
    small: Fraction = Fraction(0)
    large: Fraction = Fraction(0)
    lemma: int = 0
    faults: list[str] = field(default_factory=list)


def draw(theorem: Theorem, seed: int) -> MospInstance:
    """Draw an instance of the theorem's: small for even seeds, large for odd ones."""
    rng = Random(f"{theorem.name} {seed}")
    size = rng.randint(2, rng.choice((4, 16)))
    held, widest = theorem.reservations(rng, size)
    jobs = rng.randint(3, SMALL_JOBS) if seed % 2 == 0 else rng.randint(SMALL_JOBS + 1, LARGE_JOBS)
    latest = rng.randint(1, 6 * jobs) if theorem.releases else 0
    times, narrow = rng.choice((2, 6, 20)), rng.choice((1, widest))
    made = [
        RigidJob(
            f"J{number}",
            rng.randint(1, times),
            rng.randint(1, rng.choice((narrow, widest))),
            rng.choice((0, rng.randint(0, latest))),
        )
        for number in range(jobs)
    ]
    return MospInstance([Organization("cluster", size, made, held)], None)


def examine(theorem: Theorem, seed: int, orders: int, tally: Tally) -> None:
    """Hold so many list orders of one instance against a theorem."""
    instance = draw(theorem, seed)
    small = seed % 2 == 0
    least = brute_force(instance)[0] if small else max(area(instance), longest_job(instance))
    limit = theorem.ratio(instance, least) * least
    promised = theorem.promise(instance)
    if promised is None:
        tally.faults.append(f"{theorem.name}, seed {seed}: nothing is promised")
        return
    tally.instances += 1
    worst = Fraction(0)
    for number, (makespan, lemma) in enumerate(_made(theorem, instance, seed, orders)):
        tally.orders += 1
        if makespan > limit or makespan > promised.value * least or (small and makespan < least):
            said = f"{makespan}, bound {least}, limit {limit}, promised {promised.value}"
            tally.faults.append(f"{theorem.name}, seed {seed}, order {number}: makespan {said}")
        tally.lemma += lemma is not None
        if lemma is False:
            tally.faults.append(f"{theorem.name}, seed {seed}, order {number}: Lemma 1 does not hold")
        worst = max(worst, makespan)
    if limit == least:
        return  # every list schedule is optimal
    if small:
        tally.small = max(tally.small, worst / limit)
    else:
        tally.large = max(tally.large, worst / limit)


def _made(theorem: Theorem, instance: MospInstance, seed: int, orders: int) -> Iterator[tuple[Fraction, bool | None]]:
    """Yield the makespan of each list schedule, and whether Lemma 1 holds; None where it does not speak of it."""
    scaled, rng = instance.scaled(), Random(seed)
    held = availability(instance.organizations[0])
    order = list(range(scaled.job_count))
    for _ in range(orders):
        rng.shuffle(order)
        if theorem.releases:
            runs = batch_runs(scaled, order)
        else:
            runs = list_runs(empty_profiles(scaled, compiled=True), scaled, [0], order)
        spoken_of = not theorem.releases and held.alpha is not None
        yield scaled.to_time(end_of(scaled, runs)), lemma1(scaled, runs, held.least_free) if spoken_of else None


def batch_runs(scaled: ScaledMosp, order: Sequence[int]) -> list[ClusterRun]:
    """List-schedule one cluster's jobs in batches, each in the same order; `BATCH` does so with instances."""
    profiles = empty_profiles(scaled, compiled=True)
    runs: list[ClusterRun] = []
    waiting, now = list(order), 0
    while waiting:
        now = max(now, min(scaled.releases[job] for job in waiting))
        batch = [job for job in waiting if scaled.releases[job] <= now]
        made = list_runs(profiles, replace(scaled, releases=(now,) * scaled.job_count), [0], batch)
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
        for moment, width in (
            (run.start, scaled.widths[run.job]),
            (run.start + scaled.times[run.job], -scaled.widths[run.job]),
        ):
            changes[moment] = changes.get(moment, 0) + width
    moments = sorted(changes)
    used = list(accumulate(changes[moment] for moment in moments))[:-1]
    later = list(accumulate(reversed(used), min))[::-1]  # the least from each step on
    longest = max(scaled.times)
    for begin, busy in zip(moments, used, strict=False):
        step = bisect_right(moments, begin + longest) - 1  # of the first t' that is far enough
        if step < len(later) and busy + later[step] <= free:
            return False
    return True


def run(orders: int, first: int) -> dict[str, Tally]:
    """Examine each theorem in at least so many orders, on instances from a first seed on."""
    tallies = {}
    for theorem in THEOREMS:
        tally = tallies[theorem.name] = Tally()
        seed = first
        while tally.orders < orders and len(tally.faults) < ORDERS:
            examine(theorem, seed, min(ORDERS, orders - tally.orders), tally)
            seed += 1
    return tallies


def table(tallies: dict[str, Tally]) -> str:
    """Return one line a theorem."""
    header = [
        "theorem",
        "instances",
        "orders",
        "Lemma 1 tried",
        "worst of ratio · C*",
        "worst of ratio · L",
        "violations",
    ]
    rows = [
        [
            name,
            *map(str, (one.instances, one.orders, one.lemma)),
            f"{float(one.small):.3f}",
            f"{float(one.large):.3f}",
            str(len(one.faults)),
        ]
        for name, one in tallies.items()
    ]
    return markdown(header, rows)


def main(arguments: list[str] | None = None) -> int:
    """Examine all theorems and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orders", type=int, default=100_000, help="list orders of each theorem")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first instance; the others follow")
    options = parser.parse_args(arguments)
    tallies = run(options.orders, options.seed)
    faults = [fault for one in tallies.values() for fault in one.faults]
    print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr)
    print(table(tallies))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
