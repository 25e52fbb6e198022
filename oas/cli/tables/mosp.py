"""Columns and lines of MOSP in tables: locality, the papers' ratio, guarantees, and the gain of each organization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from oas.cli.tables.fitted_table import FittedTable
from oas.cli.tables.tables import ProblemTables
from oas.core.formats import MISSING, plural, show_count, show_factor, show_percent, show_ratio, show_time
from oas.problems.mosp.availability import availability

if TYPE_CHECKING:
    from rich.table import Table

    from oas.cli.tables.tables import Line
    from oas.problems.mosp.availability import Availability
    from oas.problems.mosp.instance import MospInstance
    from oas.studies.comparison import Comparison, ComparisonRow


class MospTables(ProblemTables):
    """Lines and columns of organizations."""

    side = ("compaction", "time", "/ papers' bound", "guarantee / observed", "locality kept")

    def title(self, instance: MospInstance) -> str:
        """Return jobs, organizations and locality."""
        sizes = " + ".join(str(organization.processors) for organization in instance.organizations)
        bound = "no locality" if instance.locality is None else f"locality {show_time(instance.locality)}"
        count = f"{show_count(len(instance.jobs), 'job')}, {show_count(len(instance.organizations), 'organization')}"
        return f"{count} ({sizes} {plural(instance.node_count, 'processor')}), {bound}"

    def facts(self, instance: MospInstance) -> list[Line]:
        """Return the class of the reservations, for one organization that has any."""
        found = _availability(instance)
        return [] if found is None else [("reservations", str(found))]

    def document(self, instance: MospInstance) -> dict[str, Any]:
        """Return the class of the reservations: `Availability` without its steps, or null."""
        found = _availability(instance)
        if found is None:
            return {"availability": None}
        alpha = None if found.alpha is None else str(found.alpha)
        known = {"least_free": found.least_free, "alpha": alpha, "non_increasing": found.non_increasing}
        return {"availability": known}

    def headings(self, _instance: MospInstance) -> list[str]:
        """Return makespan, locality, compaction, the papers' ratio, and guarantees."""
        return ["makespan", "locality\nkept", "compaction", "/ papers'\nbound", "guarantee\n/ observed"]

    def cells(self, _instance: MospInstance, row: ComparisonRow) -> list[str]:
        """Return the cells under `headings`."""
        kept = MISSING if row.keeps_locality is None else ("yes" if row.keeps_locality else "no")
        figures = [show_time(row.makespan), kept, show_percent(row.compaction), show_ratio(row.ratio)]
        return [*figures, _guarantee_and_observed(row)]

    def further(self, comparison: Comparison) -> Table | None:
        """Return what each organization gains in the exact schedule against staying alone."""
        return organization_table(comparison)


def _availability(instance: MospInstance) -> Availability | None:
    """Return what reservations leave free; None without, and for several organizations: the paper is on one cluster."""
    alone = instance.organizations[0]
    return availability(alone) if len(instance.organizations) == 1 and alone.reservations else None


def _guarantee_and_observed(row: ComparisonRow) -> str:
    """Return what is proved of the ratio to the optimum, and the ratio; ≤ where the optimum is not known."""
    if row.guarantee is None:
        return MISSING
    observed = f"{'' if row.observed_exactly or row.observed is None else '≤ '}{show_factor(row.observed)}"
    return f"{show_factor(row.guarantee.value)} / {observed}"


def organization_table(comparison: Comparison) -> Table | None:
    """Return what each organization gains in the exact schedule against staying alone; None without either schedule."""
    instance: Any = comparison.instance
    schedule = comparison.result.schedule
    if schedule is None or instance.local is None:
        return None
    table = FittedTable("organization", side=("jobs", "alone"))
    table.add_figures("jobs", "alone", "together", "gain")
    for organization, alone in zip(instance.organizations, instance.local_makespans, strict=True):
        if organization.jobs:
            together = max(schedule[job.id].end for job in organization.jobs)
            cells = [
                str(len(organization.jobs)),
                show_time(alone),
                show_time(together),
                show_percent(1 - together / alone),
            ]
            table.add_row(Text(organization.id), *cells)
    return table


TABLES = MospTables()
