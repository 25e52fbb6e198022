"""Rules for replaying a search log of co-allocation: the instance, and confirmed statements of the certificate."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import mul, sub
from typing import Any, NamedTuple

from oas.checker.coallocation_heaviest import heaviest_together, read_level_weights
from oas.checker.coallocation_instance import COALLOCATION_MAX_TICKS, CoallocationNodes, CoallocationTicks
from oas.checker.coallocation_together import LeveledJob, Together
from oas.checker.effort import Effort
from oas.checker.reading import fields_of, flag_of, integer_of, list_of, refused, rows_of

MOST_LOG_PAIRS = 2**18  # pairs of two (job, level)
MOST_LARGE_APART = 1000  # sets of three or more jobs that cannot run together
MOST_WEIGHTINGS = 50
MOST_WEIGHT = 2**60

LevelWeighting = tuple[Sequence[Sequence[int]], int]  # weights by job and level, maximum of jobs that run together


class ApartSets:
    """Sets of jobs, each at a level, that cannot run at the same moment at these levels or faster ones.

    A running job is represented by the bits of its level and all slower ones, so that a set is contained in the running
    jobs if all its bits are.
    """

    def __init__(self, jobs: int, levels: int) -> None:
        self.levels = levels
        self.pairs = [[0] * levels for _ in range(jobs)]  # [job][level]: bits of the other member of each pair
        self.larger: list[list[list[int]]] = [[[] for _ in range(levels)] for _ in range(jobs)]  # bits of all others

    def add(self, items: Sequence[LeveledJob]) -> None:
        """Add a set of two or more jobs."""
        for job, level in items:
            others = sum([1 << other * self.levels + slowest for other, slowest in items if other != job])
            for faster in range(level + 1):
                if len(items) == 2:
                    self.pairs[job][faster] |= others
                else:
                    self.larger[job][faster].append(others)

    def bits(self, job: int, level: int) -> int:
        """Return the bits of a running job."""
        return (1 << self.levels) - (1 << level) << job * self.levels

    def allow(self, job: int, level: int, beside: int) -> bool:
        """Return whether the job completes no set with the running jobs, given by their bits."""
        return not self.pairs[job][level] & beside and all(
            [others & ~beside for others in self.larger[job][level]]  # a list: no generator to start
        )


class LogRules(NamedTuple):
    """The rules of one log."""

    together: Together
    horizon: int  # C, the makespan to be refuted, in ticks
    order: Sequence[int]  # the jobs in the numbering of the log
    mirrored: int  # the job whose middle is in the first half
    classes: Sequence[CoallocationNodes]  # slowest level first; empty if the log does not assign nodes
    sizes: Sequence[int]  # number of nodes of each of these
    apart: ApartSets
    weightings: Sequence[LevelWeighting]
    extra: Sequence[Sequence[Sequence[int]]]  # [weighting][job][level]: weight × time, minus the job's minimum
    budget: Sequence[int]  # by weighting: the amount that a schedule of C ticks may waste


class RunningJob(NamedTuple):
    """A running job on the path."""

    end: int
    job: int
    level: int
    held: tuple[int, ...]  # nodes of each class; empty if the log does not assign nodes
    asked: tuple[int, ...]  # load on each link; empty if the log does not assign nodes


class GridLeft:
    """The nodes and link capacities that running jobs leave free."""

    def __init__(self, rules: LogRules, running: Sequence[RunningJob]) -> None:
        together = rules.together
        levels = together.levels
        self.apart, self.beside = rules.apart, 0  # the running jobs, as bits of `ApartSets`
        self.most = list(together.capacity)  # by level: maximum tasks of another job, by nested capacities
        # Free nodes of each class and free capacity of each link; unused if the log does not assign nodes.
        self.free: Sequence[int] = rules.sizes
        self.links: Sequence[int] = together.links
        # By set of weights: the part of M that the running jobs do not use.
        self.idle = [whole - sum([rows[one.job][one.level] for one in running]) for rows, whole in rules.weightings]
        for one in running:
            self.beside |= self.apart.bits(one.job, one.level)
            for level in range(one.level, levels):
                self.most[level] -= together.tasks[one.job]
            self.free = list(map(sub, self.free, one.held))
            self.links = list(map(sub, self.links, one.asked))
        for level in range(levels - 2, -1, -1):
            self.most[level] = min(self.most[level], self.most[level + 1])

    def allows(self, job: int, tasks: int, level: int) -> bool:
        """Return whether a job is allowed by nested capacities and the sets that are apart."""
        return tasks <= self.most[level] and self.apart.allow(job, level, self.beside)

    def has_nodes(self, held: Sequence[int], asked: Sequence[int]) -> bool:
        """Return whether these nodes and link capacities are free."""
        return not any(map(int.__lt__, self.free, held)) and not any(map(int.__lt__, self.links, asked))


def read_log_rules(scaled: CoallocationTicks, fields: dict[str, Any], effort: Effort) -> LogRules:
    """Return the rules of a log from its fields, confirmed by the instance."""
    jobs, levels = len(scaled.tasks), len(scaled.powers)
    horizon = integer_of(fields["makespan"], "certificate.makespan", most=COALLOCATION_MAX_TICKS - 1)
    placed = flag_of(fields["placed"], "certificate.placed")
    order = list_of(fields["order"], "certificate.order", count=jobs)
    if len({integer_of(job, "certificate.order", most=jobs - 1) for job in order}) < jobs:
        raise refused("certificate.order", "must hold each job once")
    mirrored = integer_of(fields["mirrored"], "certificate.mirrored", most=jobs - 1)
    if (jobs * levels) ** 2 > MOST_LOG_PAIRS:
        raise refused("certificate", f"{jobs} jobs of {levels} levels are too many")
    together = Together(scaled, effort)
    apart = _read_apart(together, fields["apart"])
    weightings = _read_weightings(together, fields["weights"], None if placed else apart)
    return log_rules(together, horizon, placed, order, mirrored, apart, weightings)


def log_rules(
    together: Together,
    horizon: int,
    placed: bool,
    order: Sequence[int],
    mirrored: int,
    apart: ApartSets,
    weightings: Sequence[LevelWeighting],
) -> LogRules:
    """Return rules with the costs of levels and the budgets of waste that follow from the weightings."""
    extra, budget = [], []
    for rows, whole in weightings:
        works = [list(map(mul, ticks, weights)) for ticks, weights in zip(together.scaled.durations, rows, strict=True)]
        least = [min(work[first:]) for work, first in zip(works, together.fastest, strict=True)]
        extra.append([[value - low for value in work] for work, low in zip(works, least, strict=True)])
        budget.append(horizon * whole - sum(least))
    classes = sorted(together.scaled.classes, key=lambda one: -one.level) if placed else []
    return LogRules(
        together=together,
        horizon=horizon,
        order=order,
        mirrored=mirrored,
        classes=classes,
        sizes=[one.count for one in classes],
        apart=apart,
        weightings=weightings,
        extra=extra,
        budget=budget,
    )


def most_weight(together: Together, weights: Sequence[Sequence[int]], apart: ApartSets | None, floor: int = 0) -> int:
    """Return the maximum weight of a running set of the tree, or an upper bound on it; at least `floor`.

    `apart`: for a tree that does not assign nodes; its running sets need not fit, and may be heavier than those that
    do. None for a tree that assigns nodes.
    """

    def allowed(items: Sequence[LeveledJob]) -> bool:
        assert apart is not None
        beside, used = 0, [0] * together.levels
        for job, level in items:
            if not apart.allow(job, level, beside):
                return False
            beside |= apart.bits(job, level)
            used[level] += together.tasks[job]
        return all(map(int.__le__, accumulate(used), together.capacity))

    possible = [list(enumerate(row))[first:] for row, first in zip(weights, together.fastest, strict=True)]
    return heaviest_together(together, possible, floor, None if apart is None else allowed)


def _read_weightings(together: Together, value: Any, apart: ApartSets | None) -> list[LevelWeighting]:
    """Return the sets of weights, after confirming their maxima."""
    weightings: list[LevelWeighting] = []
    for one, where in rows_of(value, "certificate.weights", MOST_WEIGHTINGS):
        fields_of(one, where, "jobs", "whole")
        whole = integer_of(one["whole"], f"{where}.whole", most=MOST_WEIGHT)
        rows = read_level_weights(one["jobs"], f"{where}.jobs", [together.levels] * len(together.tasks), whole)
        if most_weight(together, rows, apart, floor=whole) > whole:
            raise refused(f"{where}.whole", "jobs that run together in the tree may weigh more", whole)
        weightings.append((rows, whole))
    return weightings


def _read_apart(together: Together, value: Any) -> ApartSets:
    """Return the sets of jobs that cannot run together, after confirming each."""
    jobs, levels = len(together.tasks), together.levels
    apart, large = ApartSets(jobs, levels), 0
    for rows, where in rows_of(value, "certificate.apart", MOST_LOG_PAIRS):
        items = []
        for numbers, place in rows_of(rows, where, jobs):
            job, level = list_of(numbers, place, count=2)
            items.append((integer_of(job, place, most=jobs - 1), integer_of(level, place, most=levels - 1)))
        if len(items) < 2 or len({job for job, _ in items}) < len(items):
            raise refused(where, "must be two or more different jobs", rows)
        large += len(items) > 2
        if large > MOST_LARGE_APART:
            raise refused("certificate.apart", f"more than {MOST_LARGE_APART:,} sets of three or more jobs")
        if together.fits(items):
            raise refused(where, "these can run together, or the search for a division is too long", rows)
        apart.add(items)
    return apart
