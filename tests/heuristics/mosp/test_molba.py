"""MOLBA: which jobs move, and which clusters count as overloaded."""

from __future__ import annotations

from tests.heuristics.mosp.test_methods import METHODS
from tests.problems.mosp.grids import grid


def test_molba_moves_what_starts_after_the_cut_only() -> None:
    # LB = 24 / 4 = 6 with one processor each and p_max = 4; O0 ends at 24 > 12 + 4.
    instance = grid((1, [(4, 1)] * 6), (1, []), (1, []), (1, []))
    runs = METHODS["MOLBA(2)"](instance)
    moved = [placement for placement in runs.placements if "O0" not in placement.nodes]
    assert [placement.start for placement in moved] == [0, 0]  # of those at 16 and 20; the one at 12 is not after it
    assert runs.makespan == 16
    assert METHODS["MOLBA(3)"](instance).makespan == 20


def test_molba_ignores_clusters_between_the_cut_and_the_longest_job_beyond() -> None:
    instance = grid((1, [(4, 1)] * 3 + [(1, 1)]), (1, [(4, 1)]), (1, [(3, 1)]), (1, [(1, 1)]))  # LB = 21/4, 2LB = 10.5
    assert METHODS["MOLBA(2)"](instance).makespan == 13 == METHODS["local"](instance).makespan
