"""A question to CP-SAT beside the search: its answer is taken, it ends when it is pointless, and it stops with all."""

from __future__ import annotations

from threading import Event
from threading import enumerate as threads

import pytest

import oas
from oas.bounds.lower_bound import best_bound
from oas.core.result import Bound, ProofKind, Termination
from oas.exact import search as base
from oas.exact.coallocation.brute_force import brute_force
from oas.exact.coallocation.search import CoallocationExactSearch
from oas.exact.decision import Decision
from oas.exact.evidence import Evidence
from oas.generate import tiny
from tests.exact.coallocation.test_search import one_after_another

pytest.importorskip("ortools")
SEED = 300  # no combinatorial bound reaches its optimum


def opened(threads):
    evidence = Evidence(tiny(seed=SEED))
    assert evidence.offer(one_after_another(evidence.instance), "in a row") is None
    evidence.bound = best_bound(evidence.instance)
    return CoallocationExactSearch(evidence, 0, lambda: 120.0, lambda: None, threads)


@pytest.mark.usefixtures("answers_only")
def test_its_answers_close_an_instance():
    exact = opened(threads=2)
    assert exact.close() is Termination.FINISHED
    assert exact.evidence.makespan == exact.evidence.lower_bound == brute_force(exact.instance)[0]
    assert exact.evidence.proof().kind is ProofKind.SOLVER
    assert base.BESIDE in exact.seconds and "decisions" not in exact.seconds


@pytest.mark.usefixtures("answers_only")
def test_a_pointless_question_is_ended(monkeypatch):
    asked = Event()

    def waits(_instance, _formulation, settings, _ticks, limits, _strengthen):
        assert settings.threads == 2
        asked.set()
        limits.stop.wait(60)
        return Decision(False, None, Termination.INTERRUPTED)

    monkeypatch.setattr(base, "decide", waits)
    exact = opened(threads=3)
    optimum, schedule = brute_force(exact.instance)
    exact._bound(None)
    exact._ask(0.0, None)
    assert asked.wait(60) and exact.beside is not None and exact.step()
    exact.raise_bound(Bound("known", optimum, {}))
    exact.evidence.offer(schedule, "known")
    assert not exact.step()
    assert exact.beside is None
    assert [one.name for one in threads() if one.name == "question beside"] == []


def test_an_error_beside_reaches_the_search(monkeypatch):
    def fails(*_):
        raise RuntimeError("broken")

    monkeypatch.setattr(base, "decide", fails)
    exact = opened(threads=2)
    exact._ask(0.0, None)
    exact.beside._thread.join()
    with pytest.raises(RuntimeError, match="broken"):
        exact.step()


def test_a_solve_with_all_cores_leaves_no_thread():
    instance = oas.generate.section4(seed=950102, jobs=16, nodes=20, bandwidth="std", slot_percent=10)
    result = oas.solve(instance, threads=None, time_limit=3)
    assert result.threads >= 1 and result.schedule is not None
    assert [one.name for one in threads() if one.name == "question beside"] == []


def test_a_named_solver_has_one_thread_by_default():
    assert oas.solve(tiny(seed=SEED), solver="highs", threads=None).threads == 1
