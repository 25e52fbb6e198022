"""Searches by windows: they find the optimum, and refute what is below with a certificate that proves it."""

import pytest

from oas.bounds.coallocation.configurations import Weights
from oas.bounds.coallocation.configurations.packing import Packing
from oas.bounds.coallocation.windows import NAME
from oas.core.result import Bound
from oas.core.verifier import verify
from oas.exact.coallocation.chronological.search import Verdict
from oas.exact.coallocation.windows import WindowsSearch
from oas.exact.recheck import recheck
from oas.problems.coallocation.allocations import schedule_from_runs
from tests.bounds.coallocation.windows.logs import MANY, WITH_CONFLICTS, refuted, refuted_with_conflicts, search
from tests.slow import mostly_slow

BLOCKS = mostly_slow([range(60), range(60, 600)], quick=[range(60)])


@pytest.mark.parametrize("seeds", BLOCKS, ids=str)
def test_tiny_instances(seeds):
    """None of these searches is stuck."""
    for seed in seeds:
        instance, optimum, certificate = refuted(seed)
        scaled = instance.scaled()
        assert recheck(instance, Bound(NAME, scaled.to_time(optimum), certificate))
        made, verdict = search(scaled, optimum)
        assert verdict is Verdict.FOUND
        schedule = schedule_from_runs(instance, scaled, made.runs())
        assert verify(instance, schedule) == []
        assert max(one.end for one in schedule.placements) == scaled.to_time(optimum)


def test_a_certificate_with_conflicts():
    instance, optimum, certificate = refuted_with_conflicts()
    assert certificate["conflicts"]
    proven = instance.scaled().to_time(optimum)
    assert recheck(instance, Bound(NAME, proven, certificate))
    assert not recheck(instance, Bound(NAME, proven, {**certificate, "conflicts": certificate["conflicts"][:1]}))


def test_weights_above_what_is_admitted_are_made_smaller():
    instance, optimum, _ = refuted(WITH_CONFLICTS)
    scaled = instance.scaled()
    nodes = sum(len(one.nodes) for one in scaled.classes)
    weights = Weights(tuple((2**62 * tasks,) * len(scaled.powers) for tasks in scaled.tasks), 2**62 * nodes)
    made = WindowsSearch(scaled, [weights], optimum - 1, Packing(scaled), compiled=False)
    assert made.go_on(MANY) is Verdict.REFUTED
    assert recheck(instance, Bound(NAME, scaled.to_time(optimum), made.certificate()))
