"""Conversion of core types to data frames, and of data frames to instances; pandas is imported on first use.

The columns are documented at the methods that return frames. Input may be anything that `pandas.DataFrame` accepts,
such as a dict of lists. Errors name row (from 0) and column: ``jobs[3].time``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Rational, Real
from typing import TYPE_CHECKING, Any, TypeVar

from oas.core.errors import InputError, within
from oas.core.numbers import as_float, integer
from oas.core.schedule import Placement, Schedule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas

    from oas.core.result import Result, Trace
    from oas.core.schedule_metrics import ScheduleMetrics


def frame_with(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], index: Sequence[str] | None = None
) -> pandas.DataFrame:
    """Return a data frame; fractions become floats."""
    import pandas

    cells = [[float(value) if isinstance(value, Fraction) else value for value in row] for row in rows]
    return pandas.DataFrame(cells, index=index, columns=list(columns))


def placements_frame(schedule: Schedule) -> pandas.DataFrame:
    """See `Schedule.to_frame`."""
    rows = ((run.job, run.start, run.end, run.tasks, dict(run.nodes)) for run in schedule.placements)
    return frame_with(("job", "start", "end", "tasks", "nodes"), rows)


def result_frame(result: Result) -> pandas.DataFrame:
    """See `Result.to_frame`."""
    row = {
        "instance": result.instance_digest,
        "method": "" if result.schedule is None else result.schedule.method,
        "status": result.status.value,
        "termination": result.termination.value,
        "makespan": as_float(result.objective),
        "lower_bound": as_float(result.lower_bound),
        "gap": as_float(result.gap),
        "proof": "" if result.proof is None else str(result.proof),
        "unconfirmed": result.unconfirmed,
        "solver": result.solver,
        "formulation": result.formulation,
        "seconds": float("nan") if result.solve_seconds is None else result.solve_seconds,
        "check_seconds": result.check_seconds,
        "seed": result.seed,
        "threads": result.threads,
        "message": result.message,
    }
    return frame_with(list(row), [list(row.values())])


def trace_frame(trace: Trace) -> pandas.DataFrame:
    """See `Trace.to_frame`."""
    rows = ((point.seconds, as_float(point.lower_bound), as_float(point.objective)) for point in trace.points)
    return frame_with(("seconds", "lower_bound", "makespan"), rows)


_JOB = ("job", "release", "start", "end", "nodes", "wait", "run_time", "flow", "slowdown", "bounded_slowdown")
_LOAD = ("time", "queue", "running", "nodes", "utilisation")


def job_metrics_frame(metrics: ScheduleMetrics) -> pandas.DataFrame:
    """See `ScheduleMetrics.to_frame`."""
    return frame_with(_JOB, ([getattr(job, name) for name in _JOB] for job in metrics.jobs))


def summary_frame(metrics: ScheduleMetrics) -> pandas.DataFrame:
    """See `ScheduleMetrics.summary`."""
    names = list(metrics.MEASURES)
    rows = ((metrics.mean(name), metrics.median(name), metrics.largest(name)) for name in names)
    return frame_with(("mean", "median", "max"), rows, names)


def load_frame(metrics: ScheduleMetrics) -> pandas.DataFrame:
    """See `ScheduleMetrics.load_frame`."""
    return frame_with(_LOAD, ([getattr(step, name) for name in _LOAD] for step in metrics.load))


Item = TypeVar("Item")


def converted(
    source: object, field: str, columns: Mapping[str, object], decimals: int, convert: Callable[[Row], Item]
) -> list[Item]:
    """Convert the rows of a frame, called `field` in errors; floats are rounded to `decimals`.

    `columns` are the columns to read and their default values; None for a required column. Errors of `convert` get the
    number of the row.
    """
    import pandas

    try:
        frame = source if isinstance(source, pandas.DataFrame) else pandas.DataFrame(source)
    except (TypeError, ValueError) as error:
        raise InputError(f"must be a data frame, or convertible to one: {error}", field=field) from error
    if not frame.columns.is_unique:
        raise InputError("the frame has two columns of the same name", field=field)
    present = [column for column in columns if column in frame.columns]
    for column, default in columns.items():
        if default is None and column not in present:
            known = ", ".join(map(str, frame.columns))
            raise InputError(f"the frame has no column {column}; it has: {known or 'none'}", field=field)
    for column in present:
        for index in frame[column].isna().to_numpy().nonzero()[0]:
            raise InputError("is missing", field=f"{field}[{index}].{column}")
    items = []
    for index, values in enumerate(zip(*(frame[column].tolist() for column in present), strict=True)):
        cells = {**columns, **dict(zip(present, values, strict=True))}
        with within(f"{field}[{index}]"):
            items.append(convert(Row(index, cells, decimals)))
    return items


class Row:
    """The values of a row by column; a float is read as the nearest Fraction with `decimals` decimals."""

    def __init__(self, index: int, values: Mapping[str, Any], decimals: int) -> None:
        self._index, self._values, self._decimals = index, values, decimals

    def __getitem__(self, column: str) -> Any:
        value = self._values[column]
        if not isinstance(value, Real) or isinstance(value, Rational | Decimal):
            return value
        if not isfinite(value):
            raise InputError("must be a finite number", field=column, value=value)
        rounded = round(Fraction(*value.as_integer_ratio()), self._decimals)  # type: ignore[attr-defined]
        if value and not rounded:
            reason = f"is 0 when rounded to decimals={self._decimals}; increase decimals"
            raise InputError(reason, field=column, value=value)
        return Fraction(rounded)

    def name(self, column: str) -> str:
        """Return an id, which may be a number in the frame; by default J and the number of the row from 1."""
        value = self._values[column]
        if value == "":
            return f"J{self._index + 1}"
        return str(value) if isinstance(value, Rational) and not isinstance(value, bool) else value


def schedule_from_frame(frame: object, *, method: str = "", decimals: int = 6) -> Schedule:
    """Return a schedule from a data frame, such as one that another tool made, for `oas.verify`.

    Parameters
    ----------
    frame
        Columns ``job``, ``start`` and ``end`` (in the instance's time unit), and the nodes of the job: ``nodes`` as a
        mapping from clusters to node numbers, as `Schedule.to_frame` has it; or ``cluster`` and ``nodes``, with one row
        for each cluster that the job uses. Node numbers are a list, or text such as ``0-3,7``.
    method
        Name of the method that made the schedule.
    decimals
        Floats are rounded to this number of decimals.

    Returns
    -------
    Schedule
        The schedule, which is not verified yet.

    Raises
    ------
    InputError
        If a column is missing, a value is invalid, or the rows of a job have different times.
    """
    columns = {"job": None, "start": None, "end": None, "nodes": None, "cluster": ""}
    times: dict[str, tuple[Any, Any]] = {}
    nodes: dict[str, dict[str, Iterable[int]]] = {}

    def add(row: Row) -> None:
        job, given = row.name("job"), row["nodes"]
        interval = row["start"], row["end"]
        if times.setdefault(job, interval) != interval:
            raise InputError(f"differs from the times of {job} above", field="start", value=str(row["start"]))
        if not isinstance(given, Mapping):
            if row["cluster"] == "":
                raise InputError("is needed where nodes are no mapping", field="cluster")
            given = {row.name("cluster"): given}
        used = nodes.setdefault(job, {})
        for cluster, numbers in given.items():
            if cluster in used:
                raise InputError(f"{job} has another row for it", field="cluster", value=cluster)
            used[cluster] = _node_numbers(numbers)

    converted(frame, "schedule", columns, integer(decimals, "decimals", least=0), add)
    return Schedule([Placement(job, *interval, nodes[job]) for job, interval in times.items()], method)


def _node_numbers(value: Any) -> Any:
    """Return node numbers; text lists numbers and ranges, such as ``0-3,7``."""
    if not isinstance(value, str):
        return value
    numbers: list[int] = []
    for part in value.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", part, re.ASCII)
        if match is None:
            raise InputError("must be numbers and ranges, such as 0-3,7", field="nodes", value=value)
        numbers += range(int(match[1]), int(match[2] or match[1]) + 1)
    return numbers
