"""The versions of the software that a result was made with."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from oas._version import __version__


def versions(solvers: dict[str, str]) -> dict[str, str]:
    """Versions of this package, Python, Pyomo and the solvers that ran."""
    found = {"oas-scheduling": __version__, "python": platform.python_version()}
    try:
        found["pyomo"] = version("pyomo")
    except PackageNotFoundError:  # a vendored copy carries no metadata
        found["pyomo"] = "unknown"
    return found | {name: text for name, text in solvers.items() if text}
