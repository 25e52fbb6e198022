"""`oas simulate`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.output import attributes, deliver, leave, log_document

if TYPE_CHECKING:
    from oas.studies.simulation import PolicyRun, Simulation


@dataclass(frozen=True)
class SimulationOptions:
    """What is simulated, as `oas.studies.simulation.simulate` takes it."""

    reservations: str | None = opt.option(
        None, "FILE", "CSV with columns start,end,processors, in seconds of the log's time."
    )
    processors: int | None = opt.option(None, "N", "Of the machine; otherwise what the log says, if it does.", min=1)
    at_once: bool = Option(False, "--at-once", help="Off line: all jobs are submitted with the first.")
    format: opt.LogFormat = None
    unit: opt.LogUnit = None
    owner: opt.LogOwner = "user"
    skip_wider: bool = Option(
        False, "--skip-wider", help="Leave out and count jobs wider than the machine; else refuse them."
    )
    strict: opt.Strict = False
    threshold: str = opt.option("10", "SECONDS", "Of the bounded slowdown: shorter jobs count as so long.")


def simulate_command(
    log: Annotated[str, Argument(metavar="LOG", help="The job log, plain or .gz; - for stdin.")],
    policy: list[str] | None = opt.option(
        None, "NAME", "EASY, conservative, FCFS-strict, or list scheduling: FCFS, SJF, BJF, SPT, LPT; repeatable."
    ),
    *,
    asked: SimulationOptions,
    output: str | None = opt.output("Also write a row for each job, as CSV.", opt.usable_csv, default=None),
    as_json: opt.AsJson = False,
) -> None:
    """Simulate queueing policies on a job log, around reservations: waits, slowdowns, utilisation.

    Logs are SWF, Batsim's …_jobs.csv, or what sacct --parsable2 prints. A policy knows each job, and how long it will
    run, from its submission on; running times are those of the log. What starts fits for its whole run beside the
    reservations. A million jobs take seconds.

    Every schedule is verified: each job once, for its time, not before its submission, never more processors than
    there are; and what the policy promises: conservative back-filling, that no job is delayed by a later one; EASY,
    that the first of the queue is not; list scheduling, that nothing is idle that fits its whole window; FCFS-strict,
    that starts never decrease. The exit code is 3 if one is broken.

    The file written has columns id, submit, start, end, processors, owner, wait, policy.

    Examples
    --------
      oas simulate KTH-SP2.swf.gz --policy EASY --policy conservative
      oas simulate KTH-SP2.swf.gz --policy EASY --reservations maintenance.csv -o jobs.csv
      oas simulate out_jobs.csv --processors 64 --policy FCFS --at-once --json
    """
    from oas.io.csv_rows import write_jobs
    from oas.show.logs import simulation_parts
    from oas.studies.simulation import simulate

    simulation = simulate(log, policy or ["EASY"], **vars(asked))
    streams = {row.policy: row.stream for row in simulation.rows}
    written = partial(write_jobs, streams=streams), output
    deliver(partial(_document, simulation), lambda: [*simulation_parts(simulation)][1:], as_json, written)
    leave(violated=simulation.violated)


def _document(simulation: Simulation) -> dict[str, Any]:
    stream = simulation.stream
    return {
        "log": log_document(stream, len(stream)),
        "processors": simulation.processors,
        "reservations": len(simulation.reservations),
        "threshold": simulation.threshold,
        "policies": [_row(row) for row in simulation.rows],
    }


def _row(row: PolicyRun) -> dict[str, Any]:
    return {
        **attributes(row, "policy", "makespan", "utilisation"),
        "wait": vars(row.wait),
        "bounded_slowdown": vars(row.bounded_slowdown),
        "violations": row.violations,
    }
