"""The model against its published parameters: what its distributions' moments must be.

Bounds are five standard errors of samples drawn with fixed seeds.
"""

from math import log, log2, sqrt
from random import Random
from statistics import fmean, pvariance

import pytest

from oas.generate.mosp.lublin_feitelson import draw_log_size, draw_log_time, draw_size, draw_time

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


def test_times_are_whole_seconds_below_the_cut() -> None:
    rng = Random(4)
    times = [draw_time(rng, 1) for _ in range(COUNT)]
    assert all(isinstance(time, int) for time in times)
    assert 1 <= min(times) <= 5
    assert 50_000 < max(times) < 162_755  # e^12
    assert abs(fmean(log(time) for time in times) - 5.168) < 0.1  # rounding and the cut move the mean little


def test_larger_jobs_run_longer() -> None:
    rng = Random(5)
    means = [fmean(draw_log_time(rng, size) for _ in range(3000)) for size in (1, 32, 64, 128)]
    assert means == sorted(means)


def test_small_systems() -> None:
    for system, largest in ((2, 2), (3, 4), (4, 4), (8, 8), (100, 128)):
        rng = Random(6)
        sizes = {draw_size(rng, system) for _ in range(5000)}
        assert min(sizes) == 1
        assert max(sizes) == largest
