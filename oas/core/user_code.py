"""A user's own code: files that hide the package `heuristics` or are hidden by it, and lines when code is loaded."""

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
"""Each is called with a line: module, function and the file that is loaded. Empty unless a program wants to know."""


@cache
def announce(module: str, function: str) -> None:
    """Tell the listeners that `function` of `module` is about to be loaded, once for each; nothing is imported here."""
    file = _file_of(module)
    for listener in listeners if file else ():
        listener(f"loads {module}:{function} from {file}")


def _file_of(module: str) -> str | None:
    """The file from which a module would be imported; None where there is none."""
    if module in sys.modules:
        return getattr(sys.modules[module], "__file__", None)
    spec: ModuleSpec | None = None
    path = None
    for part in module.split("."):  # by its last name alone: a folder without __init__.py asks for an imported parent
        spec = PathFinder.find_spec(part, path)
        if spec is None:
            return None
        path = list(spec.submodule_search_locations or ())
    return None if spec is None else spec.origin


NAME = "heuristics"
_OWN = Path(__file__).resolve().parents[2] / NAME / "__init__.py"


def check_not_hidden() -> None:
    """Refuse a file or folder called heuristics that Python finds before the toolkit's package.

    Raises `InputError` naming it.
    """
    from importlib.util import find_spec

    try:
        spec = find_spec(NAME)
    except ValueError:  # a module without one stands in its place
        return
    if spec is None or spec.origin is None or not _OWN.is_file() or Path(spec.origin).resolve() == _OWN:
        return
    found, other = Path(spec.origin), f"my_{NAME}.py"
    if found.name == "__init__.py":
        found, other = found.parent, f"my_{NAME}"
    reason = f"it hides the package {NAME} of this toolkit; rename it, to {other} for example"
    raise InputError(reason, file=str(found))


def check_not_own(module: str, folder: Path) -> None:
    """Refuse a module of a user's own in `folder` that the toolkit's package of the same name hides.

    Raises `InputError` naming it.
    """
    found = folder / f"{NAME}.py"
    if module == NAME and found.is_file():
        reason = f"the package {NAME} of this toolkit hides it; rename it, to my_{NAME}.py for example"
        raise InputError(reason, file=str(found))
