"""Deliberate bugs, each of a kind that a person could make, and the tests that have to notice."""

from __future__ import annotations

from importlib import import_module

from benchmarks.bugs.bug import Bug

__all__ = ["BUGS", "LISTS", "PROBLEMS", "Bug"]

_MODULES = {
    "coallocation": ("definition", "beam", "evidence", "chronological", "search_log", "saturation"),
    "mosp": (
        "definition",
        "heuristics",
        "bounds",
        "search",
        "orders",
        "files",
        "pictures",
        "streams",
        "reservations",
        "placing",
        "filling",
        "alone",
        "start_tree",
        "packing",
        "windows",
    ),
    "fair": ("definition", "policies", "price", "study", "experiments", "reference"),
}

# By file, as ``problem/module``, then by problem.
LISTS: dict[str, tuple[Bug, ...]] = {
    f"{problem}/{name}": import_module(f"benchmarks.bugs.{problem}.{name}").BUGS
    for problem, names in _MODULES.items()
    for name in names
}
PROBLEMS = {
    problem: tuple(bug for name in names for bug in LISTS[f"{problem}/{name}"]) for problem, names in _MODULES.items()
}
BUGS = tuple(bug for bugs in PROBLEMS.values() for bug in bugs)
