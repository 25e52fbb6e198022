"""Rules by which a search log of co-allocation is walked: the instance, and confirmed statements of the certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from oas.checker.coallocation_heaviest import read_weightings
from oas.checker.coallocation_instance import COALLOCATION_MAX_TICKS, CoallocationNodes, CoallocationTicks
from oas.checker.coallocation_spread import fastest_levels
from oas.checker.coallocation_together import Together
from oas.checker.effort import Effort
from oas.checker.reading import flag_of, integer_of, list_of, refused, rows_of

MOST_LOG_PAIRS = 2**18  # (job, level) twice

Amounts = tuple[int, ...]


@dataclass(frozen=True)
class LogRules:
    """The rules of one log: the instance, and confirmed statements of the certificate."""

    scaled: CoallocationTicks
    horizon: int  # C, the makespan to be refuted, in ticks
    order: Sequence[int]  # the jobs in the order in which the log numbers them
    mirrored: int  # the job whose middle is in the first half
    fastest: Sequence[int]  # the least level of each job
    room: Sequence[int]  # of each level, the nodes of it or a faster one
    classes: Sequence[CoallocationNodes] | None  # from the slowest level on; None if nodes are not decided
    apart: Sequence[Sequence[int]]  # [job][level]: bits (other·levels + its level) of what cannot run beside it
    weights: Sequence[Sequence[Amounts]]  # [job][level]: by each set of weights
    whole: Amounts  # by each set of weights, M

    @cached_property
    def least(self) -> list[Amounts]:
        """Of each job, by each set of weights, its weight over its time at its cheapest level."""
        rows = zip(self.scaled.durations, self.weights, self.fastest, strict=True)
        return [
            tuple(map(min, zip(*[[time * one for one in own] for time, own in levels], strict=True)))
            for levels in (list(zip(ticks, weights, strict=True))[first:] for ticks, weights, first in rows)
        ]

    @cached_property
    def extra(self) -> list[list[Amounts]]:
        """[job][level]: by each set of weights, how much more than `least` the job weighs over its time."""
        return [
            [
                tuple([time * weight - low for weight, low in zip(own, least, strict=True)])
                for time, own in zip(ticks, weights, strict=True)
            ]
            for ticks, weights, least in zip(self.scaled.durations, self.weights, self.least, strict=True)
        ]

    @cached_property
    def budget(self) -> Amounts:
        """By each set of weights, the amount that a schedule of C ticks may waste."""
        works = map(sum, zip(*self.least, strict=True))
        return tuple([self.horizon * whole - work for whole, work in zip(self.whole, works, strict=True)])


class RunningJob(NamedTuple):
    """A job on the path."""

    end: int
    job: int
    level: int
    held: Amounts  # nodes of each class
    asked: Amounts  # load on each link


class GridLeft:
    """What running jobs leave of the grid."""

    def __init__(self, rules: LogRules, running: Sequence[RunningJob]) -> None:
        levels, tasks = len(rules.room), rules.scaled.tasks
        self.most = list(rules.room)  # of each level: the tasks that a job of it may have, by nested capacities
        self.beside = 0  # what runs, as bits (job·levels + level)
        for one in running:
            self.beside |= 1 << one.job * levels + one.level
            for level in range(one.level, levels):
                self.most[level] -= tasks[one.job]
        for level in range(levels - 2, -1, -1):
            self.most[level] = min(self.most[level], self.most[level + 1])
        # Nodes of each class, and of each link; none if nodes are not decided.
        self.free: Sequence[int] = ()
        self.links: Sequence[int] = ()
        if rules.classes is not None:
            self.free, self.links = [one.count for one in rules.classes], rules.scaled.link_capacity
            for one in running:
                self.free = list(map(int.__sub__, self.free, one.held))
                self.links = list(map(int.__sub__, self.links, one.asked))

    def has_nodes(self, held: Sequence[int], asked: Sequence[int]) -> bool:
        """Return whether these nodes are free, and the links take what is asked of them."""
        return not any(map(int.__lt__, self.free, held)) and not any(map(int.__lt__, self.links, asked))


def read_log_rules(scaled: CoallocationTicks, fields: dict[str, Any], effort: Effort) -> LogRules:
    """Return the rules of a log, as its fields state them and the instance confirms them."""
    jobs, levels = scaled.job_count, len(scaled.powers)
    horizon = integer_of(fields["makespan"], "certificate.makespan", most=COALLOCATION_MAX_TICKS - 1)
    placed = flag_of(fields["placed"], "certificate.placed")
    order = list_of(fields["order"], "certificate.order", count=jobs)
    if len({integer_of(job, "certificate.order", most=jobs - 1) for job in order}) < jobs:
        raise refused("certificate.order", "must hold each job once")
    mirrored = integer_of(fields["mirrored"], "certificate.mirrored", most=jobs - 1)
    if (jobs * levels) ** 2 > MOST_LOG_PAIRS:
        raise refused("certificate", f"{jobs} jobs of {levels} levels are too many")
    fastest, together = fastest_levels(scaled), Together(scaled, effort)
    weightings = read_weightings(fields["weights"], fastest, together)
    return LogRules(
        scaled=scaled,
        horizon=horizon,
        order=order,
        mirrored=mirrored,
        fastest=fastest,
        room=together.capacity,
        classes=sorted(scaled.classes, key=lambda one: -one.level) if placed else None,
        apart=_read_apart(together, fields["apart"]),
        weights=[[tuple(rows[job][level] for rows, _ in weightings) for level in range(levels)] for job in range(jobs)],
        whole=tuple(whole for _, whole in weightings),
    )


def _read_apart(together: Together, value: Any) -> list[list[int]]:
    """Return the pairs that cannot run together, each confirmed."""
    jobs, levels = len(together.tasks), together.levels
    apart = [[0] * levels for _ in range(jobs)]
    for one, where in rows_of(value, "certificate.apart", MOST_LOG_PAIRS):
        job, level, other, below = (
            integer_of(entry, where, most=most - 1)
            for entry, most in zip(list_of(one, where, count=4), (jobs, levels) * 2, strict=True)
        )
        if job == other:
            raise refused(where, "must be different jobs", one)
        if together.fits([(job, level), (other, below)]):
            raise refused(where, "these can run together", one)
        apart[job][level] |= 1 << other * levels + below
        apart[other][below] |= 1 << job * levels + level
    return apart
