"""`oas simulate`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.output import attributes, deliver, leave, log_document
from oas.io.csv_rows import write_jobs
from oas.show.logs import simulation_parts
from oas.studies.simulation import Simulation, simulate


@dataclass(frozen=True)
class SimulationOptions:
    """Arguments of `oas.simulate` about the simulation."""

    reservations: str | None = opt.option(None, "FILE", "CSV file with columns start,end,processors; times in seconds.")
    processors: int | None = opt.option(None, "N", "Processors of the machine. Default: as in the log.", min=1)
    at_once: bool = Option(False, "--at-once", help="Off-line: submit all jobs together with the first.")
    threshold: str = opt.option("10", "SECONDS", "Bounded slowdown: minimum running time in seconds.")


def simulate_command(
    log: Annotated[str, Argument(metavar="LOG", help="Job log, plain or .gz; - for stdin.")],
    policy: list[str] | None = opt.option(
        None,
        "NAME",
        "EASY, conservative, FCFS-strict, or list scheduling: FCFS, SJF, BJF, SPT, LPT; repeatable. Default: EASY.",
    ),
    *,
    simulated: SimulationOptions,
    reading: opt.StreamOptions,
    output: str | None = opt.output("Also write a CSV file with one row per policy and job.", opt.usable_csv),
    as_json: opt.AsJson = False,
) -> None:
    """Simulate queueing policies on a job log, around reservations: waits, slowdowns, utilisation.

    Accepted logs are SWF, Batsim's …_jobs.csv, and the output of sacct --parsable2. A policy learns of each job and its
    running time, which is that of the log, when the job is submitted. A job starts only if it can run to its end
    without overlapping a reservation. A million jobs take seconds.

    Every schedule is verified: each job runs once, for its time, not before its submission, and no more processors are
    used than exist. The property of each policy is verified too. Conservative backfilling: no job is delayed by a later
    one. EASY: the first job of the queue is not delayed. List scheduling: no waiting job fits into idle processors.
    FCFS-strict: jobs start in order of submission. The exit code is 3 if a rule or a property is violated.

    The output file has the columns id, submit, start, end, processors, owner, wait, policy.

    Examples
    --------
      oas simulate KTH-SP2.swf.gz --policy EASY --policy conservative
      oas simulate KTH-SP2.swf.gz --policy EASY --reservations maintenance.csv -o jobs.csv
      oas simulate out_jobs.csv --processors 64 --policy FCFS --at-once --json
    """
    simulation = simulate(log, policy or ["EASY"], **vars(simulated), **vars(reading))
    jobs_file = partial(write_jobs, streams={row.policy: row.stream for row in simulation.rows}), output
    deliver(partial(_document, simulation), lambda: [*simulation_parts(simulation)][1:], as_json, jobs_file)
    leave(violated=simulation.violated)


def _document(simulation: Simulation) -> dict[str, Any]:
    stream = simulation.stream
    return {
        "log": log_document(stream, len(stream)),
        "processors": simulation.processors,
        "reservations": len(simulation.reservations),
        "threshold": simulation.threshold,
        "policies": [
            {
                **attributes(row, "policy", "makespan", "utilisation"),
                "wait": vars(row.wait),
                "bounded_slowdown": vars(row.bounded_slowdown),
                "violations": row.violations,
            }
            for row in simulation.rows
        ],
    }
