"""Ctrl-C during `oas.solve`: raised in scripts, returned in notebooks, with the best result either way."""

from __future__ import annotations

import pytest

import oas
from oas.core.result import Termination
from oas.exact import interrupts, start


@pytest.fixture
def interrupted(monkeypatch):
    """An instance whose heuristics are interrupted after the first schedule."""
    candidates = start.candidates

    def one_then_ctrl_c(*arguments, **options):
        yield next(candidates(*arguments, **options))
        raise KeyboardInterrupt

    monkeypatch.setattr("oas.exact.pipeline.candidates", one_then_ctrl_c)
    return oas.load_example("grid")


def test_a_loop_over_instances_ends_with_the_best_result(interrupted):
    solved = []
    with pytest.raises(KeyboardInterrupt) as caught:
        for instance in (interrupted, interrupted):
            solved.append(oas.solve(instance))
    assert not solved
    assert isinstance(caught.value, oas.SolveInterrupted)
    result = caught.value.result
    assert result.termination is Termination.INTERRUPTED
    assert oas.verify(interrupted, result.schedule) == []


def test_it_is_returned_in_notebooks_or_on_request(interrupted, monkeypatch):
    assert oas.solve(interrupted, on_interrupt="return").termination is Termination.INTERRUPTED
    monkeypatch.setattr(interrupts, "shown", lambda function: function == "live.in_notebook")
    assert oas.solve(interrupted).termination is Termination.INTERRUPTED
    with pytest.raises(oas.SolveInterrupted):
        oas.solve(interrupted, on_interrupt="raise")
    with pytest.raises(oas.InputError, match="on_interrupt: must be one of auto, raise, return"):
        oas.solve(interrupted, on_interrupt="ignore")


def test_enumerating_ends_at_the_time_limit(monkeypatch):
    monkeypatch.setattr("oas.core.clock.INTERVAL", 0)
    monkeypatch.setattr("oas.exact.pipeline.OVERRUN", 0)
    instance = oas.generate.uni(seed=1, jobs=7, organizations=2, processors=8)
    result = oas.solve(instance, formulation="brute-force", time_limit=1e-6)
    assert result.termination is Termination.TIME_LIMIT
    assert oas.verify(instance, result.schedule) == []


def test_a_search_that_is_out_of_time_before_it_begins_ends_in_a_result(monkeypatch):
    monkeypatch.setattr("oas.core.clock.INTERVAL", 0)
    monkeypatch.setattr("oas.exact.pipeline.OVERRUN", -1e9)
    result = oas.solve(oas.generate.saturated(seed=3, jobs=14, nodes=4), time_limit=60)
    assert result.termination is Termination.TIME_LIMIT
    assert result.schedule is not None and result.lower_bound is not None
