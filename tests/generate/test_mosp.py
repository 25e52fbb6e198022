"""The generators of organizations: Lublin and Feitelson's model, the MOCCA paper's workloads, reservations."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction as F
from itertools import pairwise
from math import log2, sqrt
from random import Random
from statistics import fmean, pvariance
from typing import get_args

import pytest

from oas.core.verifier import verify
from oas.generate import swf, uni
from oas.generate.mosp.lublin_feitelson import draw_log_size, draw_log_time, draw_size
from oas.generate.mosp.reservations import Availability, reservations
from oas.generate.mosp.section7 import pareto_sizes, zipf_owners
from oas.problems.mosp.availability import availability
from oas.problems.mosp.runs import local_schedule

COUNT = 20_000


def _near(observed: float, expected: float, deviation: float) -> bool:
    return abs(observed - expected) < 5 * deviation / sqrt(COUNT)


@pytest.mark.parametrize("high", [5.0, 7.0, 9.0])
def test_parallel_sizes_are_two_stage_uniform(high: float) -> None:
    """E = (Uprob·ULow + UMed + (1 − Uprob)·UHi) / 2 with ULow = 0.8, UMed = UHi − 2.5, Uprob = 0.86."""
    rng = Random(1)
    drawn = [draw_log_size(rng, high) for _ in range(COUNT)]
    assert 0.8 <= min(drawn) < 0.81
    assert high - 0.05 < max(drawn) <= high
    assert _near(fmean(drawn), (0.86 * 0.8 + (high - 2.5) + 0.14 * high) / 2, sqrt(pvariance(drawn)))
    assert _near(fmean(one < high - 2.5 for one in drawn), 0.86, sqrt(0.86 * 0.14))


def test_sizes_have_the_published_shares() -> None:
    """0.244 serial, 0.576 rounded to powers of two; of the others, few are powers by chance."""
    rng = Random(2)
    sizes = [draw_size(rng, 128) for _ in range(COUNT)]
    assert 1 <= min(sizes) <= max(sizes) == 128
    assert _near(fmean(size == 1 for size in sizes), 0.244, sqrt(0.244 * 0.756))
    powers = fmean(size & (size - 1) == 0 for size in sizes)
    by_chance = 0.18 * _power_by_chance()
    assert _near(powers, 0.244 + 0.576 + by_chance, sqrt(powers * (1 - powers)))


def _power_by_chance() -> float:
    """Probability that 2^u rounds to a power of two, u two-stage uniform with h = 7."""
    total = 0.0
    for power in range(1, 8):
        low, high = max(0.8, log2(2**power - 0.5)), min(7.0, log2(2**power + 0.5))
        first = max(0.0, min(high, 4.5) - min(low, 4.5)) / (4.5 - 0.8)
        second = max(0.0, max(high, 4.5) - max(low, 4.5)) / 2.5
        total += 0.86 * first + 0.14 * second
    return total


@pytest.mark.parametrize("size", [1, 8, 64, 128, 1000])
def test_running_times_are_hyper_gamma(size: int) -> None:
    """E = p·a1·b1 + (1 − p)·a2·b2 and the mixture's variance, p = 0.78 − 0.0054·size within [0, 1]."""
    rng = Random(3)
    drawn = [draw_log_time(rng, size) for _ in range(COUNT)]
    p = max(0.0, 0.78 - 0.0054 * size)
    mean = p * 4.2 * 0.94 + (1 - p) * 312 * 0.03
    second = p * 4.2 * 5.2 * 0.94**2 + (1 - p) * 312 * 313 * 0.03**2
    assert _near(fmean(drawn), mean, sqrt(second - mean**2))
    fourth = fmean((one - mean) ** 4 for one in drawn)
    assert _near(pvariance(drawn), second - mean**2, sqrt(fourth - (second - mean**2) ** 2))


@pytest.mark.parametrize("generate", [uni, swf])
def test_shape_of_an_instance(generate) -> None:  # type: ignore[no-untyped-def]
    instance = generate(seed=3, jobs=40, organizations=6, processors=32)
    assert [one.processors for one in instance.organizations] == [32] * 6
    assert sorted(job.id for job in instance.jobs) == sorted(f"J{k}" for k in range(1, 41))
    assert instance.locality == 1
    assert all(job.release == 0 and job.time.denominator == 1 for job in instance.jobs)
    assert not verify(instance, local_schedule(instance))


def test_swf_needs_fewer_processors_than_a_cluster_has() -> None:
    for processors in (2, 3, 32, 100):
        jobs = swf(seed=2, jobs=400, organizations=20, processors=processors).jobs
        assert max(job.processors for job in jobs) < processors
        assert min(job.time for job in jobs) >= 1
    widths = [job.processors for job in swf(seed=2, jobs=2000, organizations=20, processors=32).jobs]
    assert max(widths) > 16  # the cap leaves out nothing but m itself


def test_owners_follow_zipf() -> None:
    count = 40_000
    owned = Counter(zipf_owners(Random(5), count, 20))
    total = sum(rank**-1.4267 for rank in range(1, 21))
    assert round(1 / total, 2) == 0.43  # O1's share of the jobs among 20 organizations
    for rank in range(1, 21):
        share = rank**-1.4267 / total
        deviation = (share * (1 - share) / count) ** 0.5
        assert abs(owned[rank - 1] / count - share) < 4 * deviation


def test_clusters_follow_pareto() -> None:
    sizes = pareto_sizes(Random(7), 20_000, 128, 1.0)
    assert min(sizes) == 128
    assert 1000 < max(sizes) <= 1024
    # P(size ≤ s) = (1 − 128/s) / (1 − 128/1024) under the cutoff
    for limit in (160, 256, 512):
        below = sum(size < limit for size in sizes) / len(sizes)
        assert abs(below - (1 - 128 / limit) / (1 - 1 / 8)) < 0.015
    means = [fmean(pareto_sizes(Random(7), 5000, 128, shape)) for shape in (1.0, 2.0, 5.0, 10.0)]
    assert all(one > other for one, other in pairwise(means))
    assert means[-1] < 128 * 10 / 9 * 1.02  # nearly homogeneous


def test_seed_fixes_jobs_and_owners_whatever_the_clusters() -> None:
    plain, varied = uni(seed=4, organizations=10), uni(seed=4, organizations=10, pareto="1.5")
    assert [one.jobs for one in plain.organizations] == [one.jobs for one in varied.organizations]
    assert {one.processors for one in plain.organizations} == {128}
    assert len({one.processors for one in varied.organizations}) > 5
    assert varied.provenance["pareto"] == str(F(3, 2))
    assert uni(seed=4).digest != uni(seed=5).digest


@pytest.mark.parametrize("kind", get_args(Availability))
@pytest.mark.parametrize("releases", [False, True])
def test_classes(kind: Availability, releases: bool) -> None:
    for seed in range(10):
        for processors in (2, 16, 128):
            instance = reservations(seed=seed, jobs=15, processors=processors, availability=kind, releases=releases)
            (own,) = instance.organizations
            found = availability(own)
            assert instance.locality is None
            assert instance.local is None
            assert own.reservations
            assert any(job.release for job in own.jobs) == releases
            if kind == "alpha":
                assert found.alpha is not None
                assert found.alpha >= F(1, 2)
            if kind == "non-increasing":
                assert found.non_increasing
