"""The task of placing a reservation, in integers: places of its start, and the resulting instances.

A place is the number of a start: `Site.first` ticks plus this number times `Site.step`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import floor
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, TooLargeError, unknown_name
from oas.core.numbers import Exact, common_denominator, exact, integer
from oas.core.rigid import Reservation, usage_over_time
from oas.mosp.instance import MospInstance
from oas.mosp.ticks import MAX_TICKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Block = tuple[int, int, int]
    from oas.mosp.ticks import ScaledMosp


def clear_shifts(
    moving: Iterable[Block], fixed: Iterable[Block], processors: int, first: int, last: int
) -> list[tuple[int, int]]:
    """Return the ranges of shifts from `first` to `last` at which moving blocks do not collide with fixed ones.

    A block is (start, end, processors); each of the two kinds alone never exceeds `processors`. A moving step [a, b)
    and a fixed step [c, e) that together are too wide overlap exactly at the shifts d with a + d < e and c < b + d. All
    other shifts are clear.
    """
    standing = _steps(fixed)
    collisions = [
        (c - b + 1, e - a - 1)
        for a, b, width in _steps(moving)
        for c, e, held_width in standing
        if width + held_width > processors
    ]
    clear = []
    next_free = first
    for low, high in sorted(collisions):
        if low > next_free:
            clear.append((next_free, min(low - 1, last)))
        next_free = max(next_free, high + 1)
        if next_free > last:
            return clear
    return [*clear, (next_free, last)] if next_free <= last else clear


def _steps(blocks: Any) -> Sequence[Block]:
    """Return (start, end, processors held) of each interval in which this number is constant and not 0."""
    usage: Any = usage_over_time(blocks)  # in ticks as in time units
    return [(start, end, held) for (start, held), (end, _) in pairwise(usage) if held]


@dataclass(frozen=True)
class Site:
    """The reservation to place, its cluster, and the ticks."""

    instance: MospInstance  # without the reservation, and without locality
    scaled: ScaledMosp  # the instance in ticks that divide the reservation's length and starts, too
    cluster: int  # index of the cluster
    # processors, length: of the reservation; the length in ticks
    processors: int
    length: int
    # first, step, count: tick of the first start, ticks from one to the next, and number of starts
    first: int
    step: int
    count: int

    def tick(self, place: int) -> int:
        """Return the tick of a start."""
        return self.first + place * self.step

    def time(self, place: int) -> Fraction:
        """Return a start in the instance's time unit."""
        return self.scaled.to_time(self.tick(place))

    def common(self, first: int, last: int) -> tuple[int, int]:
        """Return start and end, in ticks, of the time that the reservation covers for every start between two places.

        If there is no such time, the end is not after the start.
        """
        return self.tick(last), self.tick(first) + self.length

    def with_common(self, first: int, last: int) -> MospInstance:
        """Return the instance with the time that the reservation covers for every start between two places.

        For a single place this is the instance with the reservation; for several it is a relaxation of all of them.
        """
        start, end = self.common(first, last)
        if start >= end:
            return self.instance
        return self._with(start, end, self.instance.organizations[self.cluster].reservations)

    def with_delay(self, first: int, last: int) -> MospInstance:
        """Return the instance with the reservation at `last`, a relaxation for any start from `first` to `last`.

        Other reservations of its cluster that begin at its end at `first` or later begin later by the distance of the
        two places. A schedule with the reservation at a start in between becomes one of this instance if the jobs of
        the cluster that start at the end of the reservation or later are delayed by the time from this start to `last`.
        """
        over, delay = self.tick(first) + self.length, self.scaled.to_time(self.tick(last) - self.tick(first))
        late = self.scaled.to_time(over)
        others = [
            reservation if reservation.start < late else replace(reservation, start=reservation.start + delay)
            for reservation in self.instance.organizations[self.cluster].reservations
            if reservation.start < late or reservation.start + delay < reservation.end
        ]
        return self._with(self.tick(last), self.tick(last) + self.length, others)

    def _with(self, start: int, end: int, others: Iterable[Reservation]) -> MospInstance:
        """Return the instance with these other reservations on the cluster, and the placed one from tick to tick."""
        placed = Reservation(self.scaled.to_time(start), self.scaled.to_time(end), self.processors)
        organizations = list(self.instance.organizations)
        organizations[self.cluster] = replace(organizations[self.cluster], reservations=(*others, placed))
        return MospInstance(organizations, locality=None, name=self.instance.name)

    @property
    def first_put_off(self) -> int:
        """The first place from which on no other reservation of the cluster begins at the end of this one or later.

        It may be past the last place.
        """
        latest = max((start for start, _, _ in self.reserved()), default=-1)
        return max(0, (latest - self.length - self.first) // self.step + 1)

    def reserved(self) -> list[tuple[int, int, int]]:
        """Return start, end and processors of the other reservations of its cluster, in ticks."""
        return [(start, end, width) for k, start, end, width in self.scaled.reservations if k == self.cluster]

    def clear_places(self, blocks: list[tuple[int, int, int]]) -> list[tuple[int, int]]:
        """Return the ranges of places at which the reservation fits next to blocks of its cluster."""
        return self.shifted_places(0, [(self.first, self.first + self.length, self.processors)], blocks)

    def shifted_places(
        self, place: int, moving: list[tuple[int, int, int]], fixed: list[tuple[int, int, int]], least: int = 0
    ) -> list[tuple[int, int]]:
        """Return the ranges of places from `least` on at which moving blocks do not collide with fixed ones.

        The moving blocks are given for a start at `place`.
        """
        size = self.scaled.processors[self.cluster]
        lowest, highest = self.tick(least) - self.tick(place), self.tick(self.count - 1) - self.tick(place)
        ranges = []
        for low, high in clear_shifts(moving, fixed, size, lowest, highest):
            places = place - (-low // self.step), place + high // self.step
            if places[0] <= places[1]:
                ranges.append(places)
        return ranges


def site_of(
    instance: MospInstance,
    *,
    length: Exact,
    processors: int,
    between: tuple[Exact, Exact],
    organization: str | None = None,
    every: Exact | None = None,
) -> Site:
    """Check the requested placement, and return it in ticks; parameters and errors as `oas.place_reservation`."""
    cluster = _cluster(instance, organization)
    size = instance.organizations[cluster].processors
    width = integer(processors, "processors", least=1)
    if width > size:
        name = instance.organizations[cluster].id
        raise InputError(f"more than the {size} processors of {name}", field="processors", value=width)
    time = _positive(length, "length")
    earliest, latest = exact(between[0], "between"), exact(between[1], "between")
    if earliest < 0:
        raise InputError("must not be negative", field="between", value=str(earliest))
    if latest < earliest:
        raise InputError(
            f"the latest start must not be before the earliest, {earliest}", field="between", value=str(latest)
        )
    pause = None if every is None else _positive(every, "every")
    scaled = _scaled(instance, [time, earliest, *([] if pause is None else [pause])], latest + time)
    step = 1 if pause is None else int(pause / scaled.tick)
    first, last = int(earliest / scaled.tick), floor(latest / scaled.tick)
    return Site(instance, scaled, cluster, width, int(time / scaled.tick), first, step, (last - first) // step + 1)


def _cluster(instance: MospInstance, organization: str | None) -> int:
    names = [organization.id for organization in instance.organizations]
    if organization is None:
        if len(names) > 1:
            raise InputError(f"must be given: one of {', '.join(names)}", field="organization")
        return 0
    if organization not in names:
        raise unknown_name(organization, names, "organization", reason="there is no such organization")
    return names.index(organization)


def _positive(value: Exact, field: str) -> Fraction:
    time = exact(value, field)
    if time <= 0:
        raise InputError("must be above 0", field=field, value=str(time))
    return time


def _scaled(instance: MospInstance, further: list[Fraction], latest: Fraction) -> ScaledMosp:
    """Return the instance in ticks that divide the `further` times, too."""
    scaled = instance.scaled()
    denominator = common_denominator([scaled.tick, *further], MAX_TICKS)
    tick = Fraction(1, denominator)
    factor = int(scaled.tick / tick)
    moments: list[int] = [*scaled.releases, *(end for _, _, end, _ in scaled.reservations)]
    last = max(latest / tick, Fraction(factor * max(moments)))
    if denominator > MAX_TICKS or last + factor * sum(scaled.times) >= MAX_TICKS:
        raise TooLargeError("times add up to 2^53 ticks of their common unit or more; coarser times are needed")
    return replace(
        scaled,
        tick=tick,
        times=tuple(factor * time for time in scaled.times),
        releases=tuple(factor * release for release in scaled.releases),
        reservations=tuple((k, factor * start, factor * end, width) for k, start, end, width in scaled.reservations),
        local_starts=tuple(factor * start for start in scaled.local_starts),
    )
