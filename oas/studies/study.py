"""Common parts of studies: open optima, results as sequences of points, and series of solves under one time limit.

The shortest series is of two solves: an instance on a slot grid, then in continuous time (η = 0), with whose optimum or
bounds schedules on the grid are compared.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload

from oas.core.errors import SolverError, TooLargeError
from oas.core.formats import shown
from oas.core.numbers import as_float
from oas.core.result import Status, Termination
from oas.exact.pipeline import solve
from oas.problems.coallocation.metrics import executed_if_short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pandas

    from oas.core.instances import Instance
    from oas.core.result import Proof, Result
    from oas.core.schedule import Schedule
    from oas.exact.progress import SolveProgress

Point = TypeVar("Point")
LEAST_SECONDS = 0.001  # of a solve when the limit is used up: enough for a schedule and a bound

# Of two solves under one limit:
RESERVED = 0.1  # share of it that the first leaves to the second,
SECOND_SECONDS = 30.0  # but never more than η = 0 is given at all
LEAST_SECOND = 0.1  # for the second, even if the first one has used up the time
CONTINUOUS = "η = 0"


@dataclass(frozen=True)
class Interval:
    """A quantity known to lie between `low` and `high`, both included."""

    low: Fraction
    high: Fraction

    @property
    def exact(self) -> bool:
        """Whether it is known exactly."""
        return self.low == self.high


@dataclass(frozen=True)
class Optimum:
    """The optimum of an instance: proven where bound and makespan meet, otherwise between the two.

    Attributes
    ----------
    lower_bound
        Proven: no schedule ends earlier; in the instance's time unit.
    makespan
        Of a verified schedule; None before there is one.
    result
        Of its own solve; None where other solves settle it, or none was made.
    """

    lower_bound: Fraction
    makespan: Fraction | None
    result: Result | None = None

    @property
    def proven(self) -> bool:
        """Whether it is known exactly."""
        return self.makespan == self.lower_bound

    @property
    def status(self) -> Status:
        """``optimal``, ``feasible`` or ``no_solution``, of `lower_bound` and `makespan`."""
        if self.makespan is None:
            return Status.NO_SOLUTION
        return Status.OPTIMAL if self.proven else Status.FEASIBLE

    @property
    def proof(self) -> Proof | None:
        """The proof of its own solve if that attains `lower_bound`; otherwise None."""
        own = self.result
        return own.proof if own is not None and own.lower_bound == self.lower_bound else None

    def shortened(self, makespan: Fraction | None) -> Optimum:
        """Return the optimum with this makespan, if it is better than its own."""
        if makespan is None or (self.makespan is not None and self.makespan <= makespan):
            return self
        return replace(self, makespan=makespan)


def excess(more: Optimum, less: Optimum) -> Interval | None:
    """Return the optimum of a restricted instance less that of its relaxation, at least 0; None without a schedule."""
    if more.makespan is None or less.makespan is None:
        return None
    return Interval(max(Fraction(0), more.lower_bound - less.makespan), more.makespan - less.lower_bound)


def ratio_of(more: Optimum, less: Optimum) -> Interval | None:
    """Return the ratio of the optimum of a restricted instance to that of its relaxation, at least 1.

    None if one of them has no schedule, or the relaxation has no positive lower bound.
    """
    if more.makespan is None or less.makespan is None or not less.lower_bound:
        return None
    return Interval(max(Fraction(1), more.lower_bound / less.makespan), more.makespan / less.lower_bound)


class Study:
    """Base of the results of studies, which `oas.show` displays."""

    DISPLAY: ClassVar[
        str
    ]  # "module.function" of `oas.show` that yields title, tables and lines (`oas.show.tables.Part`)

    def __repr__(self) -> str:
        return shown("tables.study_text", self)

    def _repr_html_(self) -> str:
        return shown("tables.study_html", self)


class PointStudy(Study, Sequence[Point]):
    """Base of the results that are sequences of their points, which the field named `POINTS` holds."""

    POINTS: ClassVar[str] = "points"

    def __len__(self) -> int:
        return len(getattr(self, self.POINTS))

    @overload
    def __getitem__(self, index: int) -> Point: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Point, ...]: ...
    def __getitem__(self, index: int | slice) -> Point | tuple[Point, ...]:
        return getattr(self, self.POINTS)[index]


def interval_columns(name: str, interval: Interval | None) -> dict[str, float]:
    """Return the two columns of an interval in a data frame; NaN for None."""
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return {f"{name}_low": as_float(low), f"{name}_high": as_float(high)}


def float_columns(row: object, *names: str) -> dict[str, float]:
    """Return these attributes of a row as columns of a data frame; NaN for None."""
    return {name: as_float(getattr(row, name)) for name in names}


def frame_of(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None) -> pandas.DataFrame:
    """Return rows as a data frame, exact numbers as floats."""
    import pandas

    floats = (
        {name: float(value) if isinstance(value, Fraction) else value for name, value in row.items()} for row in rows
    )
    return pandas.DataFrame(floats, columns=columns)


def report_as(
    on_progress: Callable[[SolveProgress], None] | None, stage: str, *, before: float = 0.0, part: str = ""
) -> Callable[[SolveProgress], None] | None:
    """Return a report function that replaces the stage and the part, and adds `before` to the seconds."""
    if on_progress is None:
        return None
    return lambda seen: on_progress(replace(seen, stage=stage, seconds=before + seen.seconds, part=part or seen.part))


class StudyClock:
    """The time limit in seconds for all runs of a study, None for no limit, and whether Ctrl-C has ended it."""

    def __init__(self, time_limit: float | None) -> None:
        self.time_limit = time_limit
        self.interrupted = False
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Wall time since the beginning."""
        return time.monotonic() - self._began

    @property
    def left(self) -> float | None:
        """Seconds that are left of the limit, at least 0; None without one."""
        return None if self.time_limit is None else max(0.0, self.time_limit - self.seconds)

    @property
    def first_share(self) -> float | None:
        """Seconds that the first of two solves may take."""
        limit = self.time_limit
        return None if limit is None else limit - min(SECOND_SECONDS, RESERVED * limit)

    @property
    def second_share(self) -> float | None:
        """Seconds that the second solve may take."""
        return None if self.time_limit is None else max(LEAST_SECOND, self.time_limit - self.seconds)


class SolveSeries(StudyClock):
    """The solves of one study, with one time limit for all and one stream of progress reports.

    The options are those of `oas.solve`; `time_limit` is for all solves together.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = {**options}
        super().__init__(self.options.pop("time_limit", None))
        self.on_progress = self.options.pop("on_progress", None)

    @property
    def start(self) -> Schedule | None:
        """The schedule given to begin with."""
        given = self.options.get("start")
        return getattr(given, "schedule", given)

    def share(self, solves: int) -> float | None:
        """Return the seconds of the next one of `solves` that are still to be made."""
        left = self.left
        return None if left is None else max(LEAST_SECONDS, left / solves)

    def solve(self, instance: Instance, stage: str, **more: Any) -> Result:
        """Solve an instance; progress is reported under `stage`, and `more` overrides the options."""
        report = report_as(self.on_progress, stage, before=self.seconds)
        result = solve(instance, on_interrupt="return", on_progress=report, **{**self.options, **more})
        self.interrupted = result.termination is Termination.INTERRUPTED
        return result


@dataclass(frozen=True)
class ContinuousLimit:
    """A slotted schedule, its execution, and the bounds for η = 0.

    ``lower_bound ≤ optimum for η = 0 ≤ executed ≤ slotted``, in the time unit of the instance. If saturated links slow
    jobs down, the executed schedule may be longer than the slotted one.
    """

    slot: Fraction  # η of the schedule
    slotted: Fraction  # its makespan
    executed: Fraction  # makespan of its execution without the grid (`oas.problems.coallocation.metrics.executed`)
    result: Result  # of the same instance at η = 0: a bound with its proof, and a schedule

    @property
    def slots(self) -> int:
        """Makespan in slots."""
        return int(self.slotted / self.slot)

    @property
    def lower_bound(self) -> Fraction | None:
        """Proven: no schedule ends earlier, on whatever grid. None if Ctrl-C came before there was one."""
        return self.result.lower_bound

    @property
    def best(self) -> Fraction:
        """The shortest makespan known at η = 0: the execution is a schedule there too."""
        found = self.result.objective
        return self.executed if found is None else min(found, self.executed)

    @property
    def proven(self) -> bool:
        """Whether that is the optimum at η = 0."""
        return self.best == self.lower_bound


def solve_with_limit(
    instance: Instance,
    *,
    time_limit: float | None = None,
    on_progress: Callable[[SolveProgress], None] | None = None,
    continuous: bool = True,
    **solve_options: Any,
) -> tuple[Result, ContinuousLimit | None]:
    """Solve `instance` as it is, then at η = 0 if `continuous`; options are those of `oas.solve`.

    Both within the time limit: the first solve leaves a tenth of it, at most 30 s, and η = 0 has what is left, at most
    30 s, which is also what it has without a limit. At η = 0 `oas.solve` chooses the solver. The limit is None without
    slots, without a schedule, after Ctrl-C, and where times at η = 0 are too fine to be counted.
    """
    slotted: Any = instance
    twice = continuous and bool(getattr(instance, "slot", 0))
    clock = StudyClock(time_limit)
    first = clock.first_share if twice else time_limit
    result = solve(instance, time_limit=first, on_progress=on_progress, on_interrupt="return", **solve_options)
    if not twice or result.schedule is None or result.termination is Termination.INTERRUPTED:
        return result, None
    kept = {name: solve_options[name] for name in ("seed", "memory_limit", "gap") if name in solve_options}
    run = executed_if_short(slotted, result.schedule)
    if run is None:
        return result, None
    left = min(SECOND_SECONDS, clock.second_share or SECOND_SECONDS)
    report = report_as(on_progress, CONTINUOUS, before=clock.seconds, part=CONTINUOUS)
    try:
        free = solve(
            slotted.with_slot(0), time_limit=left, on_progress=report, start=run, on_interrupt="return", **kept
        )
    except TooLargeError:
        return result, None
    limit = ContinuousLimit(slotted.slot, result.schedule.makespan, run.makespan, free)
    if limit.lower_bound is not None and limit.lower_bound > limit.best:
        raise SolverError(f"the bound {limit.lower_bound} at η = 0 is above an executed schedule: {limit.best}")
    return result, limit
