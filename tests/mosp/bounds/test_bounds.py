"""MOSP's lower bounds: never above an optimum, right by hand."""

from collections import Counter
from fractions import Fraction as F
from functools import cache, partial
from itertools import pairwise
from random import Random

import pytest

from oas.core.result import Bound
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.mosp.bounds import volume
from oas.mosp.bounds.simple import fekete_schepers, rounded_ends
from oas.mosp.bounds.volume import Volumes
from oas.mosp.instance import MospInstance
from oas.solving.brute_force import brute_force
from oas.solving.lower_bound import best_bound, lower_bounds
from tests.mosp.instances import random_instance
from tests.slow import at_least, draws

BOUNDS = {one.name: one for one in lower_bounds(MospInstance)}


@cache
def solved():
    """Up to 300 instances and their optima; the later half with larger clusters."""
    small = [random_instance(seed) for seed in range(draws(150))]
    large = [random_instance(seed, max_processors=16) for seed in range(150, 150 + draws(150))]
    return tuple((one, brute_force(one)[0]) for one in small + large)


def grid(*clusters, jobs):
    """Clusters, with reservations if any, and jobs, each at the first cluster wide enough."""
    shapes = [one if isinstance(one, tuple) else (one, []) for one in clusters]
    own = [[] for _ in shapes]
    for number, job in enumerate(jobs):
        home = next(k for k, (size, _) in enumerate(shapes) if size >= job[1])
        own[home].append(RigidJob(f"J{number}", *job))
    return MospInstance([Organization(f"O{k}", size, own[k], held) for k, (size, held) in enumerate(shapes)], None)


def test_never_above_the_optimum():
    met = Counter()
    for instance, least in solved():
        for name, bound in BOUNDS.items():
            value = bound.compute(instance)
            assert 0 <= value <= least, (name, instance.name)
            met[name] += value == least
        best = best_bound(instance)
        assert max(bound.compute(instance) for bound in BOUNDS.values()) <= best.value <= least
        assert (best.value / instance.scaled().tick).denominator == 1
        met["best"] += best.value == least
    assert min(met[name] for name in BOUNDS) >= at_least(20), met  # each of them is sometimes the optimum itself
    assert met["best"] >= at_least(150), met


@pytest.mark.parametrize(
    ("name", "instance", "value"),
    [
        ("paper LB", grid(4, 2, jobs=[(5, 4), (2, 2)]), F(5)),
        ("paper LB", grid(4, 2, jobs=[(5, 4), (5, 4), (2, 2, 90)]), F(44, 6)),
        ("area", grid(2, 2, jobs=[(5, 2), (2, 1)]), F(3)),
        ("area", grid(4, 2, jobs=[(5, 4), (5, 3), (1, 1)]), F(35, 4)),  # the wide ones have four processors only
        ("area", grid(4, jobs=[(5, 4), (2, 2, 10), (3, 4, 10)]), F(14)),  # 16 units after 10
        ("area", grid((4, [Reservation(2, 5, 3)]), jobs=[(3, 4)]), F(21, 4)),  # 8 by 2, 3 by 5, one more
        ("area", grid((4, [Reservation(0, 5, 4)]), jobs=[(3, 4)]), F(8)),
        ("area", grid((4, [Reservation(0, 5, 2), Reservation(2, 5, 2)]), jobs=[(3, 4)]), F(7)),  # both end at once
        ("area", grid((4, [Reservation(2, 6, 4)]), jobs=[(1, 4, 4)]), F(7)),  # released inside the reservation
        ("longest job", grid(3, 3, jobs=[(5, 3), (4, 1, F(3, 2))]), F(11, 2)),
        ("longest job", grid((3, [Reservation(4, 6, 1)]), jobs=[(5, 3), (1, 1)]), F(11)),
        ("longest job", grid((3, [Reservation(4, 6, 1)]), 3, jobs=[(5, 3), (1, 1)]), F(5)),
        ("high jobs", grid(4, 4, jobs=[(5, 3), (4, 3), (3, 4), (9, 1)]), F(6)),
        ("high jobs", grid(4, 2, jobs=[(5, 3), (4, 3), (9, 1)]), F(9)),  # the smaller cluster takes none
        ("high jobs", grid(6, jobs=[(5, 2), (5, 3), (5, 3), (5, 3), (5, 5)]), F(10)),  # four of 3 or more, two at once
        ("high jobs", grid((4, [Reservation(1, 3, 2)]), jobs=[(2, 3)]), F(4)),
        ("k-longest", grid(2, jobs=[(5, 1), (4, 1), (3, 1)]), F(7)),
        ("k-longest", grid(2, jobs=[(5, 1), (4, 1), (3, 1), (3, 1), (3, 1), (1, 1)]), F(9)),
        ("k-longest", grid(3, 3, jobs=[(5, 2), (4, 2), (3, 3), (9, 1)]), F(9)),
        ("k-longest", grid(3, 3, jobs=[(5, 2, 4), (4, 2, 3), (3, 3, 2)]), F(9)),
        ("dual feasible functions", grid(10, jobs=[(1, 6), (1, 6), (1, 5)]), F(5, 2)),
        ("dual feasible functions", grid(10, jobs=[(1, 7), (1, 7), (1, 4), (1, 3)]), F(5, 2)),  # u_2: 1, 1, 1/2, 0
    ],
)
def test_by_hand(name, instance, value):
    assert BOUNDS[name].compute(instance) == value
    if len(instance.jobs) <= 6:
        assert value <= brute_force(instance)[0]


def test_the_weights_are_superadditive():
    """Superadditive and not negative: the whole of what a volume bound asks for."""
    for size in range(1, 41):
        weights = [partial(rounded_ends, size, e) for e in range(1, size // 2 + 1)]
        weights += [partial(fekete_schepers, size, k) for k in range(1, 12)]
        for weight in weights:
            values = [weight(width) for width in range(size + 1)]
            assert values[0] == 0 and min(values) >= 0
            for total, most in enumerate(values):
                assert all(values[part] + values[total - part] <= most for part in range(total + 1)), weight


def test_a_volume_bound_is_the_integral_inverted():
    """Against adding up tick by tick: the first tick by which enough has become free."""
    for seed in range(120):
        instance = random_instance(seed, max_jobs=8, releases=True, reservations=True)
        scaled = instance.scaled()
        ticks = 0
        for release in set(scaled.releases):
            jobs = [j for j in range(scaled.job_count) if scaled.releases[j] >= release]
            work, now = sum(scaled.times[j] * scaled.widths[j] ** 2 for j in jobs), release
            while work > 0:
                for k, size in enumerate(scaled.processors):
                    held = sum(q for one, start, end, q in scaled.reservations if one == k and start <= now < end)
                    work -= (size - held) ** 2
                now += 1
            ticks = max(ticks, now)
        value = Volumes(instance).bound(lambda one, width: one * width * width, [1]) / scaled.tick
        assert ticks - 1 < value <= ticks


def draw_many(seed):
    """Clusters with dozens of jobs and reservations."""
    rng = Random(seed)
    sizes = [rng.randint(2, 30) for _ in range(rng.randint(1, 3))]
    moments = [sorted(rng.sample(range(200), 60)) for _ in sizes]
    clusters = [
        (size, [Reservation(start, end, rng.randint(1, size)) for start, end in pairwise(own)])
        for size, own in zip(sizes, moments, strict=True)
    ]
    jobs = [(rng.randint(1, 25), rng.randint(1, max(sizes)), rng.randint(0, 90)) for _ in range(40)]
    return grid(*clusters, jobs=jobs)


@pytest.mark.parametrize("factor", [1, 10**6, 10**12])
def test_sums_beyond_64_bits_are_exact(factor):
    """Times and processors so many times as large: the first two bounds grow likewise, whatever the sums."""
    wider = min(factor, 10**4)  # an instance has at most 10^6 processors
    for seed in range(6):
        small = draw_many(seed)
        large = MospInstance(
            [
                Organization(
                    one.id,
                    one.processors * wider,
                    [RigidJob(j.id, j.time * factor, j.processors * wider, j.release * factor) for j in one.jobs],
                    [Reservation(r.start * factor, r.end * factor, r.processors * wider) for r in one.reservations],
                )
                for one in small.organizations
            ],
            None,
        )
        for name in ("area", "dual feasible functions", "high jobs", "longest job", "k-longest"):
            least, value = BOUNDS[name].compute(small) * factor, BOUNDS[name].compute(large)
            # A threshold one above some width lies closer to it where there are more processors.
            assert value >= least if name == "dual feasible functions" else value == least, name


def test_some_of_too_many_functions_are_looked_at(monkeypatch):
    whole = [BOUNDS["high jobs"].compute(draw_many(seed)) for seed in range(20)]
    monkeypatch.setattr(volume, "MAX_CELLS", 1)
    some = [BOUNDS["high jobs"].compute(draw_many(seed)) for seed in range(20)]
    assert all(0 < one <= other for one, other in zip(some, whole, strict=True))
    assert some != whole


def test_rounded_up_to_the_grid():
    assert best_bound(grid(2, jobs=[(3, 1), (3, 1), (1, 1)])).value == 4  # 7/2 in ticks of 1
    assert best_bound(grid(2, jobs=[(F(5, 2), 1)] * 2 + [(F(1, 2), 1)])) == Bound("area", F(3), {})  # 11/4 in halves
