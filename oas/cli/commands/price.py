"""`oas price`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from oas.cli import options as opt
from oas.cli.exit_codes import exit_code
from oas.cli.output import json_bytes, put_all, put_json, uninterrupted
from oas.cli.solve_arguments import SolveArguments
from oas.core.formats import MISSING, show_ratio, show_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from oas.studies.cooperation import PricePoint


def price_command(
    file: opt.InstanceFile,
    locality: Annotated[
        list[str] | None,
        typer.Option("--locality", metavar="RATIO", help="At least 1, or none; repeatable. Otherwise a usual sweep."),
    ] = None,
    solver: opt.Solver = SolveArguments.solver,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            callback=opt.finite,
            help="Wall time for each solve: one without such a promise, then one for each locality.",
        ),
    ] = None,
    threads: opt.Threads = SolveArguments.threads,
    seed: opt.Seed = SolveArguments.seed,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="PATH", callback=opt.usable_file, help="Also write the JSON there."),
    ] = None,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Show what the promise costs that no organization loses by cooperating: the optimum at each locality.

    At locality L each organization's jobs end within L times its local makespan. The price is the optimum divided by
    that without any such promise.

    Examples
    --------
      oas price organizations.json
      oas price organizations.json --locality 1 --locality 6/5 --locality none --time-limit 60 --output prices.json
    """
    instance = opt.load_instance(file, None)
    from oas.cli.tables.tables import title_of
    from oas.core.instances import check_problem
    from oas.io.files import write_bytes
    from oas.problems.mosp.problem import MOSP
    from oas.show.progress import ProgressLine
    from oas.studies.cooperation import DEFAULT_LOCALITIES, price

    with opt.naming(file):
        check_problem(instance, MOSP, "only organizations that share clusters have a price of cooperation")
    chosen = [None if text == "none" else text for text in locality or []] or DEFAULT_LOCALITIES
    with ProgressLine(quiet) as progress:
        points = price(
            instance, chosen, solver=solver, time_limit=time_limit, threads=threads, seed=seed, on_progress=progress
        )
    with uninterrupted():
        document = [_document(point) for point in points]
        if output:
            write_bytes(output, json_bytes(document))
        if as_json:
            put_json(document)
        else:
            put_all(title_of(instance), _table(points))
    raise typer.Exit(max(exit_code(point.result) for point in points))


def _table(points: Sequence[PricePoint]) -> Table:
    from rich.text import Text

    from oas.cli.tables.fitted_table import FittedTable

    table = FittedTable("locality", side=("lower bound", "who ends later than alone", "status"))
    table.add_figures("makespan", "lower\nbound", "status", "price")
    table.add_texts("who ends later than alone")
    for point in points:
        losers = ", ".join(f"{name} × {show_ratio(ratio)}" for name, ratio in point.losers.items())
        result = point.result
        cells = (show_time(result.objective), show_time(result.lower_bound), result.status.value)
        name = "none" if point.locality is None else show_time(point.locality)
        table.add_row(name, *cells, show_ratio(point.price), Text(losers or MISSING))
    return table


def _document(point: PricePoint) -> dict[str, object]:
    result = point.result
    return {
        "locality": None if point.locality is None else str(point.locality),
        "status": result.status.value,
        "makespan": None if result.objective is None else str(result.objective),
        "lower_bound": None if result.lower_bound is None else str(result.lower_bound),
        "price": None if point.price is None else str(point.price),
        "losers": {name: str(ratio) for name, ratio in point.losers.items()},
    }
