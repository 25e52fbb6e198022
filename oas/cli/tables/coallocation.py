"""Columns and lines of co-allocation in tables: slots, and the schedule executed without them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.cli.tables.tables import Line, ProblemTables
from oas.core.formats import plural, show_percent, show_slots, show_time
from oas.core.schedule_metrics import compaction
from oas.problems.coallocation.metrics import executed_if_short

if TYPE_CHECKING:
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.studies.comparison import ComparisonRow


class CoallocationTables(ProblemTables):
    """Lines and columns of co-allocation."""

    side = ("executed compaction", "slots", "time", "compaction", "executed makespan")

    def title(self, instance: CoallocationInstance) -> str:
        """Return jobs, clusters and slot size."""
        slot = show_time(instance.slot) if instance.slot else "0 (continuous)"
        return f"{super().title(instance)}, η = {slot}"

    def schedule_lines(self, instance: CoallocationInstance, schedule: Schedule, bounds: list[Line]) -> list[Line]:
        """Return the makespan in slots too, and figures of the executed schedule."""
        run = executed_if_short(instance, schedule)
        slots = ""
        if instance.slot:
            number = show_slots(schedule.makespan, instance.slot)
            slots = f" = {number} {plural(1 if number == '1' else 2, 'slot')}"
        usage = [compaction(instance, one) for one in (schedule, run) if one is not None]
        without = (
            f"{show_time(run.makespan)} without the slot grid" if run else "exact times without slots are too long"
        )
        return [
            ("makespan", f"{show_time(schedule.makespan)}{slots}, by {schedule.method}"),
            ("executed", without),
            *bounds,
            ("compaction", ", executed ".join(map(show_percent, usage))),
        ]

    def headings(self, instance: CoallocationInstance) -> list[str]:
        """Return makespan and compaction, slotted and executed."""
        slots = ["slots"] if instance.slot else []
        return [*slots, "makespan", "executed\nmakespan", "compaction", "executed\ncompaction"]

    def cells(self, instance: CoallocationInstance, row: ComparisonRow) -> list[str]:
        """Return the cells under `headings`."""
        slots = [show_slots(row.makespan, instance.slot)] if instance.slot else []
        times = [show_time(row.makespan), show_time(row.executed)]
        return [*slots, *times, show_percent(row.compaction), show_percent(row.executed_compaction)]


TABLES = CoallocationTables()
