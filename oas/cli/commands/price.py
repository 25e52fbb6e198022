"""`oas price`."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from oas.cli import options as opt
from oas.cli.output import ExitCode, exit_code, put_all, put_json, uninterrupted, write_copy
from oas.cli.solve_arguments import SolveArguments
from oas.core.errors import InputError, naming
from oas.core.formats import MISSING, show_ratio, show_time

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from oas.core.instances import Instance
    from oas.studies.cooperation import PricePoint
    from oas.studies.reservations.optimum import Optimum
    from oas.studies.reservations.prices import ReservationPrices
    from oas.studies.slot_sizes.points import Interval


def price_command(
    file: opt.InstanceFile,
    locality: Annotated[
        list[str] | None,
        typer.Option("--locality", metavar="RATIO", help="At least 1, or none; repeatable. Otherwise a usual sweep."),
    ] = None,
    reservations: Annotated[
        bool, typer.Option("--reservations", help="Show instead what each reservation of processors costs.")
    ] = False,
    saturation: Annotated[
        bool, typer.Option("--saturation", help="Of co-allocation: show what it costs to forbid saturated links.")
    ] = False,
    thresholds: Annotated[
        str | None,
        typer.Option(
            "--thresholds",
            metavar="LIST",
            help="With --saturation: thresholds of slowdown with commas between, none for none."
            " Otherwise 1,3/4,1/2,1/4,none.",
        ),
    ] = None,
    sharing: Annotated[
        Literal["paper", "max-min"] | None,
        typer.Option("--sharing", help="With --saturation: how saturated links are shared; otherwise as in the file."),
    ] = None,
    solver: opt.Solver = SolveArguments.solver,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            callback=opt.finite,
            help="Wall time for each solve: one without such a promise, then one for each locality. With"
            " --reservations or --saturation for all solves together.",
        ),
    ] = None,
    threads: opt.Threads = SolveArguments.threads,
    seed: opt.Seed = SolveArguments.seed,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot",
            metavar="PICTURE",
            callback=opt.usable_picture,
            help="With --saturation: also draw ratio and makespans over the thresholds, as .png, .svg or .pdf.",
        ),
    ] = None,
    output: opt.Copy = None,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Show what a promise or a rule costs: the optimum at each locality, of each reservation, of each threshold.

    Without further options, the price of the promise that no organization loses by cooperating.

    At locality L each organization's jobs end within L times its local makespan. The price is the optimum divided by
    that without any such promise.

    With --reservations: the price of a reservation is the optimum with all reservations less that without this one. It
    is a range where an optimum is not proven in time. Ctrl-C keeps what is finished.

    With --saturation, for a file of co-allocation: the optimum where links must not be saturated, and where saturated
    links slow jobs down instead, at each threshold; a link is never asked for more than MBW / threshold. The cost of
    forbidding is the ratio of the two. The file's own policy does not count.

    Examples
    --------
      oas price organizations.json
      oas price organizations.json --locality 1 --locality 6/5 --locality none --time-limit 60 --output prices.json
      oas price cluster.json --reservations --time-limit 120
      oas price saturated.json --saturation
      oas price saturated.json --saturation --thresholds 1/2,none --sharing max-min --plot price.png -o price.csv
    """
    _check_asked(
        {"--locality": locality, "--reservations": reservations},
        {"--thresholds": thresholds, "--sharing": sharing, "--plot": plot},
        saturation=saturation,
    )
    instance = opt.load_instance(file, None)
    if saturation:
        options = {"solver": solver, "time_limit": time_limit, "threads": threads or None, "seed": seed}
        asked = {"thresholds": _thresholds(thresholds), "sharing": sharing}
        _price_saturation(file, instance, {**asked, **options}, output, plot, as_json=as_json, quiet=quiet)
    from oas.cli.tables.tables import title_of
    from oas.core.instances import check_problem
    from oas.problems.mosp.problem import MOSP
    from oas.show.progress import ProgressLine
    from oas.studies.cooperation import DEFAULT_LOCALITIES, price

    with naming(file):
        check_problem(instance, MOSP, "only organizations that share clusters have a price of cooperation")
    if reservations:
        if locality:
            raise InputError("cannot be given with --reservations; the file's locality holds", field="--locality")
        options = {"solver": solver, "time_limit": time_limit, "threads": threads or None, "seed": seed}
        _price_reservations(file, instance, options, output, as_json=as_json, quiet=quiet)
    chosen = [None if text == "none" else text for text in locality or []] or DEFAULT_LOCALITIES
    with ProgressLine(quiet) as progress:
        points = price(
            instance,
            chosen,
            solver=solver,
            time_limit=time_limit,
            threads=threads or None,
            seed=seed,
            on_progress=progress,
        )
    write = partial(write_copy, frame=points.to_frame)
    _put(write, lambda: [_document(point) for point in points], output, as_json, title_of(instance), _table(points))
    raise typer.Exit(max(exit_code(point.result) for point in points))


def _check_asked(others: dict[str, object], own: dict[str, object], *, saturation: bool) -> None:
    """Refuse options that do not go with --saturation, or only with it."""
    for name, given in (others if saturation else own).items():
        if given:
            reason = "cannot be given with --saturation" if saturation else "goes with --saturation alone"
            raise InputError(reason, field=name)


def _thresholds(text: str | None) -> list[str | None]:
    """Read the value of --thresholds; each is checked where it is used."""
    from oas.studies.saturation_price import DEFAULT_THRESHOLDS

    if text is None:
        return [None if one is None else str(one) for one in DEFAULT_THRESHOLDS]
    names = [one.strip() for one in text.split(",")]
    return [None if one == "none" else one for one in names]


def _price_saturation(
    file: str,
    instance: Instance,
    options: dict[str, Any],
    output: str | None,
    plot: str | None,
    *,
    as_json: bool,
    quiet: bool,
) -> NoReturn:
    from oas.cli.tables.price_tables import saturation_document, saturation_frame, saturation_table
    from oas.cli.tables.tables import title_of
    from oas.show.coallocation import price_notes
    from oas.show.progress import ProgressLine
    from oas.studies.saturation_price import price_of_saturation

    try:
        with ProgressLine(quiet, unlimited=options["time_limit"] is None) as progress:
            study = price_of_saturation(instance, **options, on_progress=progress)
    except InputError as error:
        if error.field in ("threshold", "thresholds"):
            error.field = "--thresholds"
        else:
            error.file = file
        raise
    _put(
        partial(write_copy, frame=partial(saturation_frame, study)),
        partial(saturation_document, study),
        output,
        as_json,
        title_of(instance),
        saturation_table(study),
        *price_notes(study),
    )
    if plot and any(one.makespan is not None for one in study):
        from oas import plots

        plots.save_figure(study.plot(), plot)
        sys.stderr.write(f"picture written to {plot}\n")
    codes = [exit_code(result) for result in study.results]
    raise typer.Exit(ExitCode.INTERRUPTED if study.interrupted else max(codes, default=ExitCode.DONE))


def _price_reservations(
    file: str, instance: Instance, options: dict[str, Any], output: str | None, *, as_json: bool, quiet: bool
) -> NoReturn:
    from oas.cli.tables.price_tables import price_notes, price_table
    from oas.cli.tables.tables import title_of
    from oas.show.progress import ProgressLine
    from oas.studies.reservations.prices import price_reservations

    try:
        with ProgressLine(quiet, unlimited=options["time_limit"] is None) as progress:
            study = price_reservations(instance, **options, on_progress=progress)
    except InputError as error:
        error.file = file
        raise
    _put(
        partial(write_copy, frame=study.to_frame),
        partial(_prices_document, study),
        output,
        as_json,
        title_of(instance),
        price_table(study),
        *price_notes(study),
    )
    codes = [exit_code(result) for result in study.results]
    raise typer.Exit(ExitCode.INTERRUPTED if study.interrupted else max(codes, default=ExitCode.DONE))


def _put(
    write: Callable[..., None],
    document: Callable[[], object],
    output: str | None,
    as_json: bool,
    *tables: RenderableType,
) -> None:
    with uninterrupted() as delivery:
        delivery.save(partial(write, document=document), output)
        if as_json:
            put_json(document())
        else:
            put_all(*tables)


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


def _prices_document(study: ReservationPrices) -> dict[str, object]:
    return {
        "instance": study.instance.digest,
        "interrupted": study.interrupted,
        "with_all": _proven_document(study.with_all),
        "without_any": {**_proven_document(study.without_any), "price": ends_of(study.price)},
        "reservations": [
            {
                "organization": one.organization,
                "start": str(one.reservation.start),
                "end": str(one.reservation.end),
                "processors": one.reservation.processors,
                "without": _proven_document(one.without),
                "price": ends_of(one.price),
            }
            for one in study
        ],
    }


def _proven_document(optimum: Optimum) -> dict[str, object]:
    return {**optimum_document(optimum), "proof": None if optimum.proof is None else str(optimum.proof)}


def optimum_document(optimum: Optimum) -> dict[str, object]:
    """Return an optimum as the commands on reservations write it: exact numbers as text."""
    return {
        "status": optimum.status.value,
        "makespan": None if optimum.makespan is None else str(optimum.makespan),
        "lower_bound": str(optimum.lower_bound),
    }


def ends_of(interval: Interval | None) -> list[str] | None:
    """Return least and greatest value of what is known of a time, as text."""
    return None if interval is None else [str(interval.low), str(interval.high)]
