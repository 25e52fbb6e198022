"""The measurement of small instances: every sample can be drawn, one is solved, and open ones are judged."""

from __future__ import annotations

import sys
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.measurements.small_instances import SAMPLES, fault, main
from oas.core.result import ProofKind, Status


def test_samples(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for draw, jobs, _, first in SAMPLES.values():
        assert draw(jobs, first, 0).digest != draw(jobs, first + 1, 1).digest
    monkeypatch.setattr(sys, "argv", ["small_instances", "coallocation-12", "--count", "1"])
    main()
    assert "coallocation-12: 1 of 1 proven, 1 by a certificate" in capsys.readouterr().out


def ended(lower: int, makespan: int) -> Any:
    """Return what `fault` reads of a result with this bound and makespan."""
    optimal = lower == makespan
    return SimpleNamespace(
        lower_bound=Fraction(lower),
        objective=Fraction(makespan),
        status=Status.OPTIMAL if optimal else Status.FEASIBLE,
        proof=SimpleNamespace(kind=ProofKind.CERTIFICATE),
    )


@pytest.mark.parametrize(
    ("again", "expected"),
    [
        (ended(10, 10), "the schedule was too long, the bound was tight"),
        (ended(12, 12), "the bound was too weak, the schedule was optimal"),
        (ended(11, 11), "the bound was too weak and the schedule too long"),
        (ended(10, 12), "still open"),
        (ended(10, 11), "still open, with a shorter schedule"),
    ],
)
def test_what_was_at_fault(again: Any, expected: str) -> None:
    assert fault(ended(10, 12), again) == expected
