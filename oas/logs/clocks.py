"""Clocks of job logs: local times as seconds since 1970, time zones, and changes of clocks that a log reveals.

If clocks are moved forward, an hour of local times does not exist; if they are turned back, an hour occurs twice.
`sacct` prints local times without an offset, so that the length of a job across a change of clocks is unknown unless
the time zone or the elapsed time of the job is known.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from oas.core.errors import InputError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oas.logs.logged import Time

YEARS = range(1970, 2200)
_ISO = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d(?::?\d\d)?)?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_LOCAL = datetime(1970, 1, 1)
_SECOND = timedelta(seconds=1)
_MARGIN = 3 * 3600  # no change of clocks moves them by more

# One zone for each usual rule about the local time at which clocks are changed
USUAL_ZONES = (
    *("Europe/Berlin", "America/New_York", "Europe/London", "Europe/Helsinki", "Australia/Sydney", "Atlantic/Azores"),
    *("Pacific/Auckland", "America/Santiago", "America/Sao_Paulo", "America/Asuncion", "America/Havana"),
    *("America/Mexico_City", "Africa/Cairo", "Africa/Casablanca", "Asia/Jerusalem", "Asia/Beirut", "Asia/Amman"),
    *("Asia/Tehran", "Europe/Istanbul", "Europe/Moscow", "Australia/Lord_Howe"),
)


class Stamp(NamedTuple):
    """A time as a log states it."""

    seconds: Time  # since 1970; for a local time as if the clock showed UTC
    offset: int | None = 0  # that of the text, in seconds; None for a local time without an offset


class Change(NamedTuple):
    """A change of clocks."""

    moment: int  # in seconds since 1970
    shift: int  # seconds by which the clocks are moved forward


def iso_stamp(text: str) -> Stamp:
    """Return the time that an ISO text states; raises `ValueError` if it is no such time."""
    match = _ISO.fullmatch(text)
    if not match:
        raise ValueError("not a time such as 2026-03-01T09:30:00")
    day, decimals, offset = match.groups()
    local = datetime.fromisoformat(day)
    if local.year not in YEARS:
        raise ValueError(f"not a year from {YEARS[0]} to {YEARS[-1]}")
    since = local - _EPOCH_LOCAL
    seconds: Time = since.days * 86400 + since.seconds
    if decimals:
        seconds += Fraction(decimals)
        seconds = seconds.numerator if seconds.denominator == 1 else seconds
    if offset is None:
        return Stamp(seconds, None)
    ahead = datetime.fromisoformat(day + offset).utcoffset()
    assert ahead is not None
    return Stamp(seconds - ahead // _SECOND, ahead // _SECOND)


@dataclass(frozen=True)
class Clock:
    """Local times of a place: an offset from UTC and its changes; by default UTC.

    Attributes
    ----------
    zone
        Name of the time zone; empty if it is not known.
    offset
        Seconds by which local times are ahead of UTC before the first change.
    changes
        Changes of the offset, in ascending order.
    shows
        How the log writes times: as ``numbers``, as ``local`` times, or with their ``offset``.
    """

    zone: str = ""
    offset: int = 0
    changes: tuple[Change, ...] = ()
    shows: str = "numbers"

    @cached_property
    def _offsets(self) -> list[int]:
        offsets = [self.offset]
        for change in self.changes:
            offsets.append(offsets[-1] + change.shift)
        return offsets

    @cached_property
    def walls(self) -> list[int]:
        """The local time at which the clocks were changed, for each change."""
        return [change.moment + offset for change, offset in zip(self.changes, self._offsets, strict=False)]

    def moments(self, stamp: Stamp) -> tuple[Time, ...]:
        """Return the seconds since 1970 that a stated time may mean: two if it occurs twice, none if it does not exist.

        A time with an offset is the one moment.
        """
        if stamp.offset is not None:
            return (stamp.seconds,)
        if not self.changes:
            return (stamp.seconds - self.offset,)
        near = bisect_right(self.changes, (stamp.seconds - self.offset, 0))
        segments = range(max(0, near - 1), min(len(self.changes), near + 1) + 1)
        found = []
        for segment in segments:
            moment = stamp.seconds - self._offsets[segment]
            begins = segment == 0 or moment >= self.changes[segment - 1].moment
            if begins and (segment == len(self.changes) or moment < self.changes[segment].moment):
                found.append(moment)
        return tuple(found)

    def show(self, moment: Time) -> str:
        """Return a time as the log writes times."""
        if self.shows == "numbers":
            return str(moment)
        offset = self._offsets[bisect_right([change.moment for change in self.changes], moment)]
        whole = (moment.numerator // moment.denominator) + offset
        text = (_EPOCH + timedelta(seconds=whole)).strftime("%Y-%m-%dT%H:%M:%S")
        if moment.denominator != 1:
            text += f"{float(moment - moment.numerator // moment.denominator):.9f}".lstrip("0").rstrip("0")
        if self.shows == "offset":
            text += timezone(timedelta(seconds=offset)).tzname(None).removeprefix("UTC").replace(":", "") or "Z"
        return text


class Run(NamedTuple):
    """The stated times of a job; None for an unknown end or length."""

    submit: Stamp
    start: Stamp
    end: Stamp | None
    elapsed: Time | None

    @property
    def stamps(self) -> tuple[Stamp, ...]:
        """The known times."""
        return (self.submit, self.start) if self.end is None else (self.submit, self.start, self.end)


class Resolved(NamedTuple):
    """The times of a job in seconds since 1970."""

    submit: Time
    start: Time
    end: Time | None
    consistent: bool = True  # whether submission, start and end are in order and agree with the elapsed time
    certain: bool = True  # whether no other times do so too


def resolve(clock: Clock, run: Run) -> Resolved | None:
    """Return the times of a job by a clock; None if the clock never showed one of them.

    Times that occur twice are chosen such that submission, start and end are in order and agree with the elapsed time;
    if there are several such choices, the earliest.
    """
    if not clock.changes:
        times = [stamp.seconds if stamp.offset is not None else stamp.seconds - clock.offset for stamp in run.stamps]
        return Resolved(times[0], times[1], times[2] if len(times) > 2 else None, _agrees(times, run.elapsed))
    choices = list(product(*(clock.moments(stamp) for stamp in run.stamps)))
    if not choices:
        return None
    agreeing = [times for times in choices if _agrees(times, run.elapsed)]
    submit, start, *end = min(agreeing or choices)
    return Resolved(submit, start, end[0] if end else None, bool(agreeing), len(agreeing) < 2)


def _agrees(times: Sequence[Time], elapsed: Time | None) -> bool:
    if times[0] > times[1] or (len(times) > 2 and times[1] > times[2]):
        return False
    return len(times) < 3 or elapsed is None or times[2] - times[1] == elapsed


def zone_named(name: str) -> ZoneInfo:
    """Return a time zone; raises `InputError` with similar names if it is unknown."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        known = available_timezones()
        if not known:
            reason = "this system has no time zones; install them with pip install tzdata"
            raise InputError(reason, field="timezone", value=name) from error
        raise unknown_name(
            name, sorted(known), "timezone", reason="no time zone such as Europe/Berlin", listed=False
        ) from error


def clock_of(zone: ZoneInfo, years: Iterable[int]) -> Clock:
    """Return the clock of a zone in these years; between them it has no changes."""
    changes = [change for year in sorted(set(years)) for change in _changes_in(zone.key, year)]
    first = changes[0].moment - 1 if changes else first_second(min(years, default=1970))
    return Clock(zone.key, _offset(zone, first), _continuous(zone, changes), "local")


def _continuous(zone: ZoneInfo, changes: Sequence[Change]) -> tuple[Change, ...]:
    """Return changes whose shifts give the right offset even if years between them are left out."""
    if not changes:
        return ()
    offset, result = _offset(zone, changes[0].moment - 1), []
    for moment, _ in changes:
        after = _offset(zone, moment)
        if after != offset:
            result.append(Change(moment, after - offset))
        offset = after
    return tuple(result)


def has_zones() -> bool:
    """Return whether this system has time zones."""
    try:
        return bool(ZoneInfo(USUAL_ZONES[0]))
    except (ZoneInfoNotFoundError, OSError):
        return False


def usual_clocks(years: Sequence[int]) -> tuple[Clock, ...]:
    """Return the clocks of the usual zones, without their offset from UTC; equal ones once."""
    return _usual_clocks(tuple(sorted(set(years))))


@lru_cache(maxsize=8)
def _usual_clocks(years: tuple[int, ...]) -> tuple[Clock, ...]:
    by_changes: dict[tuple[Change, ...], str] = {}
    for name in USUAL_ZONES:
        try:
            clock = clock_of(ZoneInfo(name), years)
        except (ZoneInfoNotFoundError, OSError):
            continue
        # Before the first change the clock shows the times as they are written
        changes = tuple(Change(change.moment + clock.offset, change.shift) for change in clock.changes)
        if changes:
            by_changes.setdefault(changes, name)
    return tuple(Clock(name, 0, changes, "local") for changes, name in by_changes.items())


@lru_cache(maxsize=1 << 14)
def _changes_in(key: str, year: int) -> tuple[Change, ...]:
    """Return the changes in a year of UTC, found by weekly steps and bisection."""
    zone = ZoneInfo(key)
    last = first_second(year + 1)
    step = 7 * 86400
    changes = []
    for low in range(first_second(year), last, step):
        high = min(low + step, last)
        before, after = _offset(zone, low), _offset(zone, high)
        if before == after:
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _offset(zone, middle) == before else (low, middle)
        changes.append(Change(high, after - before))
    return tuple(changes)


def first_second(year: int) -> int:
    """Return the beginning of a year in UTC, in seconds since 1970."""
    return (datetime(year, 1, 1, tzinfo=UTC) - _EPOCH) // _SECOND


def _offset(zone: ZoneInfo, moment: int) -> int:
    ahead = (_EPOCH + timedelta(seconds=moment)).astimezone(zone).utcoffset()
    assert ahead is not None
    return ahead // _SECOND


def year_of(seconds: Time) -> int:
    """Return the year of a local time."""
    return (_EPOCH + timedelta(seconds=seconds.numerator // seconds.denominator)).year


class Choice(NamedTuple):
    """The clock of a log without offsets, chosen by its elapsed times."""

    clock: Clock
    rivals: tuple[Clock, ...]  # others that agree with the log as well


def chosen_clock(runs: Sequence[Run]) -> Choice:
    """Return the clock that agrees with the most elapsed times; without one, a clock that is never changed.

    A clock is a rival only if it is changed between the first and the last local time.
    """
    plain = Clock(shows="local")
    local = [stamp.seconds for run in runs for stamp in run.stamps if stamp.offset is None]
    if not local:
        return Choice(plain, ())
    first, last = min(local), max(local)
    clocks = [
        clock
        for clock in usual_clocks(range(year_of(first), year_of(last) + 1))
        if bisect_left(clock.walls, first) < bisect_right(clock.walls, last + _MARGIN)
    ]
    clocks = list(_different(clocks, first, last))
    walls = sorted({wall for clock in clocks for wall in clock.walls})
    touching = [run for run in runs if _touches(run, walls)]
    wrong = [not _consistent(plain, run) for run in touching]
    counts = [sum(wrong)]
    for clock in clocks:  # a job during which this clock was not changed agrees with both or none
        pairs = [(run, flag) for run, flag in zip(touching, wrong, strict=True) if _touches(run, clock.walls)]
        counts.append(sum(wrong) + sum((not _consistent(clock, run)) - flag for run, flag in pairs))
    # Only elapsed times can tell a change of clocks from wrong data
    known = any(run.elapsed is not None and run.end is not None for run in touching)
    place = counts.index(min(counts)) if known else 0
    rivals = [
        clock for k, clock in enumerate((plain, *clocks)) if k != place and clock.changes and counts[k] <= counts[place]
    ]
    return Choice((plain, *clocks)[place], tuple(rivals))


def _different(clocks: Iterable[Clock], first: Time, last: Time) -> Iterator[Clock]:
    """Yield the clocks reduced to their changes near the log; equal ones once."""
    seen = set()
    for clock in clocks:
        changes, offset = [], 0
        for change, wall in zip(clock.changes, clock.walls, strict=True):
            if first - _MARGIN < wall <= last + _MARGIN:
                changes.append(Change(wall - offset, change.shift))
                offset += change.shift
        if tuple(changes) not in seen:
            seen.add(tuple(changes))
            yield Clock(clock.zone, 0, tuple(changes), "local")


def _touches(run: Run, walls: Sequence[int]) -> bool:
    """Return whether clocks may have been changed between the submission and the end of a job."""
    local = [stamp.seconds for stamp in run.stamps if stamp.offset is None]
    if not local:
        return False
    return bisect_left(walls, min(local) - _MARGIN) < bisect_right(walls, max(local) + _MARGIN)


def _consistent(clock: Clock, run: Run) -> bool:
    resolved = resolve(clock, run)
    return resolved is not None and resolved.consistent
