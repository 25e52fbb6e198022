"""Bounds on the optimum for every start of a reservation, as piecewise linear functions.

Two integer functions of the place of the start bound the optimum from below and above. Every solve of `search` improves
both, for a range of starts:

- *Below, common part*: the optimum with the part that the reservation covers for every start of the range is a bound
  for each of them.
- *Below, delay*: consider the optimum with the reservation at the last start, where other reservations of the cluster
  that begin at its end at the first start or later begin later by the length of the range; their ends stay. For each
  start, this optimum minus the distance to the last start is a bound. Without such reservations it is the optimum for
  the last start.
- *Above, other starts*: its schedule is feasible for every start at which the reservation fits next to its jobs.
- *Above, joint moves*: if the reservation fits, it can move together with the jobs of its cluster that start at its end
  or later, to any position at which they fit and are released. The makespan is the maximum of the last ends of the
  remaining and the moved jobs.

docs/how/reservations.md contains the proofs.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from operator import gt, lt
from typing import TYPE_CHECKING

from oas.mosp.runs import ClusterRun, cluster_runs_from_schedule, schedule_from_cluster_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from oas.core.schedule import Schedule
    from oas.mosp.reservations.site import Site

    Range = tuple[int, int]  # first and last place


@dataclass(frozen=True)
class Piece:
    """A linear function on the places `first` to `last`, both included."""

    # first, last: places
    first: int
    last: int
    value: int  # at `first`
    slope: int = 0  # growth from one place to the next; never negative

    def at(self, place: int) -> int:
        """Return the value at a place."""
        return self.value + self.slope * (place - self.first)

    @property
    def end(self) -> int:
        """The value at `last`."""
        return self.at(self.last)

    def part(self, first: int, last: int) -> Piece | None:
        """Return the part between two places; None if it is empty."""
        first, last = max(first, self.first), min(last, self.last)
        return Piece(first, last, self.at(first), self.slope) if first <= last else None


def at_most(piece: Piece, value: int) -> Piece | None:
    """Return the part of a piece, from its first place on, with values of at most `value`; None if it is empty."""
    if piece.value > value:
        return None
    return piece if piece.slope == 0 else piece.part(piece.first, piece.first + (value - piece.value) // piece.slope)


def pairs(lower: Sequence[Piece], upper: Sequence[Piece]) -> Iterator[tuple[Piece, Piece]]:
    """Yield the pieces of two functions of the same places, in pairs, split at the breaks of both.

    A place where both functions continue in the same line is not a break.
    """
    last_pair: tuple[Piece, Piece] | None = None
    for low, high in _pairs(lower, upper):
        lows, highs = last_pair and _in_line(last_pair[0], low), last_pair and _in_line(last_pair[1], high)
        if lows and highs:
            last_pair = lows, highs
        else:
            if last_pair:
                yield last_pair
            last_pair = low, high
    if last_pair:
        yield last_pair


def _pairs(lower: Sequence[Piece], upper: Sequence[Piece]) -> Iterator[tuple[Piece, Piece]]:
    places = sorted({piece.first for piece in (*lower, *upper)})
    ends = sorted(piece.last for piece in (*lower, *upper))
    below, above = iter(lower), iter(upper)
    low, high = next(below), next(above)
    for first in places:
        low, high = low if first <= low.last else next(below), high if first <= high.last else next(above)
        last = ends[bisect_left(ends, first)]
        low_part, high_part = low.part(first, last), high.part(first, last)
        assert low_part is not None and high_part is not None
        yield low_part, high_part


def _merged(ranges: Iterable[Range]) -> list[Range]:
    """Return ascending ranges of places, with adjacent ranges merged."""
    merged: list[Range] = []
    for first, last in ranges:
        if merged and merged[-1][1] + 1 == first:
            merged[-1] = (merged[-1][0], last)
        else:
            merged.append((first, last))
    return merged


def _improved(pieces: Sequence[Piece], new: Piece, better: Callable[[int, int], bool]) -> list[Piece]:
    """Return the better of a function and a piece (`lt`: minimum, `gt`: maximum) where both are defined.

    Elsewhere it is the function. Adjacent pieces in the same line are merged.
    """
    improved: list[Piece] = []
    for old in pieces:
        part = new.part(old.first, old.last)
        places = part and _where(part.first, part.last, lambda place, old=old: better(new.at(place), old.at(place)))  # type: ignore[misc]
        first, last = places or (old.first, old.first - 1)
        for piece in (old.part(old.first, first - 1), new.part(first, last), old.part(last + 1, old.last)):
            merged = _in_line(improved[-1], piece) if piece and improved else None
            if merged:
                improved[-1] = merged
            elif piece:
                improved.append(piece)
    return improved


def _in_line(before: Piece, after: Piece) -> Piece | None:
    """Return two adjacent pieces as one if they are in the same line; a piece with one place has any slope."""
    if before.last + 1 != after.first:
        return None
    for slope in {before.slope, after.slope}:
        straight = all(piece.slope == slope or piece.first == piece.last for piece in (before, after))
        if straight and before.value + slope * (after.first - before.first) == after.value:
            return replace(before, last=after.last, slope=slope)
    return None


def _where(first: int, last: int, holds: Callable[[int], bool]) -> tuple[int, int] | None:
    """Return the places from `first` to `last` at which `holds`; None if there are none.

    `holds` is true up to some place or from some place on.
    """
    at_first, at_last = holds(first), holds(last)
    if at_first and at_last:
        return first, last
    if not (at_first or at_last):
        return None
    switch = bisect_left(range(first, last + 1), True, key=lambda place: holds(place) is at_last) + first
    return (first, switch - 1) if at_first else (switch, last)


@dataclass(frozen=True)
class _KnownSchedules:
    """A schedule that is feasible for a range of places, or the schedules derived from it, one for each place."""

    piece: Piece  # the makespans
    runs: tuple[ClusterRun, ...]
    method: str
    origin: int | None = None  # place from which the reservation and later jobs are moved; None if no job moves


class Landscape:
    """Bounds in ticks on the optimum without the reservation, and for each feasible start of the reservation."""

    def __init__(self, site: Site) -> None:
        self.site = site
        latest = max([site.tick(site.count), *(end for _, _, end, _ in site.scaled.reservations)])
        last = max(latest + site.length, *site.scaled.releases)
        after_all = last + sum(site.scaled.times)  # when the jobs have ended, one by one after everything else
        self.ranges = site.clear_places(site.reserved())  # where the reservation fits next to the others
        self.lower = [Piece(first, last, 0) for first, last in self.ranges]
        self.upper = [Piece(first, last, after_all) for first, last in self.ranges]
        self.free_lower, self.free_upper = 0, after_all
        self._schedules: list[_KnownSchedules] = []

    def best(self) -> tuple[int, int]:
        """Return the shortest known makespan and the first place that has it."""
        return min((piece.value, piece.first) for piece in self.upper)

    def least_bound(self, places: Range) -> int:
        """Return a lower bound for all starts of a range."""
        return min(part.value for piece in self.lower if (part := piece.part(*places)))

    @property
    def has_schedule(self) -> bool:
        """Whether there is a schedule with the reservation at any start."""
        return bool(self._schedules)

    def gaps(self) -> list[Range]:
        """Return the ranges of places at which the optimum is open."""
        ranges = (
            _where(low.first, low.last, lambda place, low=low, high=high: low.at(place) < high.at(place))  # type: ignore[misc]
            for low, high in pairs(self.lower, self.upper)
        )
        return _merged(filter(None, ranges))

    def rivals(self) -> list[Range]:
        """Return the ranges of places at which the optimum may be less than the best known, or as good and earlier."""
        value, best = self.best()
        rivals = []
        for piece in self.lower:
            for part, most in ((piece.part(0, best - 1), value), (piece.part(best, self.site.count - 1), value - 1)):
                rival = part and at_most(part, most)
                if rival:
                    rivals.append((rival.first, rival.last))
        return _merged(rivals)

    # Learning

    def learn_free(self, bound: int) -> None:
        """Use a bound for the jobs without the reservation."""
        self.free_lower = max(self.free_lower, bound)
        self.learn_common((0, self.site.count - 1), bound)

    def learn_common(self, places: Range, bound: int) -> None:
        """Use a bound for the jobs with the part that the reservation covers for every start of a range.

        For a single start, it is also a bound for earlier starts from which the reservation can be delayed.
        """
        first, last = places
        self.lower = _improved(self.lower, Piece(first, last, bound), gt)
        if first == last:
            self.learn_delay((min(last, self.site.first_put_off), last), bound)

    def learn_delay(self, places: Range, bound: int) -> None:
        """Use a bound for the reservation at the last start of a range, to which it is delayed from the others."""
        first, last = places
        step = self.site.step
        self.lower = _improved(self.lower, Piece(first, last, bound - (last - first) * step, step), gt)

    def learn_schedule(self, schedule: Schedule) -> None:
        """Use a schedule that is feasible without the reservation."""
        site = self.site
        runs = tuple(cluster_runs_from_schedule(site.instance, site.scaled, schedule))
        makespan = max(map(self._end, runs))
        self.free_upper = min(self.free_upper, makespan)
        jobs = self._blocks(run for run in runs if run.cluster == site.cluster)
        ranges = site.clear_places([*jobs, *site.reserved()])
        known = [_KnownSchedules(Piece(*places, makespan), runs, schedule.method) for places in ranges]
        for place in sorted({edge for places in ranges for edge in places}):
            known += [_KnownSchedules(piece, runs, schedule.method, place) for piece in self._together(runs, place)]
        self._schedules += known
        for schedules in known:
            self.upper = _improved(self.upper, schedules.piece, lt)
            self.free_upper = min(self.free_upper, schedules.piece.value)

    def rises(self, places: Range) -> bool:
        """Whether the shortest known makespan is greater at the end of a range than at its beginning."""
        parts = [part for piece in self.upper if (part := piece.part(*places))]
        return parts[0].value < parts[-1].end

    def _together(self, runs: Sequence[ClusterRun], place: int) -> list[Piece]:
        """Return the places to which the reservation, which fits at `place`, can move with the jobs after it."""
        site = self.site
        later = self._later(runs, place)
        if not later:
            return []
        staying = [run for run in runs if run not in later]
        fixed = [*self._blocks(run for run in staying if run.cluster == site.cluster), *site.reserved()]
        moving = [(site.tick(place), site.tick(place) + site.length, site.processors), *self._blocks(later)]
        slack = min(run.start - site.scaled.releases[run.job] for run in later)
        stays, moves = max(map(self._end, staying), default=0), max(map(self._end, later))
        pieces = []
        for first, last in site.shifted_places(place, moving, fixed, max(0, place - slack // site.step)):
            # Up to `turn` a job that stays ends last.
            turn = min(last, max(first - 1, place + (stays - moves) // site.step))
            if first <= turn:
                pieces.append(Piece(first, turn, stays))
            if turn < last:
                pieces.append(Piece(turn + 1, last, moves + (turn + 1 - place) * site.step, site.step))
        return pieces

    def _later(self, runs: Sequence[ClusterRun], place: int) -> list[ClusterRun]:
        """Return the runs on the cluster that start when the reservation at `place` has ended, or later."""
        over = self.site.tick(place) + self.site.length
        return [run for run in runs if run.cluster == self.site.cluster and run.start >= over]

    def _blocks(self, runs: Iterable[ClusterRun]) -> list[tuple[int, int, int]]:
        return [(run.start, self._end(run), self.site.scaled.widths[run.job]) for run in runs]

    def _end(self, run: ClusterRun) -> int:
        return run.start + self.site.scaled.times[run.job]

    # Known schedules

    def schedule(self, place: int) -> Schedule | None:
        """Return a schedule with the reservation at this place and the makespan of `upper`; None if none is known."""
        site = self.site
        (makespan,) = (piece.at(place) for piece in self.upper if piece.part(place, place))
        for known in self._schedules:
            if known.piece.part(place, place) and known.piece.at(place) <= makespan:
                runs = list(known.runs)
                if known.origin is not None:
                    later, shift = self._later(runs, known.origin), (place - known.origin) * site.step
                    runs = [replace(run, start=run.start + shift) if run in later else run for run in runs]
                return schedule_from_cluster_runs(site.instance, site.scaled, runs, known.method)
        return None

    def start(self, first: int, last: int) -> Schedule | None:
        """Return the best known schedule for any start of a range; None if there is none."""
        parts = [part for piece in self.upper if (part := piece.part(first, last))]
        return self.schedule(min((part.value, part.first) for part in parts)[1]) if parts else None
