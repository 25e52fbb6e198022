"""The bound "partitions": no way to share out the jobs among the clusters lets each run its own by a makespan.

The certificate is ``{"makespan": C, "weights": [[w, …], …], "steps": s, "mirrored": false}``, C in ticks, and for each
of some measures a weight w of each job. That of the bound "cluster sets" has one measure, ``"weights": [w, …]``.

*Theorem.* If in each way to share out the jobs some cluster cannot run its jobs by C, no schedule ends by C.

*Proof.* A schedule is such a way. The search goes through all of them: cluster by cluster, the smallest first, each
takes a set of the jobs that are left; the largest ones stand in the order of their first jobs, for they can be
exchanged. Of all ways that would do take one whose first cluster has most jobs, and of those one whose set comes first,
as words are ordered in a dictionary; then the same of the second cluster, and so on. Then

- no set has room for one more job that is left: it could be given away;
- of equal jobs that are left the one that comes first is taken: they could be exchanged;
- among the clusters of the largest size each has the first job that is left;
- let no set that cluster k can run weigh more than W_k by a measure: the clusters leave Σ_k W_k less the weight of all
  jobs unused, so no cluster leaves more of it unused than those before it have left over. If all jobs weigh more than
  Σ_k W_k, there is no way.

So the search need not look at any other way. Weights make it shorter, but the proof does not rest on them: W_k is found
by a search through all sets, which leaves out those that do not fit into knapsacks or that a packing refutes
(`mosp_possible_sets`). Nothing is concluded from a set that a packing of s steps does not decide. Deadlines come from C
and from locality. Mirrored, a schedule is read backwards from C: then each job has to end by C less its release, and
locality is left out. Reservations are always left out: without them there are more schedules.
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
PARTITION_STEPS = 1_000_000  # of all searches
SHARING_FAILED = 2**17  # sets of jobs left that are remembered
SHARING_STEPS = 1_000_000  # of a packing, where all jobs are shared out

# Weights of the jobs, and the greatest weight of a set that a cluster of each size can run.
Measure = tuple[Sequence[int], Mapping[int, int]]


def check_mosp_cluster_sets(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    document = fields_of(certificate, "certificate", "makespan", "weights", "steps", "mirrored")
    return check_mosp_partitions(instance, {**document, "weights": [document["weights"]]}, searches=False)


def check_mosp_partitions(instance: MospInstance, certificate: object, *, searches: bool = True) -> Fraction:
    """Return the same of partitions, for which all ways to share out the jobs are searched if no weights suffice."""
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
    for one in weights:
        own = tuple(one[job] for job in jobs.order)
        heaviest = {size: heaviest_cluster_set(can_run, own) for size, can_run in sets.items()}
        if sum(own) > sum(heaviest[size] for size in ticks.processors):
            return ticks.to_time(makespan + 1)
        measures.append((own, heaviest))
    clusters = [sets[size] for size in sorted(ticks.processors)]
    refuted = searches and not Sharing(jobs, clusters, measures, effort).may_succeed()
    return ticks.to_time(makespan + 1) if refuted else Fraction(0)


def heaviest_cluster_set(sets: PossibleSets, weights: Sequence[int]) -> int:
    """Return the weight of the heaviest set that may run; weights, of all jobs, are at least 0."""
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
    """A cluster cannot run its set: the search returns to it, and concludes nothing about the jobs left after it."""


class Sharing:
    """The search through all ways to share out jobs among clusters, each given by the sets that it can run.

    The clusters are in the order of their sizes, the smallest first. `effort` has the steps in all.
    """

    def __init__(
        self, jobs: JobsByArea, clusters: Sequence[PossibleSets], measures: Sequence[Measure], effort: Effort
    ) -> None:
        self.effort, self.widths = effort, jobs.widths
        # No more clusters than jobs: the largest, which run whatever others do.
        self.clusters = clusters[-len(jobs.times) :]
        self.weights = list(zip(*(row for row, _ in measures), strict=True))
        self.capacities = {size: tuple(most[size] for _, most in measures) for size in {one.size for one in clusters}}
        self.twins = []  # the bit of the last job before that equals it
        before: dict[tuple[int, ...], int] = {}
        for place, shape in enumerate(zip(jobs.times, jobs.widths, jobs.deadlines, strict=True)):
            self.twins.append(before.get(shape, 0))
            before[shape] = 1 << place
        # For each job what it and those after it weigh at most by the last measure, by their sum in the first one.
        (sizes, capacities), (weights, _) = measures[0], measures[-1]
        items = [KnapsackItem(*one, max(capacities.values())) for one in zip(sizes, weights, strict=True)]
        self._rests = suffix_sums((), items, effort)
        self._failed: set[tuple[int, int]] = set()

    def may_succeed(self, cluster: int = 0, waiting: int | None = None, before: tuple[int, ...] = ()) -> bool:
        """Return whether there may be a way to share out jobs among clusters, as far as the packings tell.

        The jobs are given by bits, None for all; the clusters begin with this one, those before it have the sets
        `before`.
        """
        if waiting is None:
            waiting = (1 << len(self.weights)) - 1
        if not waiting:
            self._check_longer(before)
            return True
        if cluster == len(self.clusters) or (cluster, waiting) in self._failed:
            return False
        for found in self._sets(cluster, waiting):
            rest = waiting & ~found
            if cluster + 1 < len(self.clusters) and self._has_room(cluster, found, rest):
                continue
            try:
                if self.may_succeed(cluster + 1, rest, (*before, found)):
                    return True
            except ImpossibleSet as error:
                if error.args != (cluster,):
                    raise
        if len(self._failed) < SHARING_FAILED:
            self._failed.add((cluster, waiting))
        return False

    def _sets(self, cluster: int, waiting: int) -> Iterator[int]:
        """Yield the sets of the jobs left that a cluster may take."""
        sets = self.clusters[cluster]
        jobs = [job for job, width in enumerate(self.widths) if waiting >> job & 1 and width <= sets.size]
        takes_first = sets.size == self.clusters[-1].size
        # For each job, the most of each measure that a set may have left before it takes this job or a later one.
        limits = [tuple(map(sum, zip(*(self.capacities[one.size] for one in self.clusters[cluster:]), strict=True)))]
        for job, weight in enumerate(self.weights):
            if waiting >> job & 1:
                limits[0] = tuple(map(sub, limits[0], weight))
        for job in reversed(jobs):
            limits.append(tuple(map(add, limits[-1], self.weights[job])))
        limits.reverse()
        self.effort.spend(len(jobs))

        def grown(at: int, left: tuple[int, ...], found: int) -> Iterator[int]:
            """Yield the sets that add jobs from a place on to the ones found."""
            while not any(map(gt, left, limits[at])):
                self.effort.spend(1)
                if at == len(jobs):
                    yield found
                    return
                job, at = jobs[at], at + 1
                if left[-1] - self._rests[job].within(left[0]) > limits[-1][-1]:
                    return
                after = tuple(map(sub, left, self.weights[job]))
                is_twin = waiting & ~found & self.twins[job]
                if min(after) >= 0 and not is_twin and sets.answer(found | 1 << job) != SET_NO:
                    yield from grown(at, after, found | 1 << job)
                if takes_first and not found:
                    return

        yield from grown(0, self.capacities[sets.size], 0)

    def _has_room(self, cluster: int, found: int, rest: int) -> bool:
        """Return whether the set can certainly run with one more of the jobs left."""
        sets = self.clusters[cluster]
        jobs = [job for job, width in enumerate(self.widths) if rest >> job & 1 and width <= sets.size]
        self.effort.spend(1 + len(jobs) // 10)
        return any(sets.answer(found | 1 << job) == SET_YES for job in jobs)

    def _check_longer(self, shared: tuple[int, ...]) -> None:
        """Raise `ImpossibleSet` for the first cluster that cannot run its set, as a longer search shows."""
        for cluster, (sets, found) in enumerate(zip(self.clusters, shared, strict=False)):
            if found and sets.refute(found, max(SHARING_STEPS, sets.steps)):
                raise ImpossibleSet(cluster)
