"""Options that several commands share."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from oas.cli.output import JSON_ONLY, check_target, copy_of, deliver
from oas.core.errors import InputError, naming
from oas.core.formats import shown
from oas.exact.options import AUTO, Options
from oas.plots import SUFFIXES
from oas.problems.registry import adapted, problem_named, problem_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pandas

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


def usable(suffixes: tuple[str, ...] = (), refused: tuple[str, ...] = ()) -> Callable[..., str | None]:
    """Return the callback of an option that refuses at once a path that could not be written when the work is done.

    The name must end in one of `suffixes`, if there are any, and in none of `refused`, which promise another format.
    """

    def check(param: typer.CallbackParam, path: str | None) -> str | None:
        if path is not None:
            check_target(path, _long_name(param), suffixes, refused=refused)
        return path

    return check


usable_json = usable(refused=JSON_ONLY)
usable_copy = usable(refused=JSON_ONLY[1:])  # JSON, or a table as CSV
usable_csv = usable(refused=(".json",))


def option(default: Any, metavar: str, help: str, *names: str, **more: Any) -> Any:
    """Return an option as typer takes it; its name is that of the parameter if none is given."""
    return Option(default, *names, metavar=metavar, help=help, **more)


def output(help: str, callback: Callable[..., str | None], default: Any = ...) -> Any:
    """Return the option ``--output`` for a file that is checked by this callback."""
    return Option(default, "--output", "-o", metavar="PATH", callback=callback, help=help)


def picture(help: str, default: Any = ...) -> Any:
    """Return an option for the file of a picture."""
    return Option(default, metavar="PICTURE", callback=usable(SUFFIXES), help=help)


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


def problem_option(help: str, default: Any) -> Any:
    """Return the option ``--problem``, which takes the name of any problem that is known."""
    return Option(default, metavar=f"[{'|'.join(problem_names())}]", callback=_known_problem, help=help)


def _known_problem(param: typer.CallbackParam, name: str | None) -> str | None:
    """Refuse the name of an unknown problem."""
    if name is not None:
        with naming(_long_name(param)):
            problem_named(name)
    return name


def _long_name(param: typer.CallbackParam) -> str:
    return next(name for name in param.opts if name.startswith("--"))


InstanceFile = Annotated[str, Argument(metavar="FILE", help="Instance file (oas-instance JSON); - for stdin.")]
Slot = Annotated[str | None, option(..., "TIME", "Use this slot size η instead of the file's; 0 is continuous time.")]
Solver = Annotated[
    str,
    option(
        ...,
        "NAME",
        "auto: the toolkit's own bounds and searches, HiGHS for what they leave open. highs, cbc, cpsat, or any"
        " MIP solver that Pyomo finds: a model by that solver alone.",
        callback=found_solver,
    ),
]
FormulationName = Annotated[
    str,
    option(
        ...,
        "NAME",
        "auto, start-indexed, literal, phases or slots (under slowdown), counts or cumulative (for cpsat), or"
        " brute-force (tiny instances).",
    ),
]
Check = Annotated[
    list[str] | None,
    option(
        ..., "SOLVER[:FORMULATION]", "Let another solver confirm a proven optimum; repeatable.", callback=found_solver
    ),
]
TimeLimit = Annotated[
    float | None, option(..., "SECONDS", "Wall time for the solve; each --check has as much again.", callback=finite)
]
MemoryLimit = Annotated[int | None, option(..., "MIB", "Memory that a solver may hold, watched from outside.", min=1)]
Gap = Annotated[str, option(..., "RATIO", "End within this distance of the optimum: 1% or 0.01. Only for auto.")]
Start = Annotated[str | None, option(..., "PATH", "A schedule or result file to begin with; it is verified first.")]
Threads = Annotated[
    int,
    option(
        ...,
        "N",
        "Threads of the solver; 0: all cores. With auto, 2 or more run CP-SAT and other searches in parallel.",
        min=0,
    ),
]
Seed = Annotated[int, option(..., "N", "Seed of the solver and of heuristics.", min=0, max=2**31 - 1)]
SolverOption = Annotated[
    list[str] | None, option(..., "NAME=VALUE", "Further option by a named solver's own name; repeatable.")
]
AsJson = Annotated[bool, Option("--json", help="Print JSON instead of a table.")]
Copy = Annotated[str | None, output("Also write the JSON there, or the table if the name ends in .csv.", usable_copy)]
Gantt = Annotated[str | None, picture("Also draw a Gantt chart: a .png, .svg or .pdf file.")]
LogFormat = Annotated[
    Literal["batsim", "swf", "sacct"] | None,
    Option(help="Of the log; otherwise told by its first line, or the name *.swf."),
]
LogUnit = Annotated[
    Literal["cpus", "nodes"] | None, Option(help="sacct: what a processor is, where the log counts both.")
]
LogOwner = Annotated[
    Literal["user", "group", "queue", "partition", "application"],
    Option(help="SWF: field of the log that tells owners apart."),
]
Strict = Annotated[
    bool, Option("--strict", help="SWF: refuse a status that the format does not define; else count it.")
]
Quiet = Annotated[bool, Option("--quiet", "-q", help="No progress on stderr.")]


@dataclass(frozen=True)
class StudyOutput:
    """Where the results of a study go, and whether progress is shown."""

    output: Copy = None
    as_json: AsJson = False
    quiet: Quiet = False

    def deliver(
        self,
        study: Any,
        document: Callable[[Any], object],
        frame: Callable[[], pandas.DataFrame] | None = None,
        **options: object,
    ) -> None:
        """Write a copy if a file is named, a table as CSV or else the document as JSON; then print the results.

        The table is the study's own unless a `frame` is given; the options are for its display.
        """
        made = partial(document, study)
        copy = copy_of(made, frame or study.to_frame), self.output
        deliver(made, partial(shown, study.DISPLAY, study, **options), self.as_json, copy)


def load_instance(file: str, slot: str | None) -> Instance:
    """Read the instance, at another slot size if one is given.

    Raises `InputError` also if a slot size is given and the problem has no slots.
    """
    from oas.io import load

    instance = load(file)
    if slot is None:
        return instance
    with naming("--slot"):
        return adapted(instance, "slot", slot)


def load_start(path: str | None, option: str = "--start") -> Schedule | None:
    """Read the schedule that an option names, from a schedule's or a result's file; that to begin with, unless told.

    Raises `InputError` if the file has none.
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


@contextmanager
def naming_options(options: Mapping[str, str], file: str | None = None) -> Iterator[None]:
    """Give errors about these arguments the names of the options that they came from; others the file's, if given."""
    try:
        yield
    except InputError as error:
        if error.field in options:
            error.field = options[error.field]
        elif file is not None:
            error.file = file
        raise


def long_names(names: Iterable[str]) -> dict[str, str]:
    """Return the options of these names, as `naming_options` takes them."""
    return {name: f"--{name.replace('_', '-')}" for name in names}


# Arguments of `oas.solve` and `oas.compare` whose options have another name.
_OTHER_NAMES = {
    "solver_options": "--option",
    "placements": "--placements",
    "heuristics": "--only",
    "extra": "--heuristic",
}


@dataclass(frozen=True)
class SolveArguments:
    """The options of `oas solve` and `oas compare`, each with its type for typer, and in the order of their help.

    Defaults are those of `oas.exact.options.Options`.
    """

    solver: Solver = Options.solver
    formulation: FormulationName = Options.formulation
    check: Check = None
    time_limit: TimeLimit = Options.time_limit
    memory_limit: MemoryLimit = Options.memory_limit
    gap: Gap = str(Options.gap)
    threads: Threads = Options.threads
    seed: Seed = Options.seed
    slot: Slot = None
    start: Start = None
    option: SolverOption = None

    def for_solve(self) -> dict[str, Any]:
        """Return the options as `oas.solve` takes them; the slot size is the instance's."""
        asked = {name: value for name, value in vars(self).items() if name not in ("slot", "option")}
        return {
            **asked,
            "check": self.check or (),
            "start": load_start(self.start),
            "threads": self.threads or None,
            "memory_limit": memory_bytes(self.memory_limit),
            "solver_options": solver_options(self.option),
        }

    @contextmanager
    def named(self) -> Iterator[None]:
        """Give errors about arguments of `oas.solve` and `oas.compare` the names of options, and the start its file."""
        try:
            with naming_options(long_names(one.name for one in fields(self)) | _OTHER_NAMES):
                yield
        except InputError as error:
            if error.field == "--start":
                error.file = self.start
            raise
