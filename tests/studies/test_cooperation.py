"""The price of locality: the worst case of the papers, and monotony."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

import oas
from oas.core.errors import InputError
from oas.generate.mosp.worst_cases.gallery import worst_cases
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.problems.mosp.instances import random_instance

(LOCALITY_PRICE,) = [case.function for case in worst_cases() if case.name == "locality-price"]


def test_the_papers_worst_case_pays_three_halves() -> None:
    points = {point.locality: point for point in oas.price(LOCALITY_PRICE())}
    assert points[F(1)].result.objective == 3 and points[F(1)].price == F(3, 2) and not points[F(1)].losers
    assert points[F(2)].result.objective == 2 and points[F(2)].price == 1 and points[F(2)].losers
    assert points[None].result.objective == 2


@pytest.mark.slow
def test_a_looser_promise_never_costs_more() -> None:
    for seed in range(8):
        points = oas.price(random_instance(seed), (1, "3/2", 3, None))
        makespans = [point.result.objective for point in points]
        assert all(point.result.status is oas.Status.OPTIMAL for point in points)
        assert makespans == sorted(makespans, reverse=True)
        assert not points[0].losers and points[-1].price == 1


def test_what_has_no_price_is_refused() -> None:
    grid = CoallocationInstance([Cluster("C", [NodeGroup(1, 1)], 0)], [Job("j", 1, 1)])
    with pytest.raises(InputError, match="only organizations"):
        oas.price(grid)
    lone = oas.MospInstance([oas.Organization("O", 1, [oas.RigidJob("a", 1, 1)])], locality=None)
    with pytest.raises(InputError, match=r"^local: an organization alone without a local schedule has nothing"):
        oas.price(lone)
    seen: list[object] = []
    with pytest.raises(InputError, match="locality: must be at least 1"):
        oas.price(LOCALITY_PRICE(), [1, "1/2"], on_progress=seen.append)
    assert not seen  # it was refused before anything was solved
    oas.price(LOCALITY_PRICE(), [1], on_progress=seen.append)
    assert seen


def test_every_organization_with_jobs_has_its_end() -> None:
    instance = LOCALITY_PRICE()
    for point in oas.price(instance, (1, 2)):
        for organization, alone in zip(instance.organizations, instance.local_makespans, strict=True):
            assert alone is not None
            last = max(point.result.schedule[job.id].end for job in organization.jobs)
            assert point.ends[organization.id] * alone == last
        assert point.losers == {name: ratio for name, ratio in point.ends.items() if ratio > 1}
