"""The test kit for users' heuristics: `check_heuristic` runs one over many instances and reports."""

from __future__ import annotations

from oas.testing.findings import Finding, Kind
from oas.testing.kit import check_heuristic
from oas.testing.report import HeuristicError, Outcome, Report, Standing

__all__ = ["Finding", "HeuristicError", "Kind", "Outcome", "Report", "Standing", "check_heuristic"]
