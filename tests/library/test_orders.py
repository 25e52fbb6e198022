"""An order gives the schedule back, no job later, and tells nothing of the times."""

from __future__ import annotations

import pytest

import oas
from oas.core.errors import InputError
from oas.generate import uni
from oas.generate.mosp.tiny import random_instance
from oas.library.orders import order_of, schedule_of
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import schedule_from_cluster_runs
from tests.library.libraries import schedules
from tests.problems.mosp.instances import random_cluster_runs
from tests.slow import every_fourth_quick


@pytest.mark.parametrize("seed", every_fourth_quick(range(32)))
def test_no_job_is_later_whatever_the_schedule(seed: int) -> None:
    instance = random_instance(seed).with_locality(None)
    scaled = instance.scaled()
    before = schedule_from_cluster_runs(instance, scaled, random_cluster_runs(scaled, seed))
    assert oas.verify(instance, before) == []
    after = schedule_of(instance, order_of(instance, before), "again")
    assert oas.verify(instance, after) == []
    assert after.method == "again"
    for job in instance.jobs:
        assert after[job.id].end <= before[job.id].end
        assert after[job.id].nodes.keys() == before[job.id].nodes.keys()
    # Nothing is left to be moved, so the order of what came of it gives the same again.
    assert schedule_of(instance, order_of(instance, after)) == after


def test_locality_is_kept() -> None:
    instance = uni(seed=3, jobs=40, organizations=4, processors=32)
    for schedule in schedules(instance):
        assert oas.verify(instance, schedule_of(instance, order_of(instance, schedule))) == []


def test_an_order_holds_no_times() -> None:
    instance = uni(seed=3, jobs=10, organizations=2, processors=8)
    other = MospInstance(instance.organizations, None)
    order = order_of(other, schedules(other)[0])
    assert {name for names in order.values() for name in names} == {job.id for job in instance.jobs}
    assert order.keys() == {organization.id for organization in instance.organizations}


@pytest.mark.parametrize(
    ("order", "said"),
    [
        ({"O1": ["J99"]}, "no such job"),
        ({"O9": ["J1"]}, "no such job or cluster"),
    ],
)
def test_an_order_of_strangers_is_refused(order: dict[str, list[str]], said: str) -> None:
    with pytest.raises(InputError, match=said):
        schedule_of(uni(seed=3, jobs=10, organizations=2, processors=8), order)


def test_a_job_wider_than_its_cluster_is_refused() -> None:
    large = oas.Organization("large", 4, [oas.RigidJob("wide", 1, 4)])
    instance = MospInstance([oas.Organization("small", 2), large])
    with pytest.raises(InputError, match="wider than the cluster"):
        schedule_of(instance, {"small": ["wide"]})


def test_a_job_missing_or_twice_is_left_to_the_verifier() -> None:
    instance = uni(seed=3, jobs=10, organizations=2, processors=8)
    first, *others = [job.id for job in instance.jobs]
    rules = {one.rule for one in oas.verify(instance, schedule_of(instance, {"O1": others}))}
    assert "missing_job" in rules
    rules = {one.rule for one in oas.verify(instance, schedule_of(instance, {"O1": [first, first, *others]}))}
    assert "duplicate_job" in rules
