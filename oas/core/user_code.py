"""User code: the import path that child processes share, conflicts of names, and a notice when it is imported."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec

listeners: list[Callable[[str], None]] = []
"""Functions that are called with a notice (module, function and file) before user code is imported."""


def working_folder() -> str | None:
    """Return the working folder; None if it was deleted."""
    with suppress(FileNotFoundError):
        return os.getcwd()
    return None


def import_path() -> tuple[str, ...]:
    """Return this process's import path, absolute, so that a child process finds the same modules."""
    entries = []
    for entry in sys.path:
        with suppress(FileNotFoundError):  # a relative entry, and the working folder was deleted
            entries.append(os.path.abspath(entry))
    return tuple(dict.fromkeys(entries))


def python_environment(**more: str) -> dict[str, str]:
    """Return the environment for a child process that runs Python: it finds the same modules.

    It keeps docstrings, without which Pyomo cannot be imported, whatever PYTHONOPTIMIZE says.
    """
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONOPTIMIZE"}
    return {**inherited, "PYTHONPATH": os.pathsep.join(import_path()), **more}


@cache
def announce(module: str, function: str) -> None:
    """Notify the listeners, once per function, that `function` of `module` is about to be imported."""
    file = _file_of(module)
    for listener in listeners if file else ():
        listener(f"loads {module}:{function} from {file}")


def _file_of(module: str) -> str | None:
    """Return the file from which a module would be imported; None if there is none."""
    if module in sys.modules:
        return getattr(sys.modules[module], "__file__", None)
    spec: ModuleSpec | None = None
    path = None
    for part in module.split("."):  # one part at a time: the full name would require imported parent packages
        spec = PathFinder.find_spec(part, path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or ())
    return None if spec is None else spec.origin


NAME = "heuristics"
_PACKAGE = Path(__file__).resolve().parents[2] / NAME / "__init__.py"


def check_not_hidden() -> None:
    """Raise `InputError` if Python finds another file or folder called heuristics before the toolkit's package."""
    from importlib.util import find_spec

    try:
        spec = find_spec(NAME)
    except ValueError:  # an imported module of this name has no spec
        return
    if spec is None or spec.origin is None or not _PACKAGE.is_file() or Path(spec.origin).resolve() == _PACKAGE:
        return
    file, new_name = Path(spec.origin), f"my_{NAME}.py"
    if file.name == "__init__.py":
        file, new_name = file.parent, f"my_{NAME}"
    reason = f"it hides the package {NAME} of this toolkit; rename it, to {new_name} for example"
    raise InputError(reason, file=str(file))


def check_not_own(module: str) -> None:
    """Raise `InputError` if `module` is a user's file heuristics.py that the toolkit's package hides."""
    file = Path(working_folder() or "/") / f"{NAME}.py"
    if module == NAME and file.is_file():
        reason = f"the package {NAME} of this toolkit hides it; rename it, to my_{NAME}.py for example"
        raise InputError(reason, file=str(file))
