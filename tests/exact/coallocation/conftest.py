"""Fixtures of the exact search of co-allocation."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from heuristics.coallocation.search.annealing import AnnealingSearch
from oas.core.result import Bound
from oas.exact.coallocation import search
from oas.exact.coallocation.chronological.search import ChronologicalSearch, Verdict


@pytest.fixture
def answers_only(monkeypatch):
    """Nothing but CP-SAT finds anything."""
    find = search.configuration_bound
    none = Bound("longest job", Fraction(0), {})
    monkeypatch.setattr(AnnealingSearch, "improve", lambda *_: None)
    monkeypatch.setattr(ChronologicalSearch, "go_on", lambda *_: Verdict.UNDECIDED)
    monkeypatch.setattr(search, "WINDOWS_JOBS", 0)
    monkeypatch.setattr(search, "LEAST_SECONDS", 120.0)  # however busy the machine is
    monkeypatch.setattr(search, "configuration_bound", lambda *asked, **how: replace(find(*asked, **how), bound=none))
