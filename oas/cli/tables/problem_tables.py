"""The part of a problem that the tables use: its own columns and lines beside those of every problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.core.formats import plural, show_count, show_percent, show_time
from oas.core.metrics import compaction

if TYPE_CHECKING:
    from rich.table import Table

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.studies.comparison import Comparison, ComparisonRow

Line = tuple[str, str]


class ProblemTables:
    """Lines and columns of every problem; one with more to say overrides them.

    Attributes
    ----------
    side
        Headings of a comparison's columns that may be left out for lack of width, the least important first.
    """

    side: tuple[str, ...] = ("time", "compaction")

    def title(self, instance: Any) -> str:
        """Return what stands after an instance's name: jobs, clusters and the like."""
        sizes = " + ".join(str(size) for _, size in instance.cluster_sizes)
        jobs, clusters = len(instance.jobs), len(instance.cluster_sizes)
        nodes = plural(instance.node_count, instance.problem.nodes.removesuffix("s"))
        return f"{show_count(jobs, 'job')}, {show_count(clusters, 'cluster')} ({sizes} {nodes})"

    def facts(self, _instance: Any) -> list[Line]:
        """Return further lines about an instance, beneath its title."""
        return []

    def document(self, _instance: Any) -> dict[str, Any]:
        """Return the same facts as fields for JSON."""
        return {}

    def schedule_lines(self, instance: Any, schedule: Schedule, bounds: list[Line]) -> list[Line]:
        """Return what a solve's table says of its schedule; `bounds` are the lines of bound and gap."""
        usage = show_percent(compaction(instance, schedule))
        return [("makespan", f"{show_time(schedule.makespan)}, by {schedule.method}"), *bounds, ("compaction", usage)]

    def headings(self, _instance: Any) -> list[str]:
        """Return the headings of a comparison's columns, from the makespan on."""
        return ["makespan", "compaction"]

    def cells(self, _instance: Any, row: ComparisonRow) -> list[str]:
        """Return the cells under `headings`."""
        return [show_time(row.makespan), show_percent(row.compaction)]

    def further(self, _comparison: Comparison) -> Table | None:
        """Return another table to stand beneath a comparison; None for none."""
        return None


def tables_of(instance: Instance) -> ProblemTables:
    """Return the tables of the problem that `instance` is of."""
    if not instance.problem.has("tables"):
        return ProblemTables()
    found: ProblemTables = instance.problem.part("tables")
    return found
