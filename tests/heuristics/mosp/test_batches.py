"""Methods by a name with another in it: LSRC(order) is the list method of that order, BATCH(method) runs it on line."""

from __future__ import annotations

import pickle
from fractions import Fraction as F

import pytest

from heuristics.method import NotApplicableError
from heuristics.mosp.batches import batch_at
from heuristics.mosp.orders import GLOBAL_ORDERS
from heuristics.registry import find_heuristic, find_method
from oas.core.errors import InputError
from oas.core.schedule import Schedule
from oas.core.verifier import verify
from oas.problems.coallocation.instance import CoallocationInstance
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.problems.mosp.grids import random_grid
from tests.slow import every_fourth_quick


def alone(jobs: list[RigidJob], processors: int, *reservations: Reservation) -> MospInstance:
    return MospInstance([Organization("C", processors, jobs, reservations)], None)


def starts(name: str, instance: MospInstance) -> dict[str, F]:
    return {one.job: one.start for one in find_method(name, MospInstance)(instance).placements}


@pytest.mark.parametrize("order", GLOBAL_ORDERS)
def test_lsrc_is_list_scheduling_in_that_order(order: str) -> None:
    method, plain = (find_method(name, MospInstance) for name in (f"lsrc( {order.lower()} )", order))
    assert method.name == f"LSRC({order})" and method.guarantee is plain.guarantee
    for seed in range(12):
        instance = random_grid(seed, static=seed % 2 == 0)
        assert method(instance, seed=seed) == plain(instance, seed=seed)
        assert method(instance).method == f"LSRC({order})"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("LSRC(LTP)", "did you mean LSRC(LPT)"),
        ("LSRC()", "known: LSRC(FCFS), LSRC(SJF)"),
        ("BATCH(LTP)", "did you mean LPT"),
        ("BATCH(no.such.module:function)", "cannot be imported"),
        ("BATHC(LPT)", "BATCH(method)"),
        ("LSRC", "LSRC(order)"),
    ],
)
def test_what_is_not_known_is_refused(name: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        find_method(name, MospInstance)
    assert reason in str(caught.value) and str(caught.value).startswith("heuristic: ")


def test_they_are_for_organizations_only() -> None:
    for name in ("LSRC(LPT)", "batch(SPT)"):
        with pytest.raises(InputError, match="is for organizations only"):
            find_method(name, CoallocationInstance)
    assert find_heuristic("batch(lsrc(lpt))").name == "BATCH(LSRC(LPT))"


def test_what_is_released_during_a_batch_waits_for_its_end() -> None:
    jobs = [RigidJob("a", 4, 1), RigidJob("b", 2, 1, 1), RigidJob("c", 1, 2, 2), RigidJob("d", 1, 1, 9)]
    instance = alone(jobs, 2)
    assert starts("FCFS", instance) == {"a": 0, "b": 1, "c": 4, "d": 9}
    assert starts("BATCH(FCFS)", instance) == {"a": 0, "b": 4, "c": 6, "d": 9}
    assert starts("BATCH(SPT)", instance) == {"a": 0, "c": 4, "b": 5, "d": 9}
    longer = alone([*jobs[:3], RigidJob("d", 1, 1, 7)], 2)  # as the second batch ends
    assert starts("BATCH(FCFS)", longer)["d"] == 7


def test_a_batch_comes_in_the_order_of_releases() -> None:
    jobs = [RigidJob("late", 2, 1, 2), RigidJob("early", 3, 1, 1), RigidJob("first", 4, 1)]
    assert starts("BATCH(FCFS)", alone(jobs, 1)) == {"first": 0, "early": 4, "late": 7}


def test_reservations_hold_in_every_batch() -> None:
    jobs = [RigidJob("a", 3, 1), RigidJob("b", 2, 2, 1), RigidJob("c", 2, 1, 1)]
    instance = alone(jobs, 2, Reservation(2, 5, 1), Reservation(6, 7, 1), Reservation(F(1, 2), 1, 1))
    batch = batch_at(instance, {"b", "c"}, F(3))
    assert batch.reserved == [(0, 2, 1), (3, 4, 1)]
    assert [(job.id, job.release) for job in batch.jobs] == [("b", 0), ("c", 0)]
    # Of the processors one is reserved until 5, so "c" goes first, and "b" fits where both are free.
    assert starts("BATCH(FCFS)", instance) == {"a": 0, "c": 3, "b": 7}
    assert not verify(instance, find_method("BATCH(FCFS)", MospInstance)(instance))


@pytest.mark.parametrize("seed", every_fourth_quick(range(32)))
def test_batches_are_what_their_definition_says(seed: int) -> None:
    """Any method: a batch is all that is released as the one before ends, scheduled off line from then on."""
    instance = random_grid(seed, jobs=15, static=False).with_locality(None)
    name = ("LPT", "EASY", "conservative", "FCFS-strict", "LSRC(RND)", "tests.testing.faulty:lpt")[seed % 6]
    made = find_method(f"BATCH({name})", MospInstance)(instance, seed=seed)
    assert made.method == f"BATCH({name})" and not verify(instance, made)
    off_line = find_method(name, MospInstance)
    release = {job.id: job.release for job in instance.jobs}
    left, now = set(release), F(0)
    while left:
        now = max(now, min(release[job] for job in left))
        batch = {job for job in left if release[job] <= now}
        own = Schedule(one for one in made.placements if one.job in batch)
        expected = off_line(batch_at(instance, batch, now), seed=seed)
        assert {one.job: one.start - now for one in own.placements} == {
            one.job: one.start for one in expected.placements
        }
        assert min(one.start for one in own.placements) >= now
        left, now = left - batch, own.makespan


def test_without_releases_there_is_one_batch() -> None:
    for seed in range(10):
        instance = random_grid(seed)
        assert find_method("BATCH(LPT)", MospInstance)(instance) == find_method("LPT", MospInstance)(instance)


def test_an_off_line_method_refuses_what_it_refuses_by_itself() -> None:
    jobs = [RigidJob("a", 1, 1), RigidJob("b", 1, 1, 1)]
    pair = MospInstance([Organization("A", 1, jobs), Organization("B", 1)], None)
    assert starts("BATCH(MOCCA(4))", pair) == {"a": 0, "b": 1}
    held = MospInstance([Organization("A", 1, jobs, [Reservation(3, 4, 1)]), Organization("B", 1)], None)
    with pytest.raises(NotApplicableError, match=r"^MOCCA\(4\) knows no reservations$"):
        find_method("BATCH(MOCCA(4))", MospInstance)(held)
    with pytest.raises(NotApplicableError, match=r"^local wants local schedules$"):
        find_method("BATCH(local)", MospInstance)(alone(jobs, 1))


def test_a_method_in_another_process_does_the_same() -> None:
    instance = alone([RigidJob("a", 4, 1), RigidJob("b", 2, 1, 1)], 2)
    for name in ("LSRC(SPT)", "BATCH(EASY)"):
        method = find_method(name, MospInstance)
        assert pickle.loads(pickle.dumps(method.scheduler))(instance, seed=0) == method(instance)
