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
