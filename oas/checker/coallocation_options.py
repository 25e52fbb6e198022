"""What each job of co-allocation may choose from where saturated links slow jobs down: its options.

An option of a job says how many nodes of each class it takes; options are numbered in lexicographic order of these
counts, classes by cluster, then fastest first, and those that a link forbids on an empty grid are left out. At slowdown
SC the job takes computing + sending·SC with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, lcm
from typing import NamedTuple

from oas.checker.coallocation_instance import CoallocationInstance, CoallocationTicks
from oas.checker.effort import Effort
from oas.checker.errors import Refused, refused
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
    computing, sending
        Tb·σ/Γ and Tb·(1 − σ) in the unit of `SlowedOptions`.
    alone
        What the job takes alone, in slots or units of time, with slots not rounded.
    slots
        With slots, how many it takes at least; 1 otherwise.
    user
        The same for `oas.checker.link_sharing`.
    """

    counts: tuple[int, ...]
    loads: tuple[int, ...]
    computing: int
    sending: int
    alone: Fraction
    slots: int
    user: LinkUser


class SlowedOptions:
    """The options of all jobs.

    Attributes
    ----------
    rows
        Of each job.
    unit, step
        Times are multiples of 1 / unit; a slot, or a unit of time without slots, has `step` of these.
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
        left = MOST_OPTIONS
        for job, row in enumerate(times):
            own = []
            for counts in option_counts(self.scaled, job, effort):
                left -= 1
                if left < 0:
                    raise refused("certificate", f"more than {MOST_OPTIONS:,} allocations in all")
                own.append(self._option(job, counts, row))
            if not own:
                raise refused("certificate", f"job {job} has no allocation")
            self.rows.append(own)

    def _option(self, job: int, counts: tuple[int, ...], times: Sequence[tuple[Fraction, Fraction]]) -> SlowedOption:
        scaled, own = self.scaled, self.instance.jobs[job]
        inside = [0] * scaled.cluster_count
        level = 0
        for one, count in zip(scaled.classes, counts, strict=True):
            if count:
                inside[one.cluster] += count
                level = max(level, one.level)
        asked = {cluster: own.link_load(count) for cluster, count in enumerate(inside) if count}
        user = LinkUser(own, {cluster: load for cluster, load in asked.items() if load}, scaled.powers[level])
        alone = 1 / (progress_rates(self.instance, [user])[0] * self.span)
        return SlowedOption(
            counts=counts,
            loads=tuple(scaled.link_loads[job][count] for count in inside),
            computing=int(times[level][0] * self.unit),
            sending=int(times[level][1] * self.unit),
            alone=alone,
            slots=ceil(alone) if self.slotted else 1,
            user=user,
        )

    def progress(self, items: Sequence[OptionItem]) -> list[Fraction]:
        """Return the progress of each in a slot, or in a unit of time, in which they run together."""
        rates = progress_rates(self.instance, [self.rows[job][option].user for job, option in items])
        return [rate * self.span for rate in rates]

    def to_time(self, steps: Fraction) -> Fraction:
        """Return slots or units of time in the instance's time unit; part of a slot counts as a whole one."""
        return ceil(steps) * self.span if self.slotted else steps


def option_counts(scaled: CoallocationTicks, job: int, effort: Effort) -> Iterator[tuple[int, ...]]:
    """Yield how many nodes of each class a job may take, in lexicographic order, as far as each link alone allows."""
    classes, loads = scaled.classes, scaled.link_loads[job]
    sizes = [len(one.nodes) for one in classes]
    end = len(sizes) - 1
    last = [at == end or classes[at + 1].cluster != classes[at].cluster for at in range(end + 1)]
    later = [sum(sizes[at:]) for at in range(end + 2)]
    left, used, counts = [scaled.tasks[job]] * (end + 2), [0] * (end + 2), [0] * (end + 1)
    following = [max(0, left[0] - later[1])] * (end + 1)  # the next count to be tried
    at = 0
    while at >= 0:
        count = following[at]
        if count > min(sizes[at], left[at]):
            at -= 1
            continue
        effort.spend(4)
        following[at] = count + 1
        total = used[at] + count
        if last[at] and loads[total] > scaled.link_capacity[classes[at].cluster]:
            continue
        counts[at] = count
        if at == end:
            yield tuple(counts)
            continue
        at += 1
        left[at], used[at] = left[at - 1] - count, 0 if last[at - 1] else total
        following[at] = max(0, left[at] - later[at + 1])


def long_integer(value: object, where: str) -> int:
    """Return an integer of at least 0, written as such or as a text of up to 4,000 digits; raise `Refused` if none."""
    if type(value) is str and len(value) <= 4_000 and value.isascii() and value.isdigit():
        return int(value)
    if type(value) is not int or value < 0 or value.bit_length() > 12_000:
        raise Refused(f"{where}: must be an integer of at least 0 within its range")
    return value
