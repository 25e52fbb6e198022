"""The sets that column generation begins with where jobs are many."""

from __future__ import annotations

from itertools import pairwise

from oas.bounds.coallocation.configurations.first_columns import BLURS, first_columns
from oas.bounds.coallocation.configurations.modes import job_modes
from oas.bounds.coallocation.configurations.packing import Packing
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


def test_the_widest_job_begins_at_its_fastest():
    scaled = INSTANCES[0].scaled()
    packing, modes = Packing(scaled), job_modes(scaled)
    first = next(iter(first_columns(packing, modes, lambda: False)))
    widest = max(range(scaled.job_count), key=lambda job: scaled.tasks[job])
    assert (widest, modes[widest][0].level) in first
    assert [scaled.tasks[job] for job, _ in first] == sorted((scaled.tasks[job] for job, _ in first), reverse=True)


def test_it_stops():
    scaled = INSTANCES[0].scaled()
    assert not list(first_columns(Packing(scaled), job_modes(scaled), lambda: True))
