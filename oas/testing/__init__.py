"""The test kit for users' heuristics: `check_heuristic` runs a heuristic on many instances and reports findings."""

from __future__ import annotations

from oas.testing.kit import check_heuristic
from oas.testing.report import Finding, HeuristicError, Kind, Outcome, Report, Standing

__all__ = ["Finding", "HeuristicError", "Kind", "Outcome", "Report", "Standing", "check_heuristic"]
