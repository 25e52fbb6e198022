"""Rounds of ruin and recreate that start from the beam on several clusters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from heuristics.mosp.search import pool_beam, ruin_recreate
from heuristics.mosp.search.ruin_recreate import MANY, RULE, RuinSearch
from heuristics.mosp.search.ruin_recreate_arrays import MANY_JOBS
from oas.core.verifier import check
from oas.generate.mosp.uni import uni
from oas.problems.mosp.runs import schedule_from_cluster_runs
from tests.slow import every_fourth_quick


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A beam that plain loops can carry, short rounds, and many jobs are few."""
    monkeypatch.setattr(pool_beam, "WIDTH", 6)
    monkeypatch.setattr(pool_beam, "KIDS", 2)
    monkeypatch.setattr(ruin_recreate, "ROUND", 60)
    monkeypatch.setattr(ruin_recreate, "ROUND_PER_JOB", 1)
    monkeypatch.setattr(ruin_recreate, "MANY_JOBS", 10)


def test_many_jobs_on_clusters_of_one_size_have_rounds_of_the_beam() -> None:
    many, few = (uni(seed=1, jobs=jobs, organizations=2).scaled() for jobs in (MANY_JOBS, MANY_JOBS - 1))
    assert RuinSearch(many, compiled=False)._kinds == MANY
    assert RuinSearch(few, compiled=False)._kinds == RULE
    assert RuinSearch(replace(many, processors=(128, 64)), compiled=False)._kinds == RULE
    assert RuinSearch(replace(many, times=(9 * max(many.times), *many.times[1:])), compiled=False)._kinds == RULE
    assert RuinSearch(replace(many, releases=(3, *many.releases[1:])), compiled=False)._kinds == RULE


@pytest.mark.parametrize("seed", every_fourth_quick(range(4)))
@pytest.mark.parametrize("compiled", [False, True])
def test_they_find_the_same_however_calls_are_cut(narrow: None, seed: int, compiled: bool) -> None:
    """No call finds a worse schedule; each passes the verifier; plain and compiled search agree at the end."""
    instance = uni(seed=seed, jobs=30, organizations=2 + seed % 3, processors=16)
    scaled = instance.scaled()
    once = RuinSearch(scaled, seed, compiled=compiled)
    once.improve(0, 800)
    often = RuinSearch(scaled, seed, compiled=False)
    last = often.makespan
    for steps in (1, 99, 1, 150, 3, 346, 200):
        runs = often.improve(0, steps)
        found = check(instance, schedule_from_cluster_runs(instance, scaled, runs)).makespan
        assert found == often.makespan * scaled.tick
        assert often.makespan <= last
        last = often.makespan
    assert often._beam is not None
    assert often.best == once.best
    assert (often.tried, often._annealed, often._owed) == (once.tried, once._annealed, once._owed)
    assert often._annealed < often.tried
    assert often.makespan < RuinSearch(scaled, compiled=False).makespan


def test_goals_lie_halfway_to_the_highest_one_missed(narrow: None) -> None:
    """All are missed: the goals come up to the best schedule, then begin anew, with rounds twice as long."""
    scaled = uni(seed=2, jobs=30, organizations=2, processors=16).scaled()
    search = RuinSearch(scaled, compiled=False)
    makespan, target = search.makespan, search.makespan - 20
    goals, lengths = [], []
    for _ in range(8):
        search._start_round(target)
        goals.append(search._goal)
        lengths.append(search._left)
        search.tried += 1
        search._give_up()
    assert goals == [makespan - one for one in (15, 7, 3, 1, 10, 5, 2, 1)]
    assert lengths == [60] * 4 + [120] * 4
