"""Display of schedules and results in a notebook: small tables, and a Gantt chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import MISSING, show_exact, show_percent, show_seconds, show_time
from oas.show.html import facts, fragment, remark, table

if TYPE_CHECKING:
    from oas.core.result import Result
    from oas.core.schedule import Schedule


def schedule_html(schedule: Schedule) -> str:
    """Return a table of the first placements, and a Gantt chart."""
    from oas.show.gantt import inline_gantt

    placements = (
        (one.job, show_time(one.start), show_time(one.end), f"{one.tasks:,}", _clusters(list(one.nodes)))
        for one in schedule.placements
    )
    count = len(schedule.placements)
    return fragment(
        f"{schedule.method or 'schedule'}: {count:,} jobs, makespan {show_time(schedule.makespan)}",
        table(("job", "start", "end", "nodes", "clusters"), placements, count),
        inline_gantt(None, schedule),
        remark("schedule.plot(instance) shows the nodes that it leaves idle, too") if count else "",
    )


def result_html(result: Result) -> str:
    """Return what is held and what proves it, and a Gantt chart: of the instance's clusters where that is known."""
    from oas.show.gantt import inline_gantt

    return fragment(
        f"{result.status.value.replace('_', ' ')} ({result.termination.value.replace('_', ' ')})",
        facts(_result_facts(result)),
        "" if result.schedule is None else inline_gantt(result.instance, result.schedule, result.lower_bound),
    )


def _result_facts(result: Result) -> list[tuple[str, str]]:
    return [
        ("makespan", MISSING if result.objective is None else show_exact(result.objective)),
        ("lower bound", MISSING if result.lower_bound is None else show_exact(result.lower_bound)),
        ("gap", show_percent(result.gap)),
        ("proof", "" if result.proof is None else str(result.proof)),
        ("schedule by", "" if result.schedule is None else result.schedule.method),
        ("time", show_seconds(result.seconds["total"]) if "total" in result.seconds else ""),
        ("note", result.message),
    ]


def _clusters(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
