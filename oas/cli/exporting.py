"""`oas export` and `oas plot`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from oas.cli import options as opt
from oas.core.coallocation import CoallocationInstance
from oas.core.errors import InputError, OasError

if TYPE_CHECKING:
    from oas.core.schedule import Schedule


def export_command(
    file: opt.InstanceFile,
    lp: Annotated[
        str | None,
        typer.Option("--lp", metavar="PATH", callback=opt.usable_model, help="Write the model as an LP file."),
    ] = None,
    mps: Annotated[
        str | None,
        typer.Option("--mps", metavar="PATH", callback=opt.usable_model, help="Write the model as an MPS file."),
    ] = None,
    formulation: opt.FormulationName = "auto",
    slot: opt.Slot = None,
) -> None:
    """Write the model of an instance for another solver.

    The horizon comes from the best heuristic schedule, the lower bound from the combinatorial bounds.

    Examples
    --------
      oas export grid.json --lp grid.lp
      oas export grid.json --mps grid.mps --formulation literal
    """
    path = lp or mps
    if path is None or (lp and mps):
        raise InputError("give one of --lp and --mps")
    instance = opt.load_instance(file, slot)
    from oas.exact.model_run import export_model
    from oas.exact.options import Options

    model = Options(formulation=formulation, problem=type(instance)).model
    if model is None:
        raise InputError("has no model to write", field="--formulation", value=formulation)
    export_model(instance, model, path)
    sys.stderr.write(f"model written to {path}\n")


def plot_command(
    file: opt.InstanceFile,
    schedules: Annotated[
        list[str],
        typer.Argument(metavar="SCHEDULE", help="Schedule or result files, or heuristics by name (FCFS, …)."),
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="PICTURE", callback=opt.usable_picture, help="A .png or .svg file."),
    ],
    slot: opt.Slot = None,
) -> None:
    """Draw schedules: one with its link loads, several above one another on one time axis.

    Schedules that break a rule are refused with exit code 3.

    Examples
    --------
      oas plot grid.json result.json -o grid.png
      oas plot grid.json result.json FPFS FCFS -o all.svg
    """
    instance = opt.load_instance(file, slot, output)
    assert isinstance(instance, CoallocationInstance)  # load_instance refuses what cannot be drawn
    from oas import plots
    from oas.core.verifier import check

    found = {name: check(instance, _schedule_of(instance, name), name) for name in schedules}
    if len(found) == 1:
        (only,) = found.values()
        figure = plots.schedule_figure(instance, only)
    else:
        figure = plots.comparison_figure(instance, found)
    plots.save_figure(figure, output)
    sys.stderr.write(f"picture written to {output}\n")


def _schedule_of(instance: CoallocationInstance, name: str) -> Schedule:
    """The schedule in the file of that name, or the one that the heuristic of that name makes."""
    from pathlib import Path

    from heuristics.registry import find_method
    from oas.core.schedule import Schedule
    from oas.io import load_schedule

    if name == "-" or Path(name).exists():
        return load_schedule(name)
    try:
        method = find_method(name)
    except InputError as error:
        raise InputError(f"neither a file nor a heuristic: {error.reason}", field="SCHEDULE", value=name) from error
    try:
        schedule = method(instance)
    except OasError:
        raise
    except Exception as error:  # a user's own heuristic may fail in any way
        raise InputError(f"failed: {type(error).__name__}: {error}", field="SCHEDULE", value=name) from error
    if not isinstance(schedule, Schedule):
        raise InputError(f"returned {type(schedule).__name__}, not a Schedule", field="SCHEDULE", value=name)
    return schedule
