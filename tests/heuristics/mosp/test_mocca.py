"""MOCCA, ILBA and MOLBA: what their papers say of them, on their examples and on random instances."""

from fractions import Fraction as F

import pytest

from heuristics.mosp.mocca import balanced, by_makespan
from heuristics.mosp.mocca_phases import (
    backward_runs,
    cut_instance,
    fill_gaps,
    kept_and_removed,
    mean_load,
    paper_bound,
    section7,
    stack_high_jobs,
    three_phases,
)
from oas.core.errors import TooLargeError
from oas.mosp.runs import ClusterRun
from oas.mosp.search.queueing import TickSchedule, empty_profiles, list_runs, local_runs
from oas.solving.method import NotPlacedError
from tests.heuristics.mosp.test_methods import METHODS
from tests.mosp.instances import grid, random_grid
from tests.slow import every_fourth_quick


def test_no_cooperation_is_n_times_as_long():
    # MOCCA paper, section 2.3: N unit jobs of one organization; the others have none.
    instance = grid((1, [(1, 1)] * 5), *[(1, [])] * 4)
    assert METHODS["local"](instance).makespan == 5
    assert METHODS["ILBA-local"](instance).makespan == 1
    assert METHODS["MOLBA-high"](instance).makespan == 1
    assert METHODS["MOCCA"](instance).makespan == 3
    assert METHODS["MOCCA-7"](instance).makespan == 3
    assert METHODS["MOCCA(4)"](instance).makespan == 4


def test_algorithm_4_takes_the_highest_first_schedule_where_it_is_no_worse():
    for jobs, by_policy, by_height in (
        ([(4, 1), (1, 2), (4, 1), (4, 2)], 9, 8),
        ([(3, 3), (3, 1), (4, 1), (3, 2)], 9, 10),
    ):
        instance = grid((3, jobs), local="LPT")
        assert METHODS["local"](instance).makespan == by_policy
        assert METHODS["local"](grid((3, jobs))).makespan == by_height
        assert METHODS["MOCCA(4)"](instance).makespan == min(by_policy, by_height)
    tied = grid((2, [(1, 1), (2, 1), (3, 2)]), local="SPT")
    assert METHODS["local"](tied)["J0.2"].start == 2
    assert METHODS["MOCCA(4)"](tied)["J0.2"].start == 0  # as printed: HF, for it is no longer


def test_algorithm_4_keeps_a_shorter_local_schedule_only_below_the_threshold():
    # LB = p_max = 2. LPT ends at 8 = 4LB, HF at 9: as printed HF's is taken, and its last job moved.
    jobs = [(2, 3), (2, 3), (1, 1), (1, 2), (2, 3), (2, 1)]
    instance = grid((3, jobs), *[(3, [])] * 7, local="LPT")
    assert METHODS["local"](instance).makespan == 8 == 4 * paper_bound(instance.scaled())
    assert METHODS["local"](grid((3, jobs))).makespan == 9
    schedule = METHODS["MOCCA(4)"](instance)
    assert (METHODS["local"](instance)["J0.3"].start, schedule["J0.3"].start) == (7, 6)
    assert (schedule["J0.5"].start, list(schedule["J0.5"].nodes)) == (6, ["O7"])


def test_a_schedule_no_longer_than_the_threshold_is_left_alone():
    instance = grid((2, [(2, 1), (2, 2)]), (2, [(3, 1)]))
    for name in ("MOCCA", "MOCCA-7", "MOCCA(4)", "MOLBA(2)", "MOLBA(3)"):
        assert METHODS[name](instance).placements == METHODS["local"](instance).placements


def test_bounds_and_thresholds_are_exact():
    scaled = grid((2, [(3, 1), (3, 2), (1, 2)]), (1, [(2, 1)])).scaled()
    assert mean_load(scaled) == F(13, 3) and paper_bound(scaled) == F(13, 3)
    cut = cut_instance(scaled, paper_bound(scaled), F(7, 2))
    assert cut.threshold * cut.scaled.tick == F(91, 6)
    assert max(cut.scaled.times) * cut.scaled.tick == 3
    assert [time * cut.scaled.tick for time in cut.scaled.times] == list(scaled.times)
    assert paper_bound(grid((9, [(5, 1)])).scaled()) == 5


def test_mocca_phase_by_phase():
    # LB = 43/12, threshold 43/4. O0's last job by HF would end at 12; it is low, so phase 3 puts it in.
    instance = grid((4, [(3, 4)] * 2 + [(3, 3), (3, 2)]), (4, [(1, 4)]), (4, []))
    scaled = instance.scaled()
    cut = cut_instance(scaled, paper_bound(scaled), F(3))
    kept, removed = kept_and_removed(cut)
    assert cut.threshold * cut.scaled.tick == F(43, 4)
    ends = [run.start + cut.scaled.times[run.job] for run in kept]
    assert max(ends) <= cut.threshold and removed == [3]
    stacked, deadlines, unscheduled = stack_high_jobs(cut, kept, removed)
    assert (stacked, deadlines, unscheduled) == ([], [cut.threshold] * 3, [3])
    assert fill_gaps(cut, kept, deadlines, unscheduled) == [ClusterRun(3, 2, 0)]


def test_high_jobs_are_stacked_on_the_smallest_cluster_back_from_the_threshold():
    instance = grid((4, [(1, 4)] * 12), (4, []), (4, []))
    schedule = three_phases(instance.scaled())
    threshold = 3 * paper_bound(instance.scaled()) / schedule.scaled.tick
    late = [run for run in schedule.runs if run.cluster != 0]
    assert threshold * schedule.scaled.tick == 12
    assert late == []  # LB = 4: exactly at the threshold nothing needs to move
    instance = grid((4, [(1, 4)] * 16), (4, []), (4, []), (4, []))  # LB = 4
    schedule = three_phases(instance.scaled())
    moved = [(run.cluster, run.start * schedule.scaled.tick) for run in schedule.runs if run.cluster]
    assert moved == [(3, 11), (3, 10), (3, 9), (3, 8)]


@pytest.mark.parametrize("seed", every_fourth_quick(range(76)))
def test_jobs_that_stay_stay_and_the_others_end_by_the_threshold(seed):
    instance = random_grid(seed, equal=True)
    scaled = instance.scaled()
    bound = paper_bound(scaled)
    for schedule, multiple in (
        (three_phases(scaled), 3),
        (section7(scaled), 3),
        (section7(scaled, F(7, 2)), F(7, 2)),
        (section7(scaled, F(4)), 4),
    ):
        tick = schedule.scaled.tick / scaled.tick
        assert [run.job for run in schedule.runs] == list(range(scaled.job_count))
        for run, old in zip(schedule.runs, local_runs(scaled).runs, strict=True):
            end = run.start + schedule.scaled.times[run.job]
            assert end * tick <= multiple * bound
            if old.start + scaled.times[old.job] <= multiple * bound:
                assert (run.cluster, run.start * tick) == (old.cluster, old.start)


@pytest.mark.parametrize("seed", every_fourth_quick(range(32)))
def test_compaction_delays_nothing(seed):
    scaled = random_grid(seed, equal=True).scaled()
    cut = cut_instance(scaled, paper_bound(scaled), F(3))
    kept, removed = kept_and_removed(cut)
    loose = {run.job: run for run in backward_runs(cut, kept, removed)}
    for run in section7(scaled).runs:
        if run.job in loose:
            assert run.cluster == loose[run.job].cluster and run.start <= loose[run.job].start


def test_a_failure_to_place_is_an_outcome():
    # Two clusters cannot take three jobs of more than half a cluster's width and of the threshold's length.
    scaled = grid((2, [(2, 2)] * 3), (2, [])).scaled()
    cut = cut_instance(scaled, F(2), F(1))
    with pytest.raises(NotPlacedError):
        backward_runs(cut, [], [0, 1, 2])
    with pytest.raises(NotPlacedError, match="potential start"):
        fill_gaps(cut, [], [cut.threshold] * 2, [0, 1, 2])


def test_ticks_too_fine_for_integers_of_64_bits_are_refused():
    scaled = grid((5000, [(2**50, 4999)] * 3), (5000, [])).scaled()
    with pytest.raises(TooLargeError, match="1/625 ticks"):
        section7(scaled)
    assert balanced(local_runs(scaled)).runs[2].start == 2**50


@pytest.mark.parametrize("seed", every_fourth_quick(range(100)))
def test_ilba_delays_no_job(seed):
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


def test_ilba_stays_at_home_on_ties():
    instance = grid((1, [(1, 1), (1, 1)]), (1, [(1, 1)]), (1, []))
    runs = balanced(local_runs(instance.scaled())).runs
    assert [(run.cluster, run.start) for run in runs] == [(0, 0), (2, 0), (1, 0)]


def test_molba_moves_what_starts_after_the_cut_only():
    # LB = 24 / 4 = 6 with one processor each and p_max = 4; O0 ends at 24 > 12 + 4.
    instance = grid((1, [(4, 1)] * 6), (1, []), (1, []), (1, []))
    runs = METHODS["MOLBA(2)"](instance)
    moved = [placement for placement in runs.placements if "O0" not in placement.nodes]
    assert [placement.start for placement in moved] == [0, 0]  # of those at 16 and 20; the one at 12 is not after it
    assert runs.makespan == 16
    assert METHODS["MOLBA(3)"](instance).makespan == 20


def test_molba_ignores_clusters_between_the_cut_and_the_longest_job_beyond():
    instance = grid((1, [(4, 1)] * 3 + [(1, 1)]), (1, [(4, 1)]), (1, [(3, 1)]), (1, [(1, 1)]))  # LB = 21/4, 2LB = 10.5
    assert METHODS["MOLBA(2)"](instance).makespan == 13 == METHODS["local"](instance).makespan
