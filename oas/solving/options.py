"""The options of a solve, checked before any work: an invalid value raises an `InputError` that names the option."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any, TypedDict

from oas.core.errors import InputError, naming, unknown_name
from oas.core.numbers import exact, integer
from oas.core.problem import problem_of
from oas.core.processors import processors
from oas.core.schedule import Schedule
from oas.solvers.own_options import check_own_options, check_taken
from oas.solvers.task import MIP, PROVING, Settings, family_of
from oas.solving.formulation import check_match, check_takes, default_formulation, find_formulation, formulations
from oas.solving.parts import exact_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.core.instances import Instance
    from oas.core.numbers import Exact
    from oas.core.problem import Problem
    from oas.core.result import Result
    from oas.solving.formulation import Formulation
    from oas.solving.progress import SolveProgress

AUTO = "auto"
HIGHS = "highs"
BRUTE_FORCE = "brute-force"


class SolverOptions(TypedDict, total=False):
    """The arguments that a study passes on to `oas.solve`."""

    solver: str
    formulation: str
    check: str | Sequence[str]
    time_limit: float | None
    memory_limit: int | str | None
    gap: Exact | float
    threads: int | None
    solver_options: Mapping[str, object] | None
    bounds: bool
    solver_log: str | os.PathLike[str] | None
    proof_file: str | os.PathLike[str] | None


class SolveOptions(SolverOptions, total=False):
    """The same for a study that passes on seed, start and progress too."""

    seed: int
    start: Schedule | Result | None
    on_progress: Callable[[SolveProgress], None] | None


def gap_of(value: Exact | float) -> Fraction:
    """Return a gap as a ratio, at least 0: ``0.01`` and ``"1%"`` are one per cent.

    Floats are accepted, since a gap need not be exact as times are.
    """
    text = value.strip() if isinstance(value, str) else str(value)
    try:
        ratio = exact(text.removesuffix("%").strip(), "gap") / (100 if text.endswith("%") else 1)
    except InputError as error:
        raise InputError("must be a ratio such as 0.01, or 1%", field="gap", value=value) from error
    if ratio < 0:
        raise InputError("must be at least 0", field="gap", value=value)
    return ratio


def seconds_of(value: Any) -> float | None:
    """Return a time limit as a float, finite and above 0; None for no limit."""
    if value is None:
        return None
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not (is_number and 0 < value <= sys.float_info.max):
        raise InputError("must be a finite number of seconds above 0", field="time_limit", value=value)
    return float(value)


_SIZES = {"B": 1, **{f"{prefix}B": 1000**power for power, prefix in enumerate("kMGT", 1)}}
_SIZES |= {f"{prefix}iB": 1024**power for power, prefix in enumerate("KMGT", 1)} | {"KB": 1000}
LEAST_MEMORY = 2**20  # less is a mistake of units


def bytes_of(value: object, field: str = "memory_limit") -> int | None:
    """Return a memory limit in bytes: an int is bytes, a text has a unit, such as ``4 GiB``; None for no limit."""
    if value is None:
        return None
    if isinstance(value, str):
        match = re.fullmatch(r"([0-9]{1,18}(?:\.[0-9]{1,6})?) ?([kKMGT]?i?B)", value)
        if match is None or match[2] not in _SIZES:
            raise InputError('must be a size with its unit, such as "4 GiB" or "500 MB"', field=field, value=value)
        size = int(Fraction(match[1]) * _SIZES[match[2]])
    else:
        try:
            size = integer(value, field, least=1)
        except InputError as error:
            reason = 'must be a text such as "4 GiB" or "500 MB", or a whole number of bytes'
            raise InputError(reason, field=field, value=value) from error
    if size < LEAST_MEMORY:
        reason = "must be at least 1 MiB" + (
            "" if isinstance(value, str) else '; an int counts bytes, "4 GiB" is a text'
        )
        raise InputError(reason, field=field, value=value)
    return size


def checks_of(value: object) -> tuple[str, ...]:
    """Return the names of second opinions, given as one text or several."""
    texts = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else None
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise InputError("must be solver or solver:formulation, or several of them", field="check", value=value)
    return texts


def own_options_of(value: object) -> dict[str, object]:
    """Return options by the solver's own names for them; empty for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise InputError("must be a mapping of the solver's own names to values", field="solver_options", value=value)
    return dict(value)


def truth_of(value: object) -> bool:
    """Return True or False, given as such."""
    if not isinstance(value, bool):
        raise InputError("must be True or False", field="bounds", value=value)
    return value


def log_of(value: object) -> str | None:
    """Return the path of a solver's log, or ``-`` for stderr; None for no log."""
    if value is not None and not (isinstance(value, str | os.PathLike) and os.fspath(value)):
        raise InputError("must be the path of a file, or -", field="solver_log", value=value)
    return None if value is None else os.fsdecode(value)


def path_of(value: object) -> str | None:
    """Return the path of the file for a proof, absolute because a worker writes it; None for none."""
    if value is not None and not (isinstance(value, str | os.PathLike) and os.fspath(value)):
        raise InputError("must be the path of a file", field="proof_file", value=value)
    return None if value is None else os.path.abspath(os.fsdecode(value))


def schedules_of(value: object) -> Mapping[str, Schedule | None]:
    """Return the given schedules of heuristics by method; empty for None."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(entry, Schedule | None) for entry in value.values()):
        reason = "must be a mapping of methods' names to schedules, or to None"
        raise InputError(reason, field="schedules", value=value)
    return value


def check_reports(on_progress: object, display: object) -> None:
    """Refuse an `on_progress` that is not callable, and a `display` that is neither True nor False."""
    if on_progress is not None and not callable(on_progress):
        raise InputError("must be a function of one argument, or None", field="on_progress", value=on_progress)
    if not any(display is truth for truth in (True, False)):
        raise InputError("must be True or False", field="display", value=display)


def check_names(options: Mapping[str, object]) -> None:
    """Refuse options that `oas.solve` does not have, before the long work of a study."""
    known = (*SolverOptions.__annotations__, *SolveOptions.__annotations__)
    for name in options:
        if name not in known:
            raise unknown_name(name, dict.fromkeys(known), name, reason="no such option")


READERS: dict[str, Callable[[Any], object]] = {
    "check": checks_of,
    "time_limit": seconds_of,
    "memory_limit": bytes_of,
    "gap": gap_of,
    "threads": lambda value: value if value is None else integer(value, "threads", least=1),
    "seed": lambda value: integer(value, "seed", least=0),
    "solver_options": own_options_of,
    "bounds": truth_of,
    "solver_log": log_of,
    "proof_file": path_of,
}


@dataclass(frozen=True)
class Options:
    """The options of a solve: the parameters of `oas.solving.pipeline.solve`, checked and converted, and the problem.

    Attributes
    ----------
    problem
        The problem of the instance.
    instance
        The instance, which restricts the formulations; None if only the problem is known.
    """

    solver: str = AUTO
    formulation: str = AUTO
    check: tuple[str, ...] = ()
    time_limit: float | None = None
    memory_limit: int | None = None
    gap: Fraction | int = 0
    threads: int = 1
    seed: int = 0
    solver_options: Mapping[str, object] = field(default_factory=dict, hash=False)
    bounds: bool = True
    solver_log: str | None = None
    proof_file: str | None = None
    problem: Problem = field(kw_only=True)
    instance: Instance | None = field(default=None, kw_only=True, compare=False, repr=False)

    def __post_init__(self) -> None:
        self.problem.part("exact")  # refuses a problem that cannot be solved, whatever the options
        for name, read in READERS.items():
            object.__setattr__(self, name, read(getattr(self, name)))
        if self.threads is None:
            object.__setattr__(self, "threads", processors() if self.closes else 1)
        if self.formulation not in (AUTO, *formulations(self.problem), BRUTE_FORCE):
            names = (AUTO, *formulations(self.problem, self.instance), BRUTE_FORCE)
            raise unknown_name(self.formulation, names, "formulation")
        Settings(self.model_solver, self.threads, self.seed)
        if self.model is not None:
            self._check_model(self.model_solver, self.model)
        self._check_use()
        with naming("check"):
            _ = self.checks

    def _check_model(self, solver: str, formulation: Formulation) -> None:
        """Refuse a formulation that the solver does not support, or that does not support the instance."""
        check_match(solver, formulation, self.problem, self.instance)
        if self.instance is not None:
            check_takes(formulation, self.instance)

    def _check_use(self) -> None:
        """Refuse an option that would have no effect."""
        if self.proof_file is not None and (self.closes or self.enumerates or self.model_solver not in PROVING):
            raise InputError(
                f"only solvers {' and '.join(PROVING)} write proofs", field="proof_file", value=self.proof_file
            )
        if not self.closes and not self.enumerates:
            check_own_options(self.model_solver, self.solver_options, "solver_options")
            check_taken(self.model_solver, self.threads, self.gap)
            return
        who = "enumeration" if self.enumerates else f"the search of solver {AUTO}"
        if self.enumerates and self.threads > 1:
            raise InputError(f"{who} runs in one; name a solver that has several", field="threads", value=self.threads)
        if self.enumerates and self.gap:
            raise InputError(f"{who} has none; name a solver that stops at a gap", field="gap", value=str(self.gap))
        if not self.bounds:
            raise InputError(f"{who} needs them; name a solver or a formulation", field="bounds")
        if self.solver_options:
            name = next(iter(self.solver_options))
            raise InputError(f"{who} takes none; name the solver that has it", field="solver_options", value=name)

    @classmethod
    def of(cls, subject: Instance | Problem, **given: Any) -> Options:
        """Return the options among the arguments of `oas.solve`, as a user gives them.

        `subject`: the instance, or the problem if there is no instance yet.
        """
        problem = problem_of(subject)
        instance = None if subject is problem else subject
        options = {name: value for name, value in given.items() if name in cls.__dataclass_fields__}
        return cls(**options, problem=problem, instance=instance)  # type: ignore[arg-type]

    @property
    def recorded(self) -> dict[str, str]:
        """The options that differ from the defaults, as texts, apart from those that a result has as fields."""
        texts = {name: str(getattr(self, name)) for name in ("time_limit", "memory_limit") if getattr(self, name)}
        if self.gap:
            texts["gap"] = str(self.gap)
        if not self.bounds:
            texts["bounds"] = str(self.bounds)
        if self.check:
            texts["check"] = ", ".join(self.check)
        if self.formulation != AUTO:
            texts["formulation"] = self.formulation
        return texts | {f"solver_options.{name}": str(value) for name, value in self.solver_options.items()}

    @property
    def closes(self) -> bool:
        """Whether the problem's own bounds and searches run, before any model is built.

        Naming a solver or a formulation asks for a model instead.
        """
        parts = self.problem.part("exact")[0] if self.instance is None else exact_parts(self.instance)
        return parts.search is not None and (self.formulation, self.solver) == (AUTO, AUTO)

    @property
    def enumerates(self) -> bool:
        """Whether brute force is requested: no solver is used."""
        return self.formulation == BRUTE_FORCE

    @property
    def model_solver(self) -> str:
        """The solver of the model; ``auto`` is the only one of the formulation's family, or HiGHS."""
        if self.solver != AUTO:
            return self.solver
        named = self.formulation not in (AUTO, BRUTE_FORCE)
        family = find_formulation(self.formulation, self.problem).family if named else MIP
        return HIGHS if family == MIP else family

    @property
    def model(self) -> Formulation | None:
        """The formulation for a solver; None for brute force.

        Also None if the search of the problem is selected and no formulation supports the instance.
        """
        if self.enumerates:
            return None
        if self.formulation != AUTO:
            return find_formulation(self.formulation, self.problem)
        try:
            return default_formulation(self.problem, family_of(self.model_solver), self.instance)
        except InputError:
            if self.closes:
                return None
            raise

    @cached_property
    def checks(self) -> tuple[tuple[str, Formulation], ...]:
        """Solver and formulation of each second opinion; by default `model` if it is of the solver's family."""
        parsed = []
        for text in self.check:
            solver, colon, name = text.partition(":")
            family = Settings(solver).family
            if colon:
                formulation = find_formulation(name, self.problem, self.instance)
                self._check_model(solver, formulation)
            elif self.model is not None and self.model.family == family:
                formulation = self.model
            else:
                formulation = default_formulation(self.problem, family, self.instance)
            parsed.append((solver, formulation))
        return tuple(parsed)
