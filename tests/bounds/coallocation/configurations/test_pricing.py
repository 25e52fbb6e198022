"""The heaviest set: against all sets, and upper bounds where the search is given up."""

import random

import pytest

from oas.bounds.coallocation.configurations import pricing
from oas.bounds.coallocation.configurations.modes import job_modes, mode_of_level
from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.configurations.pricing import heaviest
from oas.core.errors import InfeasibleError
from oas.generate.coallocation.section4 import section4
from oas.problems.coallocation.allocations import fastest_level
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.bounds.coallocation.configurations.naive import subsets
from tests.problems.coallocation.grids import INSTANCES


def drawn(modes, draw, most):
    return [[draw.randint(0, most) * draw.choice((0, 1, 1)) for _ in row] for row in modes]


@pytest.mark.parametrize("most", [3, 1000, 10**25])
def test_against_every_set(most):
    draw = random.Random(most)
    for instance in INSTANCES:
        scaled = instance.scaled()
        modes, packing = job_modes(scaled), Packing(scaled)
        weights = drawn(modes, draw, most)
        weight_of = {(j, m.level): w for j, row in enumerate(modes) for m, w in zip(row, weights[j], strict=True)}
        expected = max(sum(weight_of[item] for item in one) for one in subsets(modes) if packing.fits(one))
        found = heaviest(packing, modes, weights)
        assert found.weight == expected, instance.name
        assert all(packing.fits(one) for one in found.sets)
        rising = [sum(weight_of[item] for item in one) for one in found.sets]
        assert rising == sorted(set(rising)) and (rising or [0])[-1] == expected
        assert heaviest(packing, modes, weights, floor=expected) == (expected, [])
        if expected:
            assert heaviest(packing, modes, weights, floor=expected - 1).weight == expected


def test_given_up_it_is_an_upper_bound(monkeypatch):
    draw = random.Random(5)
    scaled = section4(seed=2, jobs=16, bandwidth="tight").scaled()
    modes, packing = job_modes(scaled), Packing(scaled)
    weaker = 0
    for _ in range(10):
        weights = drawn(modes, draw, 1000)
        exact = heaviest(packing, modes, weights).weight
        values = [heaviest(packing, modes, weights, limit=limit).weight for limit in (0, 1, 3, 10, 100_000)]
        assert min(values) >= exact == values[-1]
        weaker += values[0] > exact
        assert heaviest(packing, modes, weights, stop=lambda: True).weight == values[0]
        with monkeypatch.context() as patch:
            patch.setattr(pricing, "MAX_CELLS", 10)
            assert heaviest(packing, modes, weights).weight >= values[0]
    assert weaker >= 3


def test_modes_are_the_durations_that_a_job_can_have():
    merged = 0
    for instance in INSTANCES:
        scaled = instance.scaled()
        for job, row in enumerate(job_modes(scaled)):
            fastest = fastest_level(scaled, job)
            levels = range(fastest, len(scaled.powers))
            assert [mode.ticks for mode in row] == sorted({scaled.durations[job][level] for level in levels})
            for mode in row:
                same = [level for level in levels if scaled.durations[job][level] == mode.ticks]
                assert mode.level == max(same)
                merged += len(same) > 1
                assert all(row[mode_of_level(row, scaled.durations[job], level)] == mode for level in same)
            shorter = [level for level in range(fastest) if scaled.durations[job][level] < row[0].ticks]
            assert all(mode_of_level(row, scaled.durations[job], level) is None for level in shorter)
    assert merged > 20


def test_a_job_without_allocation():
    grid = [Cluster(name, [NodeGroup(1, 1)], 0) for name in "AB"]
    with pytest.raises(InfeasibleError):
        job_modes(CoallocationInstance(grid, [Job("torn", 2, 1, 1)], 1).scaled())
