"""Discovery of the installed solvers and their versions, without running or importing a solver."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from oas._version import __version__
from oas.core.errors import SolverMissingError
from oas.solvers.parameters import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Mapping

CBC_VARIABLE = "OAS_CBC"
HIGHS_ADVICE = "install highspy 1.15"
WRONG_HIGHS = {"1.14.0": "returns wrong optima", "1.16.0": "ends as optimal with solutions above its bound"}
"""Versions of HiGHS that are refused, and why."""
CPSAT_ADVICE = "install it with: pip install 'oas-scheduling[cpsat]'"
PUMPKIN_ADVICE = "install it with: pip install 'oas-scheduling[pumpkin]'"
EXACT_ADVICE = "install it with: pip install 'oas-scheduling[exact]'"
WRONG_CPSAT = {"9.15": "calls feasible models infeasible"}
"""Versions of OR-Tools whose CP-SAT is refused, by major and minor number, and why."""
FURTHER_PACKAGES = {"gurobi": "gurobipy", "scip": "pyscipopt", "cplex": "cplex", "xpress": "xpress"}
"""Python packages of further solvers, by solver. They need no executable; all but SCIP need a licence."""


def check_docstrings() -> None:
    """Raise `SolverMissingError` if Python has dropped the docstrings, without which Pyomo cannot be imported here.

    Workers keep them.
    """
    if sys.flags.optimize > 1:
        raise SolverMissingError("Pyomo needs docstrings: unset PYTHONOPTIMIZE, and do not run Python with -OO")


@dataclass(frozen=True)
class SolverInfo:
    """A solver that this package supports."""

    name: str  # as given in `Settings.solver`
    version: str  # of the Python package that contains it; empty if that is unknown
    location: str  # path; empty if the solver was not found
    usable: bool  # whether a solve can be tried; the preflight tests the answers
    advice: str = ""  # how to make it usable
    optional: bool = False  # whether the package works fully without it


def usable(name: str) -> bool:
    """Return whether a solver of `installed` is usable here."""
    return any(solver.usable for solver in installed() if solver.name == name)


def installed() -> list[SolverInfo]:
    """Describe the solvers of `oas.solvers.parameters.PARAMETERS`, installed or not."""
    return [
        _packaged("highs", "highspy", HIGHS_ADVICE, WRONG_HIGHS),
        _cbc(),
        _packaged("cpsat", "ortools", CPSAT_ADVICE, WRONG_CPSAT, optional=True),
        _packaged("pumpkin", "pumpkin_solver", PUMPKIN_ADVICE, {}, optional=True),
        _packaged("exact", "exact", EXACT_ADVICE, {}, optional=True),
        *(
            _packaged(name, package, f"install it with: pip install {package}", {}, optional=True)
            for name, package in FURTHER_PACKAGES.items()
        ),
    ]


def _packaged(name: str, package: str, advice: str, wrong: Mapping[str, str], optional: bool = False) -> SolverInfo:
    """Describe a solver that is a Python package; `wrong` maps refused versions, or the first parts, to reasons."""
    spec = find_spec(package)
    if spec is None:
        return SolverInfo(name, "", "", False, f"{name} is optional; {advice}" if optional else advice, optional)
    try:
        number = version(package)
    except PackageNotFoundError:
        number = ""
    why = next((why for start, why in wrong.items() if f"{number}.".startswith(f"{start}.")), "")
    reason = f"{package} {number} {why}; {advice}" if why else ""
    return SolverInfo(name, number, os.path.dirname(spec.origin or ""), not reason, reason, optional)


def _cbc() -> SolverInfo:
    try:
        path, origin = find_cbc()
    except SolverMissingError as error:
        return SolverInfo("cbc", "", "", False, str(error))
    words = {"pulp": "bundled with PuLP", "cbcbox": "of cbcbox"}.get(origin)
    return SolverInfo("cbc", f"{words} {version(origin)}" if words else "", path, True)


def find_cbc() -> tuple[str, str]:
    """Return the path of the CBC binary and where it was found: ``environment``, ``path``, ``pulp`` or ``cbcbox``.

    The package cbcbox comes last, although its CBC is the newest: on the models of this toolkit it claims optima
    without an integral solution, which count as errors (`docs/solver-notes.md`).

    Raises `SolverMissingError` if there is none, or the environment variable OAS_CBC does not name an executable file.
    """
    configured = os.environ.get(CBC_VARIABLE)
    binary = shutil.which(configured or "cbc")
    if configured and binary is None:
        raise SolverMissingError(f"{CBC_VARIABLE} is {configured!r}, which is not an executable file")
    if binary is not None:
        return os.path.abspath(binary), "environment" if configured else "path"
    for origin, bundled_binary in (("pulp", _pulp_cbc), ("cbcbox", _cbcbox_cbc)):
        if (binary := bundled_binary()) is not None:
            return binary, origin
    raise SolverMissingError(
        "CBC was not found: install 'pulp<4', which bundles it, or cbcbox, put cbc on PATH, or set"
        f" {CBC_VARIABLE} to the binary"
    )


def _pulp_cbc() -> str | None:
    """Return the path of the binary inside the PuLP package, without importing PuLP; None if there is none."""
    spec = find_spec("pulp")
    if spec is None or spec.origin is None:
        return None
    system = {"linux": "linux", "darwin": "osx"}.get(sys.platform)
    if sys.platform == "darwin" and platform.machine() == "arm64" and find_spec("cbcbox"):
        return None  # PuLP's Intel binary runs under translation at best
    arm = sys.platform == "linux" and platform.machine() in ("aarch64", "arm64")
    kind = "arm64" if arm else ("i64" if sys.maxsize > 2**32 else "i32")
    binary = str(Path(spec.origin).parent / "solverdir" / "cbc" / str(system) / kind / "cbc")
    return binary if os.access(binary, os.X_OK) else None


def _cbcbox_cbc() -> str | None:
    """Return the path of the binary inside the package cbcbox that suits this processor; None if there is none."""
    if find_spec("cbcbox") is None:
        return None
    binary = str(import_module("cbcbox").cbc_bin_path())
    return binary if os.access(binary, os.X_OK) else None


def executable_for(solver: str) -> str | None:
    """Return the path of the CBC binary; None for other solvers.

    Raises `SolverMissingError` if a solver of `installed` is requested and missing. The worker checks other solvers.
    """
    if solver == "cbc":
        return find_cbc()[0]
    for info in installed() if solver in PARAMETERS else ():
        if info.name == solver and not info.usable:
            raise SolverMissingError(info.advice)
    return None


def versions(solvers: dict[str, str]) -> dict[str, str]:
    """Return the versions of this package, Python, Pyomo and `solvers`; empty versions are left out."""
    try:
        pyomo = version("pyomo")
    except PackageNotFoundError:  # a vendored copy has no metadata
        pyomo = "unknown"
    packages = {"oas-scheduling": __version__, "python": platform.python_version(), "pyomo": pyomo}
    return packages | {name: text for name, text in solvers.items() if text}
