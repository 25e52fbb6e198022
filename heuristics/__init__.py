"""Heuristics: a module of a problem's folder exports one as METHOD, or several as METHODS.

Each is available here under its name, for instances of every problem that has a heuristic of this name::

    import heuristics

    heuristics.FCFS(instance)
    heuristics.RND(instance, seed=7)
    heuristics.find("MOCCA(7/2)")(instance)    # a name that is no Python identifier
    heuristics.methods(oas.MospInstance)       # all that schedule organizations

Names are imported lazily: importing this package loads no heuristic.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.solving.method import Heuristic
    from oas.solving.methods import find_heuristic as find
    from oas.solving.methods import methods

BJF: Heuristic
DIRECTCONTR: Heuristic
EASY: Heuristic
FAIRSHARE: Heuristic
FCFS: Heuristic
FPFS: Heuristic
HF: Heuristic
ILBA: Heuristic
LPT: Heuristic
MOCCA: Heuristic
PATIENT: Heuristic
REF: Heuristic
RND: Heuristic
ROUNDROBIN: Heuristic
SJF: Heuristic
SPT: Heuristic
conservative: Heuristic
local: Heuristic

__all__ = ["find", "methods", *__annotations__]

if not TYPE_CHECKING:  # so that a type checker reports names that do not exist

    def __getattr__(name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(f"module 'heuristics' has no attribute {name!r}")
        registry = import_module("oas.solving.methods")  # `from heuristics import` would call this function
        if name in ("find", "methods"):
            return registry.find_heuristic if name == "find" else registry.methods
        if name in registry.heuristic_names():
            return registry.find_heuristic(name)
        raise AttributeError(f"module 'heuristics' has no attribute {name!r}")


def __dir__() -> list[str]:
    from oas.solving.methods import heuristic_names

    return sorted({*__all__, *filter(str.isidentifier, heuristic_names())})
