"""Tasks for solvers (model, settings, limits) and their outcomes, which are unverified claims."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.numbers import integer
from oas.solvers.parameters import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oas.core.result import Termination

# Name of a variable in every process: component name and index; the index of a scalar is ().
Key = tuple[str, tuple[object, ...]]


# Families of solvers: each has its own kind of models and its own process, because highspy and ortools clash.
MIP = "mip"
CPSAT = "cpsat"
PUMPKIN, EXACT = "pumpkin", "exact"
PROVING = (PUMPKIN, EXACT)  # they log proofs


def family_of(solver: str) -> str:
    """Return the family of a solver; all solvers except CP-SAT, Pumpkin and Exact solve Pyomo models."""
    return solver if solver in (CPSAT, *PROVING) else MIP


@dataclass(frozen=True)
class Task:
    """A model to solve."""

    # ``package.module:function``, imported in the worker. It receives `payload` and returns a new Pyomo ConcreteModel
    # with exactly one active objective to minimise; for CP-SAT, an `oas.solvers.cpsat.CpTask`; for Pumpkin
    # and Exact, an `oas.solvers.pumpkin.PumpkinTask` or `oas.solvers.exact.ExactTask`.
    builder: str
    payload: object  # picklable; the worker must be able to import its class, so not from ``__main__``
    # Verified warm start: values by variable, 0 for other discrete variables; None for no start.
    start: Mapping[Key, float] | None = None
    label: str = ""  # for people

    def __post_init__(self) -> None:
        check_place(self.builder, "builder")


def check_place(place: str, field: str) -> None:
    """Raise `InputError` unless `place` is ``package.module:function`` and not in ``__main__``."""
    module, colon, function = place.partition(":")
    if not (colon and module and function) or module == "__main__":
        raise InputError("must be package.module:function, importable elsewhere", field=field, value=place)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True)
class Limits:
    """Limits of a call."""

    # Seconds of wall time for the whole call, including building; None for no limit. The solver receives the limit. If
    # it is still running after a quarter of `grace`, it is interrupted; after all of `grace`, it is killed.
    time: float | None = None
    memory: int | None = None  # bytes used by the worker and its child processes (RSS); None for no limit
    grace: float = 5.0  # seconds between a request to stop and the kill
    # It is called several times a second; if it returns True, the worker is killed.
    stop: Callable[[], bool] | None = None

    def __post_init__(self) -> None:
        if self.time is not None and not (_is_number(self.time) and 0 < self.time < math.inf):
            raise InputError("must be a finite number of seconds above 0", field="time", value=self.time)
        if self.memory is not None and not (_is_number(self.memory) and self.memory > 0):
            raise InputError("must be a number of bytes above 0", field="memory", value=self.memory)
        if not 0 <= self.grace < math.inf:
            raise InputError("must be a finite number of seconds, at least 0", field="grace", value=self.grace)


def limits_of_part(seconds: float | None, memory: int | None) -> Limits:
    """Return the limits of a part of a search, with a short grace, because the whole search has a limit too."""
    return Limits(seconds, memory, grace=0.5)


@dataclass(frozen=True)
class Settings:
    """The solver and its parameters."""

    solver: str = "highs"  # of `PARAMETERS`, or another solver that Pyomo finds
    threads: int = 1  # at least 1; see `threads_used`
    seed: int = 0  # at least 0
    # Whether the objective is an integer at every feasible point. The search may then stop at an absolute gap below 1
    # (see `integer_gap`).
    integer_objective: bool = False
    # Further options by the solver's names for them; unknown names and refused values raise `InputError`.
    options: Mapping[str, object] = field(default_factory=dict, hash=False)
    # The search may stop at (objective - bound) / objective ≤ `gap`, or at objective - bound ≤ `slack`.
    gap: float = 0.0
    slack: int = 0
    run: str = ""  # how the run differs from the solver's usual one, for its claims; empty if it does not

    def second_run(self) -> Settings | None:
        """Return settings of a different run of this solver, which may confirm its claim; None for other solvers."""
        options = SECOND_RUNS.get(self.solver)
        if options is None:
            return None
        words = ", ".join(f"{name}={value}" for name, value in options.items())
        return replace(self, seed=(self.seed + 1) % 2**31, options={**self.options, **options}, run=words)

    @property
    def family(self) -> str:
        """The solver's family; see `family_of`."""
        return family_of(self.solver)

    @property
    def threads_used(self) -> int | None:
        """Number of threads that the solver uses; None for another solver of Pyomo, which receives none."""
        names = PARAMETERS.get(self.solver)
        if names is None:
            return None
        return self.threads if names.threads else 1

    def __post_init__(self) -> None:
        if not (self.solver and isinstance(self.solver, str)):
            raise InputError("a solver's name is needed", field="solver", value=self.solver or None)
        if not isinstance(self.threads, int):
            raise InputError("must be an integer", field="threads", value=self.threads)
        integer(self.threads, "threads", least=1)
        if not (isinstance(self.seed, int) and 0 <= self.seed < 2**31):
            raise InputError("must be between 0 and 2^31 - 1", field="seed", value=self.seed)


# Options of a second, different run by solver: without the part in which wrong answers were seen.
SECOND_RUNS: dict[str, dict[str, object]] = {
    "highs": {"presolve": "off"},
    "cbc": {"presolve": "off", "preprocess": "off"},
    CPSAT: {"cp_model_probing_level": 0},
}

FORMATS = {".lp": "cpxlp", ".mps": "mps"}  # Pyomo's names of model formats by suffix


def write_pyomo(model: Any, path: str | Path, builder: str) -> Path:
    """Write a Pyomo model to `path`, in the format of the suffix; return the path.

    The file has the model's names, with forbidden characters replaced. Equal models give equal files.

    Raises `InputError` if the suffix is not ``.lp`` or ``.mps``, or, naming `builder`, if the model is not one to
    minimise.
    """
    from oas.solvers.variables import check_model

    target = Path(path)
    format_name = FORMATS.get(target.suffix.lower())
    if format_name is None:
        raise InputError(f"must end in {' or '.join(FORMATS)}", field="path", value=str(path))
    check_model(model, builder)
    # Pyomo does not recognise the format of a suffix in capitals.
    model.write(str(target), format=format_name, io_options={"symbolic_solver_labels": True})
    return target


def function_at(place: str, field: str) -> Callable[..., Any]:
    """Import ``package.module:function``; raises `InputError` that names `field` if it is missing."""
    module, _, name = place.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"cannot be imported: {error}", field=field, value=place) from None


INTEGRALITY = 1e-5  # largest distance of a discrete variable's value from an integer
NOT_INTEGRAL = "claims an optimum without an integral solution"
"""Message about a solver whose answer is not used."""
# Solvers work to about 1e-6: an absolute tolerance near 0, a relative one elsewhere.
RELATIVE_MARGIN = 1e-6


@dataclass(frozen=True)
class Progress:
    """Progress of a running solver."""

    seconds: float  # wall time since the call began
    bound: float | None  # dual bound so far, unverified
    objective: float | None  # of the incumbent, unverified


@dataclass(frozen=True)
class Outcome:
    """The outcome of a solve."""

    termination: Termination  # ``finished`` means that the search ended without interruption; it is not a proof
    infeasible: bool = False  # whether the solver claims that there is no solution
    # The incumbent: the nonzero values of discrete variables, rounded; None unless all are within 1e-5 of an integer.
    # The caller verifies it.
    values: Mapping[Key, float] | None = field(default=None, hash=False)
    # objective, bound: claims of the solver; None if absent or not finite. An ``int`` is exact, a ``float`` is subject
    # to the solver's tolerance. The bound is a dual bound of the minimisation.
    objective: float | None = None
    bound: float | None = None
    certificate: Mapping[str, object] | None = field(default=None, hash=False)  # of the bound, unchecked
    solver: str = ""
    version: str = ""
    seconds: float = 0.0  # wall time of the whole call
    build_seconds: float = 0.0  # wall time of building the model
    message: str = ""  # for people: the signal, the exception, the end of a log
    # Fields of `oas.core.result.ModelReport` that the solver has reported; bounds are values of the objective.
    report: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class CallOutcome:
    """The outcome of a function called in the worker."""

    termination: Termination  # ``finished``: it returned before its limit and without a request to stop
    # The returned value; the last value passed to `Session.partial` if the function did not return; otherwise None.
    value: object = field(default=None, hash=False)
    seconds: float = 0.0  # wall time of the whole call
    message: str = ""  # for people: the signal, the exception
    bound: float | None = None  # the last bound reported with `Session.progress`
    peak_memory: int | None = None  # bytes, largest measured value; None without a limit of memory


def bound_margin(magnitude: float) -> float:
    """Return the tolerance of a bound of this magnitude: 1e-6 · max(1, abs(magnitude))."""
    return RELATIVE_MARGIN * max(1.0, abs(magnitude))


def integer_bound(bound: float | Fraction) -> int:
    """Subtract `bound_margin` from a solver's lower bound and round up; an exact bound is only rounded up.

    From 5e5 on the margin is at least half a unit, so the result may be below the bound.

    Raises `ValueError` if `bound` is not finite.
    """
    return math.ceil(continuous_bound(bound))


def continuous_bound(bound: float | Fraction) -> Fraction:
    """Subtract `bound_margin` from a solver's lower bound on an objective that need not be an integer.

    An ``int`` or a Fraction is exact, and is returned as it is. The margin suffices for objectives of at least 1,000.
    Solvers also have absolute tolerances: CBC requires a new incumbent to be better by up to 1e-5, which is small
    compared with that margin.

    Raises `ValueError` if `bound` is not finite.
    """
    if not isinstance(bound, float):
        return Fraction(bound)
    if not math.isfinite(bound):
        raise ValueError(f"{bound} is no bound")
    return Fraction(bound) - Fraction(bound_margin(bound))


def integer_gap(magnitude: float) -> float:
    """Return the absolute gap at which a search for an integer objective may stop with a proven optimum.

    `magnitude` is the largest absolute value of the objective. The gap is 0.999 less the margin at that value, so that
    ``integer_bound(objective - gap) == objective``. It is 0 above 1e5, where the margin is too large.
    """
    margin = bound_margin(magnitude)
    return 0.999 - margin if margin <= 0.1 else 0.0


def finite(value: float | None, limit: float = 1e29) -> float | None:
    """Return `value`; None if it is absent, not a number, or a solver's substitute for infinity."""
    return None if value is None or not abs(value) < limit else float(value)
