"""The bound by windows of MOSP, against brute force."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from oas.bounds.mosp.windows.search import Search
from oas.bounds.request import BoundRequest
from oas.core.result import Bound
from oas.core.verifier import verify
from oas.exact.bound_check import recheck
from oas.exact.mosp.brute_force import brute_force
from oas.generate.mosp.tiny import alone, random_instance
from oas.problems.mosp.runs import ClusterRun, schedule_from_cluster_runs
from tests.slow import every_fourth_quick

SESSION = SimpleNamespace(
    stop=SimpleNamespace(requested=False), time_is_up=False, partial=lambda _: None, progress=lambda *_: None
)


def searched(instance, lower, upper):
    """What the search finds of makespans from `lower` to below `upper`, in ticks."""
    return Search(BoundRequest(instance, lower, upper, heights=tuple(instance.scaled().widths)), SESSION).run()


@pytest.mark.parametrize("draw", [random_instance, alone])
@pytest.mark.parametrize("seed", every_fourth_quick(range(120)))
def test_it_refutes_what_is_shorter_than_the_optimum_and_finds_the_optimum(draw, seed):
    instance = draw(seed)
    scaled = instance.scaled()
    optimum = brute_force(instance)[0]
    ticks = int(optimum / scaled.tick)
    below = searched(instance, 1, ticks)
    assert below["runs"] is None
    if below["certificate"] is not None:  # else no makespan on the grid is shorter
        assert recheck(instance, Bound("windows", optimum, below["certificate"]))
    runs = searched(instance, ticks, ticks + 1)["runs"]
    schedule = schedule_from_cluster_runs(instance, scaled, [ClusterRun(*run) for run in runs])
    assert not verify(instance, schedule) and schedule.makespan == optimum
