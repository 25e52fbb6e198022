"""`oas solve`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

from oas.cli import options as opt
from oas.cli.output import columns, put_all, put_bytes, uninterrupted

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.studies.continuous_limit import ContinuousLimit


def solve_command(
    file: opt.InstanceFile,
    solver: opt.Solver = "highs",
    formulation: opt.FormulationName = "auto",
    check: opt.Check = None,
    time_limit: opt.TimeLimit = None,
    memory_limit: opt.MemoryLimit = None,
    threads: opt.Threads = 1,
    seed: opt.Seed = 0,
    slot: opt.Slot = None,
    option: opt.SolverOption = None,
    gantt: opt.Gantt = None,
    output: opt.Output = None,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Find a shortest schedule and prove that it is one.

    Whatever stops the search (a limit, Ctrl-C, a solver's crash), the best verified schedule and the proven bound are
    shown and written.

    Beside a table the makespan at η = 0 is bounded too, for comparison: within the time limit, a tenth of which is kept
    for that, 30 s at most. Not with --json, which prints the result file and nothing else.

    Examples
    --------
      oas solve grid.json
      oas solve grid.json --time-limit 60 --check cbc --gantt grid.svg
      oas solve grid.json --slot 0 --formulation start-indexed --json > result.json
    """
    instance = opt.load_instance(file, slot)
    from oas.cli.progress import ProgressLine
    from oas.exact.pipeline import solve
    from oas.io import dumps, save
    from oas.studies.continuous_limit import solve_with_limit

    asked: dict[str, Any] = {
        "solver": solver,
        "formulation": formulation,
        "check": check or (),
        "time_limit": time_limit,
        "memory_limit": opt.memory_bytes(memory_limit),
        "threads": threads,
        "seed": seed,
        "solver_options": opt.solver_options(option),
    }
    with ProgressLine(quiet) as progress:
        if as_json:
            result, limit = solve(instance, on_progress=progress, **asked), None
        else:
            result, limit = solve_with_limit(instance, on_progress=progress, **asked)
    with uninterrupted():
        if output:
            save(result, output)
        if as_json:
            put_bytes(dumps(result))
        else:
            _print(instance, result, limit)
    if gantt and result.schedule is not None:
        from oas import plots

        figure = plots.schedule_figure(instance, result.schedule, lower_bound=result.lower_bound)
        plots.save_figure(figure, gantt)
        sys.stderr.write(f"picture written to {gantt}\n")
    raise typer.Exit(exit_code(result) or (exit_code(limit.result) if limit else 0))


def exit_code(result: Result) -> int:
    """Return the exit code for how a solve ended; what it found does not matter."""
    from oas.core.result import Termination

    if result.termination is Termination.INTERRUPTED:
        return 130
    faults = (Termination.CRASHED, Termination.KILLED, Termination.ERROR)
    return 4 if result.termination in faults else 0


def _print(instance: Instance, result: Result, limit: ContinuousLimit | None) -> None:
    from oas.cli.tables.tables import result_table, title_of
    from oas.cli.tables.text_gantt import text_gantt

    put_all(title_of(instance), result_table(instance, result, limit))
    if result.schedule is not None:
        put_all("", text_gantt(instance, result.schedule, columns()))
