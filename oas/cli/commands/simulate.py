"""`oas simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from oas.cli import options as opt
from oas.cli.output import ExitCode, put_all, put_json, uninterrupted

if TYPE_CHECKING:
    from oas.studies.simulation import PolicyRun, Simulation


def simulate_command(
    log: Annotated[str, typer.Argument(metavar="LOG", help="The job log, plain or .gz; - for stdin.")],
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy",
            metavar="NAME",
            help="EASY, conservative, FCFS-strict, or list scheduling: FCFS, SJF, BJF, SPT, LPT; repeatable.",
        ),
    ] = None,
    reservations: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="CSV with columns start,end,processors, in seconds of the log's time."),
    ] = None,
    processors: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Of the machine; otherwise what the log says, if it does.")
    ] = None,
    at_once: Annotated[
        bool, typer.Option("--at-once", help="Off line: all jobs are submitted with the first.")
    ] = False,
    format: opt.LogFormat = None,
    unit: opt.LogUnit = None,
    owner: opt.LogOwner = "user",
    skip_wider: Annotated[
        bool, typer.Option("--skip-wider", help="Leave out and count jobs wider than the machine; else refuse them.")
    ] = False,
    strict: opt.Strict = False,
    threshold: Annotated[
        str, typer.Option(metavar="SECONDS", help="Of the bounded slowdown: shorter jobs count as so long.")
    ] = "10",
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="PATH", callback=opt.usable_csv, help="Also write a row for each job, as CSV."
        ),
    ] = None,
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
    from oas.studies.simulation import simulate

    simulation = simulate(
        log,
        policy or ["EASY"],
        reservations=reservations,
        processors=processors,
        at_once=at_once,
        threshold=threshold,
        format=format,
        unit=unit,
        owner=owner,
        skip_wider=skip_wider,
        strict=strict,
    )
    with uninterrupted() as delivery:
        delivery.save(lambda path: write_jobs(path, {row.policy: row.stream for row in simulation.rows}), output)
        if as_json:
            put_json(_document(simulation))
        else:
            _print(simulation)
    raise typer.Exit(ExitCode.VIOLATION if simulation.violated else ExitCode.DONE)


def _print(simulation: Simulation) -> None:
    from oas.cli.tables.execution_tables import notes, policy_table

    put_all(policy_table(simulation), "", *notes(simulation))


def _document(simulation: Simulation) -> dict[str, Any]:
    stream = simulation.stream
    return {
        "log": {
            "name": stream.name,
            "sha256": stream.sha256,
            "format": stream.format,
            "acknowledgement": stream.acknowledgement,
            "jobs": len(stream),
            "skipped": dict(stream.skipped),
            "noted": dict(stream.noted),
        },
        "processors": simulation.processors,
        "reservations": len(simulation.reservations),
        "threshold": str(simulation.threshold),
        "policies": [_row(row) for row in simulation.rows],
    }


def _row(row: PolicyRun) -> dict[str, Any]:
    return {
        "policy": row.policy,
        "makespan": str(row.makespan),
        "utilisation": str(row.utilisation),
        "wait": vars(row.wait),
        "bounded_slowdown": vars(row.bounded_slowdown),
        "violations": [{"rule": one.rule, "message": one.message} for one in row.violations],
    }
