"""Methods of a campaign with their limits, and the identity of runs.

A run is identified by a hash of its source code and all its parameters.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.numbers import identifier
from oas.core.registry import problem_named, problems
from oas.solving.methods import find_heuristic, find_method, methods
from oas.solving.options import AUTO, Options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from fractions import Fraction

    from oas.campaigns.declaration import MethodsTable
    from oas.core.problem import Problem


# The packages that each kind of work may use. Any change in them makes earlier runs stale, sometimes needlessly.
_PROBLEMS = ("oas.coallocation", "oas.mosp", "oas.fair")
_PARTS = {
    "exact": ("oas.core", "oas.queueing", "oas.solvers", "oas.solving", *_PROBLEMS, "heuristics"),
    "heuristic": ("oas.core", "oas.queueing", "oas.solving", *_PROBLEMS, "heuristics"),
    "instances": ("oas.core", "oas.io", "oas.logs", *_PROBLEMS),
}


@cache
def source_hash(kind: str, function: str = "") -> str:
    """Return a hash of the source code of runs of this kind, including the package or module of a user's function."""
    names = [*_PARTS[kind], *([function.partition(":")[0].partition(".")[0]] if function else [])]
    digest = hashlib.sha256()
    for name in names:
        for path in _files_of(name):
            digest.update(f"{name}/{path.name}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _files_of(name: str) -> list[Path]:
    spec = find_spec(name)
    if spec is None:
        raise InputError("cannot be found", field="function", value=name)
    if spec.submodule_search_locations:
        return sorted(path for folder in spec.submodule_search_locations for path in Path(folder).rglob("*.py"))
    return [Path(spec.origin)] if spec.origin and Path(spec.origin).exists() else []


@cache
def file_hash(path: str) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def run_key(
    digest: str,
    kind: str,
    parameters: Mapping[str, object],
    source: str,
    limits: Mapping[str, object],
    seed: int,
    repetition: int,
    package: str,
) -> str:
    """Return the key of a run: the SHA-256 of these values, equal on all machines."""
    parts = [digest, kind, parameters, source, limits, seed, repetition, package]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@cache
def commit() -> str:
    """Return the commit of the checkout of this package; empty if it is not a checkout."""
    folder = Path(__file__).parent
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


@dataclass(frozen=True)
class RunLimits:
    """Limits of one run."""

    seconds: Fraction | None = None  # wall time; None for no limit
    memory: int | None = None  # bytes of the run and its child processes; None for no limit
    time_of: str = ""  # key of the run whose wall time is a further limit of this run; empty for none

    def to_dict(self) -> dict[str, Any]:
        """Return the limits as JSON values."""
        limits = {"time": None if self.seconds is None else str(self.seconds), "memory": self.memory}
        return limits | ({"time_of": self.time_of} if self.time_of else {})


@dataclass(frozen=True)
class MethodSpec:
    """A declared method."""

    label: str  # in tables
    kind: str  # ``exact`` or ``heuristic``
    # exact method: solver, formulation, check, threads, options; heuristic: name in `oas.solving.methods`
    parameters: Mapping[str, Any] = field(hash=False)
    limits: RunLimits = RunLimits()  # of each run
    seeds: tuple[int, ...] = (0,)  # of the runs on each instance
    same_time_as: str = ""  # label of the method whose wall time on the same instance is a limit; empty for none

    @property
    def source(self) -> str:
        """Hash of the method's source code."""
        name = self.parameters.get("name", "")
        return source_hash(self.kind, name if ":" in name else "")

    def keeps_locality(self, problem: str) -> bool:
        """Return whether the method respects locality; some heuristics minimise only the global makespan."""
        if self.kind == "exact":
            return True
        try:
            return find_method(self.parameters["name"], problem_named(problem)).respects_locality
        except InputError:  # the method has vanished since the campaign was read
            return True

    def applies_to(self, problem: str) -> bool:
        """Return whether the method applies to this problem: the heuristic exists for it, or it accepts the options."""
        if self.kind != "exact":
            return _knows(problem_named(problem), self.parameters["name"])
        with suppress(InputError):
            Options(**solve_options(self.parameters), problem=problem_named(problem))
            return True
        return False


def solve_options(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of an exact method as arguments of `oas.solve`."""
    options = {**parameters, "solver_options": parameters["options"], "check": tuple(parameters["check"])}
    del options["options"]
    return options


def _knows(problem: Problem, name: str) -> bool:
    try:
        method = find_method(name, problem)
    except InputError:
        return False
    return method.problem in (None, problem)  # a bare function does not declare its problem


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
    for name in ("formulation", "check", "threads", "bounds", "options", "same_time_as"):
        if getattr(table, name) != getattr(type(table)(exact=""), name):
            raise InputError("belongs to an exact method", field=name)
    names = _names(table.heuristics) if table.heuristics is not None else [str(table.function)]
    if table.label is not None and len(names) > 1:
        raise InputError("one label for several methods", field="label", value=table.label)
    for name in names:
        if not any(_knows(problem, name) for problem in problems()):
            find_heuristic(name)  # raises InputError with the known names
        yield MethodSpec(table.label or name, "heuristic", {"name": name}, limits, tuple(seeds))


def _names(heuristics: str | list[str]) -> list[str]:
    if heuristics != "all":
        return [heuristics] if isinstance(heuristics, str) else heuristics
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
    if not table.bounds:  # named only if given, so that keys of other runs stay the same
        parameters["bounds"] = False
    errors = []
    for problem in problems():
        try:
            Options(**solve_options(parameters), problem=problem)
        except InputError as error:
            errors.append(error)
    if len(errors) == len(problems()):  # the options are invalid for every problem
        raise errors[0]
    name = "exact" if solver == AUTO else solver
    label = name if table.formulation == AUTO else f"{name}:{table.formulation}"
    return MethodSpec(table.label or label, "exact", parameters, limits, seeds, table.same_time_as)
