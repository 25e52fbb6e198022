"""The weights and sets that column generation begins with where jobs are many."""

from itertools import combinations, pairwise

from oas.bounds.coallocation.configurations import NAME
from oas.bounds.coallocation.configurations.first_columns import BLURS, apart_weights, first_columns
from oas.bounds.coallocation.configurations.modes import job_modes, leaf
from oas.bounds.coallocation.configurations.packing import Packing
from oas.core.result import Bound
from oas.exact.coallocation.brute_force import brute_force
from oas.exact.recheck import recheck
from tests.problems.coallocation.grids import INSTANCES


def test_each_job_runs_once_in_each_order_and_what_runs_fits():
    for instance in INSTANCES[:20]:
        scaled = instance.scaled()
        packing, modes = Packing(scaled), job_modes(scaled)
        sets = list(first_columns(packing, modes, lambda: False))
        assert all(packing.fits(one) for one in sets)
        for job, row in enumerate(modes):
            held = [dict(one).get(job) for one in sets]
            begun = sum(now is not None and now != before for before, now in pairwise([None, *held]))
            assert 1 <= begun <= len(BLURS)
            assert set(held) - {None} <= {mode.level for mode in row}


def chosen(weights):
    return [job for job, row in enumerate(weights) if row[0]]


def test_no_two_run_together_and_each_other_job_runs_beside_one():
    for instance in INSTANCES:
        scaled = instance.scaled()
        packing, modes = Packing(scaled), job_modes(scaled)
        weights = apart_weights(packing, modes, lambda: False)
        assert all(set(row) in ({0.0}, {1.0}) for row in weights)
        apart = chosen(weights)
        for one, other in combinations(apart, 2):
            assert not any(packing.fits([(one, a.level), (other, b.level)]) for a in modes[one] for b in modes[other])
        for job in set(range(scaled.job_count)) - set(apart):
            assert any(packing.fits([(job, modes[job][-1].level), (own, modes[own][-1].level)]) for own in apart)


def test_they_prove_the_sum_of_their_runs():
    for instance in INSTANCES:
        scaled = instance.scaled()
        packing, modes = Packing(scaled), job_modes(scaled)
        weights = apart_weights(packing, modes, lambda: False)
        whole = [[int(weight) for weight in row] for row in weights]
        runs = scaled.to_time(sum(modes[job][0].ticks for job in chosen(weights)))
        assert runs <= brute_force(instance)[0]
        assert recheck(instance, Bound(NAME, runs, {"tree": [leaf(whole, 1)]}))
