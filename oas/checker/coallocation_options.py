"""What each job of co-allocation may choose from where saturated links slow jobs down: its options.

An option of a job says how many nodes of each class it takes; options are numbered in lexicographic order of these
counts, classes by cluster, then fastest first, and those that a link forbids on an empty grid are left out. At slowdown
SC the job takes computing + sending·SC with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice
from math import ceil, lcm
from typing import NamedTuple

from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.coallocation_spread import node_counts
from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.link_sharing import LinkUser, progress_rates

MOST_OPTIONS = 20_000
"""Of all jobs together."""

OptionItem = tuple[int, int]
"""A job, and the number of one of its options."""


class SlowedOption(NamedTuple):
    """An option.

    Attributes
    ----------
    counts, loads
        Nodes of each class, and the load on each cluster's link in the unit of the scaled instance.
    user
        The same for `oas.checker.link_sharing`.
    computing, sending
        Tb·σ/Γ and Tb·(1 − σ) in the unit of `SlowedOptions`.
    alone
        What the job takes alone, in slots or units of time, with slots not rounded.
    slots
        With slots, how many it takes at least; 1 otherwise.
    """

    counts: tuple[int, ...]
    loads: tuple[int, ...]
    user: LinkUser
    computing: int
    sending: int
    alone: Fraction
    slots: int


class SlowedOptions:
    """The options of all jobs.

    Attributes
    ----------
    rows
        Of each job.
    span
        A slot, or a unit of time without slots.
    unit, step
        Times are multiples of 1 / unit; a span has `step` of these.
    slotted
        Whether there are slots.

    Raises
    ------
    Refused
        If a job has none, or there are more than `MOST_OPTIONS`.
    """

    def __init__(self, instance: CoallocationInstance, effort: Effort) -> None:
        self.instance, self.scaled, self.effort = instance, instance.scaled(), effort
        self.slotted = instance.slot > 0
        self.span = instance.slot if self.slotted else Fraction(1)
        powers = self.scaled.powers
        times = [
            [(job.base_time * job.sigma / power, job.base_time * (1 - job.sigma)) for power in powers]
            for job in instance.jobs
        ]
        self.unit = lcm(self.span.denominator, *(one.denominator for row in times for pair in row for one in pair))
        self.step = int(self.span * self.unit)
        self.rows: list[list[SlowedOption]] = []
        classes, links = self.scaled.classes, self.scaled.link_capacity
        left = MOST_OPTIONS
        for job, row in enumerate(times):
            choices = node_counts(classes, self.scaled.link_loads[job], [one.count for one in classes], links, effort)
            own = list(islice(choices, left + 1))[::-1]
            left -= len(own)
            if left < 0:
                raise refused("certificate", f"more than {MOST_OPTIONS:,} allocations in all")
            if not own:
                raise refused("certificate", f"job {job} has no allocation")
            self.rows.append([self._option(job, counts, loads, row) for counts, loads in own])

    def _option(
        self, job: int, counts: tuple[int, ...], loads: tuple[int, ...], times: Sequence[tuple[Fraction, Fraction]]
    ) -> SlowedOption:
        level = max(one.level for one, count in zip(self.scaled.classes, counts, strict=True) if count)
        asked = {link: load for link, load in enumerate(loads) if load}
        user = LinkUser(self.instance.jobs[job], self.scaled.powers[level], asked)
        alone = 1 / self._progress([user])[0]
        computing, sending = (int(time * self.unit) for time in times[level])
        return SlowedOption(counts, loads, user, computing, sending, alone, ceil(alone) if self.slotted else 1)

    def _progress(self, users: Sequence[LinkUser]) -> list[Fraction]:
        rates = progress_rates(users, self.scaled.link_bandwidth, self.instance.saturation.sharing)
        return [rate * self.span for rate in rates]

    def progress(self, items: Sequence[OptionItem]) -> list[Fraction]:
        """Return the progress of each in a slot, or in a unit of time, in which they run together."""
        return self._progress([self.rows[job][option].user for job, option in items])

    def to_time(self, steps: Fraction) -> Fraction:
        """Return slots or units of time in the instance's time unit; part of a slot counts as a whole one."""
        return ceil(steps) * self.span if self.slotted else steps
