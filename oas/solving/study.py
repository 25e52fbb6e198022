"""Common parts of studies: open optima, results as sequences of points, and series of solves under one time limit.

The shortest series has two solves: an instance on a slot grid, then in continuous time (η = 0). Schedules on the grid
are compared with the optimum or the bounds of the second solve.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from oas.core.errors import SolverError
from oas.core.formats import call_by_path
from oas.core.numbers import as_float
from oas.core.result import Status, Termination
from oas.core.verifier import verify
from oas.solving.evidence import without_claims
from oas.solving.pipeline import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pandas

    from oas.core.instances import Instance
    from oas.core.result import Proof, Result
    from oas.core.schedule import Schedule
    from oas.solving.progress import SolveProgress

Point = TypeVar("Point")
Key = TypeVar("Key")
LEAST_SECONDS = 0.001  # time limit of a solve when no time remains: enough for a schedule and a bound
SECOND_SECONDS = 30.0  # maximum for the second of two solves within one time limit


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
    """The optimum of an instance: proven if bound and makespan are equal, otherwise between the two."""

    lower_bound: Fraction  #: proven, in the time unit of the instance
    makespan: Fraction | None  #: of a verified schedule; None without one
    result: Result | None = None  #: of its own solve; None if it was derived from other solves or not solved

    @property
    def proven(self) -> bool:
        """Whether the optimum is known exactly."""
        return self.makespan == self.lower_bound

    @property
    def status(self) -> Status:
        """``optimal``, ``feasible`` or ``no_solution``, from `lower_bound` and `makespan`."""
        if self.makespan is None:
            return Status.NO_SOLUTION
        return Status.OPTIMAL if self.proven else Status.FEASIBLE

    @property
    def proof(self) -> Proof | None:
        """The proof of `result` if its bound is `lower_bound`; otherwise None."""
        result = self.result
        return result.proof if result is not None and result.lower_bound == self.lower_bound else None


def excess(more: Optimum, less: Optimum) -> Interval | None:
    """Return the optimum of a restricted instance minus that of its relaxation, at least 0; None without schedules."""
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
    """Base class of the results of studies, displayed by `oas.show`."""

    # "module.function" of `oas.show` that yields title, tables and lines (`oas.show.tables.Part`)
    DISPLAY: ClassVar[str]

    def __repr__(self) -> str:
        return call_by_path("oas.show.tables:study_text", self)

    def _repr_html_(self) -> str:
        return call_by_path("oas.show.tables:study_html", self)

    def to_latex(self) -> str:
        """Return the first table in LaTeX, for a document that loads booktabs; the notes are comments."""
        return call_by_path("oas.show.tables:study_latex", self)


class PointStudy(Study, Sequence[Point]):
    """Base class of results that are sequences of points."""

    POINTS: ClassVar[str] = "points"  # name of the field with the points

    def __len__(self) -> int:
        return len(getattr(self, self.POINTS))

    @overload
    def __getitem__(self, index: int) -> Point: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Point, ...]: ...
    def __getitem__(self, index: int | slice) -> Point | tuple[Point, ...]:
        return getattr(self, self.POINTS)[index]


def interval_columns(name: str, interval: Interval | None) -> dict[str, Fraction | None]:
    """Return the two columns of an interval for `frame_of`."""
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return {f"{name}_low": low, f"{name}_high": high}


def frame_of(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None) -> pandas.DataFrame:
    """Return rows as a data frame: exact numbers as floats, NaN for None, the text of enumerations."""
    import pandas

    def cell(value: Any) -> Any:
        if isinstance(value, Enum):
            return value.value
        return as_float(value) if isinstance(value, Fraction | None) else value

    return pandas.DataFrame(({name: cell(value) for name, value in row.items()} for row in rows), columns=columns)


def report_as(
    on_progress: Callable[[SolveProgress], None] | None, stage: str, *, before: float = 0.0, part: str = ""
) -> Callable[[SolveProgress], None] | None:
    """Return a report function that replaces the stage and the part, and adds `before` to the seconds."""
    if on_progress is None:
        return None

    def report(progress: SolveProgress) -> None:
        seconds = before + progress.seconds
        on_progress(replace(progress, stage=stage, seconds=seconds, part=part or progress.part))

    return report


class StudyClock:
    """The time limit of a study in seconds, None for no limit; `interrupted` after Ctrl-C."""

    def __init__(self, time_limit: float | None) -> None:
        self.time_limit = time_limit
        self.interrupted = False
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Wall time since the start of the study."""
        return time.monotonic() - self._began

    @property
    def left(self) -> float | None:
        """Remaining seconds, at least 0; None without a limit."""
        return None if self.time_limit is None else max(0.0, self.time_limit - self.seconds)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """End the block at Ctrl-C, and record that in `interrupted`."""
        try:
            yield
        except KeyboardInterrupt:
            self.interrupted = True

    @property
    def first_share(self) -> float | None:
        """Time limit of the first of two solves, in seconds: it leaves a tenth to the second."""
        limit = self.time_limit
        return None if limit is None else limit - min(SECOND_SECONDS, 0.1 * limit)

    @property
    def second_share(self) -> float | None:
        """Time limit of the second solve, in seconds; positive even if no time remains."""
        return None if self.time_limit is None else max(0.1, self.time_limit - self.seconds)


class SolveSeries(StudyClock):
    """The solves of one study, with options of `oas.solve`; `time_limit` is for all solves together."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = {**options}
        super().__init__(self.options.pop("time_limit", None))
        self.on_progress = self.options.pop("on_progress", None)

    @property
    def start(self) -> Schedule | None:
        """The start given in the options, as a schedule; None without one."""
        start = self.options.get("start")
        return getattr(start, "schedule", start)

    def share(self, solves: int) -> float | None:
        """Return the time limit of the next solve, in seconds, if `solves` solves remain."""
        left = self.left
        return None if left is None else max(LEAST_SECONDS, left / solves)

    def solve(self, instance: Instance, stage: str, **more: Any) -> Result:
        """Solve an instance; progress is reported under `stage`, and `more` overrides the options."""
        report = report_as(self.on_progress, stage, before=self.seconds)
        result = solve(instance, on_interrupt="return", on_progress=report, **{**self.options, **more})
        self.interrupted = result.termination is Termination.INTERRUPTED
        return result


class RelaxationSeries(SolveSeries, Generic[Key]):
    """The solves of instances that relax one another, by key, such as with and without a reservation.

    `relaxes(one, other)` tells whether every schedule of `other` is feasible for `one`; each instance relaxes itself.
    A schedule is also used for all relaxations, and a lower bound of a relaxation for all instances that it relaxes.
    """

    def __init__(
        self, instances: Mapping[Key, Instance], relaxes: Callable[[Key, Key], bool], options: Mapping[str, Any]
    ) -> None:
        super().__init__(options)
        self.instances = instances
        self.results: dict[Key, Result] = {}
        self.schedules: dict[Key, Schedule] = {}  # the shortest known
        self.bounds = {key: (Fraction(0), key) for key in instances}  # and the instance for which each was proven
        self._relaxes = relaxes

    def optimum(self, key: Key) -> Optimum:
        """Return the optimum of an instance, as far as it is known.

        If bound and schedule contradict, a solver's claim without a certificate is dropped; otherwise this is a
        `SolverError`.
        """
        (bound, source), schedule = self.bounds[key], self.schedules.get(key)
        while schedule is not None and schedule.makespan < bound:
            reason = f"{key}: a schedule ends at {schedule.makespan}, before the bound {bound} of {source}"
            result = self.results[source]
            if not result.is_claimed:
                raise SolverError(reason)
            self.results[source] = without_claims(result, f"{result.proof} is wrong and does not count: {reason}")
            self._learn_bounds()
            bound, source = self.bounds[key]
        return Optimum(bound, None if schedule is None else schedule.makespan, self.results.get(key))

    def solve_open(self, key: Key, stage: str, solves: int, **more: Any) -> None:
        """Solve an instance unless its optimum is proven; `solves` solves share the remaining time.

        Further arguments as for `solve`.
        """
        if self.optimum(key).proven:
            return
        start = self.schedules.get(key)
        result = self.solve(self.instances[key], stage, time_limit=self.share(solves), start=start, **more)
        self.results[key] = result
        if result.schedule is not None:
            self.learn_schedule(key, result.schedule)
        self._learn_bounds()

    def _learn_bounds(self) -> None:
        """Find the best bound of each instance among those of the results."""
        for key in self.bounds:
            self.bounds[key] = Fraction(0), key
            for source, result in self.results.items():
                bound = result.lower_bound
                if bound is not None and bound > self.bounds[key][0] and self._relaxes(source, key):
                    self.bounds[key] = bound, source

    def learn_schedule(self, key: Key, schedule: Schedule) -> None:
        """Record a schedule for an instance and its relaxations, verified for each, if it improves on the incumbent."""
        for other, instance in self.instances.items():
            known = self.schedules.get(other)
            if not self._relaxes(other, key) or (known is not None and known.makespan <= schedule.makespan):
                continue
            if other != key and (violations := verify(instance, schedule)):
                raise SolverError(f"a schedule that is feasible for {key} is not for {other}: {violations[0]}")
            self.schedules[other] = schedule
