"""What each job of co-allocation may choose from where saturated links slow jobs down: its options.

An option of a job says how many nodes of each class it takes. Options are numbered in lexicographic order of these
counts, classes by cluster, then fastest first; those that a link forbids on an empty grid are left out. Times are in
slots, without slots in units of time.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from math import ceil
from typing import NamedTuple

from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.coallocation_rules import LinkUser, progress_rates
from oas.checker.coallocation_spread import node_counts
from oas.checker.effort import Effort
from oas.checker.reading import refused

MOST_OPTIONS = 20_000  # of all jobs together

OptionItem = tuple[int, int]  # a job, and the number of one of its options


class SlowedOption(NamedTuple):
    """An option."""

    counts: tuple[int, ...]  # nodes of each class
    loads: tuple[int, ...]  # on each cluster's link, in the unit of the scaled instance
    user: LinkUser
    fastest: Fraction  # the time that the job takes if no link is too narrow, not rounded to slots
    alone: Fraction  # the same if the job runs alone
    slots: int  # with slots, how many it takes at least; 1 otherwise


class SlowedOptions:
    """The options of all jobs; an instance with a job that has none, or with more than `MOST_OPTIONS`, is refused."""

    def __init__(self, instance: CoallocationInstance, effort: Effort) -> None:
        self.instance, self.scaled, self.effort = instance, instance.scaled(), effort
        self.slotted = instance.slot > 0
        self.span = instance.slot if self.slotted else Fraction(1)  # the time that steps count
        self.sizes = tuple(one.count for one in self.scaled.classes)
        self.rows: list[list[SlowedOption]] = []
        left = MOST_OPTIONS
        for job, loads in enumerate(self.scaled.link_loads):
            choices = node_counts(self.scaled.classes, loads, self.sizes, self.scaled.link_capacity, effort)
            row = list(islice(choices, left + 1))[::-1]
            left -= len(row)
            if left < 0:
                raise refused("certificate", f"more than {MOST_OPTIONS:,} allocations in all")
            if not row:
                raise refused("certificate", f"job {job} has no allocation")
            self.rows.append([self._option(job, counts, asked) for counts, asked in row])

    def _option(self, index: int, counts: tuple[int, ...], loads: tuple[int, ...]) -> SlowedOption:
        level = max(one.level for one, count in zip(self.scaled.classes, counts, strict=True) if count)
        job, power = self.instance.jobs[index], self.scaled.powers[level]
        user = LinkUser(job, power, {link: load for link, load in enumerate(loads) if load})
        alone = 1 / self.progress([user])[0]
        fastest = job.duration(power, Fraction(0)) / self.span
        return SlowedOption(counts, loads, user, fastest, alone, ceil(alone) if self.slotted else 1)

    def progress(self, users: Sequence[LinkUser]) -> list[Fraction]:
        """Return the progress of each in a slot, or in a unit of time, in which they run together."""
        rates = progress_rates(users, self.scaled.link_bandwidth, self.instance.saturation.sharing)
        return [rate * self.span for rate in rates]
