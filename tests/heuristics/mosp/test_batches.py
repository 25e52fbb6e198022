"""Methods by a name with another or a number in it: LSRC(order), BATCH(method), MOCCA(α), MOLBA(α)."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.mosp.batches import batch_at
from heuristics.mosp.guarantees import all_fit, is_static
from heuristics.mosp.ticks import GLOBAL_ORDERS, paper_bound
from heuristics.registry import find_method
from oas.core.errors import InputError
from oas.core.schedule import Schedule
from oas.core.verifier import verify
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


def test_an_off_line_method_refuses_what_it_refuses_by_itself() -> None:
    jobs = [RigidJob("a", 1, 1), RigidJob("b", 1, 1, 1)]
    pair = MospInstance([Organization("A", 1, jobs), Organization("B", 1)], None)
    assert starts("BATCH(MOCCA(4))", pair) == {"a": 0, "b": 1}
    held = MospInstance([Organization("A", 1, jobs, [Reservation(3, 4, 1)]), Organization("B", 1)], None)
    with pytest.raises(NotApplicableError, match=r"^MOCCA\(4\) knows no reservations$"):
        find_method("BATCH(MOCCA(4))", MospInstance)(held)
    with pytest.raises(NotApplicableError, match=r"^local wants local schedules$"):
        find_method("BATCH(local)", MospInstance)(alone(jobs, 1))


CUTS = ("3", "10/3", "3.5", "4", "9/2", "5", "100")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("MOCCA(5/2)", "at least 3"),
        ("MOCCA-7(2.999)", "at least 3"),
        ("MOCCA(-3)", "at least 3"),
        ("MOCCA(x)", "not a number"),
        ("MOCCA()", "not a number"),
        ("MOCCA(1/0)", "denominator is zero"),
        ("MOLBA(5/2)", "the cuts 2 and 3 only"),
        ("ILBA(3)", "MOCCA-7(α) at any cut α ≥ 3"),
    ],
)
def test_other_cuts_are_refused(name: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        find_method(name, MospInstance)
    assert reason in str(caught.value) and str(caught.value).startswith("heuristic: ")


@pytest.mark.parametrize("block", every_fourth_quick(range(8)))
def test_schedules_are_verified_and_guarantees_hold(block: int) -> None:
    for seed in range(25 * block, 25 * block + 25):
        instance = random_grid(seed, static=seed % 7 > 0)
        scaled = instance.scaled()
        bound = paper_bound(scaled) * scaled.tick
        for cut in CUTS:
            for family in ("MOCCA", "MOCCA-7"):
                method = find_method(f"{family}({cut})", MospInstance)
                guarantee = method.guarantee(instance) if method.guarantee else None
                promised = family == "MOCCA" and F(cut) >= 4 and is_static(scaled) and all_fit(scaled)
                assert (guarantee is not None) == promised
                try:
                    schedule = method(instance, seed=seed)
                except NotApplicableError:
                    assert not is_static(scaled) or not all_fit(scaled)
                    continue
                except NotPlacedError:
                    assert not promised
                    continue
                assert schedule.method == method.name
                assert not verify(instance, schedule), (seed, method.name)
                assert guarantee is None or guarantee.value == F(cut)
                # By construction, theorem or not: nothing is left to end after α · LB.
                assert schedule.makespan <= F(cut) * bound
