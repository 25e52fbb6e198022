"""Durations of a sequence of configurations: every basis by Gaussian elimination against the simplex method."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import combinations
from random import Random

import pytest

from oas.models.coallocation.durations import shortest_durations


def unique_solution(columns):
    """Solve Σ columns · y = 1 in each row by elimination; None unless there is exactly one solution."""
    rows = [[*(column[row] for column in columns), F(1)] for row in range(len(columns[0]))]
    for place in range(len(columns)):
        pivot = next((row for row in range(place, len(rows)) if rows[row][place]), None)
        if pivot is None:
            return None
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [value / rows[place][place] for value in rows[place]]
        for other in range(len(rows)):
            if other != place:
                factor = rows[other][place]
                rows[other] = [value - factor * own for value, own in zip(rows[other], rows[place], strict=True)]
    if any(row[-1] for row in rows[len(columns) :]):
        return None
    return [row[-1] for row in rows[: len(columns)]]


def by_enumeration(columns):
    """Return the least Σ y over all basic solutions; None without one."""
    found = []
    for size in range(1, min(len(columns), len(columns[0])) + 1):
        for chosen in combinations(columns, size):
            solution = unique_solution(chosen)
            if solution is not None and min(solution) >= 0:
                found.append(sum(solution))
    return min(found, default=None)


def test_against_every_basis():
    rng = Random(3)
    seen = {True: 0, False: 0}
    for _ in range(150):
        jobs, phases = rng.randint(1, 4), rng.randint(1, 6)
        columns = [[F(rng.choice((0, 0, 1, 1, 2, 3)), rng.choice((6, 7))) for _ in range(jobs)] for _ in range(phases)]
        expected, found = by_enumeration(columns), shortest_durations(columns)
        seen[found is None] += 1
        if found is None:
            assert expected is None
            continue
        assert sum(found) == expected and min(found) >= 0
        for job in range(jobs):
            assert sum(column[job] * own for column, own in zip(columns, found, strict=True)) == 1
        assert sum(map(bool, found)) <= jobs
    assert min(seen.values()) > 20


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ([], None),
        ([[F(1, 10), F(0)]], None),  # the second job never runs
        ([[F(1, 10), F(1, 12)]], None),  # both jobs throughout, but one is done first
        ([[F(1, 10), F(1, 10)]], [10]),
        ([[F(1, 10), F(1, 10)]] * 2, [10, 0]),
        ([[F(1, 10), F(0)], [F(1, 15), F(1, 18)], [F(0), F(1, 12)]], [0, 15, 2]),
    ],
)
def test_by_hand(columns, expected):
    assert shortest_durations(columns) == expected
