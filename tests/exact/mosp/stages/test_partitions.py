"""The stage that shares the jobs out: it settles an open search on unequal clusters, and knows what it is not for."""

from __future__ import annotations

import pytest

from oas.bounds.lower_bound import best_bound
from oas.core.verifier import verify
from oas.exact.bound_check import recheck
from oas.exact.evidence import Evidence
from oas.exact.mosp.search import MospExactSearch
from oas.exact.mosp.stages.partitions import first_partitions, partitions, shares_out
from oas.generate.mosp.uni import uni
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import local_schedule
from oas.problems.rigid import Organization, Reservation, RigidJob


def test_it_settles_an_open_search_on_clusters_of_different_sizes() -> None:
    """The bound comes from a refutation and the schedule from the same search; neither was there before."""
    instance = uni(seed=73, jobs=12, organizations=3, processors=8, pareto=9)
    assert len({one.processors for one in instance.organizations}) > 1
    evidence = Evidence(instance)
    assert evidence.offer(local_schedule(instance), "local") is None
    evidence.bound = best_bound(instance)
    search = MospExactSearch(evidence, 0, lambda: None, lambda: None)
    assert not evidence.closed
    partitions(search, None)
    assert not evidence.closed  # the turn of few jobs is earlier
    first_partitions(search, None)
    assert evidence.closed and evidence.schedule is not None
    assert evidence.schedule.method == "partitions" and not verify(instance, evidence.schedule)
    assert evidence.bound.name == "partitions" and recheck(instance, evidence.bound)


@pytest.mark.parametrize(
    ("sizes", "jobs", "held", "expected"),
    [
        ((2, 4), 6, 0, True),
        ((2, 4), 7, 0, False),
        ((4, 4), 12, 0, True),
        ((4, 4), 13, 0, False),
        ((4,), 3, 0, False),
        ((4, 4), 3, 1, False),
    ],
)
def test_few_jobs_of_several_clusters(sizes: tuple[int, ...], jobs: int, held: int, expected: bool) -> None:
    reservations = [Reservation(1, 2, 1)] if held else []
    organizations = [
        Organization(f"O{k}", size, [RigidJob(f"J{k}.{n}", 1, 1) for n in range(jobs)], reservations)
        for k, size in enumerate(sizes)
    ]
    assert shares_out(MospInstance(organizations, None).scaled()) is expected
