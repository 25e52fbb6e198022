"""Lines for a program to show: a user's own code is loaded because a name stands for it."""

from __future__ import annotations

import sys
from functools import cache
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

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
