"""`oas place-reservation`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from typer import Option

from oas import plots
from oas.cli import options as opt
from oas.cli.output import attributes, ends_of, leave, save_picture
from oas.mosp.reservations.placement import PlacedReservation, Step, place_reservation
from oas.show.progress import ProgressLine


@dataclass(frozen=True)
class Placing:
    """The reservation and its possible starts."""

    length: Annotated[str, opt.option(..., "TIME", "Length of the reservation, in the file's time unit.")]
    processors: Annotated[int, opt.option(..., "N", "Number of reserved processors.", min=1)]
    between: Annotated[tuple[str, str], opt.option(..., "EARLIEST LATEST", "Earliest and latest possible start.")]
    organization: str | None = opt.option(None, "NAME", "Owner of the cluster; required if there are several.")
    every: str | None = opt.option(None, "TIME", "Spacing of possible starts, from the earliest. Default: any start.")


@dataclass(frozen=True)
class SolveOptions:
    """Options of the solves."""

    ignore_locality: bool = Option(False, "--ignore-locality", help="Solve without the file's locality constraint.")
    solver: opt.Solver = opt.SolveArguments.solver
    formulation: opt.FormulationName = opt.SolveArguments.formulation
    time_limit: float = opt.option(60.0, "SECONDS", "Wall-time limit for all solves together.", callback=opt.finite)
    threads: opt.Threads = opt.SolveArguments.threads
    seed: opt.Seed = opt.SolveArguments.seed


def place_reservation_command(
    file: opt.InstanceFile,
    placing: Placing,
    curve: bool = Option(False, "--curve", help="Also show the optimum for every start."),
    *,
    solving: SolveOptions,
    plot: str | None = opt.picture("Also draw the optimum as a function of the start, as in --curve"),
    gantt: opt.Gantt = None,
    into: opt.StudyOutput,
) -> None:
    """Find the start of a reservation, such as a maintenance window, that delays the optimal makespan least.

    The optimum is the makespan of all jobs scheduled around this reservation and those in the file. The start is proven
    to be the best, and the earliest in case of ties. If the time limit is reached first, the starts that may be better
    are listed, with a lower bound on the optimum.

    Times are in the file's unit. With --curve, each row covers a range of starts over which the optimum is constant or
    grows linearly. Starts at which the reservation does not fit alongside the file's reservations are listed below the
    table.

    Examples
    --------
      oas place-reservation cluster.json --length 8 --processors 64 --between 0 168
      oas place-reservation cluster.json --length 8 --processors 64 --between 0 168 --every 1 --plot window.png
      oas place-reservation shared.json --organization physics --length 4 --processors 16 --between 24 48 --curve
    """
    instance = opt.load_instance(file, None)
    arguments = {**vars(placing), **vars(solving), "threads": solving.threads or None, "curve": curve or bool(plot)}
    with opt.naming_options(opt.long_names(vars(placing)), file), ProgressLine(into.quiet) as progress:
        placed = place_reservation(instance, **arguments, on_progress=progress)
    into.deliver(placed, _document, curve=curve)
    if plot:
        figure = plots.placement_figure(
            placed.curve,
            best=(placed.reservation.start, placed.schedule.makespan),
            without=placed.without.makespan,
            excluded=placed.excluded,
            heading=placed.instance.name,
        )
        save_picture(figure, plot)
    if gantt:
        save_picture(placed.schedule.plot(placed.placed, lower_bound=placed.optimum.lower_bound), gantt)
    leave([step.result for step in placed.steps], interrupted=placed.interrupted)


def _document(placed: PlacedReservation) -> dict[str, Any]:
    optimum = ("status", "makespan", "lower_bound")
    return {
        "instance": placed.instance.digest,
        "organization": placed.organization,
        "reservation": attributes(placed.reservation, "start", "end", "processors"),
        "proven": placed.proven,
        "optimum": attributes(placed.optimum, *optimum),
        "without": attributes(placed.without, *optimum),
        "delay": ends_of(placed.delay),
        **attributes(placed, "rivals", "interrupted"),
        "curve": [
            {
                "starts": [piece.first, piece.last],
                "lower_bound": [piece.low_first, piece.low_last],
                "makespan": [piece.high_first, piece.high_last],
                "proven": piece.proven,
            }
            for piece in placed.curve
        ],
        "excluded": placed.excluded,
        "steps": [_step_document(step) for step in placed.steps],
        "schedule": placed.schedule,
    }


def _step_document(step: Step) -> dict[str, Any]:
    result = step.result
    return {
        "kind": step.kind.value,
        "starts": [step.first, step.last],
        "status": result.status,
        "makespan": result.objective,
        **attributes(result, "lower_bound", "proof"),
        "seconds": result.solve_seconds,
    }
