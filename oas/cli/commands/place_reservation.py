"""`oas place-reservation`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from oas.cli import options as opt
from oas.cli.output import attributes, ends_of, leave, save_picture

if TYPE_CHECKING:
    from oas.studies.reservations.placement import CurvePiece, PlacedReservation, Step


@dataclass(frozen=True)
class Placing:
    """The reservation, and where it may be."""

    length: Annotated[str, opt.option(..., "TIME", "How long the processors are reserved.")]
    processors: Annotated[int, opt.option(..., "N", "How many.", min=1)]
    between: Annotated[tuple[str, str], opt.option(..., "EARLIEST LATEST", "When the reservation may start.")]
    organization: str | None = opt.option(None, "NAME", "Whose cluster, where there are several.")
    every: str | None = opt.option(None, "TIME", "Only starts so much apart, from the earliest on; else all.")


@dataclass(frozen=True)
class SolveOptions:
    """How the optima are found."""

    ignore_locality: bool = Option(False, "--ignore-locality", help="Solve without the locality that the file demands.")
    solver: opt.Solver = opt.SolveArguments.solver
    formulation: opt.FormulationName = opt.SolveArguments.formulation
    time_limit: float = opt.option(60.0, "SECONDS", "Wall time for all solves together.", callback=opt.finite)
    threads: opt.Threads = opt.SolveArguments.threads
    seed: opt.Seed = opt.SolveArguments.seed


def place_reservation_command(
    file: opt.InstanceFile,
    placing: Placing,
    curve: bool = Option(False, "--curve", help="Also show the optimum at every start; the best start comes first."),
    *,
    solving: SolveOptions,
    plot: str | None = opt.picture(
        "Also draw the optimum at every start, as --curve shows it: a .png, .svg or .pdf file.", default=None
    ),
    gantt: opt.Gantt = None,
    into: opt.StudyOutput,
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

    asked = {**vars(placing), **vars(solving), "threads": solving.threads or None, "curve": curve or plot is not None}
    with opt.naming_options(opt.long_names(vars(placing)), file), ProgressLine(into.quiet) as progress:
        found = place_reservation(instance, **asked, on_progress=progress)
    into.deliver(found, _document, curve=curve)
    _draw(found, plot, gantt)
    leave([step.result for step in found.steps], interrupted=found.interrupted)


def _draw(found: PlacedReservation, plot: str | None, gantt: str | None) -> None:
    from oas import plots

    if plot:
        best = found.reservation.start, found.schedule.makespan
        figure = plots.placement_figure(
            found.curve, best=best, without=found.without.makespan, excluded=found.excluded, heading=found.instance.name
        )
        save_picture(figure, plot)
    if gantt:
        save_picture(found.schedule.plot(found.placed, lower_bound=found.optimum.lower_bound), gantt)


def _document(found: PlacedReservation) -> dict[str, Any]:
    optimum = ("status", "makespan", "lower_bound")
    return {
        "instance": found.instance.digest,
        "organization": found.organization,
        "reservation": attributes(found.reservation, "start", "end", "processors"),
        "proven": found.proven,
        "optimum": attributes(found.optimum, *optimum),
        "without": attributes(found.without, *optimum),
        "delay": ends_of(found.delay),
        **attributes(found, "rivals", "interrupted"),
        "curve": [_piece_document(piece) for piece in found.curve],
        "excluded": found.excluded,
        "steps": [_step_document(step) for step in found.steps],
        "schedule": found.schedule,
    }


def _piece_document(piece: CurvePiece) -> dict[str, Any]:
    return {
        "starts": [piece.first, piece.last],
        "lower_bound": [piece.low_first, piece.low_last],
        "makespan": [piece.high_first, piece.high_last],
        "proven": piece.proven,
    }


def _step_document(step: Step) -> dict[str, Any]:
    result = step.result
    return {
        "kind": step.kind.value,
        "starts": [step.first, step.last],
        "status": result.status,
        "makespan": result.objective,
        **attributes(result, "lower_bound", "proof"),
        "seconds": result.seconds.get("total"),
    }
