"""Which jobs can run together: against trying every allocation, compiled and plain."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from oas.bounds.coallocation.configurations import kernels, packing
from oas.bounds.coallocation.configurations.packing import Packing
from oas.core.allocations import fastest_level
from oas.core.coallocation import Cluster, CoallocationInstance, Job, NodeGroup
from oas.generate.paper_section4 import section4
from tests.configurations.grids import INSTANCES, can_run

if TYPE_CHECKING:
    import pytest

    from oas.core.scaled import ScaledCoallocation


def items_of(scaled: ScaledCoallocation) -> list[tuple[tuple[int, int], ...]]:
    levels = [range(fastest_level(scaled, job) or 0, len(scaled.powers)) for job in range(scaled.job_count)]
    return [
        tuple(zip(jobs, chosen, strict=True))
        for size in range(1, scaled.job_count + 1)
        for jobs in combinations(range(scaled.job_count), size)
        for chosen in product(*(levels[job] for job in jobs))
    ]


def plain(scaled: ScaledCoallocation) -> Packing:
    """Run by the uncompiled kernel, on Python's own integers."""
    made = Packing(scaled)
    links, loads, _ = made._arrays
    made._arrays = (links.astype(object), loads.astype(object), kernels.split)
    return made


def test_against_every_allocation() -> None:
    counts = {True: 0, False: 0}
    split = 0
    for instance in INSTANCES:
        scaled = instance.scaled()
        fast, slow = Packing(scaled), plain(scaled)
        for items in items_of(scaled):
            expected = can_run(scaled, items)
            assert fast.fits(items) is fast.fits(items[::-1]) is expected, (instance.name, items)
            assert slow.fits(items) is expected, (instance.name, items)
            counts[expected] += 1
            split += fast._nodes_suffice(items) and not expected
    assert min(counts.values()) > 300 and split > 50, (counts, split)  # many for want of links alone


def test_compiled_and_plain_visit_the_same_states() -> None:
    # Where the search gives up must not depend on how it runs: the certificate's checker may run it the other way.
    scaled = section4(seed=1, jobs=12, nodes=6, bandwidth="tight").scaled()
    links, loads, compiled = Packing(scaled)._arrays
    nodes = np.array([[6, 6, 6]] * 3, dtype=np.int64)
    met = set()
    for jobs in combinations(range(12), 3):
        for limit in (1, 2, 5, 20_000):
            given = (np.array([scaled.tasks[job] for job in jobs]), nodes, links, loads[list(jobs)], limit)
            answer = compiled(*given)
            assert answer == kernels.split(*given)
            met.add(answer)
    assert met == {kernels.NO, kernels.YES, kernels.GIVEN_UP}


def test_given_up_means_maybe(monkeypatch: pytest.MonkeyPatch) -> None:
    # A job of 3 tasks split 2 + 1 takes all of both links, and so would the other; alone neither fits anywhere.
    grid = [Cluster("A", [NodeGroup(4, 1)], 2), Cluster("B", [NodeGroup(2, 1)], 2)]
    jobs = [Job("a", 5, 1, 1), Job("b", 1, 1, 1)]
    scaled = CoallocationInstance(grid, jobs, 1).scaled()
    assert Packing(scaled).fits([(0, 0), (1, 0)]) is can_run(scaled, [(0, 0), (1, 0)])
    torn = CoallocationInstance(
        [Cluster("A", [NodeGroup(3, 1)], 1), Cluster("B", [NodeGroup(3, 1)], 1)],
        [Job("a", 2, 1, 1), Job("b", 2, 1, 1), Job("c", 2, 1, 2)],
        1,
    ).scaled()
    every = [(0, 0), (1, 0), (2, 0)]
    assert can_run(torn, every) is Packing(torn).fits(every)
    for name in ("MAX_ITEMS", "MAX_LOADS", "MAX_STATES"):
        with monkeypatch.context() as patch:
            patch.setattr(packing, name, 0)
            assert Packing(torn).fits(every)


def test_links_past_64_bits() -> None:
    wide = [Cluster(name, [NodeGroup(3, 1)], 10**30 + 1) for name in "AB"]
    jobs = [Job("a", 4, 1, 10**30), Job("b", 2, 1, 10**30)]
    scaled = CoallocationInstance(wide, jobs, 1).scaled()
    assert Packing(scaled).fits([(0, 0)]) is can_run(scaled, [(0, 0)])
    for pair in ([(0, 0), (1, 0)], [(1, 0)]):
        assert Packing(scaled).fits(pair) is can_run(scaled, pair)
