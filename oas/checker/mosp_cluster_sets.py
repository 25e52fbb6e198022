"""The bound by cluster sets: which jobs a cluster can run by a makespan.

The certificate is ``{"makespan": C, "weights": [w, …], "steps": s, "mirrored": false}``, C in ticks. Let no set of jobs
that cluster k can run by C, each before its deadline, weigh more than W_k: if all jobs weigh more than Σ_k W_k, no
schedule ends by C. W_k is found by a search through all sets below knapsack bounds, each set packed by a search of at
most s steps; a set not decided by then counts as one that can run. Reservations are left out.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from fractions import Fraction
from operator import sub
from typing import NamedTuple

from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.mosp_dual_feasible import dual_feasible_rows
from oas.checker.mosp_instance import MospInstance, MospTicks
from oas.checker.mosp_packing import SET_NO, PackedJob, can_run
from oas.checker.mosp_weights import (
    MAX_SUM_STEPS,
    heaviest_in_turn,
    heaviest_side_by_side,
    mosp_deadlines,
    read_job_weights,
    read_makespan,
    read_mirrored,
)
from oas.checker.reading import fields_of, integer_of

MAX_PACKING_STEPS = 5_000
MAX_SET_STEPS = 1_000_000  # of all searches of a certificate
MAX_SET_JOBS = 120
MAX_SET_AREA = 2**36  # processors times ticks of a cluster
MAX_SET_WEIGHT = 2**50
SET_KNAPSACKS = 12
SET_TABLES = 4  # of the knapsacks, the tightest: by them the search sees what further jobs may add
SET_HEIGHTS = 12
SET_THRESHOLDS = 24
SET_CAPACITY = 8_000  # of knapsacks; those of greater capacity are counted more coarsely
SETS_KEPT = 2**18


def check_mosp_cluster_sets(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing.

    Raises
    ------
    Refused
        If the certificate is malformed, the instance too large for one, or the search too long.
    """
    document = fields_of(certificate, "certificate", "makespan", "weights", "steps", "mirrored")
    makespan, mirrored = read_makespan(document["makespan"]), read_mirrored(document["mirrored"])
    steps = integer_of(document["steps"], "certificate.steps", 1, MAX_PACKING_STEPS)
    ticks = instance.scaled()
    weights = read_job_weights(document["weights"], ticks.job_count, "certificate.weights", MAX_SET_WEIGHT)
    deadlines = mosp_deadlines(ticks, makespan, mirrored=mirrored)
    effort, sums = Effort(MAX_SET_STEPS), Effort(MAX_SUM_STEPS)
    left = sum(weights) - 1  # what all clusters together may hold for the weights to be a proof
    *smaller, largest = sorted(set(ticks.processors))
    for size in smaller:
        held = heaviest_set(ClusterSets.of(ticks, deadlines, makespan, size, sums), weights, 0, steps, effort)
        left -= held * ticks.processors.count(size)
    if left < 0:
        return Fraction(0)
    floor = left // ticks.processors.count(largest)
    held = heaviest_set(ClusterSets.of(ticks, deadlines, makespan, largest, sums), weights, floor, steps, effort)
    return ticks.to_time(makespan + 1) if held == floor else Fraction(0)


class ClusterSets(NamedTuple):
    """The jobs that a cluster can run in time, and what no set of them that it can run outweighs.

    Attributes
    ----------
    size, makespan
        Of the cluster, and in ticks.
    jobs
        Their indices, the greatest areas first.
    packed
        The same jobs for the packing, in its order.
    places
        Of each of `jobs`, its place in `packed`.
    highest
        What no jobs side by side outweigh by each of the weights in `packed`.
    sizes, capacities
        Knapsacks: sizes[job][r], and what no set that can run exceeds of them.
    """

    size: int
    makespan: int
    jobs: list[int]
    packed: list[PackedJob]
    places: list[int]
    highest: list[int]
    sizes: list[tuple[int, ...]]
    capacities: tuple[int, ...]

    @classmethod
    def of(cls, ticks: MospTicks, deadlines: Sequence[int], makespan: int, size: int, effort: Effort) -> ClusterSets:
        """Return the jobs for clusters of this size; of knapsacks and weights those in which the jobs weigh most.

        Raises
        ------
        Refused
            If there are too many jobs, processors times ticks, or sums.
        """
        if ticks.job_count > MAX_SET_JOBS:
            raise refused("certificate", f"sets of at most {MAX_SET_JOBS} jobs are enumerated", ticks.job_count)
        if size * makespan > MAX_SET_AREA:
            raise refused("certificate.makespan", f"times processors it must be at most {MAX_SET_AREA:,}", makespan)
        jobs = [j for j, time in enumerate(ticks.times) if ticks.widths[j] <= size and time <= deadlines[j]]
        jobs.sort(key=lambda job: (-ticks.times[job] * ticks.widths[job], job))
        times, widths = [ticks.times[job] for job in jobs], [ticks.widths[job] for job in jobs]
        latest = [deadlines[job] - ticks.times[job] for job in jobs]
        lengths = [
            (row, heaviest_in_turn(row, times, [deadlines[job] for job in jobs], effort))
            for row in dual_feasible_rows(times, makespan, SET_THRESHOLDS)
        ]
        heights = [
            (row, heaviest_side_by_side(row, widths, size, effort).weights[-1])
            for row in dual_feasible_rows(widths, size, SET_THRESHOLDS)
        ]
        effort.spend(10 * len(lengths) * len(heights) * len(jobs))
        knapsacks = chosen_knapsacks(lengths, heights)
        effort.spend(len(jobs) * sum(capacity for _, capacity in knapsacks[:SET_TABLES]))
        heights.sort(key=lambda one: Fraction(-sum(y * time for y, time in zip(one[0], times, strict=True)), one[1]))
        loads = list(zip(*(row for row, _ in heights[:SET_HEIGHTS]), strict=True))
        order = sorted(range(len(jobs)), key=lambda place: (latest[place], place))
        places = [0] * len(jobs)
        for place, job in enumerate(order):
            places[job] = place
        return cls(
            size,
            makespan,
            jobs,
            [PackedJob(times[job], widths[job], latest[job], loads[job]) for job in order],
            places,
            [most for _, most in heights[:SET_HEIGHTS]],
            list(zip(*(row for row, _ in knapsacks), strict=True)),
            tuple(capacity for _, capacity in knapsacks),
        )


WeighedRow = tuple[tuple[int, ...], int]


def chosen_knapsacks(lengths: Sequence[WeighedRow], heights: Sequence[WeighedRow]) -> list[WeighedRow]:
    """Return products of weights in time and weights in processors with their capacities, the tightest ones.

    A cluster holds of a product no more than the heaviest chain by the one times the heaviest set side by side by the
    other: the argument of the two-dimensional bound.
    """
    found: list[tuple[Fraction, int, tuple[int, ...], int]] = []
    for v, longest in lengths:
        for y, highest in heights:
            product, capacity = tuple(a * b for a, b in zip(v, y, strict=True)), longest * highest
            if capacity and any(product):
                found.append((Fraction(-sum(product), capacity), len(found), product, capacity))
    found.sort()
    kept: dict[WeighedRow, None] = {}
    for _, _, product, capacity in found:
        unit = -(-capacity // SET_CAPACITY)
        kept[tuple(one // unit for one in product), capacity // unit] = None
        if len(kept) == SET_KNAPSACKS:
            break
    return list(kept)


def heaviest_set(sets: ClusterSets, weights: Sequence[int], floor: int, steps: int, effort: Effort) -> int:
    """Return the greatest weight of a set that the cluster can run in time; `floor` if none is heavier.

    Raises
    ------
    Refused
        If that takes more than `effort`.
    """
    if not sets.jobs:
        return floor
    own = [weights[job] for job in sets.jobs]
    columns = list(zip(*sets.sizes, strict=True))[:SET_TABLES]
    tables = [rest_table(own, column, most) for column, most in zip(columns, sets.capacities, strict=False)]
    rows = list(zip(*tables, strict=True))
    known: dict[tuple[int, ...], bool] = {}
    best, count = floor, len(own)
    stack: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]] = [(0, 0, sets.capacities, ())]
    while stack:
        job, weight, left, taken = stack.pop()
        effort.spend(1)
        if job == count or any(weight + row[room] <= best for row, room in zip(rows[job], left, strict=False)):
            continue
        stack.append((job + 1, weight, left, taken))
        weight += own[job]
        left = tuple(map(sub, left, sets.sizes[job]))
        if not own[job] or min(left) < 0:
            continue
        if any(weight + row[room] <= best for row, room in zip(rows[job + 1], left, strict=False)):
            continue
        taken = tuple(sorted((*taken, sets.places[job])))
        impossible = known.get(taken)
        if impossible is None:
            packed = [sets.packed[place] for place in taken]
            answer, spent = can_run(packed, sets.size, sets.makespan, sets.highest, steps)
            effort.spend(spent)
            impossible = answer == SET_NO
            if len(known) < SETS_KEPT:
                known[taken] = impossible
        if not impossible:
            best = max(best, weight)
            stack.append((job + 1, weight, left, taken))
    return best


def rest_table(weights: Sequence[int], sizes: Sequence[int], capacity: int) -> list[array[int]]:
    """Return rows [job][c]: the most that this job and those after it weigh within capacity c."""
    row = [0] * (capacity + 1)
    table = [array("q", row)]
    for weight, size in zip(reversed(weights), reversed(sizes), strict=True):
        if size <= capacity:
            row = row[:size] + [a if a > b + weight else b + weight for a, b in zip(row[size:], row, strict=False)]
        table.append(array("q", row))
    return table[::-1]
