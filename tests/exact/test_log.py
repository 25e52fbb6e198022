"""The log of a solve: a heading, then a line when stage, bound or makespan changes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import oas
from oas.exact.log import SolveLog
from oas.exact.progress import SolveProgress

if TYPE_CHECKING:
    import pytest


def test_the_log_of_a_solve(caplog: pytest.LogCaptureFixture) -> None:
    oas.solve(oas.load_example("grid"))
    assert not caplog.records
    with caplog.at_level(logging.INFO, "oas.solve"):
        oas.solve(oas.load_example("grid"))
    heading, *lines = [one.getMessage() for one in caplog.records if one.name == "oas.solve"]
    assert heading.split() == ["time", "stage", "bound", "makespan", "gap"]
    assert lines[0].split()[1:] == ["s", "start"]
    assert lines[-1].split()[2:] == ["end", "4,020,000", "4,020,000", "0", "%"]


def test_bounds_alone_wait(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "oas.solve"):
        log = SolveLog()
        for seconds, bound, makespan in ((0, 1, 9), (0.1, 2, 9), (0.6, 3, 9), (0.7, 3, 9), (0.8, 3, 8)):
            log.add(SolveProgress("search", seconds, bound, makespan))
    assert [one.getMessage().split()[0] for one in caplog.records] == ["time", "0.00", "0.60", "0.80"]
