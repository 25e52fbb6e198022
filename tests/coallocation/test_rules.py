"""The verifier of co-allocation, with saturation forbidden and with slowdown: by hand and against a naive checker."""

from collections import Counter
from fractions import Fraction as F
from functools import cache
from random import Random

import pytest

from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.generate import saturated
from tests.coallocation.grids import NODES, four_jobs
from tests.coallocation.mutations import MUTATIONS
from tests.coallocation.naive import naive_accepts, random_slowed_schedule
from tests.core.mutations import swap
from tests.slow import at_least, draws
from tests.strategies import make_any_schedule, random_instance

HAIR = F(1, 10**30)


def test_agrees_with_the_naive_checker_on_random_schedules():
    answers = Counter()
    broken = Counter()
    for seed in range(draws(1000)):
        instance = random_instance(seed)
        schedule = make_any_schedule(Random(seed), instance)
        violations = verify(instance, schedule)
        assert naive_accepts(instance, schedule) == (not violations), seed
        answers[not violations] += 1
        broken.update({violation.rule for violation in violations})
    assert min(answers[True], answers[False]) > at_least(130)
    assert min(broken[rule] for rule in ("capacity", "link", "duration", "tasks", "start", "grid")) > at_least(16)


def split_jobs(link, *bandwidths, slot=0):
    """Two clusters of three nodes; a job of two tasks split evenly loads both links with its per-task bandwidth."""
    clusters = [Cluster(name, [NodeGroup(3, 1)], link) for name in "AB"]
    return CoallocationInstance(clusters, [Job(f"J{n}", 2, 2, width) for n, width in enumerate(bandwidths)], slot=slot)


def split_runs(*starts):
    return Schedule(Placement(f"J{n}", start, F(start) + 2, {"A": [n], "B": [n]}) for n, start in enumerate(starts))


THIRDS = ("1/3", "1/3", "1/3")
OVER = ("1/3", "1/3", F(1, 3) + HAIR)
AT_HOME = Schedule([Placement("J0", 0, 2, {"A": [0, 1]}), Placement("J1", 0, 2, {"B": [0, 2]})])


@pytest.mark.parametrize(
    ("instance", "schedule", "rules"),
    [
        pytest.param(split_jobs(1, *THIRDS), split_runs(0, 0, 0), [], id="a link exactly full"),
        pytest.param(split_jobs(1, *OVER), split_runs(0, 0, 0), ["link", "link"], id="a hair more"),
        pytest.param(split_jobs(1, *OVER), split_runs(0, 0, 2), [], id="the third later"),
        pytest.param(split_jobs(1, 1, 1), split_runs(0, 2), [], id="a link free when a job ends"),
        pytest.param(split_jobs(1, 1, 1), split_runs(0, 2 - HAIR), ["link", "link"], id="a hair before"),
        pytest.param(split_jobs(2, 1, 1, 1), split_runs(0, 1, 2), [], id="two of three at a time"),
        pytest.param(split_jobs(2, 1, 1, 1), split_runs(0, "1/2", 1), ["link", "link"], id="a peak inside a run"),
        pytest.param(split_jobs(0, 5, 5), AT_HOME, [], id="a job on one cluster needs no link"),
        pytest.param(split_jobs(0, 5, 5), split_runs(0, 2), ["link"] * 4, id="split jobs need one"),
        pytest.param(split_jobs(0, 0, 0), split_runs(0, 0), [], id="no bandwidth passes a link of none"),
        pytest.param(split_jobs(9, 0, slot="0.1"), split_runs("0.3"), [], id="0.3 is on the grid of 0.1"),
        pytest.param(split_jobs(9, 0, slot="0.1"), split_runs(F(3, 10) + HAIR), ["grid"], id="a hair beside the grid"),
    ],
)
def test_links_and_grid_to_the_hair(instance, schedule, rules):
    assert [violation.rule for violation in verify(instance, schedule)] == rules


def test_a_node_is_free_at_the_moment_a_job_ends():
    instance = split_jobs(9, 0, 0)

    def second_at(start):
        return Schedule([Placement("J0", 0, 2, {"A": [0, 1]}), Placement("J1", start, start + 2, {"A": [1, 2]})])

    assert verify(instance, second_at(F(2))) == []
    (found,) = verify(instance, second_at(2 - HAIR))
    assert (found.rule, found.jobs) == ("capacity", ("J0", "J1")) and "node 1 of cluster A" in found.message


@pytest.mark.parametrize(
    ("slot", "nodes", "time"),
    [
        (0, {"A": [0, 1]}, F(1)),
        (0, {"A": [0], "B": [0]}, F(37, 30)),
        (0, {"A": [1], "B": [1]}, F(17, 10)),
        (0, {"B": [0, 1]}, F(17, 10)),
        # Half-used slots stay taken: 1.7 at η = 1.7 is one slot exactly, at η = 1.6 two.
        ("1.7", {"B": [0, 1]}, F(17, 10)),
        ("1.6", {"B": [0, 1]}, F(32, 10)),
        ("0.85", {"B": [0, 1]}, F(17, 10)),
        ("5", {"B": [0, 1]}, F(5)),
    ],
)
def test_duration_follows_the_slowest_node_in_whole_slots(slot, nodes, time):
    clusters = [Cluster("A", [NodeGroup(2, 1)], 9), Cluster("B", [NodeGroup(1, "0.75"), NodeGroup(1, "0.5")], 9)]
    instance = CoallocationInstance(clusters, [Job("J", 2, 1, sigma="0.7")], slot=slot)
    assert verify(instance, Schedule([Placement("J", 0, time, nodes)])) == []
    for wrong in (time - HAIR, time + HAIR):
        (found,) = verify(instance, Schedule([Placement("J", 0, wrong, nodes)]))
        assert found.rule == "duration"


def test_every_violation_is_listed_at_once():
    instance = split_jobs(0, 1, 1, 1, slot=1)
    schedule = Schedule(
        [
            Placement("J0", F(-1, 2), 2, {"A": [0], "B": [0, 7]}),
            Placement("J1", 0, 2, {"A": [1], "B": [1], "C": [0]}),
            Placement("J9", 0, 2, {}),
            Placement("J1", 0, 2, {"A": [1], "B": [1]}),
            Placement("J1", 1, 3, {"A": [1], "B": [1]}),
        ]
    )
    names = "unknown_job missing_job duplicate_job unknown_cluster unknown_node tasks start grid duration capacity link"
    assert {violation.rule for violation in verify(instance, schedule)} == set(names.split())


SLOWDOWN, MAX_MIN = {"policy": "slowdown"}, {"policy": "slowdown", "sharing": "max-min"}
BOTH = (SLOWDOWN, MAX_MIN)


def broken(instance, schedule):
    return [(violation.rule, violation.jobs) for violation in verify(instance, schedule)]


def runs(**spans):
    return Schedule(Placement(name, *span, NODES[name]) for name, span in spans.items())


@pytest.mark.parametrize("policy", BOTH)
def test_the_four_jobs(policy):
    best = runs(A=(0, "32/3"), D=(0, "38/3"), C=("26/3", "64/3"), B=("32/3", "64/3"))
    at_ends = runs(A=(0, 10), D=(0, 12), B=(10, 21), C=(10, 22))  # B and D share R for 2: B is 1 behind
    assert verify(four_jobs(policy), best) == []
    assert broken(four_jobs(), best)[-2:] == [("link", ("A", "C")), ("link", ("D", "B"))]
    # From 10 on D has 2 of 12 left, at 2/3 of its speed: until 13. B has 8 of 10 left then.
    assert broken(four_jobs(policy), at_ends) == [("duration", ("D",)), ("duration", ("B",))]
    assert verify(four_jobs(policy), runs(A=(0, 10), D=(0, 13), B=(10, 21), C=(10, 22))) == []
    assert verify(four_jobs(policy), runs(A=(0, 10), B=(12, 22), C=(10, 22), D=(0, 12))) == []


@pytest.mark.parametrize(("sigma", "time"), [(F(0), 6), (F(1, 2), 4), (F(1), 2)])
@pytest.mark.parametrize("policy", BOTH)
def test_a_job_alone_saturates_a_link(policy, sigma, time):
    clusters = [Cluster(name, [NodeGroup(1, 1)], F(1, 3)) for name in "AB"]
    instance = CoallocationInstance(clusters, [Job("J", 2, 2, 1, sigma)], saturation=policy)
    assert verify(instance, Schedule([Placement("J", 0, time, {"A": [0], "B": [0]})])) == []
    late = Schedule([Placement("J", 0, time + F(1, 9), {"A": [0], "B": [0]})])
    assert broken(instance, late) == [("duration", ("J",))]


def test_max_min_gives_away_what_is_left():
    """J1 and J2 meet on B, where J2 asks for 2 more; what J1 cannot use of A is J0's, unlike under the paper's rule."""
    clusters = [Cluster(name, [NodeGroup(2, 1)], own) for name, own in (("A", 2), ("B", 1), ("C", 9))]
    jobs = [Job(f"J{index}", 2, 4, 2, 0) for index in range(3)]
    places = [{"A": [0], "C": [0]}, {"A": [1], "B": [0]}, {"B": [1], "C": [1]}]

    def ends(*times):
        return Schedule(Placement(f"J{k}", 0, end, places[k]) for k, end in enumerate(times))

    # paper: J0 at 1/2, J1 and J2 at 1/4 of their speed. max-min: J0 at 3/4, then as the others.
    assert verify(CoallocationInstance(clusters, jobs, saturation=SLOWDOWN), ends(8, 16, 16)) == []
    assert verify(CoallocationInstance(clusters, jobs, saturation=MAX_MIN), ends(F(16, 3), 16, 16)) == []
    assert len(verify(CoallocationInstance(clusters, jobs, saturation=MAX_MIN), ends(8, 16, 16))) == 1


@cache
def drawn(seed, slot=None):
    rng = Random(seed)
    instance = saturated(
        seed=seed,
        jobs=rng.randint(2, 5),
        clusters=rng.randint(2, 4),
        slot=rng.choice((0, 0, 1, "2/3")) if slot is None else slot,
        threshold=rng.choice((None, None, "1/2", "3/4", 1)),
        sharing=rng.choice(("paper", "max-min")),
    )
    return instance, random_slowed_schedule(rng, instance)


def test_a_changed_start_or_end_is_found_in_what_starts_make():
    slower = 0
    for seed in range(draws(100)):
        instance, schedule = drawn(seed)
        assert verify(instance, schedule) == [], seed
        slower += bool(verify(instance.with_saturation("forbid"), schedule))
        one = Random(seed).choice(schedule.placements)
        step = instance.slot or (one.end - one.start) / 3
        for changes in ({"end": one.end + step}, {"end": one.end - step}):
            assert ("duration", (one.job,)) in broken(instance, swap(schedule, one, **changes)), seed
        late = swap(schedule, one, start=one.start + step / 3)
        assert ("grid" if instance.slot else "duration", (one.job,)) in broken(instance, late), seed
        if not instance.slot:
            assert ("duration", (one.job,)) in broken(instance, swap(schedule, one, start=one.start - step))
        earlier = swap(schedule, one, start=-step, end=one.end - one.start - step)
        assert ("start", (one.job,)) in broken(instance, earlier)
    assert slower > at_least(35)  # otherwise no link was saturated


KEPT = [(rule, mutation) for rule, mutation, _ in MUTATIONS if rule not in ("link", "duration")]


@pytest.mark.parametrize(("rule", "mutation"), KEPT, ids=[one[1].__name__ for one in KEPT])
def test_the_other_rules_stay(rule, mutation):
    made = [mutation(Random(seed), *drawn(seed)) for seed in range(60)]
    rejected = [{found for found, _ in broken(*one)} for one in made if one is not None]
    assert len(rejected) >= 5 and all(rule in found for found in rejected)
