"""Every true value of the gallery: by brute force where it reaches, else by an explicit schedule and a lower bound."""

import inspect
from fractions import Fraction as F
from functools import cache
from itertools import pairwise, product

import pytest

from heuristics.registry import find_method
from oas.core.verifier import check, verify
from oas.exact.mosp.brute_force import MAX_JOBS, brute_force
from oas.generate.mosp.worst_cases import WORST_CASES, Quantity
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import ClusterRun, local_schedule, schedule_from_cluster_runs

Parameters = dict[str, object]

ALPHAS = ("1", "9/10", "3/4", F(5, 7), "2/3", "7/13", "1/2", "0.34", "2/7", "1/10")
QUEUES = ((2, 1, True), (2, 1, False), (8, 1000, False), (3, 7, True), (64, 10**6, True))
# The reservations paper knows one cluster alone: no locality, so no local schedules.
ALONE = {"graham-list", "blocked-queue", "three-partition", "tight-lsrc", "tight-lsrc-alpha"}

# Each case at its default parameters, at small and at other ones.
CASES = [
    *((name, {}) for name in WORST_CASES),
    *(("no-cooperation", {"organizations": n, "processors": m}) for n, m in [(1, 1), (3, 4), (5, 2), (9, 3)]),
    ("locality-price", {"machines": "double"}),
    *(("near-three-bounds", {"organizations": n, "processors": m}) for n, m in [(1, 2), (2, 2), (2, 8), (30, 64)]),
    *(("kept-schedules", {"organizations": n}) for n in (3, 4, 5, 6, 7, 9)),
    *(("graham-spt", {"processors": m}) for m in (1, 2, 5)),
    *(("unbounded-ilba", {"x": x, "repaired": repaired}) for x in (1, 2, 3) for repaired in (False, True)),
    *(("tight-lsrc", {"k": k}) for k in (2, 4, 5, 6, 7, 8)),
    *(("tight-lsrc-alpha", {"alpha": alpha}) for alpha in ALPHAS),
    *(("blocked-queue", {"processors": m, "parts": parts, "growing": growing}) for m, parts, growing in QUEUES),
    *(("graham-list", {"processors": m}) for m in (1, 2, 4, 5, 6, 7, 8)),
    *(
        ("three-partition", {"variant": variant, "groups": k, "solvable": solvable, "factor": factor, "seed": seed})
        for variant in ("one-processor", "one-reservation")
        for k, solvable, factor, seed in [(1, True, 1, 0), (2, True, 3, 4), (3, True, 1, 2), (4, True, 2, 1)]
        + [(2, False, 1, seed) for seed in range(6)]
        + [(3, False, 2, 0), (4, False, 3, 1)]
    ),
]


def area_bound(instance):
    """LB of the papers."""
    area = sum((job.time * job.processors for job in instance.jobs), F(0))
    return max(area / instance.node_count, *(job.time for job in instance.jobs), F(0))


METHODS_OF = {
    Quantity.MOCCA4: "MOCCA(4)",
    Quantity.ILBA_LOCAL: "ILBA-local",
    Quantity.LSRC: "LSRC(FCFS)",
    Quantity.LSRC_LONGEST: "LSRC(LPT)",
    Quantity.STRICT: "FCFS-strict",
    Quantity.CONSERVATIVE: "conservative",
    Quantity.EASY: "EASY",
}


def makespan_of(name, instance):
    return check(instance, find_method(name, MospInstance)(instance)).makespan


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_instance(name, parameters):
    case = WORST_CASES[name]
    instance = case.function(**parameters)
    assert instance.locality == (None if name in ALONE else 1)
    assert instance.local is None or not verify(instance, local_schedule(instance))
    assert instance.provenance["generator"] == name
    signature = inspect.signature(case.function, eval_str=True)
    local = set() if name in ALONE else {"local"}
    assert set(instance.provenance) == {"generator", "version", *local, *signature.parameters}
    assert case.claims(**parameters)


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_claims(name, parameters):
    instance, claims = WORST_CASES[name].function(**parameters), WORST_CASES[name].claims(**parameters)
    assert len({claim.about for claim in claims}) == len(claims)
    for claim in claims:
        assert true_value(name, instance, claim.about, parameters) == claim.true, claim.about


def true_value(name, instance, about, parameters):
    if about is Quantity.LOCAL:
        return local_schedule(instance).makespan
    if about is Quantity.LOWER_BOUND:
        return area_bound(instance)
    if about in METHODS_OF:
        return makespan_of(METHODS_OF[about], instance)
    if about is Quantity.PRICE:
        return brute_force(instance)[0] / brute_force(instance.with_locality(None))[0]
    if about is Quantity.KEPT:
        return least_when_kept(instance)
    free = instance.with_locality(None) if about is Quantity.FREE_OPTIMUM else instance
    assert about in (Quantity.OPTIMUM, Quantity.FREE_OPTIMUM)
    if len(instance.jobs) <= MAX_JOBS:
        return brute_force(free)[0]
    schedule, bound = OPTIMA[name](instance)
    assert check(free, schedule).makespan == bound  # valid under locality (or without) and as short as the bound
    return bound


def scheduled(instance, runs):
    """(job index, cluster, start in the instance's unit) as a schedule."""
    scaled = instance.scaled()
    ticks = [(job, cluster, F(start) / scaled.tick) for job, cluster, start in runs]
    assert all(start.denominator == 1 for _, _, start in ticks)
    return schedule_from_cluster_runs(instance, scaled, [ClusterRun(job, k, int(start)) for job, k, start in ticks])


def one_each(instance):
    count = len(instance.organizations)
    return scheduled(instance, [(job, job, 0) for job in range(count)]), area_bound(instance)


def in_rows(instance):
    """Jobs no two of which fit on a cluster side by side: rows of one job a cluster, none shorter is possible."""
    count, jobs = len(instance.organizations), instance.jobs
    assert {job.time for job in jobs} == {jobs[0].time}
    assert all(2 * job.processors > one.processors for job in jobs for one in instance.organizations)
    rows = -(-len(jobs) // count)
    runs = [(job, job % count, job // count * jobs[0].time) for job in range(len(jobs))]
    return scheduled(instance, runs), rows * jobs[0].time


def narrow_first(instance):
    """On each cluster N − 1 narrow jobs and one of N processors at 0, then one of all processors."""
    count = len(instance.organizations)
    by_width = {}
    for index, job in enumerate(instance.jobs):
        by_width.setdefault(job.processors, []).append(index)
    narrow, middle, full = by_width[1], by_width[count], by_width[2 * count - 1]
    runs = [(job, place // (count - 1), F(0)) for place, job in enumerate(narrow)]
    runs += [(job, place, F(0)) for place, job in enumerate(middle)]
    runs += [(job, place, 1 - F(2, count)) for place, job in enumerate(full)]
    return scheduled(instance, runs), area_bound(instance)


def long_one_first(instance):
    *short, long = range(len(instance.jobs))
    size = instance.node_count
    runs = [(long, 0, 0), *((job, 0, place // (size - 1)) for place, job in enumerate(short))]
    return scheduled(instance, runs), area_bound(instance)


def by_length(instance):
    """Proposition 13: as the paper has it if that is possible; as printed, for x = 1, a schedule of length 13."""
    size, last = instance.organizations[0].processors, len(instance.organizations) - 1
    jobs = list(enumerate(instance.jobs))
    longest = max(job.time for _, job in jobs)
    alone = [index for index, job in jobs if job.time == longest and job.processors == size]
    low = [index for index, job in jobs if job.time == longest and job.processors < size]
    brief = [index for index, job in jobs if job.time == 1]
    if sum(instance.jobs[index].processors for index in low) > size:
        assert longest == 10
        return printed(instance, alone, low, brief), printed_bound(instance)
    runs = [(job, cluster, 0) for cluster, job in enumerate(alone)]
    runs += [(job, last - 1, 0) for job in low] + [(job, last, place) for place, job in enumerate(brief)]
    return scheduled(instance, runs), area_bound(instance)


def printed(instance, alone, low, brief):
    """x = 1: the first organizations' jobs (1, 2) at 0 side by side, then all long jobs, then the rest one by one."""
    halves = [job for job in brief if instance.jobs[job].processors == 2]
    rest = [job for job in brief if instance.jobs[job].processors > 2]
    twos = [job for job in low if instance.jobs[job].processors == 2]
    ones = [job for job in low if instance.jobs[job].processors == 1]
    runs = [(job, 0, 0) for job in halves] + [(alone[0], 0, 1), (alone[1], 1, 0)]
    runs += [(job, 2, 0) for job in twos] + [(job, 3, 0) for job in ones]
    places = [(cluster, moment) for moment in (11, 12, 10) for cluster in (0, 1, 2, 3) if (cluster, moment) != (0, 10)]
    return scheduled(instance, [*runs, *((job, *place) for job, place in zip(rest, places, strict=False))])


def printed_bound(instance):
    """13: the area allows 12 only if no processor ever idles, and no four clusters can be filled so."""
    assert area_bound(instance) == 12
    shapes = [(int(job.time), job.processors) for job in instance.jobs]
    kinds = tuple(sorted(set(shapes)))
    wanted = tuple(shapes.count(kind) for kind in kinds)
    filled = full_clusters(kinds, wanted, 4, 12)
    sums = {(0,) * len(kinds)}
    for _ in instance.organizations:
        grown = {tuple(map(sum, zip(one, other, strict=True))) for one, other in product(sums, filled)}
        sums = {one for one in grown if all(a <= b for a, b in zip(one, wanted, strict=True))}
    assert wanted not in sums
    return F(13)  # times are integers, so there is an optimal schedule with integer starts


def full_clusters(kinds, wanted, size, horizon):
    """How many jobs of each kind fill a cluster until the horizon without any idle processor: all possibilities."""

    @cache
    def fill(moment, running, used):
        idle = size - sum(width for _, width in running)
        if not idle:
            later = min(end for end, _ in running)
            if later == horizon:
                return frozenset({used}) if all(end == horizon for end, _ in running) else frozenset()
            return fill(later, tuple(one for one in running if one[0] > later), used)
        found = set()
        for index, (time, width) in enumerate(kinds):
            if width <= idle and moment + time <= horizon and used[index] < wanted[index]:
                more = tuple(count + (place == index) for place, count in enumerate(used))
                found |= fill(moment, tuple(sorted([*running, (moment + time, width)])), more)
        return frozenset(found)

    return set(fill(0, (), (0,) * len(kinds)))


def short_ones_in_turn(instance):
    """Long jobs from 0 to 1 beside one another, and beside them the short ones, one after the other."""
    long = [index for index, job in enumerate(instance.jobs) if job.time == 1]
    short = [index for index, job in enumerate(instance.jobs) if job.time < 1]
    runs = [(job, 0, F(0)) for job in long]
    runs += [(job, 0, place * instance.jobs[job].time) for place, job in enumerate(short)]
    return scheduled(instance, runs), area_bound(instance)


def narrow_ones_at_once(instance):
    """All serial jobs at 0, then one by one those of all processors, beside which nothing runs."""
    narrow = [(index, job.time) for index, job in enumerate(instance.jobs) if job.processors == 1]
    wide = [(index, job.time) for index, job in enumerate(instance.jobs) if job.processors == instance.node_count]
    first = max(time for _, time in narrow)
    runs = [(job, 0, F(0)) for job, _ in narrow] + [(job, 0, first + i * time) for i, (job, time) in enumerate(wide)]
    return scheduled(instance, runs), first + sum(time for _, time in wide)


def by_gaps(instance):
    """3-PARTITION: three numbers fill each gap, or, as no split does that, all but the least number fit into gaps.

    A gap is the time of one processor between two reservations, or before the first.
    """
    (cluster,) = instance.organizations
    *short, last = cluster.reservations
    begins = [F(0), *(one.end for one in short)] if cluster.processors == 1 else [F(0)] * cluster.processors
    length = last.start - begins[-1]
    assert sum(job.time for job in instance.jobs) == length * len(begins)
    assert all(length < 4 * job.time < 2 * length for job in instance.jobs)
    split = filled([int(job.time) for job in instance.jobs], int(length), len(begins))
    jobs = list(enumerate(instance.jobs))
    least = min(jobs, key=lambda one: one[1].time)
    if split is None:
        rest = [index for index, _ in jobs if index != least[0]]
        groups = filled([int(instance.jobs[index].time) for index in rest], int(length), len(begins))
        groups = [[rest[place] for place in group] for group in groups]
    else:
        groups = split
    runs = []
    for begin, group in zip(begins, groups, strict=True):
        for job in group:
            runs.append((job, 0, begin))
            begin += instance.jobs[job].time
    if split is not None:
        return scheduled(instance, runs), last.start  # there are no more processors before
    return scheduled(instance, [*runs, (least[0], 0, last.end)]), last.end + least[1].time


def filled(numbers, size, bins):
    """Put all numbers into so many bins of this size, by every way there is; None if there is none."""
    order = sorted(range(len(numbers)), key=lambda index: -numbers[index])
    groups = [[] for _ in range(bins)]

    def put(place):
        if place == len(order):
            return True
        tried = set()
        for group in groups:
            load = sum(numbers[index] for index in group)
            if load not in tried and load + numbers[order[place]] <= size:
                tried.add(load)
                group.append(order[place])
                if put(place + 1):
                    return True
                group.pop()
        return False

    return groups if put(0) else None


OPTIMA = {
    "no-cooperation": one_each,
    "near-three-bounds": in_rows,
    "kept-schedules": narrow_first,
    "graham-spt": long_one_first,
    "unbounded-ilba": by_length,
    "graham-list": long_one_first,
    "blocked-queue": narrow_ones_at_once,
    "three-partition": by_gaps,
    "tight-lsrc": short_ones_in_turn,
    "tight-lsrc-alpha": short_ones_in_turn,
}


def least_when_kept(instance):
    """Proposition 8: what starts before 2 LB stays; the best for the rest, by a schedule and by all ways to spread it.

    The rest are N jobs of N of the 2N − 1 processors: no two fit beside one another, nor one beside N narrow jobs.
    """
    count = len(instance.organizations)
    kept = [index for index, job in enumerate(instance.jobs) if instance.local[job.id] < 2 * area_bound(instance)]
    rest = [index for index in range(len(instance.jobs)) if index not in kept]
    assert [instance.jobs[index].processors for index in rest] == [count] * count
    time = instance.jobs[rest[0]].time
    busy = [
        max(instance.local[job.id] + job.time for job in one.jobs if job.processors != count)
        for one in instance.organizations
    ]
    assert busy == [2, *[time] * (count - 1)]
    assert all(sum(job.processors for job in one.jobs) + count > one.processors for one in instance.organizations)
    bounds = []
    for at_home in range(count + 1):
        row = -(-(count - at_home) // (count - 1))
        bounds.append(max(F(2), 2 + at_home * time if at_home else F(0), (1 + row) * time if row else F(0)))
    runs = [(index, instance.owner[instance.jobs[index].id], instance.local[instance.jobs[index].id]) for index in kept]
    runs += [(job, 1 + place % (count - 1), time * (1 + place // (count - 1))) for place, job in enumerate(rest)]
    assert check(instance, scheduled(instance, runs)).makespan == min(bounds)
    return min(bounds)


def test_limits():
    """What the propositions claim in the limit is approached."""
    seven, eight, thirteen = (WORST_CASES[name] for name in ("near-three-bounds", "kept-schedules", "unbounded-ilba"))
    optima = [
        next(claim.true for claim in seven.claims(organizations=n, processors=2 * n) if claim.about is Quantity.OPTIMUM)
        for n in (2, 20, 200, 2000)
    ]
    assert all(one < other < 3 for one, other in pairwise(optima))
    assert optima[-1] > F(299, 100)
    kept = [eight.claims(organizations=n)[-1].true for n in (6, 60, 600)]
    assert kept == [2, F(29, 10), F(299, 100)]
    queues = WORST_CASES["blocked-queue"]
    for growing, names in ((True, 3), (False, 1)):
        best, *late = queues.claims(processors=64, parts=10**6, growing=growing)
        assert all(F(639, 10) < claim.true / best.true < 64 for claim in late[:names])
        assert all(claim.true == best.true < F(1001, 1000) for claim in late[names:])
    for x in (1, 2, 5):
        ilba, optimum, _ = thirteen.claims(x=x)
        assert ilba.true / optimum.true > x + 1
