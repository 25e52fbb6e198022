"""The exact linear program: by hand, from any basis."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from oas.bounds.coallocation.saturated.phases import solve

# Jobs 0 and 1 together at two thirds of their rates alone.
COLUMNS = [{0: F(1, 4)}, {1: F(1, 4)}, {0: F(1, 6), 1: F(1, 6)}]


@pytest.mark.parametrize("basis", [[0, 1], [0, 2], [2, 1], [2, -1], [-1, -2], [0, 0], [], [2]])
def test_from_any_basis(basis):
    found = solve(COLUMNS, 2, basis)
    assert found is not None
    assert {one: time for one, time in found.times.items() if time} == {2: 6}
    assert sum(found.duals) == 6
    assert all(sum(found.duals[job] * rate for job, rate in column.items()) <= 1 for column in COLUMNS)


def test_without_a_feasible_basis():
    assert solve(COLUMNS[1:], 2, []) is None
