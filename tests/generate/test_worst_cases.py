"""Every true value of the gallery: by brute force where it reaches, else by a solve that ends with a certificate."""

import inspect
from fractions import Fraction as F

import pytest

from oas.checker.brute_force import MOST_ENUMERATED_MOSP_JOBS
from oas.core.result import ProofKind, Status
from oas.core.verifier import check, verify
from oas.mosp.generate.worst_cases import WORST_CASES, Quantity
from oas.mosp.instance import MospInstance
from oas.mosp.runs import ClusterRun, local_schedule, schedule_from_cluster_runs
from oas.solving.brute_force import brute_force
from oas.solving.methods import find_method
from oas.solving.pipeline import solve
from tests.slow import mostly_slow

Parameters = dict[str, object]

ALPHAS = ("1", "9/10", "3/4", F(5, 7), "2/3", "7/13", "1/2", "0.34", "2/7", "1/10")
QUEUES = ((2, 1, True), (2, 1, False), (8, 1000, False), (3, 7, True), (16, 10**6, True))
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
        + [(3, False, 2, 0)]
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


LONG = ("three-partition", "unbounded-ilba")
QUICK = [(name, parameters) for name, parameters in CASES if name not in LONG or not parameters]


@pytest.mark.parametrize(("name", "parameters"), mostly_slow(CASES, quick=QUICK))
def test_claims(name, parameters):
    instance, claims = WORST_CASES[name].function(**parameters), WORST_CASES[name].claims(**parameters)
    assert len({claim.about for claim in claims}) == len(claims)
    for claim in claims:
        assert true_value(instance, claim.about) == claim.true, claim.about


def true_value(instance, about):
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
    if len(instance.jobs) <= MOST_ENUMERATED_MOSP_JOBS:
        return brute_force(free)[0]
    result = solve(free, time_limit=600)
    assert result.status is Status.OPTIMAL and result.proof.kind is ProofKind.CERTIFICATE
    return result.objective


def scheduled(instance, runs):
    """(job index, cluster, start in the instance's unit) as a schedule."""
    scaled = instance.scaled()
    ticks = [(job, cluster, F(start) / scaled.tick) for job, cluster, start in runs]
    assert all(start.denominator == 1 for _, _, start in ticks)
    return schedule_from_cluster_runs(instance, scaled, [ClusterRun(job, k, int(start)) for job, k, start in ticks])


def least_when_kept(instance):
    """Proposition 8: jobs that start before 2 LB stay; the optimum for the others by enumerating their distributions.

    The others are N jobs of N of the 2N − 1 processors: no two fit next to each other, and none next to N narrow jobs.
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
