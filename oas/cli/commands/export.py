"""`oas export`, `oas read-solution` and `oas plot`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from oas import plots
from oas.cli import options as opt
from oas.cli.output import put_all, put_bytes, save_picture, uninterrupted
from oas.core.errors import InputError, OasError
from oas.core.instances import Instance
from oas.core.result import Result
from oas.core.schedule import Schedule
from oas.core.verifier import check
from oas.io import dumps, load_answer, save
from oas.plots import SUFFIXES
from oas.solving.formulation import find_formulation
from oas.solving.method import relaxed
from oas.solving.methods import find_method

DESCRIPTION = ".json"  # added to the path of a model's file


def export_command(
    file: opt.InstanceFile,
    lp: str | None = opt.option(
        None, "PATH", "Write the model as an LP file.", callback=opt.usable((".lp",), beside=DESCRIPTION)
    ),
    mps: str | None = opt.option(
        None, "PATH", "Write the model as an MPS file.", callback=opt.usable((".mps",), beside=DESCRIPTION)
    ),
    formulation: opt.FormulationName = opt.SolveArguments.formulation,
    slot: opt.Slot = None,
    horizon: str | None = opt.option(
        None,
        "TIME",
        "No job ends later. Default: the makespan of a heuristic after local search; with --full, as above.",
    ),
    full: bool = Option(False, "--full", help="Every allocation and every start of the time grid, and no bound."),
) -> None:
    """Write the MIP model of an instance as an LP or MPS file for another solver, and a description of its variables.

    The description is a JSON file, PATH.json: job, nodes, start and end, or makespan, of each variable by its name in
    the model's file. `oas read-solution` needs it to read the solver's solution.

    The model is reduced for the makespan as objective: it contains a lower bound, and leaves out schedules as the
    description lists. With --full it has all schedules until the horizon, by which every schedule has ended in which
    no job can start earlier, so that objective and constraints may be changed in the file.

    Examples
    --------
      oas export grid.json --lp grid.lp
      oas export grid.json --mps grid.mps --formulation literal
      oas export grid.json --lp grid.lp --full --horizon 8040000
    """
    path = lp or mps
    if path is None or (lp and mps):
        raise InputError("give one of --lp and --mps")
    instance = opt.load_instance(file, slot)
    from oas.solving.lower_bound import best_bound
    from oas.solving.user_model import model

    options = opt.long_names(("formulation", "horizon")) | {"reduced": "--full"}
    with opt.naming_options(options):
        if formulation != "auto":
            find_formulation(formulation, instance.problem, instance)  # its name; no path of a module
        bound = None if full else best_bound(instance).value
        written = model(instance, formulation, horizon, bound, reduced=not full)
        written.write(path)
    written.describe(path + DESCRIPTION)
    sys.stderr.write(f"model written to {path}, and the description of its variables to {path + DESCRIPTION}\n")


def read_solution_command(
    file: opt.InstanceFile,
    description: Annotated[
        str, Argument(metavar="MODEL.json", help="Description of the model, written by `oas export`.")
    ],
    solution: Annotated[str, Argument(metavar="SOLUTION", help="Solution file of a solver; - for stdin.")],
    slot: opt.Slot = None,
    gantt: opt.Gantt = None,
    output: str | None = opt.output("Also write the result to this file.", opt.usable_json),
    as_json: opt.AsJson = False,
) -> None:
    """Read the solution that another solver has found for an exported model, and verify its schedule.

    Formats: HiGHS (raw style), CBC, SCIP, Gurobi, CPLEX (XML), and lines of name and value. The format is recognised by
    the content.

    The objective and the status in the file do not count. The result is optimal only if the makespan of the verified
    schedule equals a lower bound of the toolkit; otherwise it is feasible. If the schedule breaks rules, they are
    listed, and the exit code is 3.

    Examples
    --------
      oas export grid.json --lp grid.lp
      highs grid.lp --solution_file grid.sol
      oas read-solution grid.json grid.lp.json grid.sol --output result.json
      oas verify grid.json result.json
    """
    if [file, description, solution].count("-") > 1:
        raise InputError("only one of the files can come from stdin")
    instance = opt.load_instance(file, slot)
    from oas.show.comparison import result_parts
    from oas.solving.user_model import described_model

    result = described_model(instance, description).result(solution)
    with uninterrupted() as delivery:
        delivery.save(partial(save, result), output)
        if as_json:
            put_bytes(dumps(result))
        else:
            put_all(*result_parts(instance, result), charts=True)
    if gantt and result.schedule is not None:
        save_picture(result.plot(instance), gantt)


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
