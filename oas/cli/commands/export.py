"""`oas export` and `oas plot`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from typer import Argument

from oas import plots
from oas.cli import options as opt
from oas.cli.output import save_picture
from oas.core.errors import InputError, OasError
from oas.core.instances import Instance
from oas.core.result import Result
from oas.core.schedule import Schedule
from oas.core.verifier import check
from oas.io import load_answer
from oas.plots import SUFFIXES
from oas.solving.method import relaxed
from oas.solving.methods import find_method
from oas.solving.model_run import export_model, exportable


def export_command(
    file: opt.InstanceFile,
    lp: str | None = opt.option(None, "PATH", "Write the model as an LP file.", callback=opt.usable((".lp",))),
    mps: str | None = opt.option(None, "PATH", "Write the model as an MPS file.", callback=opt.usable((".mps",))),
    formulation: opt.FormulationName = opt.SolveArguments.formulation,
    slot: opt.Slot = None,
) -> None:
    """Write the MIP model of an instance as an LP or MPS file for another solver.

    The horizon of the model is the makespan of the best heuristic schedule; its lower bound is combinatorial.

    Examples
    --------
      oas export grid.json --lp grid.lp
      oas export grid.json --mps grid.mps --formulation literal
    """
    path = lp or mps
    if path is None or (lp and mps):
        raise InputError("give one of --lp and --mps")
    instance = opt.load_instance(file, slot)
    export_model(instance, exportable(formulation, instance), path)
    sys.stderr.write(f"model written to {path}\n")


def plot_command(
    file: opt.InstanceFile,
    schedules: Annotated[
        list[str],
        Argument(metavar="SCHEDULE", help="Schedule or result file, or a heuristic such as FCFS; repeatable."),
    ],
    output: Annotated[
        str,
        opt.option(..., "PICTURE", "A .png, .svg or .pdf file.", "--output", "-o", callback=opt.usable(SUFFIXES)),
    ],
    slot: opt.Slot = None,
) -> None:
    """Draw one schedule with its link loads, or several schedules on one time axis.

    For a result of this instance, the lower bound claimed in the file is drawn too. The jobs of an organization have
    its colour. A schedule that breaks a rule is refused with exit code 3; heuristics that ignore locality may break
    locality.

    Examples
    --------
      oas plot grid.json result.json -o grid.png
      oas plot grid.json result.json FPFS FCFS -o all.svg
      oas plot organizations.json result.json ILBA local -o all.png
    """
    instance = opt.load_instance(file, slot)
    answers = {name: _answer(instance, name) for name in schedules}
    bounds = [(result.lower_bound, not result.is_claimed) for _, result in answers.values() if result is not None]
    bound, proven = max((one for one in bounds if one[0] is not None), default=(None, True))
    drawn = {name: schedule for name, (schedule, _) in answers.items()}
    if len(drawn) == 1:
        figure = plots.schedule_figure(instance, *drawn.values(), lower_bound=bound, claimed=not proven)
    else:
        figure = plots.comparison_figure(instance, drawn, lower_bound=bound, claimed=not proven)
    save_picture(figure, output)


def _answer(instance: Instance, name: str) -> tuple[Schedule, Result | None]:
    """Return the verified schedule of a file, with its result for this instance, or the schedule of a heuristic.

    Raises `VerificationError` if the schedule breaks a rule that it must keep.
    """
    if name != "-" and not Path(name).exists():
        return _heuristic_schedule(instance, name), None
    answer = load_answer(name)
    if not isinstance(answer, Result):
        return check(instance, answer, name), None
    if answer.schedule is None:
        raise InputError("the result holds no schedule", field="schedule", file=name)
    same = answer.instance_digest == instance.digest
    return check(instance, answer.schedule, name), answer if same else None


def _heuristic_schedule(instance: Instance, name: str) -> Schedule:
    try:
        method = find_method(name, instance.problem)
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
    check(relaxed(instance, method), schedule, name)
    return schedule
