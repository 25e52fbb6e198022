"""The exact simplex method against the enumeration of all bases."""

from fractions import Fraction as F
from itertools import combinations
from random import Random

import pytest

from oas.coallocation.simplex import solve


def solved(rows, right):
    """The solution of a square system by elimination; None if there is not exactly one."""
    work = [[*row, value] for row, value in zip(rows, right, strict=True)]
    for column in range(len(rows)):
        pivot = next((row for row in range(column, len(rows)) if work[row][column]), None)
        if pivot is None:
            return None
        work[column], work[pivot] = work[pivot], work[column]
        work[column] = [value / work[column][column] for value in work[column]]
        for row in range(len(rows)):
            if row != column:
                work[row] = [a - work[row][column] * b for a, b in zip(work[row], work[column], strict=True)]
    return [row[-1] for row in work]


def optimum(columns, jobs, *, exactly):
    """The least total time of the columns over all bases; None if none is feasible."""
    units = [] if exactly else [({job: F(-1)}, 0) for job in range(jobs)]
    choices = [(column, 1) for column in columns] + units
    best = None
    for count in range(1, jobs + 1):
        for chosen in combinations(choices, count):
            for kept in combinations(range(jobs), count):  # the other rows may follow from these
                times = solved([[column.get(job, F(0)) for column, _ in chosen] for job in kept], [F(1)] * count)
                if times is None or min(times) < 0:
                    continue
                done = [
                    sum(time * column.get(job, F(0)) for (column, _), time in zip(chosen, times, strict=True))
                    for job in range(jobs)
                ]
                total = sum(time * cost for (_, cost), time in zip(chosen, times, strict=True))
                if done == [1] * jobs and (best is None or total < best):
                    best = total
    return best


def drawn(draw, jobs):
    count = draw.randint(1, 4)
    members = [draw.sample(range(jobs), draw.randint(1, jobs)) for _ in range(count)]
    return [{job: F(draw.randint(1, 4), draw.randint(1, 3)) for job in own} for own in members]


@pytest.mark.parametrize("exactly", [True, False])
def test_the_optimum_is_that_of_all_bases(exactly):
    draw, found = Random(1), 0
    for _ in range(150):
        jobs = draw.randint(1, 3)
        columns = drawn(draw, jobs)
        if not exactly:
            columns += [{job: F(1, 2)} for job in range(jobs)]
        solution = solve(columns, jobs, exactly=exactly)
        best = optimum(columns, jobs, exactly=exactly)
        assert (solution is None) == (best is None)
        if solution is None:
            continue
        found += 1
        assert sum(solution.times.values()) == best and min(solution.times.values()) >= 0
        assert len([time for time in solution.times.values() if time]) <= jobs
        progress = [
            sum(time * columns[index].get(job, F(0)) for index, time in solution.times.items()) for job in range(jobs)
        ]
        assert all(one == 1 or (one > 1 and not exactly) for one in progress)
    assert found > 40


def test_the_result_does_not_depend_on_the_initial_basis():
    """A feasible basis, one that is infeasible, and none."""
    columns = [{0: F(1)}, {1: F(1)}, {0: F(1, 2), 1: F(3, 4)}]
    for basis in ([0, 1], [2, 0], [2, -1], [-1, -2], []):
        solution = solve(columns, 2, basis)
        assert solution is not None and sum(solution.times.values()) == F(5, 3)
        assert solution.duals == [1, F(2, 3)]
