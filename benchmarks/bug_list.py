"""Deliberate bugs, each of a kind that a person could make, and the tests that have to notice."""

from __future__ import annotations

from benchmarks.bug import Bug
from benchmarks.bugs_chronological import BUGS as CHRONOLOGICAL
from benchmarks.bugs_coallocation import BUGS as COALLOCATION
from benchmarks.bugs_evidence import BUGS as EVIDENCE
from benchmarks.bugs_mosp import BUGS as MOSP_EXACT
from benchmarks.bugs_mosp_heuristics import BUGS as MOSP_HEURISTICS

__all__ = ["BUGS", "PROBLEMS", "Bug"]

PROBLEMS = {"coallocation": COALLOCATION + EVIDENCE + CHRONOLOGICAL, "mosp": MOSP_EXACT + MOSP_HEURISTICS}
BUGS = PROBLEMS["coallocation"] + PROBLEMS["mosp"]
