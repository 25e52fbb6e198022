"""Column generation over all sets within a capacity ends with the value of the program that lists every set."""

from itertools import combinations
from random import Random

import pytest

from oas.lp.generation import generate_columns
from oas.lp.master import Master
from tests.slow import draws


class Bins(Master[tuple[int, ...]]):
    """Cover each item by sets that fit into a bin, each of cost 1."""

    def __init__(self, sizes, capacity):
        super().__init__()
        items = range(len(sizes))
        self.rows = [self.program.add_row(1.0) for _ in items]
        self.sets = [
            one
            for count in range(1, len(sizes) + 1)
            for one in combinations(items, count)
            if sum(sizes[item] for item in one) <= capacity
        ]

    def terms(self, column):
        return 1.0, [self.rows[item] for item in column], [1.0] * len(column)

    def solve(self):
        return self.program.solve(), self.program.duals()


@pytest.mark.parametrize("start", ["none", "equal", "useless"])
def test_the_value_is_that_of_the_program_with_all_columns(start):
    left_out = 0
    for seed in range(draws(20)):
        draw = Random(seed)
        sizes = [draw.randint(2, 9) for _ in range(draw.randint(4, 8))]
        every, bins = Bins(sizes, 10), Bins(sizes, 10)
        every.add(every.sets)
        bins.add((item,) for item in range(len(sizes)))
        best, values = 0.0, []

        def price(value, weights, bins=bins, values=values):
            nonlocal best
            heaviest = max(bins.sets, key=lambda one: sum(weights[item] for item in one))
            most = sum(weights[item] for item in heaviest)
            better = sum(weights) / most > best
            best = max(best, sum(weights) / most)
            values.append(value)
            return better, [heaviest] if most > 1 + 1e-9 else []

        first = {"none": [], "equal": [0.5] * len(sizes), "useless": [float(not item) for item in range(len(sizes))]}
        generate_columns(bins, bins.solve, price, first[start])
        assert best == pytest.approx(values[-1]) == pytest.approx(every.program.solve()), seed
        left_out += len(every.columns) - len(bins.columns)
    assert left_out > 0


def test_a_column_is_added_once_whatever_the_order_of_its_items():
    bins = Bins([3, 4], 10)
    assert bins.add([(0, 1), (0,)])
    assert not bins.add([(1, 0)])
    assert bins.columns == [(0, 1), (0,)]
    bins.program.solve()
    assert sum(bins.amounts()) >= 1


def test_pricing_ends_the_generation():
    bins = Bins([3, 4], 10)
    bins.add([(0,), (1,)])
    generate_columns(bins, bins.solve, lambda *_: None)
    assert len(bins.columns) == 2
