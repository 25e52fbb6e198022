"""Options that several commands share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from oas.cli.output import JSON_ONLY, check_target
from oas.core.errors import InputError, naming, unknown_name
from oas.exact.options import AUTO
from oas.plots.files import SUFFIXES
from oas.problems.registry import adapted, problem_named, problem_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


def usable_file(param: typer.CallbackParam, path: str | None) -> str | None:
    """Refuse at once a path that could not be written when the work is done."""
    if path is not None:
        check_target(path, _long_name(param))
    return path


def usable_json(param: typer.CallbackParam, path: str | None) -> str | None:
    """Refuse at once also a name that promises a table, for a file of JSON."""
    if path is not None:
        check_target(path, _long_name(param), refused=JSON_ONLY)
    return path


def usable_copy(param: typer.CallbackParam, path: str | None) -> str | None:
    """Refuse at once also a name that promises a table in another format than CSV."""
    if path is not None:
        check_target(path, _long_name(param), refused=JSON_ONLY[1:])
    return path


def usable_csv(param: typer.CallbackParam, path: str | None) -> str | None:
    """Refuse at once also a name that promises JSON, for a file of CSV."""
    if path is not None:
        check_target(path, _long_name(param), refused=(".json",))
    return path


def usable_picture(param: typer.CallbackParam, path: str | None) -> str | None:
    """Refuse at once a picture that could not be drawn when the work is done."""
    if path is not None:
        check_target(path, _long_name(param), SUFFIXES)
    return path


def usable_model(param: typer.CallbackParam, path: str | None) -> str | None:
    """Refuse at once a model file that could not be written, or does not end like its option."""
    if path is not None:
        option = _long_name(param)
        check_target(path, option, (f".{option.removeprefix('--')}",))
    return path


def finite(param: typer.CallbackParam, seconds: float | None) -> float | None:
    """Refuse a time that is no finite number of seconds above 0."""
    if seconds is not None and not 0 < seconds < math.inf:
        raise InputError("must be a finite number of seconds above 0", field=_long_name(param), value=seconds)
    return seconds


def found_solver(param: typer.CallbackParam, asked: str | list[str] | None) -> str | list[str] | None:
    """Refuse at once a solver that is not here, whether or not the solve will come to need it."""
    from oas.solvers.discovery import executable_for

    for text in [asked] if isinstance(asked, str) else asked or []:
        name = text.partition(":")[0] if _long_name(param) == "--check" else text
        if name == AUTO and _long_name(param) == "--solver":
            continue
        executable_for(name)
        if name not in ("highs", "cbc", "cpsat"):
            from oas.solvers.pyomo_named import check_name

            with naming(_long_name(param)):
                check_name(name)
    return asked


def problem_option(help: str) -> Any:
    """Return the option ``--problem``, which takes the name of any problem that is known."""
    return typer.Option(metavar=f"[{'|'.join(problem_names())}]", callback=_known_problem, help=help)


def _known_problem(param: typer.CallbackParam, name: str | None) -> str | None:
    """Refuse the name of an unknown problem."""
    if name is not None:
        with naming(_long_name(param)):
            problem_named(name)
    return name


def _long_name(param: typer.CallbackParam) -> str:
    return next(name for name in param.opts if name.startswith("--"))


InstanceFile = Annotated[str, typer.Argument(metavar="FILE", help="Instance file (oas-instance JSON); - for stdin.")]
Slot = Annotated[
    str | None,
    typer.Option("--slot", metavar="TIME", help="Use this slot size η instead of the file's; 0 is continuous time."),
]
Solver = Annotated[
    str,
    typer.Option(
        "--solver",
        metavar="NAME",
        callback=found_solver,
        help="auto: the toolkit's own bounds and searches, HiGHS for what they leave open. highs, cbc, cpsat, or any"
        " MIP solver that Pyomo finds: a model by that solver alone.",
    ),
]
FormulationName = Annotated[
    str,
    typer.Option(
        "--formulation",
        metavar="NAME",
        help="auto, start-indexed, literal, phases or slots (under slowdown), counts or cumulative (for cpsat), or"
        " brute-force (tiny instances).",
    ),
]
Check = Annotated[
    list[str] | None,
    typer.Option(
        "--check",
        metavar="SOLVER[:FORMULATION]",
        callback=found_solver,
        help="Let another solver confirm a proven optimum; repeatable.",
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", callback=finite, help="Wall time for the solve; each --check has as much again."),
]
MemoryLimit = Annotated[
    int | None, typer.Option(metavar="MIB", min=1, help="Memory that a solver may hold, watched from outside.")
]
Gap = Annotated[
    str, typer.Option(metavar="RATIO", help="End within this distance of the optimum: 1% or 0.01. Only for auto.")
]
Start = Annotated[
    str | None,
    typer.Option("--start", metavar="PATH", help="A schedule or result file to begin with; it is verified first."),
]
Threads = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=0,
        help="Threads of the solver; 0: all cores. With auto, 2 or more run CP-SAT and other searches in parallel.",
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", min=0, max=2**31 - 1, help="Seed of the solver and of heuristics.")]
SolverOption = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="Further option by a named solver's own name; repeatable."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Copy = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        callback=usable_copy,
        help="Also write the JSON there, or the table if the name ends in .csv.",
    ),
]
AsLatex = Annotated[
    bool, typer.Option("--latex", help="Print a LaTeX table instead, for a document that uses booktabs.")
]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="NAMES",
        help="Only these columns, in this order: headings in one line, with commas between.",
    ),
]
Gantt = Annotated[
    str | None,
    typer.Option(
        "--gantt",
        metavar="PICTURE",
        callback=usable_picture,
        help="Also draw a Gantt chart: a .png, .svg or .pdf file.",
    ),
]
Output = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="PATH", callback=usable_json, help="Also write the result there."),
]
LogFormat = Annotated[
    Literal["batsim", "swf", "sacct"] | None,
    typer.Option(help="Of the log; otherwise told by its first line, or the name *.swf."),
]
LogUnit = Annotated[
    Literal["cpus", "nodes"] | None,
    typer.Option(help="sacct: what a processor is, where the log counts both."),
]
LogOwner = Annotated[
    Literal["user", "group", "queue", "partition", "application"],
    typer.Option(help="SWF: field of the log that tells owners apart."),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="SWF: refuse a status that the format does not define; else count it.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]


def load_instance(file: str, slot: str | None) -> Instance:
    """Read the instance, at another slot size if one is given.

    Raises
    ------
    InputError
        Also if a slot size is given and the problem has no slots.
    """
    from oas.io import load

    instance = load(file)
    if slot is None:
        return instance
    with naming("--slot"):
        changed: Instance = adapted(instance, "slot", slot)
        return changed


def chosen_columns(text: str | None, known: Sequence[str]) -> list[str] | None:
    """Return the columns that --columns names; None for all.

    Raises
    ------
    InputError
        If a table has no column of such a name.
    """
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known:
            raise unknown_name(name, known, "--columns", reason="there is no such column")
    return list(dict.fromkeys(names))


def load_start(path: str | None, option: str = "--start") -> Schedule | None:
    """Read the schedule that an option names, from a schedule's or a result's file; that to begin with, unless told.

    Raises
    ------
    InputError
        If the file has none.
    """
    if path is None:
        return None
    from oas.core.result import Result
    from oas.io import load_answer

    try:
        answer = load_answer(path)
    except InputError as error:
        error.field = error.field or option
        raise
    schedule = answer.schedule if isinstance(answer, Result) else answer
    if schedule is None:
        raise InputError("the result has no schedule", field=option, value=path)
    return schedule


def solver_options(texts: list[str] | None) -> dict[str, object]:
    """Read ``name=value`` pairs; values that look like numbers or truth values become such."""
    options: dict[str, object] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise InputError("must be NAME=VALUE", field="--option", value=text)
        options[name] = _plain(value)
    return options


def memory_bytes(mebibytes: int | None) -> int | None:
    """Return the limit in bytes."""
    return None if mebibytes is None else mebibytes * 2**20


def _plain(text: str) -> object:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
