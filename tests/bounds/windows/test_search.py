"""The search by windows, compared with all schedules of tiny problems, and its log with the checker of logs."""

from __future__ import annotations

import zlib

import pytest

from oas.bounds.windows.tree import Outcome
from oas.checker.effort import Effort
from oas.checker.windows_log import WindowsRules, WindowsWalk
from tests.bounds.windows.problems import random_problem
from tests.slow import mostly_slow

MANY = 10**6
BLOCKS = mostly_slow([range(60), range(1000, 1600)], quick=[range(60)])


def is_schedule(problem, leaf):
    """Whether all runs of a leaf are those of a schedule."""
    return tuple(leaf) in problem.schedules


def confirmed(problem, log):
    """Whether the checker accepts a log."""
    jobs, modes = range(len(problem.times)), range(len(problem.times[0]))
    rules = WindowsRules(
        horizon=problem.horizon,
        times=problem.times,
        windows=[{mode: one for mode, one in enumerate(row) if one[0] <= one[1]} for row in problem.windows],
        weightings=problem.weightings,
        apart=[
            [
                sum(
                    1 << other * len(modes) + beside
                    for other in jobs
                    for beside in modes
                    if problem.apart[job, mode, other, beside]
                )
                for mode in modes
            ]
            for job in jobs
        ],
        conflicts=problem.conflicts,
    )
    return WindowsWalk(rules, log, Effort()).refutes()


@pytest.mark.parametrize("seeds", BLOCKS, ids=str)
def test_what_has_no_schedule_is_refuted(seeds):
    """Where there is one, a search ends at it or at starts that are none."""
    refuted = found = 0
    for seed in seeds:
        problem = random_problem(seed)
        tree = problem.tree()
        outcome = tree.go_on(MANY)
        assert outcome in (Outcome.REFUTED, Outcome.LEAF)
        if outcome is Outcome.LEAF:
            found += is_schedule(problem, tree.leaf())
            continue
        assert not problem.schedules, seed
        refuted += 1
        assert confirmed(problem, zlib.decompress(tree.log()))
    assert refuted > len(seeds) // 5 and found > len(seeds) // 5


def test_a_job_without_a_window_needs_no_log():
    problem = random_problem(0)
    problem.windows[0] = [(0, -1) for _ in problem.windows[0]]
    tree = problem.tree()
    assert tree.go_on(1) is Outcome.REFUTED
    assert confirmed(problem, zlib.decompress(tree.log()))


@pytest.mark.slow
def test_compiled_searches_do_the_same():
    for seed in range(60):
        plain, fast = (random_problem(seed, jobs=4).tree(compiled) for compiled in (False, True))
        assert plain.go_on(MANY) is fast.go_on(MANY)
        assert plain.rows == fast.rows
        assert plain.log() == fast.log()
