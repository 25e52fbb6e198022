"""Deliberate bugs, each of a kind that a person could make, and the tests that have to notice."""

from __future__ import annotations

from benchmarks import (
    bugs_chronological,
    bugs_coallocation,
    bugs_coallocation_ruin,
    bugs_evidence,
    bugs_mosp,
    bugs_mosp_bounds,
    bugs_mosp_closing,
    bugs_mosp_heuristics,
    bugs_mosp_measured,
    bugs_mosp_orders,
)
from benchmarks.bug import Bug

__all__ = ["BUGS", "LISTS", "PROBLEMS", "Bug"]

# By module, then by problem.
LISTS = {
    module.__name__.rpartition(".")[2]: module.BUGS
    for module in (
        bugs_coallocation,
        bugs_coallocation_ruin,
        bugs_evidence,
        bugs_chronological,
        bugs_mosp,
        bugs_mosp_heuristics,
        bugs_mosp_bounds,
        bugs_mosp_closing,
        bugs_mosp_measured,
        bugs_mosp_orders,
    )
}
PROBLEMS = {
    "coallocation": tuple(bug for name, bugs in LISTS.items() if not name.startswith("bugs_mosp") for bug in bugs),
    "mosp": tuple(bug for name, bugs in LISTS.items() if name.startswith("bugs_mosp") for bug in bugs),
}
BUGS = PROBLEMS["coallocation"] + PROBLEMS["mosp"]
