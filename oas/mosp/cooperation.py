"""The price of locality, and the gain from cooperation: the optimum as the locality constraint is relaxed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Unpack, cast

from oas.core.errors import InputError
from oas.core.instances import check_problem
from oas.core.registry import MOSP
from oas.core.result import Status, Termination
from oas.solving.options import check_names
from oas.solving.pipeline import solve
from oas.solving.study import PointStudy, frame_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    import pandas

    from oas.core.instances import Instance
    from oas.core.numbers import Exact
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.mosp.instance import MospInstance
    from oas.solving.options import SolveOptions

DEFAULT_LOCALITIES: tuple[Exact | None, ...] = (1, "21/20", "11/10", "5/4", "3/2", 2, None)


@dataclass(frozen=True)
class PricePoint:
    """The exact result at one locality."""

    locality: Fraction | None  #: C_max(O_k) ≤ locality · C_loc(O_k); None for no such constraint
    result: Result  #: the exact result
    #: the price of locality: its makespan / the optimum without locality. None if one of them is not proven.
    price: Fraction | None
    #: by organization with jobs, the end of its jobs in this schedule / alone: at most 1 if cooperation does not hurt
    #: it. Another optimal schedule may distribute the gain differently.
    ends: dict[str, Fraction] = field(default_factory=dict)

    @property
    def losers(self) -> dict[str, Fraction]:
        """Organizations that end later than alone, with their ratios of `ends`."""
        return {name: ratio for name, ratio in self.ends.items() if ratio > 1}


@dataclass(frozen=True, repr=False)
class PriceStudy(PointStudy[PricePoint]):
    """The result of `price`: a sequence of its points."""

    DISPLAY = "oas.mosp.tables:price_parts"

    instance: MospInstance  #: as given; its own locality is ignored
    points: tuple[PricePoint, ...]  #: in the given order of localities

    def to_frame(self) -> pandas.DataFrame:
        """Return one row per point.

        Columns: locality (NaN for none), makespan and lower_bound (in the instance's time unit), status, price (a
        ratio; NaN if not proven), losers (organization: together / alone), seconds (wall time). Numbers are floats.
        """
        rows = (
            {
                "locality": point.locality,
                "makespan": point.result.objective,
                "lower_bound": point.result.lower_bound,
                "status": point.result.status,
                "price": point.price,
                "losers": {name: float(ratio) for name, ratio in point.losers.items()},
                "seconds": point.result.solve_seconds,
            }
            for point in self.points
        )
        return frame_of(rows, ["locality", "makespan", "lower_bound", "status", "price", "losers", "seconds"])


def price(
    instance: Instance,
    localities: Sequence[Exact | None] = DEFAULT_LOCALITIES,
    **solve_options: Unpack[SolveOptions],
) -> PriceStudy:
    """Solve `instance` without locality, then with each locality in the given order; return the points in that order.

    After Ctrl-C the interrupted point is the last.

    The papers name the relaxed constraint as future work; at locality 1 the ratio to the optimum without it is at
    least 3/2 in the worst case (MOCCA paper, section 2.3).

    Parameters
    ----------
    instance
        An instance of MOSP with local schedules; its own locality is ignored.
    localities
        Each at least 1, or None for no such constraint.
    **solve_options
        As `oas.solve` takes them.

    Raises
    ------
    InputError
        If the instance is of another problem or carries no local schedules, a locality is below 1, or an option is
        unknown.
    """
    check_problem(instance, MOSP, "only organizations that share clusters have a price of cooperation")
    check_names(solve_options)
    shared = cast("MospInstance", instance)
    if shared.local is None:
        raise InputError("an organization alone without a local schedule has nothing to compare with", field="local")
    values = [shared.with_locality(locality).locality for locality in localities]  # refused before anything is solved
    free = solve(shared.with_locality(None), on_interrupt="return", **solve_options)
    if free.termination is Termination.INTERRUPTED:
        values = [None]
    return PriceStudy(shared, tuple(_points(shared, values, free, solve_options)))


def _points(
    instance: MospInstance, localities: Sequence[Fraction | None], free: Result, options: SolveOptions
) -> Iterator[PricePoint]:
    solved: list[tuple[Fraction, Schedule]] = []
    for locality in localities:
        # A schedule that satisfies a tighter locality also satisfies this one.
        result = free
        if locality is not None:
            schedules = [schedule for tighter, schedule in solved if tighter <= locality]
            start = min(schedules, key=lambda schedule: schedule.makespan, default=None)
            restricted: SolveOptions = {**options, "start": start}
            result = solve(instance.with_locality(locality), on_interrupt="return", **restricted)
            if result.schedule is not None:
                solved.append((locality, result.schedule))
        both = result.status is Status.OPTIMAL and free.status is Status.OPTIMAL
        ratio = result.objective / free.objective if both and result.objective and free.objective else None
        yield PricePoint(locality, result, ratio, _ends(instance, result))
        if result.termination is Termination.INTERRUPTED:
            return


def _ends(instance: MospInstance, result: Result) -> dict[str, Fraction]:
    """Return the end of each organization's last job, as a multiple of its end without cooperation."""
    if result.schedule is None:
        return {}
    return {
        organization.id: max(result.schedule[job.id].end for job in organization.jobs) / alone
        for organization, alone in zip(instance.organizations, instance.local_makespans, strict=True)
        if organization.jobs and alone is not None
    }
