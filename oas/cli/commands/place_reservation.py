"""`oas place-reservation`."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oas.cli import options as opt
from oas.cli.commands.price import ends_of, optimum_document
from oas.cli.output import Delivery, ExitCode, exit_code, put_all, put_json, uninterrupted, write_copy
from oas.cli.solve_arguments import SolveArguments
from oas.core.errors import InputError

if TYPE_CHECKING:
    from oas.studies.reservations.placement import CurvePiece, PlacedReservation, Step

_OPTIONS = ("length", "processors", "between", "organization", "every")


def place_reservation_command(
    file: opt.InstanceFile,
    length: Annotated[str, typer.Option("--length", metavar="TIME", help="How long the processors are reserved.")],
    processors: Annotated[int, typer.Option("--processors", metavar="N", min=1, help="How many.")],
    between: Annotated[
        tuple[str, str], typer.Option("--between", metavar="EARLIEST LATEST", help="When the reservation may start.")
    ],
    organization: Annotated[
        str | None,
        typer.Option("--organization", metavar="NAME", help="Whose cluster, where there are several."),
    ] = None,
    every: Annotated[
        str | None,
        typer.Option("--every", metavar="TIME", help="Only starts so much apart, from the earliest on; else all."),
    ] = None,
    curve: Annotated[
        bool, typer.Option("--curve", help="Also show the optimum at every start; the best start comes first.")
    ] = False,
    ignore_locality: Annotated[
        bool,
        typer.Option("--ignore-locality", help="Solve without the locality that the file demands."),
    ] = False,
    solver: opt.Solver = SolveArguments.solver,
    formulation: opt.FormulationName = SolveArguments.formulation,
    time_limit: Annotated[
        float, typer.Option(metavar="SECONDS", callback=opt.finite, help="Wall time for all solves together.")
    ] = 60.0,
    threads: opt.Threads = SolveArguments.threads,
    seed: opt.Seed = SolveArguments.seed,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot",
            metavar="PICTURE",
            callback=opt.usable_picture,
            help="Also draw the optimum at every start, as --curve shows it: a .png, .svg or .pdf file.",
        ),
    ] = None,
    gantt: opt.Gantt = None,
    output: opt.Copy = None,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
) -> None:
    """Find the start of a reservation, such as a maintenance window, that delays the optimal makespan least.

    The optimum is of all jobs beside the reservation and those of the file. The start is proven to be the best of all,
    and of several best the earliest; where time does not suffice, it says which others may be better, and how far the
    optimum may be below.

    Times are in the file's unit. With --curve, a row stands for starts at which the optimum is the same, or grows
    evenly with the start. Starts at which the reservation does not fit alongside the file's reservations are listed
    below the table.

    Examples
    --------
      oas place-reservation cluster.json --length 8 --processors 64 --between 0 168
      oas place-reservation cluster.json --length 8 --processors 64 --between 0 168 --every 1 --plot window.png
      oas place-reservation shared.json --organization physics --length 4 --processors 16 --between 24 48 --curve
    """
    instance = opt.load_instance(file, None)
    from oas.show.progress import ProgressLine
    from oas.studies.reservations.placement import place_reservation

    try:
        with ProgressLine(quiet) as progress:
            found = place_reservation(
                instance,
                length=length,
                processors=processors,
                between=between,
                organization=organization,
                every=every,
                curve=curve or plot is not None,
                ignore_locality=ignore_locality,
                solver=solver,
                formulation=formulation,
                time_limit=time_limit,
                threads=threads or None,
                seed=seed,
                on_progress=progress,
            )
    except InputError as error:
        if error.field in _OPTIONS:
            error.field = f"--{error.field}"
        else:
            error.file = file
        raise
    with uninterrupted() as delivery:
        _put(found, delivery, output, as_json=as_json, curve=curve)
    _draw(found, plot, gantt)
    codes = [exit_code(step.result) for step in found.steps]
    raise typer.Exit(ExitCode.INTERRUPTED if found.interrupted else max(codes, default=ExitCode.DONE))


def _put(found: PlacedReservation, delivery: Delivery, output: str | None, *, as_json: bool, curve: bool) -> None:
    from oas.cli.tables.price_tables import curve_notes, curve_table
    from oas.cli.tables.tables import title_of
    from oas.show.mosp.reservations import placed_lines

    document = partial(_document, found)
    delivery.save(partial(write_copy, document=document, frame=found.to_frame), output)
    if as_json:
        put_json(document())
    else:
        put_all(title_of(found.instance), "", *placed_lines(found))
        if curve:
            put_all("", curve_table(found), *curve_notes(found))


def _draw(found: PlacedReservation, plot: str | None, gantt: str | None) -> None:
    from oas import plots

    if plot:
        best = found.reservation.start, found.schedule.makespan
        figure = plots.placement_figure(
            found.curve,
            best=best,
            without=found.without.makespan,
            excluded=found.excluded,
            heading=found.instance.name,
        )
        plots.save_figure(figure, plot)
    if gantt:
        bound = found.optimum.lower_bound
        plots.save_figure(plots.schedule_figure(found.placed, found.schedule, lower_bound=bound), gantt)
    for path in filter(None, (plot, gantt)):
        sys.stderr.write(f"picture written to {path}\n")


def _document(found: PlacedReservation) -> dict[str, Any]:
    from oas.io import dumps

    one = found.reservation
    return {
        "instance": found.instance.digest,
        "organization": found.organization,
        "reservation": {"start": str(one.start), "end": str(one.end), "processors": one.processors},
        "proven": found.proven,
        "optimum": optimum_document(found.optimum),
        "without": optimum_document(found.without),
        "delay": ends_of(found.delay),
        "rivals": [[str(first), str(last)] for first, last in found.rivals],
        "interrupted": found.interrupted,
        "curve": [_piece_document(piece) for piece in found.curve],
        "excluded": [[str(first), str(last)] for first, last in found.excluded],
        "steps": [_step_document(step) for step in found.steps],
        "schedule": json.loads(dumps(found.schedule)),
    }


def _piece_document(piece: CurvePiece) -> dict[str, Any]:
    return {
        "starts": [str(piece.first), str(piece.last)],
        "lower_bound": [str(piece.low_first), str(piece.low_last)],
        "makespan": [str(piece.high_first), str(piece.high_last)],
        "proven": piece.proven,
    }


def _step_document(step: Step) -> dict[str, Any]:
    result = step.result
    return {
        "kind": step.kind.value,
        "starts": [str(step.first), str(step.last)],
        "status": result.status.value,
        "makespan": None if result.objective is None else str(result.objective),
        "lower_bound": None if result.lower_bound is None else str(result.lower_bound),
        "proof": None if result.proof is None else str(result.proof),
        "seconds": result.seconds.get("total"),
    }
