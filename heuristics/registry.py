"""Finding heuristics: ours (a module of this package with METHOD), installed ones, and a user's own by dotted name."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from functools import cache
from importlib.metadata import entry_points
from typing import Any

import heuristics
from heuristics.method import Method
from oas.core.errors import InputError

ENTRY_POINTS = "oas.heuristics"


@cache
def own_methods() -> tuple[Method, ...]:
    """Every heuristic of this package."""
    found = []
    for module in pkgutil.iter_modules(heuristics.__path__):
        method = getattr(importlib.import_module(f"heuristics.{module.name}"), "METHOD", None)
        if isinstance(method, Method):
            found.append(method)
    return tuple(sorted(found, key=lambda method: (method.rank, method.name)))


@cache
def methods() -> tuple[Method, ...]:
    """Every heuristic of this package, then those that installed distributions offer as entry points."""
    return (*own_methods(), *(_as_method(point.name, point.load()) for point in entry_points(group=ENTRY_POINTS)))


def find_method(name: str) -> Method:
    """Return the heuristic called `name`, or the one at ``package.module:function``.

    Raises
    ------
    InputError
        If there is none; a dotted name that fails to import says why.
    """
    if ":" not in name:
        for method in methods():
            if method.name.lower() == name.lower():
                return method
        known = ", ".join(method.name for method in methods())
        raise InputError(f"unknown; known: {known}, or package.module:function", field="heuristic", value=name)
    module_name, _, attribute = name.partition(":")
    if os.getcwd() not in sys.path:  # a user's own file stands in the folder where the command is typed
        sys.path.insert(0, os.getcwd())
    try:
        found = getattr(importlib.import_module(module_name), attribute)
    except Exception as error:
        reason = f"cannot be imported: {type(error).__name__}: {error}"
        raise InputError(reason, field="heuristic", value=name) from error
    return _as_method(name, found)


def _as_method(name: str, found: Any) -> Method:
    if isinstance(found, Method):
        return found
    if not callable(found):
        raise InputError("is not a function f(instance, *, seed=0) -> Schedule", field="heuristic", value=name)
    summary = (getattr(found, "__doc__", None) or "").strip().partition("\n")[0]
    return Method(name, found, summary)
