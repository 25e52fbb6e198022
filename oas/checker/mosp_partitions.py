"""The bound "partitions": jobs shared out among clusters, by a complete search.

The certificate is ``{"makespan": C, "weights": [[w, …], …], "steps": s, "mirrored": false}``, C in ticks, and for each
of some measures a weight w of each job. All ways to share out the jobs among the clusters are searched
(`mosp_sharing`); if some cluster cannot run its jobs by C in each of them, no schedule ends by C. The weights only make
the search shorter: let no set that cluster k can run by C weigh more than W_k, found by a search too. Then the clusters
leave Σ_k W_k less the weight of all jobs unused, and no cluster more than that. A packing takes at most s steps; from a
set that is not decided by then nothing is concluded. Reservations are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from oas.checker.effort import Effort
from oas.checker.mosp_cluster_sets import MAX_PACKING_STEPS, SET_CAPACITY, SET_KNAPSACKS, SETS_KEPT, ClusterSets
from oas.checker.mosp_dual_feasible import dual_feasible_rows, spread_out
from oas.checker.mosp_instance import MospInstance, MospTicks
from oas.checker.mosp_possible_sets import PossibleSets
from oas.checker.mosp_set_search import SetBranch
from oas.checker.mosp_sharing import Sharing, SharingMeasure
from oas.checker.mosp_weights import (
    heaviest_in_turn,
    heaviest_side_by_side,
    mosp_deadlines,
    read_job_weights,
    read_makespan,
    read_mirrored,
)
from oas.checker.reading import fields_of, integer_of, list_of

PARTITION_MEASURES = 3
PARTITION_MAX_WEIGHT = 2**48
PARTITION_STEPS = 1_000_000  # of all searches
PARTITION_THRESHOLDS, PARTITION_SIZES = 12, 4  # of functions of times, and of widths for so many sizes of clusters


def check_mosp_partitions(instance: MospInstance, certificate: object) -> Fraction:
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
    rows = list_of(document["weights"], "certificate.weights", most=PARTITION_MEASURES)
    weights = [
        read_job_weights(row, ticks.job_count, f"certificate.weights[{index}]", PARTITION_MAX_WEIGHT)
        for index, row in enumerate(rows)
    ]
    deadlines = mosp_deadlines(ticks, makespan, mirrored=mirrored)
    sizes, sums, effort = sorted({*ticks.processors}), Effort(), Effort(PARTITION_STEPS)
    found = [ClusterSets.of(ticks, deadlines, makespan, size, sums) for size in sizes]
    jobs = found[-1].jobs  # of the largest: no job fits only on others
    if len(jobs) < ticks.job_count:  # some job cannot end in time
        return ticks.to_time(makespan + 1)
    bits = {job: 1 << place for place, job in enumerate(jobs)}
    kinds = [PossibleSets(sets, bits, steps, effort, SETS_KEPT // len(found)) for sets in found]
    measures = _knapsacks(found[-1]) if len(found) == 1 else _products(ticks, found, deadlines, sums)
    knapsacks = len(measures)
    for row in weights:
        most = [SetBranch(kind, (), (), ()).heaviest(row, 0) if kind.sets.jobs else 0 for kind in kinds]
        measures.append(SharingMeasure([row[job] for job in jobs], most))
    search = Sharing(ticks, deadlines, kinds, measures, knapsacks, effort)
    return Fraction(0) if search.may_succeed() else ticks.to_time(makespan + 1)


def _knapsacks(sets: ClusterSets) -> list[SharingMeasure]:
    """The knapsacks of clusters of one size."""
    columns = zip(*sets.sizes, strict=True)
    return [SharingMeasure(list(row), [most]) for row, most in zip(columns, sets.capacities, strict=True)]


def _products(
    ticks: MospTicks, kinds: Sequence[ClusterSets], deadlines: Sequence[int], effort: Effort
) -> list[SharingMeasure]:
    """Weights of the jobs, a function of the time by one of the width, and what a cluster of each size holds of them.

    It holds no more than the heaviest chain by the one, of jobs that fit on it, times the heaviest set side by side by
    the other: the argument of the two-dimensional bound. Of all products those are taken of which the clusters together
    hold least in proportion to the jobs.
    """
    jobs, sizes = kinds[-1].jobs, [one.size for one in kinds]
    times, widths = [ticks.times[job] for job in jobs], [ticks.widths[job] for job in jobs]
    ends = [deadlines[job] for job in jobs]
    lengths = []
    for row in dual_feasible_rows(times, kinds[-1].makespan, PARTITION_THRESHOLDS):
        fitting = [[v if width <= size else 0 for v, width in zip(row, widths, strict=True)] for size in sizes]
        lengths.append((row, [heaviest_in_turn(own, times, ends, effort) for own in fitting]))
    rows = [
        row
        for size in spread_out(sizes, PARTITION_SIZES)
        for row in dual_feasible_rows(widths, size, PARTITION_THRESHOLDS)
    ]
    heights = []
    for row in dict.fromkeys(rows):
        most = heaviest_side_by_side(row, widths, sizes[-1], effort)
        heights.append((row, [most.within(size) for size in sizes]))
    counts = [ticks.processors.count(size) for size in sizes]
    ranked = []
    for place, ((v, longest), (y, highest)) in enumerate(product(lengths, heights)):
        weight = sum(a * b for a, b in zip(v, y, strict=True))
        held = sum(n * a * b for n, a, b in zip(counts, longest, highest, strict=True))
        if weight and held:
            ranked.append((Fraction(-weight, held), place, v, longest, y, highest))
    found: dict[tuple[int, ...], SharingMeasure] = {}
    for _, _, v, longest, y, highest in sorted(ranked, key=lambda one: one[:2]):
        room = [a * b for a, b in zip(longest, highest, strict=True)]
        unit = max(1, -(-max(room) // SET_CAPACITY))
        own = tuple(a * b // unit for a, b in zip(v, y, strict=True))
        if any(own):
            found.setdefault(own, SharingMeasure(list(own), [one // unit for one in room]))
        if len(found) == SET_KNAPSACKS:
            break
    return list(found.values()) or [SharingMeasure([0] * len(jobs), [0] * len(sizes))]
