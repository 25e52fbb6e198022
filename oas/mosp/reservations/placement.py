"""Placement of a reservation: the start that delays the optimum least, with a proof, and the optimum at every start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack, cast

from oas.core.errors import InputError
from oas.core.instances import check_problem
from oas.core.registry import MOSP
from oas.core.result import ProofKind
from oas.core.verifier import check
from oas.mosp.reservations.search import PlacementSearch, Step
from oas.mosp.reservations.site import outside, site_of
from oas.solving.options import check_names
from oas.solving.study import Optimum, Study, excess, frame_of

if TYPE_CHECKING:
    from fractions import Fraction

    import pandas

    from oas.core.instances import Instance
    from oas.core.numbers import Exact
    from oas.core.rigid import Reservation
    from oas.core.schedule import Schedule
    from oas.mosp.instance import MospInstance
    from oas.solving.options import SolveOptions
    from oas.solving.study import Interval


@dataclass(frozen=True)
class CurvePiece:
    """The optimum at neighbouring starts, as far as it is known: it lies between two straight lines."""

    first: Fraction  #: the first start
    last: Fraction  #: the last start
    low_first: Fraction  #: proven lower bound on the optimum at the first start
    low_last: Fraction  #: the same at the last start
    high_first: Fraction  #: makespan of a schedule at the first start
    high_last: Fraction  #: the same at the last start

    @property
    def proven(self) -> bool:
        """Whether the optimum is known at all of these starts."""
        return (self.low_first, self.low_last) == (self.high_first, self.high_last)


@dataclass(frozen=True, repr=False)
class PlacedReservation(Study):
    """The result of `place_reservation`."""

    DISPLAY = "oas.mosp.tables:placed_parts"

    instance: MospInstance  #: the jobs and the other reservations, without locality
    organization: str  #: the organization whose cluster is reserved
    #: at the best start: no other start has a schedule that is known to end earlier, and no earlier one a schedule that
    #: ends as early
    reservation: Reservation
    placed: MospInstance  #: the instance with the reservation
    schedule: Schedule  #: a verified schedule of `placed`
    #: the least optimum over all starts, with the makespan of `schedule`; proven if its bound is equal
    optimum: Optimum
    without: Optimum  #: the optimum without the reservation
    #: ranges of other starts that may be better, or as good and earlier, as first and last; empty if `reservation`
    #: is proven to be the best
    rivals: tuple[tuple[Fraction, Fraction], ...]
    curve: tuple[CurvePiece, ...]  #: the optimum at every start at which the reservation fits, ascending
    steps: tuple[Step, ...]  #: all solves
    interrupted: bool = False  #: whether Ctrl-C ended the study
    #: ranges of starts, as first and last, that the curve leaves out, because the reservation does not fit alongside
    #: the other reservations
    excluded: tuple[tuple[Fraction, Fraction], ...] = ()

    @property
    def delay(self) -> Interval:
        """The delay of the optimum by the reservation at the best start; an interval if it is not proven."""
        delay = excess(self.optimum, self.without)
        assert delay is not None
        return delay

    @property
    def proven(self) -> bool:
        """Whether the start is proven to be the best, and the earliest of the best."""
        return not self.rivals

    @property
    def proof_kinds(self) -> dict[ProofKind, int]:
        """Number of solves by the kind of proof of their bounds, strongest first."""
        kinds = [step.result.proof.kind for step in self.steps if step.result.proof is not None]
        return {kind: kinds.count(kind) for kind in ProofKind if kind in kinds}

    def to_frame(self) -> pandas.DataFrame:
        """Return one row for each piece of the curve, with the names of `CurvePiece` as columns, and ``proven``.

        Times are floats, in the instance's time unit.
        """
        return frame_of(
            ({**vars(piece), "proven": piece.proven} for piece in self.curve), [*CurvePiece.__annotations__, "proven"]
        )


def place_reservation(
    instance: Instance,
    *,
    length: Exact,
    processors: int,
    between: tuple[Exact, Exact],
    organization: str | None = None,
    every: Exact | None = None,
    curve: bool = False,
    ignore_locality: bool = False,
    **solve_options: Unpack[SolveOptions],
) -> PlacedReservation:
    """Find and prove the start of a reservation that delays the optimal makespan least; the earliest in case of ties.

    The proof uses bounds on the optimum for whole ranges of starts (`oas.mosp.reservations.search`). After a limit
    or Ctrl-C, the result is the best start found, with a proven bound on its distance from the optimum.

    Parameters
    ----------
    instance
        An instance of MOSP; its own reservations stay in place. Several organizations must not have locality, because
        the local schedules would depend on the start. For a single one, locality is never binding.
    length
        Above 0.
    processors
        At least 1, at most those of the cluster.
    between
        The earliest and the latest start, at least 0.
    organization
        The organization whose cluster is reserved; optional if there is only one.
    every
        Only starts at multiples of this distance from the earliest one. None: every start. The earliest best start is
        then a multiple of the common unit of all times, and no start between two multiples is better
        (docs/how/reservations.md).
    curve
        Whether to continue with the optimum at every start when the best is proven.
    ignore_locality
        Whether to solve without the locality of an instance of several organizations. Otherwise it is refused.
    **solve_options
        As for `oas.solve`, except `start`, `gap` and `check`; `time_limit` is for all solves together.

    Raises
    ------
    InputError
        If the instance is of another problem or has locality, a parameter is out of range, or the reservation does not
        fit at any start.
    TooLargeError
        If the times are too fine.
    KeyboardInterrupt
        After Ctrl-C before there is any schedule with the reservation.
    """
    check_problem(instance, MOSP, "only clusters of organizations have reservations")
    check_names(solve_options)
    for name in ("start", "gap", "check"):
        if name in solve_options:
            raise InputError("cannot be given here: many instances are solved, each to its end", field=name)
    free = _without_locality(cast("MospInstance", instance), ignored=ignore_locality)
    site = site_of(free, length=length, processors=processors, between=between, organization=organization, every=every)
    search = PlacementSearch(site, solve_options)
    if not search.land.ranges:
        reason = "the reservation does not fit at any start"
        raise InputError(reason, field="between", value=f"{between[0]} to {between[1]}")
    search.place()
    if curve and not search.series.interrupted:
        search.trace()
    return _placed(search)


def _without_locality(instance: MospInstance, *, ignored: bool) -> MospInstance:
    if instance.locality is None:
        return instance
    if len(instance.organizations) > 1 and not ignored:
        reason = (
            "must be null, because the promise rests on local schedules, which depend on where the reservation is;"
            " --ignore-locality (ignore_locality=True) solves without the promise"
        )
        raise InputError(reason, field="locality", value=str(instance.locality))
    return instance.with_locality(None)


def _placed(search: PlacementSearch) -> PlacedReservation:
    site, land = search.site, search.land
    to_time = site.scaled.to_time
    schedule, place = land.schedule(), land.best().first
    if schedule is None:
        raise KeyboardInterrupt
    placed = site.with_common(place, place)
    organization = placed.organizations[site.cluster]
    everywhere = 0, site.count - 1
    curve = []
    for piece in land.curve():
        ends = piece.first, piece.last
        bounds = (to_time(line.at(end)) for line in (piece.low, piece.high) for end in ends)
        curve.append(CurvePiece(*map(site.time, ends), *bounds))
    return PlacedReservation(
        instance=site.instance,
        organization=organization.id,
        reservation=organization.reservations[-1],
        placed=placed,
        schedule=check(placed, schedule, "the schedule with the reservation"),
        optimum=Optimum(to_time(land.least_bound()), to_time(land.makespan())),
        without=Optimum(to_time(land.free_lower), to_time(land.free_upper)),
        rivals=tuple((site.time(first), site.time(last)) for first, last in land.rivals(everywhere)),
        curve=tuple(curve),
        steps=tuple(search.steps),
        interrupted=search.series.interrupted,
        excluded=tuple((site.time(first), site.time(last)) for first, last in outside(land.ranges, *everywhere)),
    )
