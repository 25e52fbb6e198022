"""`oas compare`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from oas.cli import options as opt
from oas.cli.solving import exit_code

if TYPE_CHECKING:
    from oas.studies.comparison import Comparison


def compare_command(
    file: opt.InstanceFile,
    heuristic: Annotated[
        list[str] | None,
        typer.Option("--heuristic", metavar="NAME", help="Add your own, package.module:function; repeatable."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help="Compare these heuristics instead of all; repeatable."),
    ] = None,
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
    """Show the exact optimum beside every heuristic, each verified.

    The gap is to the proven optimum; where none is proven, to the proven bound, and the column says so. "executed" is
    the same schedule run without the slot grid. Exit code 3 if a heuristic's schedule broke a rule.

    Examples
    --------
      oas compare grid.json

      oas compare grid.json --heuristic mypackage.mymodule:my_heuristic

      oas compare grid.json --only FCFS --only FPFS --time-limit 30 --gantt grid.png
    """
    instance = opt.load_instance(file, slot)
    from oas.cli.progress import ProgressLine
    from oas.io import save
    from oas.studies.comparison import compare

    with ProgressLine(quiet) as progress:
        comparison = compare(
            instance,
            heuristics=only,
            extra=heuristic or (),
            seed=seed,
            solver=solver,
            formulation=formulation,
            check=check or (),
            time_limit=time_limit,
            memory_limit=opt.memory_bytes(memory_limit),
            threads=threads,
            solver_options=opt.solver_options(option),
            on_progress=progress,
        )
    if output:
        save(comparison.result, output)
    if as_json:
        sys.stdout.write(_as_json(comparison))
    else:
        from oas.cli.tables import comparison_notes, comparison_table, console

        screen = console()
        screen.print(comparison_table(comparison))
        for note in comparison_notes(comparison):
            screen.print(note, markup=False)
    if gantt:
        _draw(comparison, gantt)
    code = exit_code(comparison.result)
    raise typer.Exit(3 if comparison.violated and code == 0 else code)


def _draw(comparison: Comparison, path: str) -> None:
    """Exact and best heuristic schedule above one another, links beneath."""
    from oas import plots
    from oas.core.result import Status

    names = {row.method: row for row in comparison.rows if row.schedule is not None}
    proven = comparison.result.status is Status.OPTIMAL
    schedules = {
        ("optimum" if proven and name == "exact" else name): row.schedule for name, row in names.items() if row.schedule
    }
    if not schedules:
        return
    shown = dict(list(schedules.items())[:2])
    bound = comparison.result.lower_bound
    plots.save_figure(plots.comparison_figure(comparison.instance, shown, lower_bound=bound), path)
    sys.stderr.write(f"picture written to {path}\n")


def _as_json(comparison: Comparison) -> str:
    import json

    from oas.core.rational import format_fraction
    from oas.io import dumps

    rows = []
    for row in comparison.rows:
        figures = {
            name: None if value is None else format_fraction(value)
            for name, value in [
                ("makespan", row.makespan),
                ("executed", row.executed),
                ("compaction", row.compaction),
                ("executed_compaction", row.executed_compaction),
                ("gap", row.gap),
            ]
        }
        violations = [{"rule": one.rule, "jobs": list(one.jobs), "message": one.message} for one in row.violations]
        rows.append(
            {"method": row.method, **figures, "seconds": row.seconds, "violations": violations, "note": row.note}
        )
    document = {
        "instance": comparison.instance.digest,
        "rows": rows,
        "result": json.loads(dumps(comparison.result)),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
