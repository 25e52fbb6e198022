"""Where no search for the heaviest set begins, every job counts with its heaviest mode."""

from oas.bounds.coallocation.configurations import pricing
from oas.bounds.coallocation.configurations.modes import job_modes
from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.configurations.pricing import heaviest
from tests.problems.coallocation.grids import TWO_SPEEDS


def test_a_sum_of_the_heaviest_modes(monkeypatch):
    scaled = TWO_SPEEDS.scaled()
    modes, packing = job_modes(scaled), Packing(scaled)
    weights = [[5, 2], [7, 3], [1, 1]]
    assert heaviest(packing, modes, weights).weight < 13
    monkeypatch.setattr(pricing, "MAX_CELLS", 0)
    assert heaviest(packing, modes, weights).weight == 13
    assert heaviest(packing, modes, weights, floor=20).weight == 20
