"""A task for a solver (model, settings, limits), and the outcome as the solver states it, none of it verified."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.numbers import integer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from threading import Event

    from oas.core.result import Termination

# A variable's name that crosses processes: (component name, index as a tuple; () for a scalar).
Key = tuple[str, tuple[object, ...]]


GRACE, LEAST_GRACE = 5.0, 0.5  # seconds between a request to stop and the kill: of a solver, of a part of a search

# Families of solvers: each has its own kind of models and its own process, because highspy and ortools conflict.
MIP = "mip"
CPSAT = "cpsat"


def family_of(solver: str) -> str:
    """Return the family of the solver of this name: every solver but CP-SAT takes Pyomo models."""
    return CPSAT if solver == "cpsat" else MIP


@dataclass(frozen=True)
class Task:
    """A model to solve."""

    # ``package.module:function``, imported in the worker. Called with `payload`, it returns a fresh Pyomo ConcreteModel
    # with exactly one active objective, to be minimised; for CP-SAT, a `oas.solvers.cpsat.CpTask`.
    builder: str
    # Its picklable argument; its class must be importable in the worker, so not defined in ``__main__``.
    payload: object
    # Warm start: values by variable; discrete variables left out are 0. The caller has verified it. None for none.
    start: Mapping[Key, float] | None = None
    label: str = ""  # for people

    def __post_init__(self) -> None:
        check_place(self.builder, "builder")


def check_place(place: str, field: str) -> None:
    """Raise an `InputError` unless `place` is ``package.module:function``, not of ``__main__``."""
    module, colon, function = place.partition(":")
    if not (colon and module and function) or module == "__main__":
        raise InputError("must be package.module:function, importable elsewhere", field=field, value=place)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True)
class Limits:
    """When to stop."""

    # Seconds of wall clock for the whole call, building included; None for no limit. The solver is told; if it has not
    # stopped a quarter of `grace` after that it is asked again, and after `grace` it is killed.
    time: float | None = None
    # Resident memory in bytes of the worker and its child processes, measured from outside; None for no limit.
    memory: int | None = None
    grace: float = GRACE  # seconds between a request to stop and the kill
    stop: Event | None = None  # set by another thread to have the worker killed

    def __post_init__(self) -> None:
        if self.time is not None and not (_is_number(self.time) and 0 < self.time < math.inf):
            raise InputError("must be a finite number of seconds above 0", field="time", value=self.time)
        if self.memory is not None and not (_is_number(self.memory) and self.memory > 0):
            raise InputError("must be a number of bytes above 0", field="memory", value=self.memory)
        if not 0 <= self.grace < math.inf:
            raise InputError("must be a finite number of seconds, at least 0", field="grace", value=self.grace)


def limits_of_part(seconds: float | None, memory: int | None) -> Limits:
    """Return the limits of a part of a search, with a short grace period because the whole search has a limit too.

    Values passed on before a kill are kept.
    """
    return Limits(seconds, memory, LEAST_GRACE)


@dataclass(frozen=True)
class Settings:
    """Which solver, and how it searches."""

    solver: str = "highs"  # ``highs``, ``cbc``, ``cpsat``, or a name that Pyomo knows and finds available
    threads: int = 1  # at least 1. CBC always runs one and says so.
    seed: int = 0  # at least 0
    # The objective takes only integer values at feasible points. Then the search may stop within an absolute gap below
    # 1, provided the objective's range is small against the tolerances (see `integer_gap`).
    integer_objective: bool = False
    # Further options by the solver's own names. An unknown name or a refused value is an `InputError`.
    options: Mapping[str, object] = field(default_factory=dict, hash=False)

    @property
    def family(self) -> str:
        """Kind of model that the solver takes; see `family_of`."""
        return family_of(self.solver)

    def __post_init__(self) -> None:
        if not (self.solver and isinstance(self.solver, str)):
            raise InputError("a solver's name is needed", field="solver", value=self.solver or None)
        if not isinstance(self.threads, int):  # as a result states it
            raise InputError("must be an integer", field="threads", value=self.threads)
        integer(self.threads, "threads", least=1)
        if not (isinstance(self.seed, int) and 0 <= self.seed < 2**31):
            raise InputError("must be between 0 and 2^31 - 1", field="seed", value=self.seed)


FORMATS = {".lp": "cpxlp", ".mps": "mps"}  # of model files, by Pyomo's names


def write_model(builder: str, payload: object, path: str | Path) -> Path:
    """Write what `builder` makes of `payload` to `path`, in the format of its suffix, and return the path.

    Names are the model's own (characters the formats forbid replaced), and equal models give equal files. The model
    is built in this process: no solver is needed.

    Raises `InputError` if the suffix is neither ``.lp`` nor ``.mps``, or the builder gives no model to minimise.
    """
    target = Path(path)
    format_name = FORMATS.get(target.suffix.lower())
    if format_name is None:
        raise InputError(f"must end in {' or '.join(FORMATS)}", field="path", value=str(path))
    from oas.solvers.variables import check_model

    model = check_model(function_at(builder, "builder")(payload), builder)
    # The format must be named: by the suffix alone Pyomo takes capitals for an unknown format.
    model.write(str(target), format=format_name, io_options={"symbolic_solver_labels": True})
    return target


def function_at(place: str, field: str) -> Callable[..., Any]:
    """Return the function that ``package.module:function`` names; an `InputError` names `field` if it is not there."""
    module, _, name = place.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"cannot be imported: {error}", field=field, value=place) from None


# A value this close to an integer is that integer; anything else is no incumbent.
INTEGRALITY = 1e-5
NOT_INTEGRAL = "claims an optimum without an integral solution"
"""Message for such a solver, whose answer is not used."""
# Solvers work to about 1e-6, absolutely near 0 and relatively elsewhere.
RELATIVE_MARGIN = 1e-6


@dataclass(frozen=True)
class Progress:
    """The state of a running solver."""

    seconds: float  # wall time since the call began
    # bound, objective: dual bound and best objective so far, as the solver states them; None if there is none
    bound: float | None
    objective: float | None


@dataclass(frozen=True)
class Outcome:
    """The outcome of a solve."""

    # The reason for the end. ``finished``: the search ended regularly, which does not mean that anything is proven.
    termination: Termination
    infeasible: bool = False  # the solver claims that there is no solution
    # The incumbent: each nonzero discrete variable's value, rounded to its integer, and only if all of them are within
    # 1e-5 of an integer; None if there is no such incumbent. To be verified by the caller.
    values: Mapping[Key, float] | None = field(default=None, hash=False)
    # objective, bound: as the solver states them; None if absent or not finite. The bound is a dual bound of the
    # minimisation. An ``int`` is exact; a ``float`` is right up to the solver's tolerance only.
    objective: float | None = None
    bound: float | None = None
    # solver, version: what ran.
    solver: str = ""
    version: str = ""
    # seconds, build_seconds: wall time of the whole call, and of building the model.
    seconds: float = 0.0
    build_seconds: float = 0.0
    message: str = ""  # for people: the signal, the exception, the end of a log


@dataclass(frozen=True)
class CallOutcome:
    """The outcome of a function called in the worker."""

    termination: Termination  # ``finished``: it returned before its limit and without a request to stop
    # The return value; otherwise the last value passed on by `Session.partial`, or None.
    value: object = field(default=None, hash=False)
    seconds: float = 0.0  # wall time of the whole call
    message: str = ""  # for people: the signal, the exception
    bound: float | None = None  # the last bound that it reported by `Session.progress`; None for none


def bound_margin(magnitude: float) -> float:
    """Return the tolerance of a stated bound of this magnitude: 1e-6 · max(1, abs(magnitude))."""
    return RELATIVE_MARGIN * max(1.0, abs(magnitude))


def integer_bound(bound: float) -> int:
    """Round a stated lower bound up to the next integer, after taking `bound_margin` off; an ``int`` is taken as it is.

    Safe at every magnitude: from 5e5 on the margin is half a unit or more, and the result falls below the bound.

    Raises `ValueError` if `bound` is not finite.
    """
    if isinstance(bound, int):
        return bound
    if not math.isfinite(bound):
        raise ValueError(f"{bound} is no bound")
    return math.ceil(Fraction(bound) - Fraction(bound_margin(bound)))


def continuous_bound(bound: float) -> Fraction:
    """Subtract `bound_margin` from a lower bound on an objective that takes any value.

    The margin is valid for objectives of at least a thousand, where the absolute tolerances of solvers (up to 1e-5, by
    which CBC requires a solution to be better than the last) are small compared with it.

    Raises `ValueError` if `bound` is not finite.
    """
    if not math.isfinite(bound):
        raise ValueError(f"{bound} is no bound")
    return Fraction(bound) - Fraction(bound_margin(bound))


def integer_gap(magnitude: float) -> float:
    """Absolute gap within which a search for an integer objective may stop and still be proven by `integer_bound`.

    It is 0.999 less the margin at `magnitude`, the largest absolute value the objective can take, so that
    ``integer_bound(objective - gap) == objective``. Above 1e5 the tolerances eat too much of the unit: 0.
    """
    margin = bound_margin(magnitude)
    return 0.999 - margin if margin <= 0.1 else 0.0


def finite(value: float | None, limit: float = 1e29) -> float | None:
    """Return `value`, or None if it is absent, not a number, or what a solver writes for infinity."""
    return None if value is None or not abs(value) < limit else float(value)
