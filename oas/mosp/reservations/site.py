"""The task of placing a reservation, in integers: places of its start, and the resulting instances.

A place is the number of a start: `Site.first` ticks plus this number times `Site.step`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, unknown_name
from oas.core.numbers import Exact, exact, integer
from oas.core.rigid import Reservation, usage_over_time
from oas.mosp.instance import MospInstance
from oas.mosp.ticks import ScaledMosp, scale_mosp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Block = tuple[int, int, int]  # start, end and processors
    Range = tuple[int, int]  # first and last place; empty if the last is before the first


def outside(ranges: Iterable[Range], first: int, last: int) -> Iterator[Range]:
    """Yield the ranges from `first` to `last` of the places that are in none of the ranges."""
    for low, high in sorted(ranges):
        if first < low <= high and first <= last:
            yield first, min(low - 1, last)
        first = max(first, high + 1)
    if first <= last:
        yield first, last


def _steps(blocks: Any) -> list[Block]:
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

    def with_common(self, first: int, last: int) -> MospInstance:
        """Return the instance with the time that the reservation covers for every start between two places.

        For a single place this is the instance with the reservation; for several it is a relaxation of all of them.
        """
        start, end = self.tick(last), self.tick(first) + self.length
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

    def reserved(self) -> list[Block]:
        """Return start, end and processors of the other reservations of its cluster, in ticks."""
        return [(start, end, width) for k, start, end, width in self.scaled.reservations if k == self.cluster]

    def block(self, place: int) -> Block:
        """Return start, end and processors of the reservation at a place, in ticks."""
        return self.tick(place), self.tick(place) + self.length, self.processors

    def clear_places(self, place: int, moving: list[Block], fixed: list[Block], least: int = 0) -> list[Range]:
        """Return the ranges of places from `least` on at which moving blocks do not collide with fixed ones.

        The blocks of each kind fit on the cluster together. The moving ones are given for a start at `place`. A moving
        step [a, b) and a fixed step [c, e) that together are too wide overlap exactly at the shifts d with a + d < e
        and c < b + d.
        """
        size, step, standing = self.scaled.processors[self.cluster], self.step, _steps(fixed)
        collisions = (
            (place + (c - b) // step + 1, place - (a - e) // step - 1)
            for a, b, width in _steps(moving)
            for c, e, held_width in standing
            if width + held_width > size
        )
        return list(outside(collisions, least, self.count - 1))


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
    pause = [] if every is None else [_positive(every, "every")]
    scaled = scale_mosp(instance, [time, earliest, *pause, Fraction(ceil(latest + time))])
    step = int(pause[0] / scaled.tick) if pause else 1
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
