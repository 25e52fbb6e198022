"""Checks of user code: conflicts with the name of the package `heuristics`, and a notice when user code is imported."""

from __future__ import annotations

import sys
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


def check_not_own(module: str, folder: Path) -> None:
    """Raise `InputError` if `module` is a user's file heuristics.py in `folder`, which the toolkit's package hides."""
    file = folder / f"{NAME}.py"
    if module == NAME and file.is_file():
        reason = f"the package {NAME} of this toolkit hides it; rename it, to my_{NAME}.py for example"
        raise InputError(reason, file=str(file))
