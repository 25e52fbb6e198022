"""Functions that recompute the claims of the fair scheduling paper, by claim id.

Its experiments are repeated by ``python -m benchmarks.papers.fair_logs``; on-line manipulations, on many instances, by
``python -m benchmarks.soak --check strategies``.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import ceil, log, sqrt
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from oas.fair.generate import (
    FIGURE_1_STARTS,
    fair_ticks,
    figure_1,
    last_batch,
    not_supermodular,
    orderings_below,
    orderings_read,
    random_instance,
    subset_sum_ticks,
)
from oas.fair.search.engine import run_policy
from oas.fair.search.policy import Watcher
from oas.fair.search.reference import reference
from oas.fair.search.sampling import random_orderings, sampled_starts
from oas.fair.utilities import distance, flow_time, strategy_proof, strategy_proof_over_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oas.fair.ticks import FairTicks

TABLE_1 = {  # RAND (N = 15), DIRECTCONTR, ROUNDROBIN: means as printed
    "LPC-EGEE": (161, 218, 3774),
    "PIK-IPLEX": (10, 7, 28),
    "RICC": (791, 1520, 7560),
    "SHARCNET-Whale": (72, 177, 538),
}

DEVIATIONS = {  # standard deviations of the same, as printed
    "LPC-EGEE": (435, 659, 14244),
    "PIK-IPLEX": (69, 44, 170),
    "RICC": (1348, 3765, 9226),
    "SHARCNET-Whale": (197, 632, 1254),
}
WINDOWS = 100


class _ByLot(Watcher):
    """A greedy algorithm that selects organizations at random."""

    def __init__(self, seed: int = 0) -> None:
        self._draw = Random(seed)

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        return self._draw.choice(waiting)


def figure1_values() -> str:
    """Figure 1: the utility of the first organization at 13 and 14, and its flow time."""
    ticks = figure_1()
    values = [strategy_proof(ticks, FIGURE_1_STARTS, moment)[0] for moment in (13, 14)]
    return f"{values[0]}, {values[1]}; flow {flow_time(ticks, FIGURE_1_STARTS)[0]}"


def figure1_changes() -> str:
    """Figure 1's caption: changes of ψ_sp and flow time if J9 starts at 9 instead of 10, J6 one later, or J9 never."""
    changes = []
    for job, start in ((8, 9), (5, FIGURE_1_STARTS[5] + 1), (8, -1)):
        changed = list(FIGURE_1_STARTS)
        changed[job] = start
        ticks = figure_1(15)  # so that for the flow time all jobs have ended
        gain = strategy_proof(figure_1(), changed)[0] - strategy_proof(figure_1(), FIGURE_1_STARTS)[0]
        flow = flow_time(ticks, changed)[0] - flow_time(ticks, FIGURE_1_STARTS)[0]
        changes.append(f"{gain:+} (flow {flow:+})")
    return ", ".join(changes).replace("-", "−")


def _equation_3(tasks: Iterable[tuple[int, int]], t: int, k1: int, k2: int) -> Fraction:
    """Return equation (3) of theorem 4.1, with K₃ = 0, for the jobs (start, time) that start before t."""
    return sum(
        (min(p, t - s) * (k1 - Fraction(k2 * (s + min(s + p - 1, t - 1)), 2)) for s, p in tasks if s < t), Fraction(0)
    )


def _drawn_tasks(seed: int) -> tuple[list[tuple[int, int]], int]:
    rng = Random(seed)
    return [(rng.randint(0, 12), rng.randint(1, 6)) for _ in range(rng.randint(1, 6))], rng.randint(1, 20)


def _sp(tasks: Sequence[tuple[int, int]], t: int) -> int:
    """Return ψ_sp of a schedule of one organization, given by (start, time)."""
    if not tasks:
        return 0
    order = sorted(tasks)
    ticks = fair_ticks([1], [(0, 0, time) for _, time in order], max(t, 1))
    return strategy_proof(ticks, [start for start, _ in order], t)[0]


def algorithm1_tie_counterexample() -> str:
    """Algorithm 1, line 14: the effect on ψ, at t and at t + 1, of a job that starts at t."""
    moments = {
        moment: {_sp([(start, p)], start + moment) for start in range(9) for p in range(1, 6)} for moment in (0, 1)
    }
    now, later = (", ".join(map(str, moments[moment])) for moment in (0, 1))
    return f"ψ of a job that starts at t: {now} at t, {later} at t + 1"


def constants() -> str:
    """Theorem 4.1: the constants with which equation (3) gives ψ_sp."""
    swapped = printed = 0
    for seed in range(300):
        tasks, t = _drawn_tasks(seed)
        value = _sp(tasks, t)
        swapped += _equation_3(tasks, t, t, 1) == value
        printed += _equation_3(tasks, t, 1, t) == value
    return f"K₁ = t, K₂ = 1: {swapped} of 300; K₁ = 1, K₂ = t: {printed}"


def axioms() -> str:
    """The axioms of section 4 on random schedules: how often each is violated."""
    broken: Counter[str] = Counter()
    ended = 0
    for seed in range(300):
        (tasks, t), (others, _) = _drawn_tasks(seed), _drawn_tasks(1000 + seed)
        rng = Random(f"axioms {seed}")
        p, s, s2 = rng.randint(1, 6), rng.randrange(t), rng.randrange(t)
        later = [_sp([*of, (at, p)], t) - _sp([*of, (at + 1, p)], t) for of, at in ((tasks, s), (others, s2))]
        if max(s, s2) + p <= t:
            ended += 1
            broken["1"] += not later[0] == later[1] > 0
        broken["1 as printed"] += not later[0] == later[1] > 0
        more = [_sp([*of, (s, p)], t) - _sp(of, t) for of in (tasks, others)]
        broken["2"] += not more[0] == more[1] > 0
        first = rng.randint(1, 6)
        pieces, merged = [(s, first), (s + first, p)], [(s, first + p)]
        broken["3"] += _sp([*tasks, *pieces], t) != _sp([*tasks, *merged], t)
        apart = sum(_sp([*tasks, piece], t) for piece in pieces)
        broken["3 as printed"] += apart != _sp([*tasks, *merged], t)
    whole = f"axiom 2 broken on {broken['2']}, axiom 3 on {broken['3']} ({broken['3 as printed']} as printed) of 300"
    return (
        f"{whole}; axiom 1 on {broken['1']} of {ended} where the job ends by t,"
        f" as printed on {broken['1 as printed']} of 300"
    )


def equal_times() -> str:
    """Proposition 4.2: ψ_sp compared with the sum in its proof, with Σ p·r and with Σ r as printed."""
    right = printed = 0
    for seed in range(300):
        rng = Random(seed)
        p, count = rng.randint(2, 6), rng.randint(1, 6)
        releases = sorted(rng.randint(1, 9) for _ in range(count))
        starts = sorted(release + rng.randint(0, 5) for release in releases)
        t = max(starts) + p + rng.randint(0, 3)
        ticks = fair_ticks([1], [(0, release, p) for release in releases], t)
        (value,), (flow,) = strategy_proof(ticks, starts, t), flow_time(ticks, starts, t)
        whole = count * (p * t + (p * p + p) // 2) - p * flow
        right += value == whole - p * sum(releases)
        printed += value == whole - sum(releases)
    return f"with −p·r {right} of 300, with −r {printed}"


def subset_sum(*, repaired: bool) -> str:
    """Theorem 5.1: n by the contribution of a, for all sets of up to three of 1, 2, 3, 5, and x up to their sum."""
    wrong = count = 0
    for size in (1, 2, 3):
        for numbers in combinations((1, 2, 3, 5), size):
            for bound in range(1, sum(numbers) + 1):
                ticks, large = subset_sum_ticks(numbers, bound, repaired=repaired)
                contribution = reference(ticks).contributions[size]
                wrong += orderings_read(contribution, numbers, large) != orderings_below(numbers, bound)
                count += 1
    return f"wrong on {wrong} of {count}"


def opposite_orders(organizations: int, each: int, time: int) -> Fraction:
    """Return ‖ψ(σ_ord) − ψ(σ_rev)‖ / Σψ for the last batch of theorem 5.3: one organization after another."""
    ticks = last_batch(organizations, each, time)
    forward = strategy_proof(ticks, ticks.owner * time)
    backward = strategy_proof(ticks, (organizations - 1 - ticks.owner) * time)
    return Fraction(distance(forward, backward), sum(forward))


def one_machine() -> str:
    """The remark before theorem 5.3: unit jobs of m organizations on one machine."""
    distances = ", ".join(str(opposite_orders(count, 1, 1)) for count in (2, 3, 4, 10, 100))
    return f"{distances} for m = 2, 3, 4, 10, 100"


def large_batch() -> str:
    """Theorem 5.3's last batch: |B| organizations with |O| jobs of length XH each on |O| machines."""
    distances = [opposite_orders(count, 5, length) for count, length in ((2, 1), (4, 10), (6, 100))]
    return f"{', '.join(map(str, distances))} for |B|·XH = 2, 40, 600"


def any_greedy() -> str:
    """Proposition 5.4: how often two greedy algorithms have the same v at each moment, for unit jobs and for others."""

    def value(ticks: FairTicks, lot: int) -> list[int]:
        starts = run_policy(ticks, _ByLot, lot)
        values: list[int] = strategy_proof_over_time(ticks, starts, np.arange(ticks.horizon + 1)).sum(axis=0).tolist()
        return values

    same = []
    for unit in (True, False):
        instances = (random_instance(seed, wide=False, unit=unit).scaled() for seed in range(300))
        same.append(sum(value(ticks, 1) == value(ticks, 2) for ticks in instances))
    return f"equal on {same[0]} of 300; with jobs of other times on {same[1]}"


def supermodular() -> str:
    """Proposition 5.5: v of {a, c}, {b, c}, {a, b, c} and {c} at 2."""
    values = reference(not_supermodular()).values
    ac, bc, abc, c = (int(values[mask]) for mask in (0b101, 0b110, 0b111, 0b100))
    return f"{ac}, {bc}, {abc}, {c}: {abc} + {c} < {ac} + {bc}"


def epsilon(samples: int) -> float:
    """Return ε of theorem 5.6 from N = k² / ε² · ln(k / (1 − λ)) with k = 5 and λ = .95."""
    return 5 * sqrt(log(5 / (1 - 0.95)) / samples)


def guarantee() -> str:
    """Theorem 5.6: ε at the paper's N, and the N for ε = 0.1."""
    errors = ", ".join(f"{epsilon(samples):.2f}" for samples in (15, 75))
    return f"ε = {errors} for k = 5, λ = .95; ε = .1 needs N = {ceil(epsilon(1) ** 2 * 100):,}"


def observed() -> str:
    """Theorem 5.6: ‖ψ − ψ*‖ / |ψ*| of RAND on jobs of one unit, five organizations, 40 instances."""
    errors: dict[int, list[Fraction]] = {15: [], 75: []}
    for seed in range(40):
        ticks = _unit_jobs(seed)
        fair = strategy_proof(ticks, reference(ticks).starts)
        for samples, ratios in errors.items():
            starts = sampled_starts(ticks, random_orderings(5, samples, seed))
            ratios.append(Fraction(distance(strategy_proof(ticks, starts), fair), sum(fair)))
    parts = (
        f"N = {samples}: mean {float(sum(ratios) / 40):.4f}, 38 of 40 at most {float(sorted(ratios)[37]):.4f}"
        for samples, ratios in errors.items()
    )
    return "; ".join(parts)


def _unit_jobs(seed: int) -> FairTicks:
    """Return five organizations of one to three machines, and unit jobs for 90 % of their capacity, unevenly spread."""
    rng = Random(f"unit {seed}")
    sizes = [rng.randint(1, 3) for _ in range(5)]
    count = sum(sizes) * 30 * 9 // 10
    weights = [rng.random() for _ in sizes]
    owners = rng.choices(range(5), weights, k=count)
    return fair_ticks(sizes, [(owner, rng.randrange(30), 1) for owner in owners], 30)


def rand_against(column: int) -> str:
    """Section 6.3.2: the ratio of a column of table 1 to that of RAND."""
    rows = TABLE_1.values()
    sums = sum(row[column] for row in rows) / sum(row[0] for row in rows)
    mean = fmean(row[column] / row[0] for row in rows)
    return f"{sums:.2f} by the columns' sums, {mean:.2f} by the mean of the rows' ratios"


def orders() -> str:
    """Section 6.3.2: the order of the columns of table 1 in each row."""
    names = ("RAND", "DIRECTCONTR", "ROUNDROBIN")
    lines = (
        f"{workload}: {' < '.join(name for _, name in sorted(zip(row, names, strict=True)))}"
        for workload, row in TABLE_1.items()
    )
    return "; ".join(lines)


def spread() -> str:
    """Table 1: differences of neighbouring means / their standard errors, as if the windows were independent."""
    parts = []
    for first, names in ((0, "DIRECTCONTR − RAND"), (1, "ROUNDROBIN − DIRECTCONTR")):
        differences = []
        for workload, means in TABLE_1.items():
            error = sqrt(sum(DEVIATIONS[workload][column] ** 2 for column in (first, first + 1)) / WINDOWS)
            differences.append(f"{(means[first + 1] - means[first]) / error:.2f}".replace("-", "−"))
        parts.append(f"{names}: {', '.join(differences)}")
    return "; ".join(parts) + " standard errors"


def machines() -> str:
    """Figure 5: the load if releases are multiplied by .1; the jobs' times sum up to 16 times the period."""
    first, second, third, fourth = (f"{16 * 10 / count:.2f}".lstrip("0") for count in (300, 170, 30, 17))
    return f"releases × .1: load {first}, {second} on 300, 170 machines, {third}, {fourth} on 30, 17"


CHECKS: dict[str, Callable[[], str]] = {
    "fair-algorithm-1": algorithm1_tie_counterexample,
    "fair-4-axioms": axioms,
    "fair-theorem-4.1": constants,
    "fair-prop-4.2": equal_times,
    "fair-fig-1": figure1_values,
    "fair-fig-1-changes": figure1_changes,
    "fair-theorem-5.1": lambda: subset_sum(repaired=False),
    "fair-theorem-5.1-repaired": lambda: subset_sum(repaired=True),
    "fair-5-orders": one_machine,
    "fair-theorem-5.3": large_batch,
    "fair-prop-5.4": any_greedy,
    "fair-prop-5.5": supermodular,
    "fair-theorem-5.6": guarantee,
    "fair-theorem-5.6-observed": observed,
    "fair-6.3-spread": spread,
    "fair-6.3-round-robin": lambda: rand_against(2),
    "fair-6.3-direct": lambda: rand_against(1),
    "fair-6.3-workloads": orders,
    "fair-fig-5": machines,
}
