import math
from fractions import Fraction as F
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.core.errors import TooLargeError
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.ticks import MAX_TICKS, ScaledCoallocation, duration, link_load
from tests.problems.coallocation.naive import naive_load, naive_time
from tests.strategies import instances

JOBS = st.builds(
    Job,
    id=st.just("J"),
    tasks=st.integers(1, 12),
    base_time=st.fractions(F(1, 50), 40, max_denominator=50),
    bandwidth=st.fractions(0, 20, max_denominator=20),
    sigma=st.fractions(0, 1, max_denominator=20),
)
POWERS = st.fractions(F(1, 20), 1, max_denominator=20)


@pytest.mark.parametrize(("power", "factor"), [("1", F(1)), ("0.75", F(37, 30)), ("0.5", F(17, 10))])
def test_the_papers_slowdowns(power: str, factor: F) -> None:
    """σ = 0.7 on Γ = 1, 0.75, 0.5: ct = 1, 37/30, 1.7; in whole slots of the mean base time 1, 2, 2."""
    job = Job("J", 4, 670000, sigma="0.7")
    assert duration(job, F(power), F(0)) == 670000 * factor
    assert duration(job, F(power), F(670000)) == 670000 * math.ceil(factor)


@given(JOBS, POWERS, st.sampled_from([F(0), F(1, 3), F(1), F(7, 4)]))
def test_durations_equal_the_naive_ones(job: Job, power: F, slot: F) -> None:
    instance = CoallocationInstance([Cluster("A", [NodeGroup(12, power)], 0)], [job], slot=slot)
    assert duration(job, power, slot) == naive_time(instance, job, [power])


@given(JOBS, POWERS, st.fractions(F(1, 50), 50, max_denominator=50))
def test_slots_round_up_by_less_than_one(job: Job, power: F, slot: F) -> None:
    held, needed = duration(job, power, slot), duration(job, power, F(0))
    assert (held / slot).denominator == 1
    assert held - slot < needed <= held


@given(JOBS, POWERS, POWERS, st.sampled_from([F(0), F(1, 3), F(2)]))
def test_slower_nodes_never_shorten_a_job(job: Job, one: F, two: F, slot: F) -> None:
    slow, fast = min(one, two), max(one, two)
    assert duration(job, slow, slot) >= duration(job, fast, slot) > 0


def test_ceil_is_exact_where_floats_go_wrong() -> None:
    """Durations that are whole slots exactly, which floats push over the edge into one slot more."""
    wrong = []
    for base_time in range(1, 400):
        slots = F(base_time) * F(17, 10) / F(3, 10)
        in_floats = math.ceil(base_time * (0.7 / 0.5 + 1 - 0.7) / 0.3)
        if slots.denominator == 1 and in_floats != slots:
            wrong.append(base_time)
            job = Job("J", 1, base_time, sigma="0.7")
            assert duration(job, F(1, 2), F(3, 10)) == base_time * F(17, 10)
            cluster = Cluster("A", [NodeGroup(1, "0.5")], 0)
            scaled = CoallocationInstance([cluster], [job], slot="0.3").scaled()
            assert scaled.durations == ((int(slots),),)
            assert in_floats == slots + 1
    assert 87 in wrong  # 87 · 1.7 / 0.3 = 493; floats say 494
    assert len(wrong) > 5


def test_ceil_is_exact_a_hair_above_a_slot() -> None:
    """Just above a slot's end one more is held, however small the excess; floats drop it."""
    excess = F(1, 10**30)
    job = Job("J", 1, 10 + excess)
    assert math.ceil(float(job.base_time)) == 10
    assert duration(job, F(1), F(1)) == 11


@given(JOBS)
def test_link_load_is_equation_4(job: Job) -> None:
    loads = [link_load(job, count) for count in range(job.tasks + 1)]
    assert loads == [naive_load(job, count) for count in range(job.tasks + 1)]
    assert loads[0] == loads[-1] == 0
    assert loads == loads[::-1]
    assert all(2 * b >= a + c for a, b, c in zip(loads, loads[1:], loads[2:], strict=False))
    if job.tasks > 1:
        assert loads[1] == job.bandwidth


def test_link_load_of_a_single_task_is_nothing() -> None:
    job = Job("J", 1, 5, bandwidth=1000)
    assert [link_load(job, count) for count in (0, 1)] == [0, 0]


def test_link_loads_by_hand() -> None:
    job = Job("J", 4, 5, bandwidth=3)
    assert [link_load(job, count) for count in range(5)] == [0, 3, 4, 3, 0]


@given(instances())
def test_scaled_times_are_exact(instance: CoallocationInstance) -> None:
    scaled = instance.scaled()
    assert scaled.powers == tuple(sorted({p for c in instance.clusters for p in c.node_powers}, reverse=True))
    assert scaled.job_count == len(instance.jobs)
    assert scaled.tasks == tuple(job.tasks for job in instance.jobs)
    for job, row in zip(instance.jobs, scaled.durations, strict=True):
        assert all(type(ticks) is int for ticks in row)
        assert [scaled.to_time(ticks) for ticks in row] == [naive_time(instance, job, [p]) for p in scaled.powers]
    if instance.slot:
        assert scaled.tick == instance.slot
    else:
        assert scaled.tick.numerator == 1


@given(instances())
def test_classes_partition_the_nodes(instance: CoallocationInstance) -> None:
    scaled = instance.scaled()
    assert scaled.cluster_count == len(instance.clusters)
    found = {}
    for one in scaled.classes:
        for number in one.nodes:
            assert (one.cluster, number) not in found
            found[one.cluster, number] = scaled.powers[one.level]
    assert found == {
        (index, number): power
        for index, cluster in enumerate(instance.clusters)
        for number, power in enumerate(cluster.node_powers)
    }
    order = [(one.cluster, one.level) for one in scaled.classes]
    assert order == sorted(set(order))


def test_groups_of_one_power_make_one_class() -> None:
    groups = [NodeGroup(1, 1), NodeGroup(2, "0.5"), NodeGroup(2, 1)]
    scaled = CoallocationInstance([Cluster("A", groups, 0)], [Job("J", 1, 1)]).scaled()
    assert [(one.level, one.nodes) for one in scaled.classes] == [(0, (0, 3, 4)), (1, (1, 2))]


def test_no_power_rounds_to_the_next_tick() -> None:
    """Without slots the tick divides every duration: here thirds, tenths and halves."""
    groups = [NodeGroup(1, "3/4"), NodeGroup(1, "1/2")]
    jobs = [Job("J1", 1, 1, sigma="0.7"), Job("J2", 1, "1/7")]
    scaled = CoallocationInstance([Cluster("A", groups, 0)], jobs).scaled()
    assert [scaled.to_time(ticks) for ticks in scaled.durations[0]] == [F(37, 30), F(17, 10)]
    assert [scaled.to_time(ticks) for ticks in scaled.durations[1]] == [F(4, 21), F(2, 7)]


def _one_job(**fields: object) -> CoallocationInstance:
    jobs = [Job("J", 2, **{"base_time": 1} | fields)]  # type: ignore[arg-type]
    return CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 1)], jobs)


def test_times_beyond_exact_floats_are_refused() -> None:
    assert _one_job(base_time=MAX_TICKS - 1).scaled().durations == ((MAX_TICKS - 1,),)
    with pytest.raises(TooLargeError, match=r"2\^53 ticks"):
        _one_job(base_time=MAX_TICKS).scaled()
    with pytest.raises(TooLargeError):
        _one_job(base_time=F(MAX_TICKS, 3)).scaled()  # the sum of ticks counts, not of seconds
    with pytest.raises(TooLargeError):
        _one_job(base_time=1).with_slot(F(1, MAX_TICKS)).scaled()
    assert _one_job(base_time=MAX_TICKS).with_slot(10).scaled().durations == ((-(-MAX_TICKS // 10),),)


def test_sum_of_durations_counts() -> None:
    half = [Job(f"J{index}", 1, MAX_TICKS // 2) for index in range(2)]
    with pytest.raises(TooLargeError):
        CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 1)], half).scaled()


def test_loads_beyond_exact_floats_stay_exact() -> None:
    """Loads are plain integers of any size: a link that lacks one part in 10^60 still refuses the job."""
    width = F(10**30) + F(1, 10**30)
    for bandwidth, fits in ((width, True), (width - F(1, 10**30), False), (width + 1, True)):
        clusters = [Cluster(name, [NodeGroup(1, 1)], bandwidth) for name in "AB"]
        scaled = CoallocationInstance(clusters, [Job("J", 2, 1, width)]).scaled()
        assert (scaled.link_loads[0][1] <= scaled.link_capacity[0]) == fits


def test_a_wide_link_is_no_overflow() -> None:
    wide = CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 10**60)], [Job("J", 2, 1, 5)])
    assert wide.scaled().link_capacity == (5,)


@given(instances())
def test_scaled_links_say_the_same(instance: CoallocationInstance) -> None:
    """Any set of jobs with any counts fits a link in integers exactly if it fits in Fractions, capped or not."""
    scaled = instance.scaled()
    for cluster, capacity in zip(instance.clusters, scaled.link_capacity, strict=True):
        for size in range(len(instance.jobs) + 1):
            for together in combinations(range(len(instance.jobs)), size):
                _same_answer(instance, scaled, cluster.bandwidth, capacity, together)


def _same_answer(
    instance: CoallocationInstance, scaled: ScaledCoallocation, bandwidth: F, capacity: int, together: tuple[int, ...]
) -> None:
    for counts in product(*(range(instance.jobs[job].tasks // 2 + 1) for job in together)):  # loads are symmetric
        exact = sum((naive_load(instance.jobs[job], c) for job, c in zip(together, counts, strict=True)), F(0))
        ticks = sum(scaled.link_loads[job][c] for job, c in zip(together, counts, strict=True))
        assert (ticks <= capacity) == (exact <= bandwidth)


def test_loads_of_very_many_tasks_are_not_listed():
    clusters = [Cluster("A", [NodeGroup(100_000, 1)], 1)]
    many = CoallocationInstance(clusters, [Job(f"J{number}", 100_000, 1) for number in range(21)], 1)
    with pytest.raises(TooLargeError, match="2,100,021 tasks"):
        many.scaled()


def _fine(count: int, start: int = 10**37) -> list[F]:
    """Fractions of 38 digits a side, of which no two have a common unit."""
    return [F(start + 7 * number + 1, start + 1009 * number + 3) for number in range(count)]


@pytest.mark.parametrize("slot", [0, "1/3"])
def test_thousands_of_fine_numbers_are_refused_in_few_words(slot):
    """Times are fine on a grid; without one, and in bandwidths, their common unit would have 100,000 digits."""
    times = [Job(f"J{number}", 1, time) for number, time in enumerate(_fine(3000))]
    finest = CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 1)], times, slot)
    if slot:
        assert finest.scaled().durations[0] == (3,)
    else:
        with pytest.raises(TooLargeError, match=r"2\^53 ticks of their common unit") as caught:
            finest.scaled()
        assert len(str(caught.value)) < 120
    widths = [Job(f"J{number}", 2, 1, width) for number, width in enumerate(_fine(3000))]
    with pytest.raises(TooLargeError, match="the bandwidths of 3,000 jobs have no common unit of at most 65,536 bits"):
        CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 1)], widths, slot).scaled()
