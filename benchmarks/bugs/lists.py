"""Deliberate bugs, each of a kind that a person could make, and the tests that have to notice."""

from __future__ import annotations

from benchmarks.bugs import (
    chronological,
    coallocation,
    coallocation_ruin,
    evidence,
    mosp,
    mosp_bounds,
    mosp_heuristics,
    mosp_measured,
    mosp_orders,
    mosp_search,
)
from benchmarks.bugs.bug import Bug

__all__ = ["BUGS", "LISTS", "PROBLEMS", "Bug"]

# By module, then by problem.
LISTS = {
    module.__name__.rpartition(".")[2]: module.BUGS
    for module in (
        coallocation,
        coallocation_ruin,
        evidence,
        chronological,
        mosp,
        mosp_heuristics,
        mosp_bounds,
        mosp_search,
        mosp_measured,
        mosp_orders,
    )
}
PROBLEMS = {
    "coallocation": tuple(bug for name, bugs in LISTS.items() if not name.startswith("mosp") for bug in bugs),
    "mosp": tuple(bug for name, bugs in LISTS.items() if name.startswith("mosp") for bug in bugs),
}
BUGS = PROBLEMS["coallocation"] + PROBLEMS["mosp"]
