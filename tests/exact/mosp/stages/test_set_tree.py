"""The stage that branches on pairs of jobs: it settles an open search, and knows what it is not for."""

from __future__ import annotations

import pytest

from oas.bounds.lower_bound import best_bound
from oas.exact.bound_check import recheck
from oas.exact.evidence import Evidence
from oas.exact.mosp.search import MospExactSearch
from oas.exact.mosp.stages.set_tree import branches, set_tree
from oas.generate.mosp.uni import uni
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import first_runs, schedule_from_cluster_runs
from oas.problems.rigid import Organization, RigidJob


def search_of(instance):
    """The search with what first runs make, and the quick bounds."""
    evidence = Evidence(instance)
    runs = first_runs(instance.scaled())
    assert evidence.offer(schedule_from_cluster_runs(instance, instance.scaled(), runs), "first") is None
    evidence.bound = best_bound(instance)
    return MospExactSearch(evidence, 0, lambda: None, lambda: None)


def test_it_settles_an_open_search():
    search = search_of(uni(seed=4, jobs=12, organizations=4, processors=8))
    assert not search.evidence.closed
    set_tree(search, None)
    assert search.evidence.closed
    assert search.evidence.schedule.method == "set tree"
    assert recheck(search.instance, search.evidence.bound)


@pytest.mark.parametrize(("sizes", "jobs"), [((2, 4), 4), ((4,), 4), ((4, 4), 20)])
def test_clusters_of_one_size_with_few_jobs(sizes, jobs):
    organizations = [
        Organization(f"O{k}", size, [RigidJob(f"J{k}.{n}", 1, 1) for n in range(jobs)]) for k, size in enumerate(sizes)
    ]
    search = search_of(MospInstance(organizations, None))
    before = search.upper
    assert not branches(search.scaled)
    set_tree(search, None)
    assert search.upper == before
