"""Lines and tables of `oas execute` and `oas simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from oas.cli.tables.fitted_table import FittedTable
from oas.core.formats import plural, show_count, show_factor, show_percent, show_time

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from rich.table import Table

    from oas.problems.coallocation.execution import Execution
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.studies.simulation import PolicyRun, Simulation, Spread

_MOST_NAMES = 10


def execution_lines(execution: Execution, planned: Fraction | None) -> list[str]:
    """Return makespans and slowdowns, a line each; `planned` is the plan's makespan if there is a plan."""
    made = execution.schedule.makespan
    beside = f", ratio to the plan {show_factor(made / planned)}" if planned else ""
    greatest = execution.greatest_slowdown
    slowest = next(job for job, value in execution.slowdowns.items() if value == greatest)
    return [
        f"policy    {execution.instance.saturation}",
        f"planned   {show_time(planned)}",
        f"executed  {show_time(made)}{beside}",
        f"slowdown  of jobs: mean {show_factor(execution.mean_slowdown)}, greatest {show_factor(greatest)}"
        + (f" (job {slowest})" if greatest > 1 else ""),
    ]


def link_table(execution: Execution) -> FittedTable:
    """Return for each cluster's link its bandwidth, the greatest load, and how long it is saturated."""
    table = FittedTable("link of", side=("greatest SC", "of the makespan"))
    table.add_figures("MBW", "greatest load", "greatest SC", "saturated for", "of the makespan")
    for cluster in execution.instance.clusters:
        steps, long = execution.links[cluster.id], execution.saturated(cluster.id)
        table.add_row(
            cluster.id,
            show_time(cluster.bandwidth),
            show_time(max(one.load for one in steps)),
            show_factor(max(one.degree for one in steps)),
            show_time(long),
            show_percent(long / execution.schedule.makespan),
        )
    return table


def never_slowed(instance: CoallocationInstance) -> list[str]:
    """Return the ids of the jobs that load links where they are split, and do not communicate: σ = 1."""
    return [job.id for job in instance.jobs if job.sigma == 1 and job.bandwidth and job.tasks > 1]


def remarks(instance: CoallocationInstance) -> list[str]:
    """Return the line that says so, if there are such jobs and links slow down."""
    names = never_slowed(instance) if instance.saturation.slows else []
    if not names:
        return []
    shown = ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
    verb = plural(len(names), "loads", "load")
    return [
        f"{len(names)} {plural(len(names), 'job')} with σ = 1 and a bandwidth {verb} links where split, and"
        f" {plural(len(names), 'is', 'are')} not slowed down: {shown}"
    ]


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
