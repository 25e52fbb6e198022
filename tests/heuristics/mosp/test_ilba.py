"""ILBA: what the MOCCA paper says of it, on its examples and on random instances."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from heuristics.mosp.ilba import balanced, by_makespan
from heuristics.mosp.queueing import empty_profiles, list_runs
from heuristics.mosp.ticks import TickSchedule, local_runs
from tests.heuristics.mosp.test_methods import METHODS
from tests.problems.mosp.grids import grid, random_grid, unbalanced_for_ilba
from tests.slow import every_fourth_quick


@pytest.mark.parametrize("seed", every_fourth_quick(range(100)))
def test_ilba_delays_no_job(seed: int) -> None:
    """Proposition 11, with releases, reservations and clusters of any sizes too."""
    scaled = random_grid(seed, static=seed % 2 == 0).scaled()
    bases = [local_runs(scaled)]
    if seed % 3 == 0:
        clusters = range(scaled.cluster_count)
        queue = list(range(scaled.job_count))
        bases.append(TickSchedule.of(scaled, list_runs(empty_profiles(scaled), scaled, clusters, queue)))
    for base in bases:
        after = balanced(base)
        assert all(new.start <= old.start for new, old in zip(after.runs, base.runs, strict=True))
        first = by_makespan(base)[0]
        assert all(new == old for new, old in zip(after.runs, base.runs, strict=True) if old.cluster == first)


def test_ilba_stays_at_home_on_ties() -> None:
    instance = grid((1, [(1, 1), (1, 1)]), (1, [(1, 1)]), (1, []))
    runs = balanced(local_runs(instance.scaled())).runs
    assert [(run.cluster, run.start) for run in runs] == [(0, 0), (2, 0), (1, 0)]


def test_graham_worst_case_is_left_as_it_is() -> None:
    # Section 6.3: SPT on m processors, m(m - 1) unit jobs and one of length m.
    for m in (2, 3, 5):
        instance = grid((m, [(1, 1)] * (m * (m - 1)) + [(m, 1)]), local="SPT")
        schedule = METHODS["ILBA-local"](instance)
        assert schedule.makespan == 2 * m - 1 == (2 - F(1, m)) * m
        guarantee = METHODS["ILBA-local"].guarantee
        assert guarantee and (found := guarantee(instance)) and found.value == 2 - F(1, m)


@pytest.mark.parametrize(("x", "expected"), [(1, 21), (2, 104), (3, 347)])
def test_proposition_13(x: int, expected: int) -> None:
    assert METHODS["ILBA-local"](unbalanced_for_ilba(x)).makespan == expected
