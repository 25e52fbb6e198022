"""Heuristics of MOSP: verified schedules, guarantees by class of reservations; batches, orders and cuts by name."""

import re
from fractions import Fraction as F

import pytest

from heuristics.mosp.batches import batch_at
from heuristics.mosp.guarantees import all_fit, high, highest_first_local, static
from heuristics.mosp.mocca_phases import paper_bound
from oas.core.errors import InputError
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.core.schedule import Schedule
from oas.core.verifier import verify
from oas.mosp.bounds.simple import area, longest_job
from oas.mosp.generate.worst_cases import WORST_CASES
from oas.mosp.instance import MospInstance
from oas.mosp.local import LOCAL_ORDERS
from oas.mosp.rules import mosp_violations
from oas.solving.method import NotApplicableError, NotPlacedError
from oas.solving.methods import find_method, toolkit_methods
from tests.mosp.instances import grid, random_grid, random_instance
from tests.slow import every_fourth_quick, mostly_slow

METHODS = {method.name: method for method in toolkit_methods(MospInstance)}
ALWAYS = {"local", "FCFS", "SJF", "BJF", "SPT", "LPT", "HF", "RND", "FCFS-strict", "conservative", "EASY", "ILBA-local"}
LISTS = {"local", *LOCAL_ORDERS}  # compared with bounds that consider reservations
MOCCA = {"MOCCA", "MOCCA-7", "MOCCA-7(4)", "MOCCA(4)", "ILBA", "ILBA(4)"}


def instance_of(seed):
    return random_instance(seed, max_jobs=7) if seed % 5 == 0 else random_grid(seed, static=seed % 7 > 0)


@pytest.mark.parametrize("block", mostly_slow(range(26), quick=range(0, 26, 8)))
def test_schedules_are_verified_and_guarantees_hold(block):
    for seed in range(20 * block, 20 * block + 20):
        instance = instance_of(seed)
        scaled = instance.scaled()
        bound, beside = paper_bound(scaled) * scaled.tick, max(area(instance), longest_job(instance))
        ran = set()
        for name, method in METHODS.items():
            try:
                schedule = method(instance, seed=seed)
            except NotApplicableError:
                continue
            ran.add(name)
            instance_for_it = instance if method.respects_locality else instance.with_locality(None)
            assert not mosp_violations(instance_for_it, schedule), (seed, name)
            guarantee = method.guarantee(instance) if method.guarantee else None
            if guarantee and name != "MOLBA-high":  # whose bound is that of sequential jobs
                proved = beside if name in LISTS else bound
                assert schedule.makespan <= guarantee.value * proved, (seed, name)
        assert ran >= ALWAYS
        is_static = static(instance) is None
        assert (ran >= MOCCA) == (is_static and (all_fit(scaled) or scaled.cluster_count <= 2))
        identical = is_static and len(set(scaled.processors)) == 1
        assert ("MOLBA(2)" in ran) == ("MOLBA(3)" in ran) == (identical and highest_first_local(instance) is None)
        assert ("MOLBA-high" in ran) == (identical and high(instance) is None)


@pytest.mark.parametrize("seed", every_fourth_quick(range(100)))
def test_high_jobs_shared_are_within_their_bound(seed):
    instance = random_grid(seed, equal=True)
    if high(instance) is not None:
        instance = MospInstance(
            [
                Organization(one.id, one.processors, [RigidJob(job.id, job.time, one.processors) for job in one.jobs])
                for one in instance.organizations
            ]
        )
    method = METHODS["MOLBA-high"]
    times, count = [job.time for job in instance.jobs], len(instance.organizations)
    guarantee = method.guarantee(instance) if method.guarantee else None
    assert guarantee and guarantee.value == 2 - F(1, count)
    assert method(instance).makespan <= guarantee.value * max(F(sum(times), count), max(times))


def test_guarantees_are_those_of_the_theorems():
    low = grid((4, [(3, 2), (1, 1)]), (4, [(2, 2)]), (4, []))
    high = grid((4, [(3, 4), (1, 3)]), (4, [(2, 3)]), (4, []))
    wide = grid((4, [(3, 4)]), (2, [(1, 2)]))
    wider = grid((4, [(3, 4)]), (2, [(1, 2)]), (2, []))
    sequential = grid((2, [(3, 1), (1, 1)]), (1, []))
    one = grid((3, [(3, 2), (1, 2)]))
    late = MospInstance([Organization("O", 2, [RigidJob("a", 1, 1, release=3)])])
    expected = {
        "MOCCA": [F(3), F(3), F(3), None, F(3), F(3), None],
        "MOCCA(4)": [F(4), F(4), None, None, F(4), F(4), None],
        "MOLBA(2)": [F(3), None, None, None, None, None, None],
        "MOLBA(3)": [F(4), F(4), None, None, None, F(4), None],
        "MOLBA-high": [None, F(5, 3), None, None, None, F(1), None],
        "ILBA": [None, None, None, None, F(5, 3), None, None],
        "ILBA-local": [None, None, None, None, F(5, 3), None, None],
        "local": [None, None, None, None, None, F(5, 3), None],
        "SPT": [None, None, None, None, None, F(5, 3), None],
    }
    for name, values in expected.items():
        guarantee_of = METHODS[name].guarantee
        assert guarantee_of
        found = [guarantee_of(instance) for instance in (low, high, wide, wider, sequential, one, late)]
        assert [guarantee and guarantee.value for guarantee in found] == values, name
        assert all(guarantee.hypothesis for guarantee in found if guarantee)


def test_mocca_promises_nothing_on_other_local_schedules():
    instance = grid((2, [(1, 1), (3, 1), (1, 2)]), (2, []), local="SPT")
    assert METHODS["MOCCA"].guarantee and METHODS["MOCCA"].guarantee(instance) is None
    given = MospInstance(instance.organizations, local={"J0.0": 5, "J0.1": 9, "J0.2": 1})
    alone = MospInstance(given.organizations[:1], local=given.local)
    assert METHODS["local"].guarantee and METHODS["local"].guarantee(alone) is None


def test_ilba_promises_nothing_where_a_local_schedule_idles():
    idle = MospInstance(grid((1, [(1, 1)])).organizations, local={"J0.0": 3})
    assert METHODS["ILBA-local"].guarantee and METHODS["ILBA-local"].guarantee(idle) is None
    assert METHODS["ILBA-local"](idle).makespan == 4


@pytest.mark.parametrize("seed", [3, 17, 28])
def test_same_seed_same_schedule(seed):
    instance = instance_of(seed)
    for method in METHODS.values():
        try:
            first, second = (method(instance, seed=9) for _ in range(2))
        except (NotApplicableError, NotPlacedError):
            continue
        assert first == second
    orders = {METHODS["RND"](random_grid(1, jobs=30), seed=one).placements for one in range(4)}
    assert len(orders) > 1


@pytest.mark.parametrize("name", sorted(MOCCA | {"MOLBA(2)", "MOLBA(3)", "MOLBA-high"}))
def test_what_a_theory_has_no_place_for_is_said(name):
    late = MospInstance([Organization("O", 2, [RigidJob("a", 1, 2, release=3)])])
    with pytest.raises(NotApplicableError, match=rf"^{re.escape(name)} knows no release dates$"):
        METHODS[name](late)
    held = MospInstance([Organization("O", 2, [RigidJob("a", 1, 2)], [Reservation(3, 4, 1)])])
    with pytest.raises(NotApplicableError, match=rf"^{re.escape(name)} knows no reservations$"):
        METHODS[name](held)
    with pytest.raises(NotApplicableError, match=rf"^{re.escape(name)} requires (every job|clusters of equal size)"):
        METHODS[name](grid((4, [(3, 4)]), (2, [(1, 2)]), (2, [])))


RESERVED_LISTS = ("FCFS", "LPT", "RND", "LSRC(FCFS)", "LSRC(HF)")


def cluster(processors, jobs, *reservations):
    """Jobs (time, processors, release) on one cluster alone."""
    made = [RigidJob(f"J{index}", *job) for index, job in enumerate(jobs)]
    return MospInstance([Organization("C", processors, made, reservations)], None)


def promised(name, instance):
    method = find_method(name, MospInstance)
    guarantee = method.guarantee(instance) if method.guarantee else None
    return guarantee and guarantee.value


EARLY, LATE = Reservation(0, 3, 2), Reservation(2, 6, 2)
JOBS, RELEASED = [(3, 1, 0), (2, 2, 0)], [(3, 1, 0), (2, 2, 1)]


@pytest.mark.parametrize(
    ("instance", "of_lists", "of_batches"),
    [
        (cluster(5, JOBS), F(9, 5), F(9, 5)),
        (cluster(5, RELEASED), None, F(18, 5)),
        (cluster(5, JOBS, EARLY), F(9, 5), F(9, 5)),  # a schedule ends when the reservation does
        (cluster(5, JOBS, Reservation(0, 9, 2)), F(5, 3), F(5, 3)),
        (cluster(5, JOBS, Reservation(0, 9, 2), Reservation(0, 2, 1)), F(5, 3), F(5, 3)),
        (cluster(5, RELEASED, Reservation(0, 9, 2)), None, F(18, 5)),  # the last batch may end after it
        (cluster(5, JOBS, LATE), F(10, 3), F(10, 3)),
        (cluster(5, RELEASED, LATE), None, F(20, 3)),
        (cluster(5, JOBS, EARLY, LATE), None, None),  # at 2 one processor is free, too few for the second job
        (cluster(5, JOBS, Reservation(2, 3, 5)), None, None),
        (cluster(5, RELEASED, Reservation(2, 3, 5)), None, None),
    ],
)
def test_each_class_has_its_ratio(instance, of_lists, of_batches):
    assert [promised(name, instance) for name in RESERVED_LISTS] == [of_lists] * len(RESERVED_LISTS)
    assert [promised(f"BATCH({name})", instance) for name in RESERVED_LISTS] == [of_batches] * len(RESERVED_LISTS)
    for name in ("FCFS-strict", "conservative", "EASY", "BATCH(EASY)", "BATCH(FCFS-strict)"):
        assert promised(name, instance) is None


def test_processors_are_counted_no_earlier_than_the_optimum():
    """At the area bound one processor is free, which would promise the optimum itself: 12, but a list ends at 15."""
    instance = cluster(4, [(1, 1, 0)] * 20 + [(4, 1, 0)], Reservation(0, 8, 3))
    longest, given = (find_method(f"LSRC({order})", MospInstance)(instance).makespan for order in ("LPT", "FCFS"))
    assert (longest, given) == (12, 15)
    assert sum(job.time for job in instance.jobs) / 4 == 6
    assert promised("LSRC(FCFS)", instance) == F(7, 4)


def test_local_schedules_promise_as_lists_do():
    """A single organization with locality: its local schedule around reservations is a list schedule."""
    jobs = [RigidJob("a", 3, 1), RigidJob("b", 2, 2)]
    instance = MospInstance([Organization("C", 5, jobs, [LATE])])
    assert promised("local", instance) == F(10, 3)
    late = MospInstance(instance.organizations, local={"a": 6, "b": 6})
    assert promised("local", late) is None


def test_promises_of_the_papers_instances_are_kept_or_missed_by_little():
    """Proposition 2 is missed by less than 1: the ratio is 2/α - 1 + α/2. Graham's instance reaches its ratio."""
    for k in range(2, 9):
        instance = WORST_CASES["tight-lsrc"].function(k=k)
        assert promised("LSRC(FCFS)", instance) == (2 - F(1, k * k * (k - 1)) if k == 2 else k)
        assert promised("LSRC(FCFS)", WORST_CASES["graham-list"].function(processors=k)) == 2 - F(1, k)


def alone(jobs, processors, *reservations):
    return MospInstance([Organization("C", processors, jobs, reservations)], None)


def starts(name, instance):
    return {one.job: one.start for one in find_method(name, MospInstance)(instance).placements}


@pytest.mark.parametrize("order", LOCAL_ORDERS)
def test_lsrc_is_list_scheduling_in_that_order(order):
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
        ("MOCCA(5/2)", "at least 3"),
        ("MOCCA-7(2.999)", "at least 3"),
        ("MOCCA(x)", "not a number"),
        ("MOCCA(1/0)", "denominator is zero"),
        ("MOLBA(5/2)", "the cuts 2 and 3 only"),
        ("ILBA(3)", "MOCCA-7(α) at any cut α ≥ 3"),
    ],
)
def test_what_is_not_known_is_refused(name, reason):
    with pytest.raises(InputError) as caught:
        find_method(name, MospInstance)
    assert reason in str(caught.value) and str(caught.value).startswith("heuristic: ")


def test_what_is_released_during_a_batch_waits_for_its_end():
    jobs = [RigidJob("a", 4, 1), RigidJob("b", 2, 1, 1), RigidJob("c", 1, 2, 2), RigidJob("d", 1, 1, 9)]
    instance = alone(jobs, 2)
    assert starts("FCFS", instance) == {"a": 0, "b": 1, "c": 4, "d": 9}
    assert starts("BATCH(FCFS)", instance) == {"a": 0, "b": 4, "c": 6, "d": 9}
    assert starts("BATCH(SPT)", instance) == {"a": 0, "c": 4, "b": 5, "d": 9}
    longer = alone([*jobs[:3], RigidJob("d", 1, 1, 7)], 2)  # as the second batch ends
    assert starts("BATCH(FCFS)", longer)["d"] == 7


def test_reservations_hold_in_every_batch():
    jobs = [RigidJob("a", 3, 1), RigidJob("b", 2, 2, 1), RigidJob("c", 2, 1, 1)]
    instance = alone(jobs, 2, Reservation(2, 5, 1), Reservation(6, 7, 1), Reservation(F(1, 2), 1, 1))
    batch = batch_at(instance, {"b", "c"}, F(3))
    assert batch.reserved == [(0, 2, 1), (3, 4, 1)]
    assert [(job.id, job.release) for job in batch.jobs] == [("b", 0), ("c", 0)]
    # Of the processors one is reserved until 5, so "c" goes first, and "b" fits where both are free.
    assert starts("BATCH(FCFS)", instance) == {"a": 0, "c": 3, "b": 7}
    assert not verify(instance, find_method("BATCH(FCFS)", MospInstance)(instance))


@pytest.mark.parametrize("seed", every_fourth_quick(range(32)))
def test_batches_are_what_their_definition_says(seed):
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


def test_an_off_line_method_refuses_what_it_refuses_by_itself():
    jobs = [RigidJob("a", 1, 1), RigidJob("b", 1, 1, 1)]
    pair = MospInstance([Organization("A", 1, jobs), Organization("B", 1)], None)
    assert starts("BATCH(MOCCA(4))", pair) == {"a": 0, "b": 1}
    held = MospInstance([Organization("A", 1, jobs, [Reservation(3, 4, 1)]), Organization("B", 1)], None)
    with pytest.raises(NotApplicableError, match=r"^MOCCA\(4\) knows no reservations$"):
        find_method("BATCH(MOCCA(4))", MospInstance)(held)
    with pytest.raises(NotApplicableError, match=r"^local requires local schedules$"):
        find_method("BATCH(local)", MospInstance)(alone(jobs, 1))


CUTS = ("3", "10/3", "3.5", "4", "9/2", "5", "100")


@pytest.mark.parametrize("block", every_fourth_quick(range(8)))
def test_batches_schedules_are_verified_and_guarantees_hold(block):
    for seed in range(25 * block, 25 * block + 25):
        instance = random_grid(seed, static=seed % 7 > 0)
        scaled = instance.scaled()
        bound = paper_bound(scaled) * scaled.tick
        for cut in CUTS:
            for family in ("MOCCA", "MOCCA-7"):
                method = find_method(f"{family}({cut})", MospInstance)
                guarantee = method.guarantee(instance) if method.guarantee else None
                promised = family == "MOCCA" and F(cut) >= 4 and static(instance) is None and all_fit(scaled)
                assert (guarantee is not None) == promised
                try:
                    schedule = method(instance, seed=seed)
                except NotApplicableError:
                    assert static(instance) is not None or not all_fit(scaled)
                    continue
                except NotPlacedError:
                    assert not promised
                    continue
                assert schedule.method == method.name
                assert not verify(instance, schedule), (seed, method.name)
                assert guarantee is None or guarantee.value == F(cut)
                # By construction, even without the theorem: no job ends after α · LB.
                assert schedule.makespan <= F(cut) * bound
