"""The bound "partitions": no way to share out the jobs among the clusters lets each run its own by a makespan.

The certificate is ``{"makespan": C, "weights": [[w, …], …], "steps": s, "mirrored": false}``, C in ticks, and for each
of some measures a weight w of each job.

*Theorem.* If in each way to share out the jobs some cluster cannot run its jobs by C, no schedule ends by C.

*Proof.* A schedule is such a way. The search goes through all of them: cluster by cluster, the smallest first, each
takes a set of the jobs that are left. Clusters of one size can be exchanged: let them stand in the order of their first
jobs, those without jobs last. Of all ways that would do, take one whose clusters, in their order, have most jobs, as
words are ordered in a dictionary; where these are as many, the one whose set comes first. Then

- no set has room for one more job, after its first one, that a later cluster has: it could be given away;
- among the last clusters, those of the largest size, each has the first job that is left, and of equal jobs left the
  one that comes first: they could be exchanged;
- let no set that cluster k can run weigh more than W_k by a measure: the clusters leave Σ_k W_k less the weight of all
  jobs unused, so no cluster leaves more of it unused than those before it have left over.

So the search need not look at any other way. Weights make it shorter, but the proof does not rest on them: W_k is found
by a search (`mosp_possible_sets`), as for cluster sets. From a set that a packing of s steps does not decide nothing is
concluded. Deadlines, mirroring and reservations are those of the bound "cluster sets".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from operator import add, getitem, gt, sub
from typing import Any

from oas.checker.effort import Effort
from oas.checker.mosp_branches import PairBranch
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_knapsacks import JobsByArea, WeighedJobs, rest_table, tightest_products
from oas.checker.mosp_packing import SET_NO, SET_YES
from oas.checker.mosp_possible_sets import COARSE, MAX_PACKING_STEPS, PossibleSets
from oas.checker.mosp_weights import read_makespan, read_mirrored, read_weight_lists
from oas.checker.reading import fields_of, integer_of

PARTITION_MEASURES = 3
PARTITION_MAX_WEIGHT = 2**48
PARTITION_STEPS = 1_000_000  # of all searches
PARTITION_THRESHOLDS = 12  # of functions of times and widths
SHARING_FAILED = 2**17  # sets of jobs left that are remembered
SHARING_STEPS = 1_000_000  # of a packing, where all jobs are shared out

# The clusters before: kind and set of jobs of each.
SharedOut = tuple[tuple[int, int], ...]


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
    weights = read_weight_lists(document["weights"], ticks.job_count, PARTITION_MEASURES, PARTITION_MAX_WEIGHT)
    jobs = JobsByArea.of(ticks, makespan, mirrored=mirrored)
    if not jobs.all_in_time:
        return ticks.to_time(makespan + 1)
    counts = {size: ticks.processors.count(size) for size in sorted({*ticks.processors})}
    sums, effort = Effort(), Effort(PARTITION_STEPS)
    kinds = [PossibleSets(jobs, size, steps, sums, effort) for size in counts]
    if len(kinds) == 1:
        (sets,) = kinds
        knapsacks = [(row, [most]) for row, most in zip(zip(*sets.sizes, strict=True), sets.capacities, strict=True)]
    else:
        knapsacks, _ = tightest_products(jobs, counts, PARTITION_THRESHOLDS, sums)
    measures = []
    for row in weights:
        own = [row[job] for job in jobs.order]
        most = [
            one.heaviest(PairBranch(len(one.places), ((), ()), ()), [own[place] for place in one.places], 0)
            for one in kinds
        ]
        measures.append((tuple(own), most))
    order = sorted(list(counts).index(size) for size in ticks.processors)
    search = Sharing(jobs, kinds, order, knapsacks, measures, effort)
    return Fraction(0) if search.may_succeed() else ticks.to_time(makespan + 1)


class ImpossibleSet(Exception):
    """A cluster cannot run the set that it was given: back to it, for nothing is known of the jobs left after it."""

    def __init__(self, cluster: int) -> None:
        super().__init__(cluster)
        self.cluster = cluster


class Sharing:
    """The search through all ways to share out jobs.

    Parameters
    ----------
    jobs
        All jobs.
    kinds
        For each size of clusters, ascending, the sets that its clusters can run.
    clusters
        The kind of each cluster, ascending.
    knapsacks, measures
        Weights of the jobs, and what no set outweighs that a cluster of each kind can run. The knapsacks, one at least,
        tell what can still be gained by the last of all of these.
    effort
        Steps in all.
    """

    def __init__(
        self,
        jobs: JobsByArea,
        kinds: Sequence[PossibleSets],
        clusters: Sequence[int],
        knapsacks: Sequence[WeighedJobs],
        measures: Sequence[WeighedJobs],
        effort: Effort,
    ) -> None:
        self.kinds, self.effort, self.widths = kinds, effort, jobs.widths
        self.areas = [time * width for time, width in zip(jobs.times, jobs.widths, strict=True)]
        # No more clusters than jobs: the largest, which run whatever others do.
        self.clusters = clusters[-len(jobs.times) :]
        rows = [*knapsacks, *measures]
        self.weights = list(zip(*(row for row, _ in rows), strict=True))
        self.capacities = [tuple(most[kind] for _, most in rows) for kind in range(len(kinds))]
        self.twins = []  # the bit of the last job before that equals it
        before: dict[tuple[int, ...], int] = {}
        for place, shape in enumerate(zip(jobs.times, jobs.widths, jobs.deadlines, strict=True)):
            self.twins.append(before.get(shape, 0))
            before[shape] = 1 << place
        tables = []
        for row, most in knapsacks:
            effort.spend(len(row) * ((max(most) >> COARSE) + 1))
            tables.append(rest_table(rows[-1][0], [one >> COARSE for one in row], max(most) >> COARSE))
        # [job][knapsack][room]: the most that this job and those after it weigh by the last measure.
        self.rest = list(zip(*tables, strict=True))
        self._failed: dict[int, int] = {}

    def may_succeed(self) -> bool:
        """Return whether there may be a way to share out all jobs, as far as the packings tell.

        Raises
        ------
        Refused
            If the effort is used up.
        """
        budget = tuple(map(sum, zip(*(self.capacities[kind] for kind in self.clusters), strict=True)))
        for one in self.weights:
            budget = tuple(map(sub, budget, one))
        return min(budget) >= 0 and self._share(0, (1 << len(self.weights)) - 1, budget, ())

    def _share(self, cluster: int, waiting: int, budget: tuple[int, ...], before: SharedOut) -> bool:
        """Return whether the jobs left, in bits, may be shared out among the clusters from this one on.

        The budget is what these clusters may leave unused by each measure.
        """
        kind = self.clusters[cluster]
        sets, is_last, begin = self.kinds[kind], kind == len(self.kinds) - 1, 0
        if cluster and self.clusters[cluster - 1] == kind and not is_last:
            set_before = before[-1][1]
            begin = (set_before & -set_before).bit_length() or len(self.widths)
        jobs = [job for job in range(begin, len(self.widths)) if waiting >> job & 1 and self.widths[job] <= sets.size]
        limits = [budget]  # what may be left before this job or one after it is taken
        for job in reversed(jobs):
            limits.append(tuple(map(add, limits[-1], self.weights[job])))
        limits.reverse()
        self.effort.spend(len(jobs))
        look: Callable[[Any, int], int] = getitem

        def grow(begin: int, left: tuple[int, ...], found: int, area: int) -> bool:
            """Try all sets that add jobs from a place on to the ones found."""
            need, coarse = left[-1] - budget[-1], [one >> COARSE for one in left]
            for at in range(begin, len(jobs)):
                job = jobs[at]
                self.effort.spend(1)
                if any(map(gt, left, limits[at])) or min(map(look, self.rest[job], coarse)) < need:
                    return False
                if is_last and at and not found:
                    return False  # the first job left is this cluster's
                after = tuple(map(sub, left, self.weights[job]))
                if min(after) < 0 or (is_last and waiting & ~found & self.twins[job]):
                    continue
                grown, covered = found | 1 << job, area + self.areas[job]
                if 2 * covered >= sets.size * sets.makespan and sets.answer(grown) == SET_NO:
                    continue
                if grow(at + 1, after, grown, covered):
                    return True
            return close(left, found)

        def close(left: tuple[int, ...], found: int) -> bool:
            """Let the clusters after this one share out the rest."""
            if any(map(gt, left, budget)) or (found and sets.answer(found) == SET_NO):
                return False
            following, rest, shared = cluster + 1, waiting & ~found, (*before, (kind, found))
            if following < len(self.clusters) and has_room(left, found):
                return False
            try:
                if not rest:
                    self._check_longer(shared)
                    return True
                if following == len(self.clusters) or self._failed.get(rest, following + 1) <= following:
                    return False
                return self._share(following, rest, tuple(map(sub, budget, left)), shared)
            except ImpossibleSet as error:
                if error.cluster != cluster:
                    raise
                return False

        def has_room(left: tuple[int, ...], found: int) -> bool:
            """Whether the set can certainly run with one more of the jobs left, after its first."""
            for job in jobs:
                is_left = job >= (found & -found).bit_length() and not found >> job & 1
                if is_left and min(map(sub, left, self.weights[job])) >= 0:
                    self.effort.spend(1)
                    if sets.answer(found | 1 << job) == SET_YES:
                        return True
            return False

        if grow(0, self.capacities[kind], 0, 0):
            return True
        depends_on_before = cluster and not is_last and kind == self.clusters[cluster - 1]
        if not depends_on_before and (waiting in self._failed or len(self._failed) < SHARING_FAILED):
            self._failed[waiting] = min(cluster, self._failed.get(waiting, cluster))
        return False

    def _check_longer(self, shared: SharedOut) -> None:
        """Raise `ImpossibleSet` for the first cluster that cannot run its set, as a longer search shows."""
        for cluster, (kind, found) in enumerate(shared):
            own = self.kinds[kind]
            if found and own.searched(found, max(SHARING_STEPS, own.steps)) == SET_NO:
                own.rule_out(found)
                raise ImpossibleSet(cluster)
