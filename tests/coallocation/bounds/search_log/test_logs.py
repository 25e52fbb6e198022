"""Logs of complete searches: confirmed as they were written, and for nothing above the optimum."""

import random
from fractions import Fraction

import pytest

from oas.coallocation.bounds.configurations import Weights
from oas.coallocation.bounds.configurations.packing import Packing
from oas.coallocation.bounds.search_log import NAME, packed, write_numbers
from oas.coallocation.exact import chronological_kernels as kernels
from oas.coallocation.exact.chronological_search import ChronologicalSearch, Verdict
from oas.coallocation.exact.relaxation import Relaxation
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.result import Bound
from oas.solving.recheck import recheck
from tests.coallocation.bounds.search_log.logs import MANY, codes_of, refuted, seen_of
from tests.slow import every_fourth_quick

SEEDS = range(100, 140)


@pytest.mark.parametrize("placed", [True, False])
@pytest.mark.parametrize("weighed", [True, False])
@pytest.mark.parametrize("seed", every_fourth_quick(SEEDS[:21]))
def test_a_log_proves_what_its_search_has_refuted(seed, placed, weighed):
    found = refuted(seed, placed, weighed)
    if found is None:
        return
    instance, optimum, certificate = found
    scaled = instance.scaled()
    assert recheck(instance, Bound(NAME, scaled.to_time(optimum), certificate))


@pytest.mark.slow
def test_logs_use_every_rule():
    codes = {code for seed in SEEDS for code in codes_of(refuted(seed)[2])}
    unweighed = {code for seed in SEEDS for code in codes_of(refuted(seed, weighed=False)[2])}
    assert codes >= {kernels.OPEN, 1, 2, kernels.STOP}
    assert unweighed >= {kernels.OPEN, kernels.LATE, kernels.SEEN}


@pytest.mark.parametrize("placed", [True, False])
def test_jobs_that_only_links_keep_apart(placed):
    """Two jobs on three clusters of three nodes: each needs two clusters, and no link carries both."""
    clusters = [Cluster(name, [NodeGroup(3, 1)], Fraction(4, 3)) for name in "abc"]
    instance = CoallocationInstance(clusters, [Job("x", 4, 2, 1), Job("y", 4, 1, 1)], 1)
    packing = Packing(instance.scaled())
    search = ChronologicalSearch(
        instance.scaled(),
        [Weights(((0,), (0,)), 0)],
        2,
        placed=placed,
        relaxation=Relaxation(instance.scaled(), packing.fits),
        compiled=False,
    )
    assert search.resume(MANY) is Verdict.REFUTED
    certificate = search.certificate()
    assert len(certificate["apart"]) == (0 if placed else 1)
    assert recheck(instance, Bound(NAME, Fraction(3), certificate))
    assert placed or not recheck(instance, Bound(NAME, Fraction(3), {**certificate, "apart": []}))


def test_numbers_are_written_by_their_distances():
    drawn = random.Random(1)
    numbers = sorted({drawn.randrange(2 ** drawn.randint(1, 34)) for _ in range(500)})
    assert seen_of({"seen": packed(write_numbers(numbers))}) == numbers
