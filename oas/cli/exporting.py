"""`oas export` and `oas plot`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from oas.cli import options as opt
from oas.core.errors import InputError

if TYPE_CHECKING:
    from oas.core.coallocation import CoallocationInstance
    from oas.core.schedule import Schedule


def export_command(
    file: opt.InstanceFile,
    lp: Annotated[str | None, typer.Option("--lp", metavar="PATH", help="Write the model as an LP file.")] = None,
    mps: Annotated[str | None, typer.Option("--mps", metavar="PATH", help="Write the model as an MPS file.")] = None,
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
    if (lp is None) == (mps is None):
        raise InputError("give one of --lp and --mps")
    path, suffix = (lp, ".lp") if lp is not None else (mps, ".mps")
    assert path is not None
    if not path.endswith(suffix):
        raise InputError(f"must end in {suffix}", field=f"--{suffix[1:]}", value=path)
    instance = opt.load_instance(file, slot)
    from oas.exact.model_run import export_model
    from oas.exact.options import Options

    model = Options(formulation=formulation).model
    if model is None:
        raise InputError("has no model to write", field="--formulation", value=formulation)
    export_model(instance, model, path)
    sys.stderr.write(f"model written to {path}\n")


def plot_command(
    file: opt.InstanceFile,
    schedules: Annotated[
        list[str],
        typer.Argument(metavar="SCHEDULE...", help="Schedule or result files, or heuristics by name (FCFS, …)."),
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="PICTURE", help="A .png or .svg file.")],
    slot: opt.Slot = None,
) -> None:
    """Draw schedules: one with its link loads, several above one another on one time axis.

    Schedules that break a rule are refused with exit code 3.

    Examples
    --------
      oas plot grid.json result.json -o grid.png

      oas plot grid.json result.json FPFS FCFS -o all.svg
    """
    instance = opt.load_instance(file, slot)
    from oas import plots
    from oas.core.verifier import check

    found = {}
    for name in schedules:
        found[name] = check(instance, _schedule_of(instance, name), name)
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
    from oas.io import load_schedule

    return load_schedule(name) if name == "-" or Path(name).exists() else find_method(name)(instance)
