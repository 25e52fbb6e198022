"""Display of streams of jobs and of simulations as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import MISSING, show_count, show_percent, show_time
from oas.show.texts import text

if TYPE_CHECKING:
    from oas.core.stream import JobStream
    from oas.studies.simulation import Simulation


def stream_text(stream: JobStream) -> str:
    """Return how many jobs there are, and on what machine."""
    size = MISSING if stream.machine is None else f"{stream.machine:,}"
    started = "" if stream.starts is None else ", with starts"
    heading = f"JobStream {stream.name}: {show_count(len(stream), 'job')}{started}, {size} processors"
    return text(heading, [stream.acknowledgement])


def simulation_text(simulation: Simulation) -> str:
    """Return a line a policy."""
    jobs, blocks = show_count(len(simulation.stream), "job"), show_count(len(simulation.reservations), "reservation")
    return text(
        f"Simulation: {jobs} on {show_count(simulation.processors, 'processor')}, {blocks}",
        (
            f"{row.policy}: makespan {show_time(row.makespan)}, utilisation {show_percent(row.utilisation)},"
            f" mean wait {row.wait.mean:,.1f}, mean bounded slowdown {row.bounded_slowdown.mean:,.2f}"
            + (f"; breaks {show_count(len(row.violations), 'rule')}" if row.violations else "")
            for row in simulation.rows
        ),
    )
