"""The MOSP bound "partitions": no partition of the jobs among the clusters can run by a makespan.

The certificate is ``{"makespan": C, "weights": [[w, …], …], "steps": s, "mirrored": false}``, C in ticks, with a weight
w of each job for several measures. If one measure refutes C, no partition is searched.

*Theorem.* If in each partition of the jobs some cluster cannot run its jobs by C, no schedule ends by C.

*Proof.* A schedule determines a partition. If there are more clusters than jobs, the smallest clusters can stay empty:
a set that a cluster can run can be run by each larger one. The search considers partitions cluster by cluster, the
smallest first: each cluster takes a set of the remaining jobs; the clusters of the largest size, which are
interchangeable, are in the order of their first jobs. Among the feasible partitions consider one whose first cluster
has most jobs, and among these one whose first set is lexicographically smallest; then the same for the second cluster,
and so on. In this partition

- no set has room for one of the remaining jobs, which could otherwise be moved into it;
- of equal remaining jobs the first is taken, since they are interchangeable;
- each cluster of the largest size has the first of the remaining jobs;
- let W_k be the maximum weight of a set that cluster k can run by a measure: together the clusters leave Σ_k W_k minus
  the weight of all jobs unused, so no cluster leaves more unused than remains of this after the clusters before it. If
  the weight of all jobs exceeds Σ_k W_k, there is no feasible partition.

The first two rules move or exchange a job between a cluster and later ones. This keeps the order of the clusters of the
largest size if the later ones are sorted again, because the cluster already has the first of the remaining jobs. The
last rule holds for each feasible partition, whatever the weights are, also if equal jobs have different weights. So the
rules can be combined, and the search can skip all other partitions. What a cluster and its successors can do depends
only on the remaining jobs, so that failures can be recorded by cluster and remaining jobs. A complete partition counts
as a schedule unless a longer packing refutes a set; then the search continues at that cluster, and nothing is recorded
for later clusters. Weights make it faster, but the proof does not depend on their choice: W_k is computed by a search
through all sets that satisfy the knapsacks and are not refuted by a packing (`mosp_possible_sets`). A set that a
packing of s steps does not decide counts as possible. Deadlines result from C and locality. Mirrored, schedules are
reversed from C: each job must end by C minus its release, and locality is ignored. Reservations are always ignored,
which only adds schedules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from operator import add, gt, sub

from oas.checker.effort import Effort
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_packing import SET_NO, SET_YES
from oas.checker.mosp_possible_sets import (
    MAX_PACKING_STEPS,
    JobsByArea,
    PossibleSets,
    coarse_product,
    tightest_products,
)
from oas.checker.mosp_weights import KnapsackItem, read_makespan, read_weight_lists, suffix_sums
from oas.checker.reading import fields_of, flag_of, integer_of

PARTITION_MEASURES = 3
PARTITION_MAX_WEIGHT = 2**50
PARTITION_STEPS = 1_000_000  # limit of all searches together
SHARING_FAILED = 2**17  # limit of recorded failures
SHARING_STEPS = 1_000_000  # steps of the packing of a set in a complete partition

# Weights of the jobs, and the greatest weight of a set that a cluster of each size can run.
Measure = tuple[Sequence[int], Mapping[int, int]]


def check_mosp_partitions(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    document = fields_of(certificate, "certificate", "makespan", "weights", "steps", "mirrored")
    makespan, mirrored = read_makespan(document["makespan"]), flag_of(document["mirrored"], "certificate.mirrored")
    steps = integer_of(document["steps"], "certificate.steps", 1, MAX_PACKING_STEPS)
    ticks = instance.ticks
    weights = read_weight_lists(document["weights"], ticks.job_count, PARTITION_MEASURES, PARTITION_MAX_WEIGHT)
    jobs = JobsByArea.of(ticks, makespan, mirrored=mirrored)
    if not jobs.all_in_time:
        return ticks.to_time(makespan + 1)
    counts, sums, effort = dict(ticks.cluster_sizes), Effort(), Effort(PARTITION_STEPS)
    sets = {size: PossibleSets(jobs, size, steps, sums, effort) for size in counts}
    row, most = coarse_product(tightest_products(jobs, counts, sums)[0][0])
    measures: list[Measure] = [(row, dict(zip(counts, most, strict=True)))]
    for given in weights:
        ordered = tuple(given[job] for job in jobs.order)
        heaviest = {size: heaviest_cluster_set(can_run, ordered) for size, can_run in sets.items()}
        if sum(ordered) > sum(heaviest[size] for size in ticks.processors):
            return ticks.to_time(makespan + 1)
        measures.append((ordered, heaviest))
    clusters = [sets[size] for size in sorted(ticks.processors)]
    refuted = not Sharing(jobs, clusters, measures, effort).may_succeed()
    return ticks.to_time(makespan + 1) if refuted else Fraction(0)


def heaviest_cluster_set(sets: PossibleSets, weights: Sequence[int]) -> int:
    """Return the maximum weight of a possible set; `weights` of all jobs are at least 0."""
    items = [(job, KnapsackItem(size, weights[job], sets.capacity)) for job, size in sets.sizes.items()]
    rests = suffix_sums((), [item for _, item in items], sets.sums)
    best = 0
    stack = [(0, 0, sets.capacity, 0)]  # next item, weight, room and set so far
    while stack:
        begin, weight, room, found = stack.pop()
        place = begin
        for place in range(begin, len(items)):
            if weight + rests[place].within(room) <= best:
                break
            job, (size, own, _) = items[place]
            if not own or size > room or weight + own + rests[place + 1].within(room - size) <= best:
                continue
            if sets.answer(found | 1 << job) != SET_NO:
                best = max(best, weight + own)
                stack.append((place + 1, weight, room, found))
                stack.append((place + 1, weight + own, room - size, found | 1 << job))
                break
        sets.effort.spend(1 + place - begin)
    return best


class ImpossibleSet(Exception):
    """A cluster cannot run its set: the search returns to that cluster without a conclusion about later ones."""


class Sharing:
    """The search through the partitions of jobs among clusters, which are given by their possible sets.

    The clusters are in the order of their sizes, the smallest first. `effort` limits the total steps.
    """

    def __init__(
        self, jobs: JobsByArea, clusters: Sequence[PossibleSets], measures: Sequence[Measure], effort: Effort
    ) -> None:
        self.effort, self.widths = effort, jobs.widths
        # At most as many clusters as jobs: the largest ones, which can run all sets that others can.
        self.clusters = clusters[-len(jobs.times) :]
        self.weights = list(zip(*(row for row, _ in measures), strict=True))
        self.capacities = {size: tuple(most[size] for _, most in measures) for size in {one.size for one in clusters}}
        self.twins = []  # by job: the bit of the previous equal job
        before: dict[tuple[int, ...], int] = {}
        for place, shape in enumerate(zip(jobs.times, jobs.widths, jobs.deadlines, strict=True)):
            self.twins.append(before.get(shape, 0))
            before[shape] = 1 << place
        # From each job on: maximum weight of the remaining jobs by the last measure, by their sum in the first one.
        (sizes, capacities), (weights, _) = measures[0], measures[-1]
        items = [KnapsackItem(*one, max(capacities.values())) for one in zip(sizes, weights, strict=True)]
        self._rests = suffix_sums((), items, effort)
        self._failed: set[tuple[int, int]] = set()

    def may_succeed(self, cluster: int = 0, waiting: int | None = None, before: tuple[int, ...] = ()) -> bool:
        """Return whether this and later clusters may run the waiting jobs; False if packings refute each partition.

        The jobs `waiting` are given by bits, None for all; the previous clusters have the sets `before`.
        """
        if waiting is None:
            waiting = (1 << len(self.weights)) - 1
        if not waiting:
            self._check_longer(before)
            return True
        if cluster == len(self.clusters) or (cluster, waiting) in self._failed:
            return False
        for members in self._sets(cluster, waiting):
            rest = waiting & ~members
            if cluster + 1 < len(self.clusters) and self._has_room(cluster, members, rest):
                continue
            try:
                if self.may_succeed(cluster + 1, rest, (*before, members)):
                    return True
            except ImpossibleSet as error:
                if error.args != (cluster,):
                    raise
        if len(self._failed) < SHARING_FAILED:
            self._failed.add((cluster, waiting))
        return False

    def _sets(self, cluster: int, waiting: int) -> Iterator[int]:
        """Yield the sets of the waiting jobs that a cluster may take."""
        sets = self.clusters[cluster]
        jobs = [job for job, width in enumerate(self.widths) if waiting >> job & 1 and width <= sets.size]
        takes_first = sets.size == self.clusters[-1].size
        # From each job on: for each measure the maximum unused weight of a set before it takes this job or a later one.
        limits = [tuple(map(sum, zip(*(self.capacities[one.size] for one in self.clusters[cluster:]), strict=True)))]
        for job, weight in enumerate(self.weights):
            if waiting >> job & 1:
                limits[0] = tuple(map(sub, limits[0], weight))
        for job in reversed(jobs):
            limits.append(tuple(map(add, limits[-1], self.weights[job])))
        limits.reverse()
        self.effort.spend(len(jobs))

        def extend(at: int, left: tuple[int, ...], members: int) -> Iterator[int]:
            """Yield the sets that add jobs from position `at` on to these members."""
            while not any(map(gt, left, limits[at])):
                self.effort.spend(1)
                if at == len(jobs):
                    yield members
                    return
                job, at = jobs[at], at + 1
                if left[-1] - self._rests[job].within(left[0]) > limits[-1][-1]:
                    return
                after = tuple(map(sub, left, self.weights[job]))
                is_twin = waiting & ~members & self.twins[job]
                if min(after) >= 0 and not is_twin and sets.answer(members | 1 << job) != SET_NO:
                    yield from extend(at, after, members | 1 << job)
                if takes_first and not members:
                    return

        yield from extend(0, self.capacities[sets.size], 0)

    def _has_room(self, cluster: int, members: int, rest: int) -> bool:
        """Return whether the set can certainly run together with one of the remaining jobs."""
        sets = self.clusters[cluster]
        jobs = [job for job, width in enumerate(self.widths) if rest >> job & 1 and width <= sets.size]
        self.effort.spend(1 + len(jobs) // 10)
        return any(sets.answer(members | 1 << job) == SET_YES for job in jobs)

    def _check_longer(self, shared: tuple[int, ...]) -> None:
        """Raise `ImpossibleSet` for the first cluster whose set a longer search refutes."""
        for cluster, (sets, members) in enumerate(zip(self.clusters, shared, strict=False)):
            if members and sets.refute(members, max(SHARING_STEPS, sets.steps)):
                raise ImpossibleSet(cluster)
