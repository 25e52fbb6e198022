"""`oas solve`."""

from __future__ import annotations

import logging
import sys
from functools import partial
from typing import Annotated

import typer

from oas.cli import options as opt
from oas.cli.exit_codes import ExitCode, exit_code
from oas.cli.output import columns, put_all, put_bytes, uninterrupted
from oas.cli.solve_arguments import SolveArguments, takes_solve_arguments


@takes_solve_arguments
def solve_command(
    file: opt.InstanceFile,
    *,
    asked: SolveArguments,
    placements: Annotated[
        str | None,
        typer.Option(
            metavar="PLAN", help="A schedule or result file of which every job keeps its nodes: only starts are chosen."
        ),
    ] = None,
    gantt: opt.Gantt = None,
    output: opt.Output = None,
    as_json: opt.AsJson = False,
    log: Annotated[
        bool, typer.Option("--log", help="Write a line to stderr whenever stage, bound or makespan changes.")
    ] = False,
    quiet: opt.Quiet = False,
) -> None:
    """Find a shortest schedule and prove that it is one.

    Whatever stops the search (a limit, Ctrl-C, a solver's crash), the best verified schedule and the proven bound are
    shown and written.

    The makespan at η = 0 is bounded too, for comparison: within the time limit, a tenth of which is kept for that, 30 s
    at most. The table shows it; --json prints the result file and nothing else.

    With --placements the bound in the table is still one for all schedules; the line below says what is proven of
    those on the nodes given. That is for slowdown alone, and there is no comparison with η = 0.

    Examples
    --------
      oas solve grid.json
      oas solve grid.json --time-limit 60 --check cbc --gantt grid.svg
      oas solve grid.json --log
      oas solve grid.json --slot 0 --formulation start-indexed --json > result.json
      oas solve slow.json --placements plan.json
    """
    from oas.show.progress import ProgressLine

    instance = opt.load_instance(file, asked.slot)
    if log:
        logging.basicConfig(format="%(message)s")
        logging.getLogger("oas.solve").setLevel(logging.INFO)
    with asked.named(), ProgressLine(quiet or log, unlimited=asked.time_limit is None) as progress:
        from oas.exact.pipeline import solve
        from oas.io import dumps, save
        from oas.studies.continuous_limit import solve_with_limit

        if placements is None:
            result, limit = solve_with_limit(instance, on_progress=progress, **asked.for_solve())
        else:
            plan = opt.load_start(placements, "--placements")
            result = solve(instance, on_progress=progress, placements=plan, on_interrupt="return", **asked.for_solve())
            limit = None
    with uninterrupted() as delivery:
        delivery.save(partial(save, result), output)
        if as_json:
            put_bytes(dumps(result))
        else:
            from oas.cli.tables.solve_view import solve_view

            put_all(*solve_view(instance, result, limit, columns()))
    if gantt and result.schedule is not None:
        from oas import plots

        figure = plots.schedule_figure(instance, result.schedule, lower_bound=result.lower_bound)
        plots.save_figure(figure, gantt)
        sys.stderr.write(f"picture written to {gantt}\n")
    raise typer.Exit(exit_code(result) or (exit_code(limit.result) if limit else ExitCode.DONE))
