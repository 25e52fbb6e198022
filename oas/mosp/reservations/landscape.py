"""Bounds on the optimum for every start of a reservation, as piecewise linear functions.

The pieces bound the optimum from below and above as functions of the place of the start. Every solve of `search`
improves both bounds, for a range of starts:

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

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oas.mosp.runs import ClusterRun, cluster_runs_from_schedule, schedule_from_cluster_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from oas.core.schedule import Schedule
    from oas.mosp.reservations.site import Block, Range, Site


@dataclass(frozen=True)
class Line:
    """A linear function of the place."""

    value: int  # at place 0
    slope: int = 0  # growth from one place to the next; never negative

    def at(self, place: int) -> int:
        """Return the value at a place."""
        return self.value + self.slope * place

    def above(self, other: Line, first: int, last: int) -> Range:
        """Return the range of the places from `first` to `last` at which this line is above another one."""
        lead, slope = self.value - other.value, self.slope - other.slope  # lead + slope · place must be positive
        if slope > 0:
            return min(max(first, -lead // slope + 1), last + 1), last
        if slope < 0:
            return first, max(min(last, (lead - 1) // -slope), first - 1)
        return (first, last) if lead > 0 else (first, first - 1)


def _line_through(place: int, value: int, slope: int) -> Line:
    return Line(value - slope * place, slope)


@dataclass(frozen=True)
class _Schedules:
    """A schedule for each place of a range: the reservation and the moving runs keep their distances."""

    staying: list[ClusterRun]
    moving: list[ClusterRun]  # their starts with the reservation at `origin`
    origin: int
    method: str


@dataclass(frozen=True)
class Piece:
    """Linear bounds on the optimum at the places `first` to `last`, both included."""

    # first, last: places
    first: int
    last: int
    low: Line
    high: Line
    schedules: _Schedules | None = None  # with the makespans of `high`; None if none are known

    def changed(self, places: Range, **changes: Any) -> Iterator[Piece]:
        """Yield the parts of the piece before, in and after a range inside it, with changes in the range."""
        first, last = places
        if self.first < first:
            yield replace(self, last=first - 1)
        yield replace(self, first=first, last=last, **changes)
        if last < self.last:
            yield replace(self, first=last + 1)


def _merged(ranges: Iterable[Range]) -> list[Range]:
    """Return the ascending ranges of places that are not empty, with adjacent ranges merged."""
    merged: list[Range] = []
    for first, last in ranges:
        if merged and merged[-1][1] + 1 == first <= last:
            merged[-1] = (merged[-1][0], last)
        elif first <= last:
            merged.append((first, last))
    return merged


class Landscape:
    """Bounds in ticks on the optimum without the reservation, and for each feasible start of the reservation."""

    def __init__(self, site: Site) -> None:
        self.site = site
        latest = max([site.tick(site.count), *(end for _, _, end, _ in site.scaled.reservations)])
        last = max(latest + site.length, *site.scaled.releases)
        # When the jobs have ended, one by one after everything else; the further tick makes every schedule better.
        after_all = last + sum(site.scaled.times) + 1
        self.ranges = site.clear_places(0, [site.block(0)], site.reserved())  # where it fits next to the others
        self.pieces = [Piece(first, last, Line(0), Line(after_all)) for first, last in self.ranges]
        self.free_lower, self.free_upper = 0, after_all

    def within(self, places: Range | None = None) -> Iterator[Piece]:
        """Yield the pieces, or their parts in a range."""
        first, last = places or (0, self.site.count - 1)
        for piece in self.pieces:
            if first <= piece.first and piece.last <= last:
                yield piece
            elif piece.first <= last and first <= piece.last:
                yield replace(piece, first=max(first, piece.first), last=min(last, piece.last))

    def best(self, places: Range | None = None) -> Piece:
        """Return the piece, in a range if given, whose first place is the earliest with the shortest makespan."""
        return min(self.within(places), key=lambda piece: (piece.high.at(piece.first), piece.first))

    def makespan(self) -> int:
        """Return the shortest known makespan."""
        best = self.best()
        return best.high.at(best.first)

    def least_bound(self, places: Range | None = None) -> int:
        """Return a lower bound for all starts, in a range if given."""
        return min(piece.low.at(piece.first) for piece in self.within(places))

    def rises(self, places: Range) -> bool:
        """Whether the shortest known makespan is greater at the end of a range than at its beginning."""
        parts = list(self.within(places))
        return parts[0].high.at(parts[0].first) < parts[-1].high.at(parts[-1].last)

    def gaps(self, places: Range) -> list[Range]:
        """Return the parts of a range at which the optimum is open."""
        return _merged(piece.high.above(piece.low, piece.first, piece.last) for piece in self.within(places))

    def rivals(self, places: Range) -> list[Range]:
        """Return the parts of a range at which the optimum may be less than the best known, or as good and earlier."""
        first, last = places
        shortest = self.best()
        best, makespan = shortest.first, shortest.high.at(shortest.first)
        open_ranges = []
        for part, least in (((first, min(last, best - 1)), makespan + 1), ((max(first, best), last), makespan)):
            for piece in self.within(part):
                open_ranges.append(Line(least).above(piece.low, piece.first, piece.last))
        return _merged(open_ranges)

    def curve(self) -> list[Piece]:
        """Return the pieces, with neighbours joined where both bounds continue in a straight line."""
        joined: list[Piece] = []
        for piece in self.pieces:
            before = joined[-1] if joined else None
            if before and before.last + 1 == piece.first:
                low = self._straight(before, before.low, piece, piece.low)
                high = self._straight(before, before.high, piece, piece.high)
                if low and high:
                    joined[-1] = Piece(before.first, piece.last, low, high)
                    continue
            joined.append(piece)
        return joined

    def _straight(self, before: Piece, old: Line, after: Piece, new: Line) -> Line | None:
        """Return the line that is equal to `old` in one piece and to `new` in the next; None if there is none."""
        for slope in (0, self.site.step):
            line = _line_through(before.first, old.at(before.first), slope)
            if line.at(before.last) == old.at(before.last) and all(
                line.at(place) == new.at(place) for place in (after.first, after.last)
            ):
                return line
        return None

    # Learning

    def learn_bound(self, places: Range, bound: int, slope: int = 0) -> None:
        """Use a bound for the last place of a range, which decreases by `slope` with each earlier place."""
        low = _line_through(places[1], bound, slope)
        self._change(places, lambda piece: (low, piece.low), low=low)

    def learn_schedule(self, schedule: Schedule) -> None:
        """Use a schedule that is feasible without the reservation."""
        site = self.site
        runs = cluster_runs_from_schedule(site.instance, site.scaled, schedule)
        ranges = self._learn_moves(runs, [], site.count - 1, schedule.method)
        for place in sorted({edge for places in ranges for edge in places}):
            over = site.tick(place) + site.length
            later = [run for run in runs if run.cluster == site.cluster and run.start >= over]
            if later:
                self._learn_moves([run for run in runs if run not in later], later, place, schedule.method)
        self.free_upper = min(self.free_upper, max(map(self._end, runs)), self.makespan())

    def _learn_moves(
        self, staying: list[ClusterRun], moving: list[ClusterRun], origin: int, method: str
    ) -> list[Range]:
        """Use the schedules in which some runs of the cluster move with the reservation; return its possible places.

        The runs are given for the reservation at `origin`.
        """
        site = self.site
        # Without moving runs, every place is late enough.
        slack = min((run.start - site.scaled.releases[run.job] for run in moving), default=site.tick(origin))
        fixed = [*self._blocks(staying), *site.reserved()]
        least = max(0, origin - slack // site.step)
        ranges = site.clear_places(origin, [site.block(origin), *self._blocks(moving)], fixed, least)
        stays = Line(max(map(self._end, staying), default=0))
        moves = _line_through(origin, max(map(self._end, moving), default=0), site.step)
        schedules = _Schedules(staying, moving, origin, method)
        for first, last in ranges:
            last_ones = moves.above(stays, first, last)  # where a moving job ends last
            self._learn_makespans((first, last_ones[0] - 1), stays, schedules)
            self._learn_makespans(last_ones, moves, schedules)
        return ranges

    def _learn_makespans(self, places: Range, high: Line, schedules: _Schedules) -> None:
        self._change(places, lambda piece: (piece.high, high), high=high, schedules=schedules)

    def _change(self, places: Range, lines: Callable[[Piece], tuple[Line, Line]], **changes: Any) -> None:
        """Change the pieces in a range where the first of two lines is above the second."""
        pieces: list[Piece] = []
        for piece in self.pieces:
            line, other = lines(piece)
            first, last = max(piece.first, places[0]), min(piece.last, places[1])
            if first <= last:
                first, last = line.above(other, first, last)
            pieces.extend(piece.changed((first, last), **changes) if first <= last else [piece])
        self.pieces = pieces

    def _blocks(self, runs: Iterable[ClusterRun]) -> list[Block]:
        """Return start, end and processors of the runs on the cluster."""
        widths = self.site.scaled.widths
        return [(run.start, self._end(run), widths[run.job]) for run in runs if run.cluster == self.site.cluster]

    def _end(self, run: ClusterRun) -> int:
        return run.start + self.site.scaled.times[run.job]

    def schedule(self, places: Range | None = None) -> Schedule | None:
        """Return the shortest known schedule with the reservation, in a range if given; None if there is none."""
        best, site = self.best(places), self.site
        known = best.schedules
        if known is None:
            return None
        shift = (best.first - known.origin) * site.step
        moved = [replace(run, start=run.start + shift) for run in known.moving]
        return schedule_from_cluster_runs(site.instance, site.scaled, [*known.staying, *moved], known.method)
