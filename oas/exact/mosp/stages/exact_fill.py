"""Exact filling of one cluster whose area leaves next to nothing free at the bound."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from heuristics.mosp.search.exact_fill import ExactFill, fills_exactly

if TYPE_CHECKING:
    from oas.exact.mosp.search import MospExactSearch

FILL_SHARE, FEW_SHARE = 0.4, 0.05  # of the time left
FEW_JOBS = 25  # up to which trees and CP-SAT settle what a short try does not
UNLIMITED_SWEEPS = 2_000  # where there is no time limit


def exact_fill(search: MospExactSearch, memory: int | None) -> None:
    """Look for a schedule as short as the bound that wastes what that leaves free, and no more."""
    del memory
    if not fills_exactly(search.scaled, search.lower) or not search.step():
        return
    fill = ExactFill(search.scaled, search.lower, search.seed)
    seconds = search.share(FILL_SHARE if search.scaled.job_count > FEW_JOBS else FEW_SHARE)
    until = None if seconds is None else time.monotonic() + seconds
    for _ in range(UNLIMITED_SWEEPS if until is None else 2**62):
        with search.timed("exact fill"):
            fill.sweep()
        if fill.runs is not None:
            search.offer(fill.runs, "exact fill")
            return
        if not search.step() or (until is not None and time.monotonic() >= until):
            return
