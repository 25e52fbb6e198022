"""Instances in ticks, allocations and configurations: against naive counterparts, and exact beyond floats."""

import math
from collections import Counter
from fractions import Fraction as F
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.coallocation.allocations import allocations, fastest_level, make_allocation
from oas.coallocation.generate.tiny import saturated
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.rates import configurations, rates
from oas.coallocation.ticks import MAX_TICKS, duration, link_load
from oas.core.errors import TooLargeError
from tests.coallocation.naive import naive_load, naive_time, sets_that_fit
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
def test_the_papers_slowdowns(power, factor):
    """σ = 0.7 on Γ = 1, 0.75, 0.5: ct = 1, 37/30, 1.7; in whole slots of the mean base time 1, 2, 2."""
    job = Job("J", 4, 670000, sigma="0.7")
    assert duration(job, F(power), F(0)) == 670000 * factor
    assert duration(job, F(power), F(670000)) == 670000 * math.ceil(factor)


def test_whole_slots_are_exact_where_floats_go_wrong():
    job = Job("J", 1, 87, sigma="0.7")
    assert math.ceil(87 * (0.7 / 0.5 + 1 - 0.7) / 0.3) == 494
    scaled = CoallocationInstance([Cluster("A", [NodeGroup(1, "0.5")], 0)], [job], slot="0.3").scaled()
    assert scaled.durations == ((493,),)
    excess = Job("J", 1, 10 + F(1, 10**30))
    assert math.ceil(float(excess.base_time)) == 10 and duration(excess, F(1), F(1)) == 11


@given(JOBS)
def test_link_load_is_equation_4(job):
    loads = [link_load(job, count) for count in range(job.tasks + 1)]
    assert loads == [naive_load(job, count) for count in range(job.tasks + 1)]


@given(instances())
def test_scaled_times_are_exact(instance):
    scaled = instance.scaled()
    assert scaled.powers == tuple(sorted({p for c in instance.clusters for p in c.node_powers}, reverse=True))
    assert scaled.job_count == len(instance.jobs) and scaled.cluster_count == len(instance.clusters)
    assert scaled.tasks == tuple(job.tasks for job in instance.jobs)
    for job, row in zip(instance.jobs, scaled.durations, strict=True):
        assert all(type(ticks) is int for ticks in row)
        assert [scaled.to_time(ticks) for ticks in row] == [naive_time(instance, job, [p]) for p in scaled.powers]
    assert scaled.tick == instance.slot or (not instance.slot and scaled.tick.numerator == 1)


@given(instances())
def test_scaled_links_say_the_same(instance):
    """Any set of jobs with any counts fits a link in integers exactly if it fits in Fractions, capped or not."""
    scaled = instance.scaled()
    for cluster, capacity in zip(instance.clusters, scaled.link_capacity, strict=True):
        for size in range(len(instance.jobs) + 1):
            for together in combinations(range(len(instance.jobs)), size):
                # Loads are symmetric: half of the counts are enough.
                for counts in product(*(range(instance.jobs[job].tasks // 2 + 1) for job in together)):
                    own = list(zip(together, counts, strict=True))
                    exact = sum((naive_load(instance.jobs[job], count) for job, count in own), F(0))
                    ticks = sum(scaled.link_loads[job][count] for job, count in own)
                    assert (ticks <= capacity) == (exact <= cluster.bandwidth)


def one_job(**fields):
    jobs = [Job("J", 2, **{"base_time": 1} | fields)]
    return CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 1)], jobs)


def test_times_beyond_exact_floats_are_refused():
    assert one_job(base_time=MAX_TICKS - 1).scaled().durations == ((MAX_TICKS - 1,),)
    assert one_job(base_time=MAX_TICKS).with_slot(10).scaled().durations == ((-(-MAX_TICKS // 10),),)
    halves = [Job(f"J{index}", 1, MAX_TICKS // 2) for index in range(2)]
    for instance in (
        one_job(base_time=MAX_TICKS),
        one_job(base_time=F(MAX_TICKS, 3)),  # the number of ticks counts, not of seconds
        one_job(base_time=1).with_slot(F(1, MAX_TICKS)),
        CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 1)], halves),  # and their sum
    ):
        with pytest.raises(TooLargeError, match=r"2\^53 ticks"):
            instance.scaled()


def test_loads_beyond_exact_floats_stay_exact():
    """Loads are plain integers of any size: a link that lacks one part in 10^60 still refuses the job."""
    width = F(10**30) + F(1, 10**30)
    for bandwidth, fits in ((width, True), (width - F(1, 10**30), False), (width + 1, True)):
        clusters = [Cluster(name, [NodeGroup(1, 1)], bandwidth) for name in "AB"]
        scaled = CoallocationInstance(clusters, [Job("J", 2, 1, width)]).scaled()
        assert (scaled.link_loads[0][1] <= scaled.link_capacity[0]) == fits
    wide = CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 10**60)], [Job("J", 2, 1, 5)])
    assert wide.scaled().link_capacity == (5,)


@pytest.mark.parametrize("slot", [0, "1/3"])
def test_thousands_of_fine_numbers_are_refused_in_few_words(slot):
    """Times are fine on a grid; without one, and in bandwidths, their common unit would have 100,000 digits."""
    fine = [F(10**37 + 7 * number + 1, 10**37 + 1009 * number + 3) for number in range(1000)]  # no common unit
    times = [Job(f"J{number}", 1, time) for number, time in enumerate(fine)]
    finest = CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 1)], times, slot)
    if slot:
        assert finest.scaled().durations[0] == (3,)
    else:
        with pytest.raises(TooLargeError, match=r"2\^53 ticks of their common unit") as caught:
            finest.scaled()
        assert len(str(caught.value)) < 120
    widths = [Job(f"J{number}", 2, 1, width) for number, width in enumerate(fine)]
    with pytest.raises(TooLargeError, match="the bandwidths of 1,000 jobs have no common unit of at most 65,536 bits"):
        CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 1)], widths, slot).scaled()


# Allocations


def by_subsets(instance, job):
    """Every allocation as nodes of each (cluster, Γ), with its duration, found among all sets of τ nodes."""
    every = [
        (index, number, power)
        for index, cluster in enumerate(instance.clusters)
        for number, power in enumerate(cluster.node_powers)
    ]
    found = {}
    for held in combinations(every, job.tasks):
        inside = Counter(cluster for cluster, _, _ in held)
        if all(naive_load(job, inside[k]) <= cluster.bandwidth for k, cluster in enumerate(instance.clusters)):
            kind = Counter((cluster, power) for cluster, _, power in held)
            key = tuple(sorted((cluster, power, count) for (cluster, power), count in kind.items()))
            found[key] = naive_time(instance, job, (power for _, _, power in held))
    return found


@given(instances(feasible=False))
def test_enumeration_equals_all_node_subsets(instance):
    scaled = instance.scaled()
    for index, job in enumerate(instance.jobs):
        listed = allocations(scaled, index)
        found, slowest = {}, []
        for allocation in listed:
            used = [(one, count) for one, count in zip(scaled.classes, allocation.counts, strict=True) if count]
            key = tuple(sorted((one.cluster, scaled.powers[one.level], count) for one, count in used))
            found[key] = scaled.to_time(allocation.duration)
            slowest.append(max(one.level for one, _ in used))
            held = [sum(count for one, count in used if one.cluster == k) for k in range(scaled.cluster_count)]
            assert list(allocation.loads) == [scaled.link_loads[index][count] for count in held]
        assert len(found) == len(listed) and found == by_subsets(instance, job)
        counts = [allocation.counts for allocation in listed]
        assert counts == sorted(counts)
        assert listed == [make_allocation(scaled, index, one) for one in counts]
        assert fastest_level(scaled, index) == min(slowest, default=None)


def test_enumerations_stop_at_the_cap():
    clusters = [Cluster(f"C{index}", [NodeGroup(3, 1)], 100) for index in range(4)]
    scaled = CoallocationInstance(clusters, [Job("J", 6, 1)]).scaled()
    assert len(allocations(scaled, 0)) == len(allocations(scaled, 0, cap=44)) == 44
    with pytest.raises(TooLargeError, match="more than 43 allocations"):
        allocations(scaled, 0, cap=43)
    clusters = [Cluster(f"C{index}", [NodeGroup(50, 1)], 10**6) for index in range(20)]
    with pytest.raises(TooLargeError):
        allocations(CoallocationInstance(clusters, [Job("J", 500, 1)]).scaled(), 0, cap=1000)


@pytest.mark.parametrize("count", [800, 801])
def test_allocations_of_a_grid_with_very_many_clusters_are_listed_or_refused(count):
    scaled = CoallocationInstance(
        [Cluster(f"C{k}", [NodeGroup(1, 1)], 1) for k in range(count)], [Job("J", 1, 1)]
    ).scaled()
    if count == 800:
        assert len(allocations(scaled, 0)) == 800
        return
    with pytest.raises(TooLargeError, match=r"801 kinds of nodes \(cluster and power\), above 800"):
        allocations(scaled, 0)


# Configurations: sets of jobs with allocations that nodes and links carry together


def every_choice(instance):
    scaled = instance.scaled()
    return [allocations(scaled, job) for job in range(scaled.job_count)]


def by_definition(instance, choices):
    """Choose for each job one of its allocations or none, and keep what fits."""
    return {
        members: tuple(rates(instance, [(job, choices[job][index]) for job, index in members]))
        for members in sets_that_fit(instance.scaled(), choices)
    }


@pytest.mark.parametrize("threshold", [None, "1/2", 1])
@pytest.mark.parametrize("sharing", ["paper", "max-min"])
def test_configurations_are_what_the_definition_says(threshold, sharing):
    for seed in range(4):
        instance = saturated(seed=seed, jobs=3, threshold=threshold, sharing=sharing)
        choices = every_choice(instance)
        listed = configurations(instance, choices, cap=10_000, formulation="phases")
        assert {one.members: one.rates for one in listed} == by_definition(instance, choices)
        assert len({one.members for one in listed}) == len(listed)
