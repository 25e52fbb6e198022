"""Plans as they run and how fast jobs progress: by hand, by definition, and what any plan promises."""

from fractions import Fraction as F
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heuristics.coallocation.list_scheduling import QUEUE_METHODS as LISTS
from oas.coallocation.execution import Event, execute
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.metrics import executed, executed_if_short
from oas.coallocation.rates import rate, rates, slowdowns
from oas.coallocation.running import ends_of, schedule_from_starts, starts_from_schedule
from oas.coallocation.saturation import Saturation
from oas.core.errors import InputError, LongTimesError
from oas.core.numbers import ceil_to
from oas.core.schedule import Placement, Schedule
from oas.core.schedule_metrics import compaction
from oas.core.verifier import verify
from oas.generate import saturated
from tests.coallocation.grids import four_jobs, plan, started
from tests.coallocation.naive import naive_accepts, naive_load
from tests.core.mutations import nodes_of
from tests.slow import draws
from tests.strategies import instances_with_schedule, random_feasible_schedule, random_instance


def test_rates_by_hand():
    instance = four_jobs("slowdown")
    a, _, c, d = ((run.job, run.allocation) for run in started(instance, [0] * 4))
    assert rates(instance, [a]) == [F(1, 10)]
    assert rates(instance, [a, c]) == [F(1, 15), F(1, 18)]  # Q carries 2 of 1: SC = 2 for both
    assert rates(instance, [a, d]) == [F(1, 10), F(1, 12)]
    assert rate(Job("x", 1, 4, 0, F(1, 2)), F(1, 2), F(3)) == F(1, 10)


LINKS = st.integers(1, 4)


@given(st.data())
def test_sharing_holds_what_it_promises(data):
    links, jobs = data.draw(LINKS), data.draw(LINKS)
    bandwidth = data.draw(st.lists(st.integers(1, 9), min_size=links, max_size=links))
    row = st.lists(st.integers(0, 6), min_size=links, max_size=links)
    demands = data.draw(st.lists(row, min_size=jobs, max_size=jobs))
    plain, fair = (slowdowns(one, bandwidth, demands) for one in ("paper", "max-min"))
    for shares in ([1 / one for one in plain], [1 / one for one in fair]):
        for link, own in enumerate(bandwidth):
            assert sum(share * row[link] for share, row in zip(shares, demands, strict=True)) <= own
    assert all(1 <= one <= other for one, other in zip(fair, plain, strict=True))
    for share, row in zip(fair, demands, strict=True):  # held up only by a full link on which nobody is faster
        full = [
            link
            for link, own in enumerate(bandwidth)
            if sum(1 / one * other[link] for one, other in zip(fair, demands, strict=True)) == own
        ]
        assert share == 1 or any(
            row[link] and all(not other[link] or one >= share for one, other in zip(fair, demands, strict=True))
            for link in full
        )
    # Under the paper's sharing fewer jobs are no slower.
    fewer = slowdowns("paper", bandwidth, demands[1:])
    assert all(one <= other for one, other in zip(fewer, plain[1:], strict=True))


def test_starts_without_room():
    with pytest.raises(InputError, match="the load of the link of cluster Q exceeds its limit as job C starts at 3"):
        ends_of(four_jobs(), started(four_jobs(), [0, 20, 3, 20]))
    with pytest.raises(InputError, match="job B finds 0 of 1 nodes free at 5"):
        schedule_from_starts(four_jobs("slowdown"), started(four_jobs("slowdown"), [0, 5, 20, 20]))


POLICIES = [
    Saturation(),
    *(Saturation("slowdown", limit, sharing) for limit in (None, F(1, 2), 1) for sharing in ("paper", "max-min")),
]


def times(ran):
    return {one.job: (one.start, one.end) for one in ran.placements}


def random_plan(seed, policy):
    """An instance under a policy, and a plan that may break every rule of time."""
    rng = Random(seed)
    instance = (
        saturated(seed=seed, jobs=rng.randint(2, 7), slot=rng.choice((0, 1, F(3, 2))))
        if seed % 2
        else random_instance(seed, max_jobs=6)
    )
    if seed % 3:
        made = random_feasible_schedule(instance.with_saturation("forbid"), seed)
    else:
        made = LISTS[seed % 6](instance.with_saturation("forbid"))
    return instance.with_saturation(policy), made


def test_the_four_jobs():
    instance = four_jobs("slowdown")
    best = plan((0, F(32, 3), F(26, 3), 0))
    kept = execute(instance, best, keep_starts=True)
    assert times(kept.schedule) == {
        "A": (0, F(32, 3)),
        "B": (F(32, 3), F(64, 3)),
        "C": (F(26, 3), F(64, 3)),
        "D": (0, F(38, 3)),
    }
    assert [(one.start, one.end, one.load, one.degree) for one in kept.links["Q"]] == [
        (0, F(26, 3), 1, 1),
        (F(26, 3), F(32, 3), 2, 2),
        (F(32, 3), F(64, 3), 1, 1),
    ]
    assert kept.saturated("Q") == kept.saturated("R") == 2 and kept.saturated("P") == 0
    assert kept.slowdowns == {"A": F(16, 15), "B": F(16, 15), "C": F(19, 18), "D": F(19, 18)}
    assert kept.greatest_slowdown == F(16, 15) and kept.mean_slowdown == F(191, 180)
    assert kept.events[:4] == (
        Event(F(0), "start", "A"),
        Event(F(0), "start", "D"),
        Event(F(26, 3), "start", "C"),
        Event(F(32, 3), "end", "A"),
    )
    early = execute(instance, best).schedule
    assert early.makespan > F(64, 3) and early["C"].start == 0  # C slows A down
    assert early.method == "by hand"
    assert execute(instance.with_saturation("forbid"), best).schedule.makespan == 22


def earliest_start(instance, plan, keep, ran, name):
    """Return the first moment at which a job may start beside what else ran, by the words of `execute`.

    That is when those before it on its nodes have ended, those before it on its links have started, and no link is
    asked for more than it may be; looked at where anything starts or ends.
    """
    index = {job.id: number for number, job in enumerate(instance.jobs)}
    rank = sorted(index, key=lambda job: (plan[job].start, index[job]))
    before = [plan[job] for job in rank[: rank.index(name)]]
    slot, own = instance.slot, plan[name]
    planned = ceil_to(max(own.start, F(0)), slot) if keep else F(0)
    shared = [ran[one.job].end for one in before if nodes_of(one) & nodes_of(own)]
    queued = [ran[one.job].start for one in before if set(asked(instance, one)) & set(asked(instance, own))]
    since = max([planned, *shared, *queued])
    moments = sorted({since, *(moment for one in ran.placements for moment in (one.start, one.end) if moment > since)})

    def fits(moment):
        beside = [one for one in ran.placements if one.job != name and one.start <= moment < one.end]
        # Of those that start just then, those before it in the plan come first.
        beside = [one for one in beside if one.start < moment or rank.index(one.job) < rank.index(name)]
        for link, load in asked(instance, own).items():
            total = load + sum((asked(instance, one).get(link, F(0)) for one in beside), F(0))
            limit = instance.saturation.limit(link.bandwidth)
            if limit is not None and total > limit:
                return False
        return True

    return next(moment for moment in moments if fits(moment))


def asked(instance, placement):
    """What a job asks of each link that it loads."""
    job = next(job for job in instance.jobs if job.id == placement.job)
    loads = {one: naive_load(job, len(placement.nodes.get(one.id, ()))) for one in instance.clusters}
    return {link: load for link, load in loads.items() if load}


@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_jobs_start_as_early_as_the_order_allows_and_what_ran_can_be_run(policy):
    for seed in range(draws(30)):
        instance, made = random_plan(seed, policy)
        for keep in (False, True):
            ran = execute(instance, made, keep_starts=keep).schedule
            for job, (start, _) in times(ran).items():
                assert start == earliest_start(instance, made, keep, ran, job)
            assert ends_of(instance, starts_from_schedule(instance, ran)) == [ran[job.id].end for job in instance.jobs]
            assert verify(instance, ran) == []
            assert all(ran[one.job].nodes == one.nodes for one in made.placements)
            assert not keep or all(ran[one.job].start >= one.start for one in made.placements)
            assert execute(instance, ran, keep_starts=True).schedule == ran


def test_a_threshold_of_1_forbids():
    for seed in range(draws(40)):
        instance, made = random_plan(seed, "forbid")
        for keep in (False, True):
            ran = execute(instance, made, keep_starts=keep)
            for sharing in ("paper", "max-min"):
                other = execute(instance.with_saturation(Saturation("slowdown", 1, sharing)), made, keep_starts=keep)
                assert (other.schedule, other.events, other.links) == (ran.schedule, ran.events, ran.links)
            assert set(ran.slowdowns.values()) == {F(1)} and not any(map(ran.saturated, dict(instance.cluster_sizes)))
        assert all(execute(instance, made).schedule[one.job].end <= one.end for one in made.placements)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda runs: runs[1:], "plan: job A does not run"),
        (lambda runs: [*runs, Placement("E", 0, 1, {"P": [0]})], "plan: job E is not in the instance"),
        (lambda runs: [*runs[1:], Placement("A", 0, 1, {"X": [0], "P": [0]})], "plan: job A uses cluster X, which"),
        (lambda runs: [*runs[1:], Placement("A", 0, 1, {"P": [7], "Q": [0]})], "plan: job A uses number 7 of cluster"),
        (lambda runs: [*runs[1:], Placement("A", 0, 1, {"Q": [0, 0]})], r"2 tasks but 1 distinct nodes \(2 named\)"),
        (lambda runs: [*runs[1:], Placement("A", 0, 1, {"P": [0]})], r"2 tasks but 1 distinct nodes \(1 named\)"),
    ],
)
def test_plans_of_something_else(change, message):
    runs = list(plan((0, 1, 2, 3)).placements)
    with pytest.raises(InputError, match=message):
        execute(four_jobs(), Schedule(change(runs)))


def test_a_job_that_no_link_carries_alone():
    with pytest.raises(InputError, match="plan: job A alone exceeds the limit of the link of cluster P"):
        execute(four_jobs("slowdown", bandwidth=(0, 9, 9, 9)), plan((0, 1, 2, 3)))


@given(instances_with_schedule(max_jobs=6))
def test_executed_starts_each_job_as_early_as_can_be(drawn):
    """Feasible without slots, on the same nodes, no later; no moment after its nodes' last job would do earlier."""
    instance, schedule = drawn
    done = executed(instance, schedule)
    continuous = instance.with_slot(0)
    assert verify(continuous, done) == [] and done.method == schedule.method
    assert 0 < compaction(instance, schedule) <= 1 and 0 < compaction(continuous, done) <= 1
    index = {job.id: number for number, job in enumerate(instance.jobs)}
    before = []
    for placement in sorted(schedule.placements, key=lambda one: (one.start, index[one.job])):
        own = done[placement.job]
        assert own.end <= placement.end and own.start <= placement.start and own.nodes == placement.nodes
        earliest = max((one.end for one in before if nodes_of(one) & nodes_of(own)), default=F(0))
        moments = {earliest, *(one.end for one in before), *(one.start for one in before)}
        for moment in sorted(moment for moment in moments if earliest <= moment < own.start):
            tried = Placement(own.job, moment, moment + own.duration, own.nodes)
            assert not naive_accepts(continuous, Schedule([*before, tried]), partial=True)
        before.append(own)


def test_executed_by_hand():
    """η = 2. J1 (Tb 3, σ 1) on both nodes of A holds two slots; J2 (Tb 1) waits for A; J3 on slow B0 takes 2·Tb."""
    clusters = [Cluster("A", [NodeGroup(2, 1)], 1), Cluster("B", [NodeGroup(1, "0.5"), NodeGroup(1, 1)], 1)]
    instance = CoallocationInstance(clusters, [Job("J1", 2, 3), Job("J2", 1, 1), Job("J3", 1, "1.5")], slot=2)
    places = {"J1": (0, 4, {"A": [0, 1]}), "J2": (4, 6, {"A": [0]}), "J3": (2, 6, {"B": [0]})}
    schedule = Schedule([Placement(name, *place) for name, place in places.items()])
    assert compaction(instance, schedule) == F(2 * 4 + 1 * 2 + 1 * 4, 4 * 6)
    done = executed(instance, schedule)
    assert times(done) == {"J1": (0, 3), "J2": (3, 4), "J3": (0, 3)}
    assert compaction(instance, done) == F(2 * 3 + 1 * 1 + 1 * 3, 4 * 4)
    assert compaction(instance, Schedule([])) == 0 and executed(instance, Schedule([])) == Schedule([])


@pytest.mark.parametrize("saturation", ["forbid", "slowdown"])
def test_times_too_long_for_files_are_not_executed(saturation):
    """On a grid of slots times may be fractions of any denominator; without it they add up."""
    jobs = [Job(f"J{number}", 1, F(10**38 + number, 10**38 + 2 * number + 1)) for number in range(9)]
    instance = CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 1)], jobs, slot=2, saturation=saturation)
    schedule = Schedule([Placement(job.id, 2 * number, 2 * number + 2, {"A": [0]}) for number, job in enumerate(jobs)])
    assert verify(instance, schedule) == []
    assert executed_if_short(instance, schedule) is None
    if saturation == "forbid":
        with pytest.raises(LongTimesError, match="slot: exact times need more than 40 digits"):
            executed(instance, schedule)
