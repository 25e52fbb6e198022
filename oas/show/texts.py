"""Display of schedules, results and studies as text: what `print` and the Python prompt show.

A few lines each, however large the thing is; all of it is in its fields and in `to_frame`.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from oas.core.formats import MISSING, show_count, show_exact, show_percent, show_seconds, show_time
from oas.core.result import Status
from oas.show.html import short_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.core.schedule import Placement, Schedule
    from oas.core.trace import Trace
    from oas.studies.appraisal import Appraisal
    from oas.studies.comparison import Comparison, ComparisonRow
    from oas.studies.cooperation import PriceStudy
    from oas.studies.slot_sizes.study import SlotStudy

MAX_LINES = 3  # of a list
MAX_METHODS = 12  # of a study, whose lines are its answer
MAX_RANGES = 4  # of the nodes on a cluster


def schedule_text(schedule: Schedule) -> str:
    """Return the method, the makespan and the first placements."""
    count = len(schedule.placements)
    method = f" by {schedule.method}" if schedule.method else ""
    heading = f"Schedule{method}: {show_count(count, 'job')}, makespan {show_exact(schedule.makespan)}"
    return text(heading, first_lines(map(_run, schedule.placements), count))


def placement_text(placement: Placement) -> str:
    """Return one job's run, its nodes as ranges."""
    return f"Placement {_run(placement)}"


def result_text(result: Result) -> str:
    """Return what is held, what proves it, and how it was found."""
    time = show_seconds(result.seconds["total"]) if "total" in result.seconds else ""
    schedule = result.schedule
    return text(
        f"Result: {result.status.value.replace('_', ' ')} ({result.termination.value.replace('_', ' ')})",
        [
            f"makespan {_known(result.objective)}, lower bound {_known(result.lower_bound)},"
            f" gap {show_percent(result.gap)}",
            "" if result.proof is None else f"proof: {result.proof}",
            "no schedule"
            if schedule is None
            else f"schedule by {schedule.method}, {show_count(len(schedule.placements), 'job')}",
            f"solver {result.solver}, {time}" if result.solver and time else result.solver or time,
            result.message,
        ],
    )


def trace_text(trace: Trace) -> str:
    """Return how many points there are, and the last of them."""
    points = trace.points
    last = [
        f"{show_seconds(one.seconds)}: makespan {_known(one.objective)}, lower bound {_known(one.lower_bound)}"
        for one in points[-1:]
    ]
    return text(f"Trace: {show_count(len(points), 'point')} in {show_seconds(trace.seconds)}", last)


def comparison_text(comparison: Comparison) -> str:
    """Return a line a method."""
    proven = comparison.result.status is Status.OPTIMAL
    free = comparison.without_locality

    def above(row: ComparisonRow) -> str:
        optimum = free is not None and free.status is Status.OPTIMAL if row.ignores_locality else proven
        what = "optimum" if optimum else "bound"
        return f"{show_percent(row.gap)} above the {what}{' without locality' if row.ignores_locality else ''}"

    rows = (
        f"{row.method}: {show_time(row.makespan)}, {above(row)}"
        if row.makespan is not None
        else f"{row.method}: no schedule"
        for row in comparison.rows
    )
    count = len(comparison.rows)
    heading = f"Comparison on {short_name(comparison.instance)}: lower bound {show_time(comparison.result.lower_bound)}"
    return text(heading, first_lines(rows, count, MAX_METHODS))


def star_note(comparison: Comparison) -> str:
    """Return what a star in tables of methods means; empty if no row has one."""
    free = comparison.without_locality
    if free is not None:
        what = "optimum" if free.status is Status.OPTIMAL else "best schedule (not proven)"
        found = f"{what} {show_time(free.objective)}, lower bound {show_time(free.lower_bound)}"
        return f"* without locality: {found}; methods that ignore locality are compared with it"
    if any(row.ignores_locality for row in comparison.rows):
        return "* ignores locality; the optimum without locality was not computed"
    return ""


def price_text(study: PriceStudy) -> str:
    """Return a line a locality."""
    rows = (
        f"{'no locality' if one.locality is None else f'locality {show_time(one.locality)}'}:"
        f" makespan {show_time(one.result.objective)}, {one.result.status.value.replace('_', ' ')}"
        for one in study.points
    )
    heading = f"PriceStudy of {short_name(study.instance)}: {len(study.points)} localities"
    return text(heading, first_lines(rows, len(study.points), MAX_METHODS))


def slots_text(study: SlotStudy) -> str:
    """Return a line a slot size."""
    rows = (
        f"η = {show_percent(one.percent / 100)}: makespan {show_time(one.makespan)},"
        f" {one.status.value.replace('_', ' ')}"
        for one in study.points
    )
    heading = f"SlotStudy of {short_name(study.instance)}: {len(study.points)} slot sizes"
    return text(heading, first_lines(rows, len(study.points), MAX_METHODS))


def appraisal_text(appraisal: Appraisal) -> str:
    """Return a line a window."""
    rows = (
        f"{row.window.name}: observed {show_time(None if row.observed is None else row.observed.makespan)},"
        f" best {show_time(None if row.best is None else row.best.makespan)}"
        for row in appraisal.rows
    )
    count = len(appraisal.rows)
    left = f", {appraisal.left:,} not looked at" if appraisal.left else ""
    return text(f"Appraisal: {show_count(count, 'window')}{left}", first_lines(rows, count, MAX_METHODS))


def _known(value: Fraction | None) -> str:
    return MISSING if value is None else show_exact(value)


def _run(one: Placement) -> str:
    nodes = ", ".join(
        [f"{name} {_ranges(numbers)}" for name, numbers in islice(one.nodes.items(), MAX_RANGES)]
        + ([f"… and {len(one.nodes) - MAX_RANGES:,} clusters more"] if len(one.nodes) > MAX_RANGES else [])
    )
    return f"{one.job}: [{show_time(one.start)}, {show_time(one.end)}) on {nodes or 'no node'}"


def _ranges(numbers: tuple[int, ...]) -> str:
    """Return ascending numbers as ranges: 0–3, 5."""
    starts = [place for place, number in enumerate(numbers) if not place or number != numbers[place - 1] + 1]
    ends = [*starts[1:], len(numbers)]
    shown = [
        f"{numbers[start]}" if end == start + 1 else f"{numbers[start]}–{numbers[end - 1]}"
        for start, end in islice(zip(starts, ends, strict=True), MAX_RANGES)
    ]
    return ", ".join([*shown, "…"] if len(starts) > MAX_RANGES else shown)


def title(instance: Instance) -> str:
    """Return the type of an instance, and its name or the beginning of its digest."""
    return f"{type(instance).__name__} {short_name(instance)}"


def first_lines(lines: Iterable[str], count: int, most: int = MAX_LINES) -> list[str]:
    """Return the first lines of `count`, and how many more there are."""
    return [*islice(lines, most), *([f"… and {count - most:,} more"] if count > most else [])]


def text(heading: str, lines: Iterable[str]) -> str:
    """Return lines under a heading; empty ones are left out."""
    return "\n  ".join([heading, *filter(None, lines)])
