"""The measurement of small instances: every sample can be drawn, and one is solved."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from benchmarks.measurements.small_instances import SAMPLES, main

if TYPE_CHECKING:
    import pytest


def test_samples(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for draw, jobs, _, first in SAMPLES.values():
        assert draw(jobs, first, 0).digest != draw(jobs, first + 1, 1).digest
    monkeypatch.setattr(sys, "argv", ["small_instances", "coallocation-12", "--count", "1"])
    main()
    assert "coallocation-12: 1 of 1 proven, 1 by a certificate" in capsys.readouterr().out
