"""Rules for replaying a search log of co-allocation: the instance, and confirmed statements of the certificate."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul, sub
from typing import Any, NamedTuple

from oas.checker.coallocation_heaviest import heaviest_together, read_level_weights
from oas.checker.coallocation_instance import COALLOCATION_MAX_TICKS, CoallocationNodes, CoallocationTicks
from oas.checker.coallocation_together import Together
from oas.checker.effort import Effort
from oas.checker.reading import fields_of, flag_of, integer_of, list_of, refused, rows_of

MOST_LOG_PAIRS = 2**18  # pairs of two (job, level)
MOST_WEIGHTINGS = 50
MOST_WEIGHT = 2**60

LevelWeighting = tuple[Sequence[Sequence[int]], int]  # weights by job and level, maximum of jobs that run together


class LogRules(NamedTuple):
    """The rules of one log."""

    together: Together
    horizon: int  # C, the makespan to be refuted, in ticks
    order: Sequence[int]  # the jobs in the numbering of the log
    mirrored: int  # the job whose middle is in the first half
    classes: Sequence[CoallocationNodes]  # slowest level first; empty if the log does not assign nodes
    sizes: Sequence[int]  # number of nodes of each of these
    apart: Sequence[Sequence[int]]  # [job][level]: bits (job·levels + level) of the pairs that cannot run with it
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
        self.beside = 0  # the running jobs, as bits (job·levels + level)
        self.most = list(together.capacity)  # by level: maximum tasks of another job, by nested capacities
        # Free nodes of each class and free capacity of each link; unused if the log does not assign nodes.
        self.free: Sequence[int] = rules.sizes
        self.links: Sequence[int] = together.links
        for one in running:
            self.beside |= 1 << one.job * levels + one.level
            for level in range(one.level, levels):
                self.most[level] -= together.tasks[one.job]
            self.free = list(map(sub, self.free, one.held))
            self.links = list(map(sub, self.links, one.asked))
        for level in range(levels - 2, -1, -1):
            self.most[level] = min(self.most[level], self.most[level + 1])

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
    weightings = _read_weightings(together, fields["weights"])
    extra, budget = [], []
    for rows, whole in weightings:
        works = [list(map(mul, ticks, weights)) for ticks, weights in zip(scaled.durations, rows, strict=True)]
        least = [min(work[first:]) for work, first in zip(works, together.fastest, strict=True)]
        extra.append([[value - low for value in work] for work, low in zip(works, least, strict=True)])
        budget.append(horizon * whole - sum(least))
    classes = sorted(scaled.classes, key=lambda one: -one.level) if placed else []
    return LogRules(
        together=together,
        horizon=horizon,
        order=order,
        mirrored=mirrored,
        classes=classes,
        sizes=[one.count for one in classes],
        apart=_read_apart(together, fields["apart"]),
        weightings=weightings,
        extra=extra,
        budget=budget,
    )


def _read_weightings(together: Together, value: Any) -> list[LevelWeighting]:
    """Return the sets of weights, after confirming their maxima."""
    weightings: list[LevelWeighting] = []
    for one, where in rows_of(value, "certificate.weights", MOST_WEIGHTINGS):
        fields_of(one, where, "jobs", "whole")
        whole = integer_of(one["whole"], f"{where}.whole", most=MOST_WEIGHT)
        rows = read_level_weights(one["jobs"], f"{where}.jobs", [together.levels] * len(together.tasks), whole)
        possible = [list(enumerate(row))[first:] for row, first in zip(rows, together.fastest, strict=True)]
        if heaviest_together(together, possible, floor=whole) > whole:
            raise refused(f"{where}.whole", "jobs that can run together may weigh more", whole)
        weightings.append((rows, whole))
    return weightings


def _read_apart(together: Together, value: Any) -> list[list[int]]:
    """Return the pairs that cannot run together, after confirming each."""
    levels = together.levels
    apart = [[0] * levels for _ in together.tasks]
    for numbers, where in rows_of(value, "certificate.apart", MOST_LOG_PAIRS):
        job1, level1, job2, level2 = list_of(numbers, where, count=4)
        for job, level in ((job1, level1), (job2, level2)):
            integer_of(job, where, most=len(together.tasks) - 1)
            integer_of(level, where, most=levels - 1)
        if job1 == job2:
            raise refused(where, "must be two different jobs", numbers)
        if together.fits([(job1, level1), (job2, level2)]):
            raise refused(where, "these can run together", numbers)
        apart[job1][level1] |= 1 << job2 * levels + level2
        apart[job2][level2] |= 1 << job1 * levels + level1
    return apart
