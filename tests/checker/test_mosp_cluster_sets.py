"""The bound by cluster sets: the stand-alone checker against the toolkit's."""

from __future__ import annotations

from random import Random

import pytest
from oas.bounds.mosp.cluster_sets.certificate import value
from oas.bounds.mosp.two_dimensional.certificate import Scales

from oas.bounds.mosp.cluster_sets.pricing import Pricing
from oas.checker.effort import Effort
from oas.checker.errors import Refused
from oas.checker.mosp_cluster_sets import ClusterSets, check_mosp_cluster_sets, heaviest_set
from oas.checker.mosp_weights import mosp_deadlines
from oas.library import Library
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, RigidJob
from tests.checker.instances import own_mosp
from tests.checker.tampering import hold_together
from tests.problems.mosp.instances import random_instance
from tests.slow import mostly_slow


@pytest.mark.parametrize("seeds", mostly_slow([range(10), range(10, 50)], quick=[range(10)]))
def test_the_heaviest_sets_weigh_the_same_however_few_steps_a_packing_has(seeds: range) -> None:
    draw = Random(len(seeds))
    undecided = 0
    for seed in seeds:
        instance = random_instance(seed, releases=seed % 2 == 0, max_jobs=9, max_processors=9)
        ticks, scaled = own_mosp(instance).scaled(), instance.scaled()
        area = sum(time * width for time, width in zip(scaled.times, scaled.widths, strict=True))
        makespan = max(*scaled.times, area // sum(scaled.processors)) + draw.randint(0, 2)
        mirrored = draw.random() < 0.3
        weights = [time * width + draw.randint(0, 2) for time, width in zip(scaled.times, scaled.widths, strict=True)]
        scales, deadlines = Scales(scaled, makespan, mirrored), mosp_deadlines(ticks, makespan, mirrored=mirrored)
        for size in scales.sizes:
            sets = ClusterSets.of(ticks, deadlines, makespan, size, Effort())
            found = []
            for steps in (1, 5, 5000):
                theirs = Pricing(scales, size, steps).heaviest(weights, 0, 10**6)
                assert theirs.complete
                found.append(heaviest_set(sets, weights, 0, steps, Effort()))
                assert found[-1] == theirs.weight, (seed, size, steps)
            undecided += found[0] > found[-1]
    assert undecided


def test_a_certificate_of_the_library() -> None:
    library = Library()
    instance, bound = library.instance("uni-n10-N2-m32-s0"), library.result("uni-n10-N2-m32-s0").proof.bound
    proven = check_mosp_cluster_sets(own_mosp(instance), bound.certificate)
    assert proven == value(instance, bound.certificate) == bound.value


def test_changed_certificates() -> None:
    """Three jobs of five ticks, of which only two can run on a cluster by 9."""
    jobs = [RigidJob(f"J{k}", 5, 3) for k in range(3)]
    instance = MospInstance([Organization("A", 4, jobs), Organization("B", 4)], locality=None)
    own = own_mosp(instance)
    refused, kept = hold_together(
        {"makespan": 9, "weights": [1, 1, 1], "steps": 100, "mirrored": False},
        lambda one: value(instance, one),
        lambda one: check_mosp_cluster_sets(own, one),
    )
    assert refused > 100
    assert kept > 10


def test_a_search_that_takes_too_long_is_refused() -> None:
    ticks = own_mosp(random_instance(3, max_jobs=9)).scaled()
    sets = ClusterSets.of(ticks, [30] * ticks.job_count, 30, max(ticks.processors), Effort())
    with pytest.raises(Refused, match="a patience of 1 allows"):
        heaviest_set(sets, list(ticks.times), 0, 100, Effort(3))
