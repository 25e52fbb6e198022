"""The heaviest set of jobs that a cluster can run equals the maximum over all sets."""

from __future__ import annotations

from itertools import combinations
from random import Random

from oas.checker.effort import Effort
from oas.checker.mosp_packing import SET_NO
from oas.checker.mosp_partitions import heaviest_cluster_set
from oas.checker.mosp_possible_sets import JobsByArea, PossibleSets
from tests.checker.instances import own_mosp
from tests.checker.mosp_cases import clusters_of


def test_jobs_on_a_cluster():
    draw = Random(2)
    for seed in range(60):
        instance = clusters_of(draw, [draw.randint(2, 6)], draw.randint(3, 6), late=seed % 2 == 0)
        ticks = own_mosp(instance).ticks
        jobs = JobsByArea.of(ticks, draw.randint(6, 12), mirrored=seed % 2 == 0)
        sets = PossibleSets(jobs, ticks.processors[0], 5_000, Effort(), Effort())
        count = ticks.job_count
        weights = [draw.randint(0, 9) for _ in range(count)]
        running = [
            sum(weights[job] for job in own)
            for size in range(len(sets.sizes) + 1)
            for own in combinations(sets.sizes, size)
            if not own or sets.answer(sum(1 << job for job in own)) != SET_NO
        ]
        assert heaviest_cluster_set(sets, weights) == max(running), seed
