"""Compiles loops: the same code, its names bound to the compiled versions of one another."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from numba import njit


def compiled_names(own: dict[str, Any], *modules: ModuleType) -> dict[str, Any]:
    """Return the modules' functions compiled, their constants and what they import, to be bound in the namespace `own`.

    A function's compiled code holds that of those it calls, but numba's cache notices changes of the function's own
    file only. So the name it is kept under tells of all their files.
    """
    names = {name: value for module in modules for name, value in vars(module).items()}
    functions = {name: value for name, value in names.items() if isinstance(value, FunctionType)}
    digest = hashlib.sha256()
    for file in sorted({one.__code__.co_filename for one in functions.values()}):
        digest.update(Path(file).read_bytes())
    stamp = digest.hexdigest()[:8]
    found = {name: value for name, value in names.items() if name.isupper() or isinstance(value, ModuleType)}
    for name, function in functions.items():
        copy = FunctionType(function.__code__, own, name)
        copy.__qualname__ = f"{name}_{stamp}"
        found[name] = _compiled(copy)
    return found


def _compiled(function: FunctionType) -> Any:
    try:
        return njit(cache=True)(function)
    except RuntimeError:  # no folder to keep the compiled code in: it is compiled anew in every process
        return njit(function)
