"""The methods that a campaign runs on its instances: exact methods and heuristics, each with its limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from heuristics.registry import find_heuristic, find_method, methods
from oas.campaigns.identity import source_hash
from oas.core.errors import InputError
from oas.core.numbers import identifier
from oas.exact.options import AUTO, Options
from oas.problems.registry import problem_named, problems

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from fractions import Fraction

    from oas.campaigns.declaration import MethodsTable
    from oas.core.problem import Problem

ALL = "all"
# Parameters of an exact method that `oas.solve` has under another name.
_SOLVE_NAMES = {"options": "solver_options"}


@dataclass(frozen=True)
class RunLimits:
    """Limits of one run."""

    seconds: Fraction | None = None  # wall time; None for no limit
    memory: int | None = None  # bytes of the run and everything that it starts; None for no limit
    # key of the run whose wall time is this run's limit, if it is shorter than `seconds`; empty if there is none
    time_of: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the limits as JSON can hold them."""
        limits = {"time": None if self.seconds is None else str(self.seconds), "memory": self.memory}
        return limits | ({"time_of": self.time_of} if self.time_of else {})


@dataclass(frozen=True)
class MethodSpec:
    """A method as declared."""

    label: str  # as tables show it
    kind: str  # ``exact`` or ``heuristic``
    # exact: solver, formulation, check, threads, options. Heuristic: name, as `heuristics.registry` finds it.
    parameters: Mapping[str, Any] = field(hash=False)
    limits: RunLimits = RunLimits()  # of each run
    seeds: tuple[int, ...] = (0,)  # one run for each
    # label of the method whose wall time on the same instance is the limit; empty if there is none
    same_time_as: str = ""

    @property
    def source(self) -> str:
        """Hash of the source that it executes."""
        name = self.parameters.get("name", "")
        return source_hash(self.kind, name if ":" in name else "")

    def keeps_locality(self, problem: str) -> bool:
        """Whether it minds that no organization may lose: not a heuristic that looks at the global makespan alone."""
        if self.kind == "exact":
            return True
        try:
            return find_method(self.parameters["name"], problem_named(problem)).respects_locality
        except InputError:  # it was there when the campaign was read
            return True

    def applies_to(self, problem: str) -> bool:
        """Whether it is meant for instances of this problem.

        A heuristic named in the file is meant for the problems that know its name.
        """
        if self.kind == "exact":
            return _has_formulation(problem_named(problem), self.parameters)
        return _knows(problem_named(problem), self.parameters["name"])


def solve_options(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an exact method as `oas.solve` takes them."""
    asked = {_SOLVE_NAMES.get(name, name): value for name, value in parameters.items()}
    return asked | {"check": tuple(parameters["check"])}


def _has_formulation(problem: Problem, parameters: Mapping[str, Any]) -> bool:
    try:
        _options(problem, parameters)
    except InputError:
        return False
    return True


def _options(problem: Problem, parameters: Mapping[str, Any]) -> Options:
    return Options(**solve_options(parameters), problem=problem)


def _knows(problem: Problem, name: str) -> bool:
    try:
        method = find_method(name, problem)
    except InputError:
        return False
    return method.problem in (None, problem)  # a bare function does not say what it is for


def methods_of(table: MethodsTable, limits: RunLimits, seeds: Sequence[int]) -> Iterator[MethodSpec]:
    """Yield the methods that a table declares.

    Raises `InputError` for an unknown heuristic, solver option or formulation, or a function that cannot be imported.
    """
    if table.label is not None:
        identifier(table.label, "label")
    kinds = ("exact", "heuristics", "function")
    given = [kind for kind in kinds if getattr(table, kind) is not None]
    if len(given) != 1:
        raise InputError(f"exactly one of {', '.join(kinds)} is needed", value=", ".join(given) or None)
    if table.exact is not None:
        yield _exact(table, limits, tuple(seeds))
        return
    for name in ("formulation", "check", "threads", "options", "same_time_as"):
        if getattr(table, name) != getattr(type(table)(exact=""), name):
            raise InputError("belongs to an exact method", field=name)
    names = _names(table.heuristics) if table.heuristics is not None else [str(table.function)]
    if table.label is not None and len(names) > 1:
        raise InputError("one label for several methods", field="label", value=table.label)
    for name in names:
        if not any(_knows(problem, name) for problem in problems()):
            find_heuristic(name)  # raises, with the names that are known
        yield MethodSpec(table.label or name, "heuristic", {"name": name}, limits, tuple(seeds))


def _names(given: str | list[str]) -> list[str]:
    if given != ALL:
        return [given] if isinstance(given, str) else given
    return list(dict.fromkeys(method.name for problem in problems() for method in methods(problem)))


def _exact(table: MethodsTable, limits: RunLimits, seeds: tuple[int, ...]) -> MethodSpec:
    solver = str(table.exact)
    parameters = {
        "solver": solver,
        "formulation": table.formulation,
        "check": list(table.check),
        "threads": table.threads,
        "options": {
            name: str(value) if not isinstance(value, bool | int) else value for name, value in table.options.items()
        },
    }
    errors = []
    for problem in problems():
        try:
            _options(problem, parameters)
        except InputError as error:
            errors.append(error)
    if len(errors) == len(problems()):  # a formulation is of one problem; what no problem takes is wrong
        raise errors[0]
    named = "exact" if solver == AUTO else solver
    label = named if table.formulation == AUTO else f"{named}:{table.formulation}"
    return MethodSpec(table.label or label, "exact", parameters, limits, seeds, table.same_time_as)
