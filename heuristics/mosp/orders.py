"""Orders in which queues are served; ties by index everywhere."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oas.problems.mosp.ticks import ScaledMosp


def _by(key: Callable[[ScaledMosp, int], int]) -> Callable[[ScaledMosp, int], list[int]]:
    return lambda scaled, seed: sorted(range(scaled.job_count), key=lambda job: key(scaled, job))


def _shuffled(scaled: ScaledMosp, seed: int) -> list[int]:
    order = list(range(scaled.job_count))
    Random(seed).shuffle(order)
    return order


GLOBAL_ORDERS: dict[str, Callable[[ScaledMosp, int], list[int]]] = {
    "FCFS": _by(lambda scaled, job: scaled.releases[job]),
    "SJF": _by(lambda scaled, job: scaled.widths[job]),
    "BJF": _by(lambda scaled, job: -scaled.widths[job]),
    "SPT": _by(lambda scaled, job: scaled.times[job]),
    "LPT": _by(lambda scaled, job: -scaled.times[job]),
    "HF": _by(lambda scaled, job: -scaled.widths[job]),
    "RND": _shuffled,
}


def highest_first(scaled: ScaledMosp, jobs: Iterable[int]) -> list[int]:
    """Return `jobs` by HF: most processors first."""
    return sorted(jobs, key=lambda job: (-scaled.widths[job], job))


def smallest_first(scaled: ScaledMosp) -> list[int]:
    """Return the clusters from k = N down to 1 where they are numbered by size, largest first."""
    return sorted(range(scaled.cluster_count), key=lambda k: -scaled.processors[k])[::-1]


def largest_first(scaled: ScaledMosp) -> list[int]:
    """Return the clusters numbered as the MOCCA paper does, m_1 ≥ m_2 ≥ … ≥ m_N."""
    return smallest_first(scaled)[::-1]
