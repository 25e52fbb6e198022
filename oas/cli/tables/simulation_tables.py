"""The table of `oas simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from oas.cli.tables.fitted_table import FittedTable
from oas.core.formats import show_count, show_percent, show_time

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from oas.studies.simulation import PolicyRun, Simulation, Spread

_PARTS = ("mean", "median", "95 %", "most")


def policy_table(simulation: Simulation) -> Table:
    """Return a row a policy."""
    waits, slowdowns = ([f"{name}\n{part}" for part in _PARTS] for name in ("wait", "slowdown"))
    side = ("median", "95 %", "most")
    table = FittedTable("policy", side=[f"{name} {part}" for part in side for name in ("slowdown", "wait")])
    table.add_figures("makespan", "utilisation", *waits, *slowdowns)
    table.add_names("verified")
    for row in simulation.rows:
        table.add_row(*map(Text, _cells(row)), style="red" if row.violations else None)
    return table


def _cells(row: PolicyRun) -> list[str]:
    return [
        row.policy,
        show_time(row.makespan),
        show_percent(row.utilisation),
        *_figures(row.wait, 0),
        *_figures(row.bounded_slowdown, 2),
        "a rule is broken" if row.violations else "yes",
    ]


def _figures(spread: Spread, decimals: int) -> list[str]:
    values = (spread.mean, spread.median, spread.percentile95, spread.most)
    return [f"{value:,.{decimals}f}" for value in values]


def notes(simulation: Simulation) -> list[str]:
    """Return the lines beneath the table."""
    stream = simulation.stream
    blocks = show_count(len(simulation.reservations), "reservation")
    machine = f"{show_count(simulation.processors, 'processor')}, {blocks}"
    found = [f"{row.policy}: {violation}" for row in simulation.rows for violation in row.violations]
    found.append(
        f"times in seconds; slowdown: bounded, jobs below {show_time(simulation.threshold)} s count as so long;"
        " utilisation: of what reservations leave"
    )
    found.append(f"log: {stream.name}, {show_count(len(stream), 'job')} on {machine}")
    found += [f"log: {words}" for words in (_counts("skipped", stream.skipped), _counts("kept", stream.noted)) if words]
    return found


def _counts(what: str, counts: Mapping[str, int]) -> str:
    return f"{what}: {'; '.join(f'{reason}: {number}' for reason, number in counts.items())}" if counts else ""
