"""Options shared by several commands."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from oas.cli.output import JSON_ONLY, check_target, deliver, json_bytes
from oas.core.errors import InputError, naming
from oas.core.formats import call_by_path
from oas.core.instances import Instance
from oas.core.registry import adapted, problem_named, problem_names
from oas.core.result import Result
from oas.core.schedule import Schedule
from oas.io import load, load_answer
from oas.io.files import csv_bytes, write_bytes
from oas.plots import SUFFIXES
from oas.solving.options import AUTO, Options, bytes_of

if TYPE_CHECKING:
    import pandas


def usable(
    suffixes: tuple[str, ...] = (), refused: tuple[str, ...] = (), beside: str = ""
) -> Callable[..., str | None]:
    """Return an option's callback that refuses an unwritable path before any work is done.

    The path must end in one of `suffixes`, if any are given, and in none of `refused`, which are of other formats.
    `beside`: end of the name of a second file, which is written next to it.
    """

    def check(param: typer.CallbackParam, path: str | None) -> str | None:
        if path is not None:
            check_target(path, _long_name(param), suffixes, refused=refused)
            check_target(path + beside, _long_name(param))
        return path

    return check


usable_json = usable(refused=JSON_ONLY)
usable_copy = usable(refused=JSON_ONLY[1:])  # JSON, or a table as CSV
usable_csv = usable(refused=(".json",))


def option(default: Any, metavar: str, help: str, *names: str, **more: Any) -> Any:
    """Return a typer option; without `names` it is named after the parameter."""
    return Option(default, *names, metavar=metavar, help=help, **more)


def output(help: str, callback: Callable[..., str | None], default: Any = None) -> Any:
    """Return the option ``--output`` for a file; `callback` checks the path."""
    return Option(default, "--output", "-o", metavar="PATH", callback=callback, help=help)


def picture(help: str, default: Any = None) -> Any:
    """Return an option for a picture file, whose formats are added to the help."""
    return Option(default, metavar="PICTURE", callback=usable(SUFFIXES), help=f"{help}: .png, .svg or .pdf.")


def finite(param: typer.CallbackParam, seconds: float | None) -> float | None:
    """Refuse a time limit that is not a finite number of seconds above 0."""
    if seconds is not None and not 0 < seconds < math.inf:
        raise InputError("must be a finite number of seconds above 0", field=_long_name(param), value=seconds)
    return seconds


def memory_size(param: typer.CallbackParam, text: str | None) -> str | None:
    """Check a limit of memory."""
    bytes_of(text, _long_name(param))
    return text


def installed_solver(param: typer.CallbackParam, value: str | list[str] | None) -> str | list[str] | None:
    """Refuse a solver that is not installed, even if the solve might not need it."""
    from oas.solvers.discovery import check_docstrings, executable_for
    from oas.solvers.parameters import PARAMETERS

    for text in [value] if isinstance(value, str) else value or []:
        name = text.partition(":")[0] if _long_name(param) == "--check" else text
        if name == AUTO and _long_name(param) == "--solver":
            continue
        executable_for(name)
        if name not in PARAMETERS:
            check_docstrings()
            from oas.solvers.pyomo_named import check_name

            with naming(_long_name(param)):
                check_name(name)
    return value


def usable_log(param: typer.CallbackParam, path: str | None) -> str | None:
    """Refuse an unwritable path of a log before any work is done; ``-`` is stderr."""
    return path if path == "-" else usable()(param, path)


def problem_option(help: str, default: Any) -> Any:
    """Return the option ``--problem``, which accepts the name of any known problem."""
    return Option(default, metavar=f"[{'|'.join(problem_names())}]", callback=_known_problem, help=help)


def _known_problem(param: typer.CallbackParam, name: str | None) -> str | None:
    if name is not None:
        with naming(_long_name(param)):
            problem_named(name)
    return name


def _long_name(param: typer.CallbackParam) -> str:
    return next(name for name in param.opts if name.startswith("--"))


InstanceFile = Annotated[str, Argument(metavar="FILE", help="Instance file (oas-instance JSON); - for stdin.")]
Slot = Annotated[
    str | None,
    option(..., "TIME", "Slot size η in the instance's time unit, instead of the file's; 0 for continuous time."),
]
Solver = Annotated[
    str,
    option(
        ...,
        "NAME",
        "auto: the toolkit's own bounds and searches, then HiGHS if a gap remains. highs, cbc, cpsat, pumpkin (MOSP),"
        " exact (co-allocation), gurobi, scip, cplex, xpress or another MIP solver known to Pyomo: solve one model with"
        " this solver alone.",
        callback=installed_solver,
    ),
]
FormulationName = Annotated[
    str,
    option(
        ...,
        "NAME",
        "MIP model: auto, start-indexed, literal, phases or slots (under slowdown), counts or cumulative (for"
        " cpsat), axis (for pumpkin), runs (for exact), or brute-force (enumeration, tiny instances).",
    ),
]
Check = Annotated[
    list[str] | None,
    option(
        ...,
        "SOLVER[:FORMULATION]",
        "Confirm a proven optimum with a second solver; repeatable.",
        callback=installed_solver,
    ),
]
TimeLimit = Annotated[
    float | None,
    option(
        ...,
        "SECONDS",
        "Wall-time limit of the solve; each --check may take the same time again. Default: no limit.",
        callback=finite,
    ),
]
MemoryLimit = Annotated[
    str | None,
    option(
        ...,
        "SIZE",
        'Memory limit of each solver process, such as "4 GiB" or 500MB. A process above it is ended.',
        callback=memory_size,
    ),
]
Gap = Annotated[str, option(..., "RATIO", "Stop at this optimality gap, such as 1% or 0.01.")]
Start = Annotated[str | None, option(..., "PATH", "Warm start: schedule or result file, which is verified first.")]
Threads = Annotated[
    int,
    option(
        ...,
        "N",
        "Number of threads; 0 for all available processors. With auto, 2 or more run CP-SAT and other searches in"
        " parallel.",
        min=0,
    ),
]
Seed = Annotated[int, option(..., "N", "Random seed of the solver and the heuristics.", min=0, max=2**31 - 1)]
SolverOption = Annotated[list[str] | None, option(..., "NAME=VALUE", "Option of the solver itself; repeatable.")]
Bounds = Annotated[
    bool,
    Option(
        show_default=False,
        help="Give a named solver neither bound nor schedule of the toolkit, to see the model alone. The best"
        " heuristic's makespan remains the model's horizon.",
    ),
]
SolverLog = Annotated[
    str | None,
    option(
        ...,
        "FILE",
        "Append the solver's own log to this file; - for stderr. With auto, the log of every model that is solved.",
        callback=usable_log,
    ),
]
ProofFile = Annotated[
    str | None,
    option(..., "FILE", "Write the proof of solver pumpkin (DRCP) or exact (VeriPB) to this file.", callback=usable()),
]
AsJson = Annotated[bool, Option("--json", help="Print JSON instead of a table.")]
Copy = Annotated[
    str | None, output("Also write the results to a file: a table if it ends in .csv, else JSON.", usable_copy, ...)
]
Gantt = Annotated[str | None, picture("Also draw a Gantt chart", ...)]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Show no progress on stderr.")]


LogFile = Annotated[str, Argument(metavar="LOG", help="Job log, plain or compressed (.gz, .bz2, .xz); - for stdin.")]


@dataclass(frozen=True)
class LogReading:
    """How a job log is read: arguments of `oas.logs.log.read_log`."""

    format: Literal["batsim", "swf", "sacct"] | None = Option(
        None, help="Format of the log. Default: detected from the first line or the suffix .swf."
    )
    unit: Literal["cpus", "nodes"] | None = Option(
        None, help="sacct: unit of a processor, if the log has both; nodes only if no two jobs share a node."
    )
    strict: bool = Option(False, "--strict", help="SWF: refuse unknown job statuses instead of counting them.")
    timezone: str | None = option(None, "ZONE", "sacct: time zone of times without an offset, such as Europe/Berlin.")
    skip_invalid: bool = Option(
        False, "--skip-invalid", help="Leave out invalid lines and count them, instead of refusing the log."
    )


@dataclass(frozen=True)
class WorkloadReading(LogReading):
    """How a job log or a workload is read: arguments of `oas.logs.log.read`."""

    host_speed: str | None = option(
        None, "NUMBER", "Batsim workload: operations of a host in a second, for profiles that state operations."
    )


@dataclass(frozen=True)
class StreamOptions(WorkloadReading):
    """How a job log is read as a stream: arguments of `oas.logs.streams.read_stream`."""

    owner: Literal["user", "group", "account", "queue", "partition", "application"] = Option(
        "user", help="The field of the log that identifies the owner of a job."
    )
    skip_wider: bool = Option(False, "--skip-wider", help="Skip jobs wider than the machine, instead of an error.")


def organizations(text: str | None) -> Any:
    """Return the value of --organizations: a number, or the rules in a file."""
    if text is None or (text.isascii() and text.isdigit() and len(text) < 10):
        return text and int(text)
    if not os.path.exists(text) and text != "-":
        reason = "must be a number, or a file with the organization of each user, group or account"
        raise InputError(reason, field="--organizations", value=text)
    from oas.logs.membership import read_membership

    return read_membership(text)


@dataclass(frozen=True)
class StudyOutput:
    """Destinations of a study's results, and whether progress is shown."""

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
        """Write the output file if one is named, then print the results.

        `document` makes the JSON document and `frame` the CSV table (default: the study's `to_frame`); `options` are
        arguments of the study's display function.
        """

        def write(path: str) -> None:
            as_table = path.lower().endswith(".csv")
            write_bytes(path, csv_bytes((frame or study.to_frame)()) if as_table else json_bytes(document(study)))

        display = partial(call_by_path, study.DISPLAY, study, **options)
        deliver(partial(document, study), display, self.as_json, (write, self.output))


def load_instance(file: str, slot: str | None) -> Instance:
    """Read an instance and change its slot size if `slot` is given.

    Raises `InputError` also if the problem has no slots.
    """
    instance = load(file)
    if slot is None:
        return instance
    with naming("--slot"):
        return adapted(instance, "slot", slot)


def load_start(path: str | None, option: str = "--start") -> Schedule | None:
    """Read the schedule of a schedule or result file; `option` is the command-line option that names the file.

    Raises `InputError` if the file has no schedule.
    """
    if path is None:
        return None
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
    """Parse ``NAME=VALUE`` texts; convert values that are booleans, integers or floats."""
    options: dict[str, object] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise InputError("must be NAME=VALUE", field="--option", value=text)
        options[name] = _parsed(value)
    return options


def _parsed(text: str) -> object:
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
    """Replace argument names in errors by option names; add `file`, if given, to errors about anything else."""
    try:
        yield
    except InputError as error:
        if error.field in options:
            error.field = options[error.field]
        elif file is not None:
            error.file = error.file or file
        raise


def long_names(names: Iterable[str]) -> dict[str, str]:
    """Return the option of each argument name, for `naming_options`."""
    return {name: f"--{name.replace('_', '-')}" for name in names}


# Arguments of `oas.solve` and `oas.compare` whose options have different names.
_RENAMED = {
    "solver_options": "--option",
    "bounds": "--no-bounds",
    "placements": "--placements",
    "heuristics": "--only",
    "extra": "--heuristic",
}


@dataclass(frozen=True)
class SolveArguments:
    """Options of `oas solve` and `oas compare` in help order; defaults are those of `oas.solving.options.Options`."""

    solver: Solver = Options.solver
    formulation: FormulationName = Options.formulation
    check: Check = None
    time_limit: TimeLimit = Options.time_limit
    memory_limit: MemoryLimit = None
    gap: Gap = str(Options.gap)
    threads: Threads = Options.threads
    seed: Seed = Options.seed
    slot: Slot = None
    start: Start = None
    option: SolverOption = None
    bounds: Bounds = Options.bounds
    solver_log: SolverLog = Options.solver_log
    proof_file: ProofFile = Options.proof_file

    def for_solve(self) -> dict[str, Any]:
        return {
            **{name: value for name, value in vars(self).items() if name not in ("slot", "option")},
            "check": self.check or (),
            "start": load_start(self.start),
            "threads": self.threads or None,
            "solver_options": solver_options(self.option),
        }

    @contextmanager
    def named(self) -> Iterator[None]:
        """Replace argument names in errors by option names; add the file name to errors about ``--start``."""
        try:
            with naming_options(long_names(field.name for field in fields(self)) | _RENAMED):
                yield
        except InputError as error:
            if error.field == "--start":
                error.file = self.start
            raise
