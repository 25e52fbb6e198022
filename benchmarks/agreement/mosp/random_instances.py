"""Random MOSP instances over a spread of sizes and kinds: for `benchmarks.agreement.mosp.guarantees`."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING

from oas.generate.mosp.swf import swf
from oas.generate.mosp.tiny import draw_tiny
from oas.generate.mosp.uni import uni
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.local import LOCAL_ORDERS
from oas.problems.rigid import Organization, Reservation, RigidJob

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.generate.mosp.section7 import Policy

LOCALITIES = (None, Fraction(1), Fraction(5, 4), Fraction(3, 2))
POLICIES: tuple[Policy, ...] = ("HF", "LPT", "SPT", "RND", "FCFS", "SJF", "BJF")


def tiny(seed: int) -> MospInstance:
    """At most 5 jobs, every feature by chance."""
    return draw_tiny(Random(seed))


def tiny_wide(seed: int) -> MospInstance:
    """At most 5 jobs on clusters of up to 16 processors, every feature by chance."""
    return draw_tiny(Random(seed), max_processors=16, max_time=12)


def sequential(seed: int, most: int = 5) -> MospInstance:
    """Jobs of one processor each, clusters of any sizes, any local policy: ILBA's theorem."""
    rng = Random(seed)
    sizes = [rng.randint(1, 4) for _ in range(rng.randint(1, 4))]
    return _static(rng, sizes, most, (1, 1), rng.choice(list(LOCAL_ORDERS)))


def all_high(seed: int, most: int = 5) -> MospInstance:
    """Every job higher than half of each of the identical clusters: MOLBA's rule for them."""
    rng = Random(seed)
    size = rng.randint(2, 8)
    return _static(rng, [size] * rng.randint(1, 4), most, (size // 2 + 1, size), rng.choice(list(LOCAL_ORDERS)))


def all_low(seed: int, most: int = 5) -> MospInstance:
    """No job higher than half of each of the identical clusters, local HF: MOLBA with its cut at 2LB."""
    rng = Random(seed)
    size = rng.randint(2, 8)
    return _static(rng, [size] * rng.randint(2, 4), most, (1, size // 2), "HF")


def fitting(seed: int, most: int = 5) -> MospInstance:
    """Clusters of any sizes, every job fitting all, local HF: MOCCA's Theorem 1."""
    rng = Random(seed)
    sizes = [rng.randint(2, 8) for _ in range(rng.randint(2, 5))]
    return _static(rng, sizes, most, (1, min(sizes)), "HF")


def two_clusters(seed: int, most: int = 5) -> MospInstance:
    """Two clusters, jobs as wide as their own, local HF: MOCCA's Proposition 9."""
    rng = Random(seed)
    return _static(rng, [rng.randint(1, 8), rng.randint(1, 8)], most, (1, 8), "HF")


def one_cluster(seed: int, most: int = 5) -> MospInstance:
    """One cluster, any list."""
    rng = Random(seed)
    size = rng.randint(1, 8)
    return _static(rng, [size], most, (1, size), rng.choice(list(LOCAL_ORDERS)))


def many_of_a_theorem(seed: int) -> MospInstance:
    """Up to 60 jobs of one of the kinds above."""
    kinds = (sequential, all_high, all_low, fitting, two_clusters, one_cluster)
    return kinds[seed % len(kinds)](seed, 60)


def uni_small(seed: int) -> MospInstance:
    """The workload uni, 6 to 9 jobs: few enough for a solver."""
    rng = Random(seed)
    return uni(seed=seed, jobs=rng.randint(6, 9), organizations=rng.randint(2, 4), processors=rng.choice((4, 8, 32)))


def uni_small_with_features(seed: int) -> MospInstance:
    """The same with releases, reservations, local policies and localities."""
    return with_features(uni_small(seed), seed)


def uni_large(seed: int) -> MospInstance:
    """The workload uni in the MOCCA paper's sizes; 500 jobs in one of ten."""
    rng = Random(seed)
    return uni(seed=seed, local=rng.choice(POLICIES), **_section7_size(rng))


def swf_large(seed: int) -> MospInstance:
    """The workload swf, the same."""
    rng = Random(seed)
    return swf(seed=seed, local=rng.choice(POLICIES), **_section7_size(rng))


def pareto(seed: int) -> MospInstance:
    """Either workload on clusters of different sizes, section 7.4."""
    rng = Random(seed)
    shape, make = rng.choice((1, 2, 5, 10)), rng.choice((uni, swf))
    return make(seed=seed, pareto=shape, local=rng.choice(POLICIES), **_section7_size(rng, (32, 128)))


def large_with_features(seed: int) -> MospInstance:
    """Any of the three with releases, reservations, local policies and localities."""
    return with_features((uni_large, swf_large, pareto)[seed % 3](seed), seed)


# Successive seeds go through this row; a kind that stands there twice is drawn twice as often.
KINDS: tuple[Callable[[int], MospInstance], ...] = (
    *(tiny, tiny, tiny, tiny_wide, tiny_wide),
    *(sequential, all_high, all_low, fitting, two_clusters, one_cluster),
    *(many_of_a_theorem, many_of_a_theorem, uni_small, uni_small_with_features),
    *(uni_large, swf_large, pareto, large_with_features, large_with_features),
)


def kind_of(seed: int) -> str:
    """Return the name of the kind that `case` draws from this seed."""
    return KINDS[seed % len(KINDS)].__name__.replace("_", " ")


def case(seed: int) -> MospInstance:
    """Return the instance of `seed`."""
    return KINDS[seed % len(KINDS)](seed)


def with_features(instance: MospInstance, seed: int) -> MospInstance:
    """Return `instance` with releases, reservations or both, under some local policy, at some locality."""
    rng = Random(seed)
    releases, reservations = rng.choice(((True, False), (False, True), (True, True)))
    span = max(1, int(sum(job.time for job in instance.jobs)) // (2 * len(instance.organizations)))
    organizations = []
    for one in instance.organizations:
        jobs = [
            RigidJob(job.id, job.time, job.processors, rng.randint(0, span) if releases and rng.random() < 0.7 else 0)
            for job in one.jobs
        ]
        reserved, moment = [], 0
        for _ in range(rng.randint(0, 4) if reservations else 0):
            start = moment + rng.randint(0, span)
            moment = start + rng.randint(1, max(1, span // 4))
            reserved.append(Reservation(start, moment, rng.randint(1, one.processors)))
        organizations.append(Organization(one.id, one.processors, jobs, reserved))
    return MospInstance(organizations, rng.choice(LOCALITIES), rng.choice(POLICIES), seed)


def _section7_size(rng: Random, processors: tuple[int, ...] = (32, 128, 512)) -> dict[str, int]:
    return {
        "jobs": 500 if rng.random() < 0.1 else rng.choice((10, 20, 50, 100)),
        "organizations": rng.choice((2, 5, 10, 20)),
        "processors": rng.choice(processors),
    }


def _static(rng: Random, sizes: list[int], most: int, widths: tuple[int, int], local: str) -> MospInstance:
    """Jobs of these widths, if their organization's cluster has as many; one organization may own most of them."""
    least, greatest = widths
    homes = [k for k, size in enumerate(sizes) if size >= least]
    share, longest = rng.choice((0.0, 0.5, 0.9)), rng.choice((3, 9, 40))
    own: list[list[RigidJob]] = [[] for _ in sizes]
    for number in range(rng.randint(2, most)):
        home = homes[0] if rng.random() < share else rng.choice(homes)
        time = rng.randint(1, rng.choice((2, longest)))
        own[home].append(RigidJob(f"J{number}", time, rng.randint(least, min(greatest, sizes[home]))))
    organizations = [Organization(f"O{k}", size, jobs) for k, (size, jobs) in enumerate(zip(sizes, own, strict=True))]
    return MospInstance(organizations, rng.choice((Fraction(1), Fraction(1), None)), local, rng.randint(0, 99))
