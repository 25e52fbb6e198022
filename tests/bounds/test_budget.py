"""Certificates made to be slow to check, or to need much memory, are refused before the work is done."""

from __future__ import annotations

import zlib
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import pytest

from oas.bounds.mosp.cluster_sets import certificate as cluster_sets
from oas.bounds.mosp.configurations import certificate as mosp_configurations
from oas.bounds.mosp.pair_tree import bins, pool
from oas.bounds.mosp.pair_tree import certificate as pair_tree
from oas.bounds.mosp.pair_tree.bins import Kind
from oas.bounds.mosp.pair_tree.pool import Pool
from oas.bounds.mosp.start_tree import certificate as start_tree
from oas.bounds.mosp.start_tree import kernels
from oas.bounds.mosp.two_dimensional import certificate as two_dimensional
from oas.core.errors import InputError, TooLargeError
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob
from tests.bounds.mosp.test_start_tree import SEEDS, proof
from tests.problems.mosp.one_cluster import alone, optimum, unit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HEAVY = 2**90


def shop(sizes: Sequence[int], jobs: Sequence[tuple[int, int]], **more: Any) -> MospInstance:
    """Clusters of these sizes; jobs of (time, processors), all of the last organization."""
    *others, last = sizes
    owners = [Organization(f"O{number}", size, []) for number, size in enumerate(others)]
    rigid = [RigidJob(f"J{number}", time, width) for number, (time, width) in enumerate(jobs)]
    return MospInstance([*owners, Organization("L", last, rigid, **more)], None)


CODES = b64encode(zlib.compress(b"\0")).decode()
PARTS = [[{"weights": [1] * 100, "prices": [[0, 1, 1]]}] * 200] * 2
HOSTILE: dict[str, tuple[Callable[..., object], object, dict[str, Any], str]] = {
    "a knapsack of a million processors": (
        mosp_configurations.value,
        shop([1_000_000], [(1, 1 + job) for job in range(3_000)]),
        {"weights": [HEAVY] * 3_000},
        "certificate.weights",
    ),
    "chains for each of a thousand sizes": (
        two_dimensional.value,
        shop(range(1, 1_001), [(1_000, 1)] * 300),
        {"makespan": 10**6, "times": [HEAVY] * 300, "heights": [1] * 300, "mirrored": False},
        "certificate.times",
    ),
    "sets for each of a thousand sizes": (
        cluster_sets.value,
        shop(range(1, 1_001), [(3, 1)] * 120),
        {"makespan": 100, "weights": [1] * 120, "steps": 5_000, "mirrored": False},
        "certificate.makespan",
    ),
    "four hundred parts of measures": (
        start_tree.value,
        shop([1_000_000], [(2, 1 + job) for job in range(100)]),
        {"makespan": 3, "mirrored": False, "order": [0], "measures": PARTS, "codes": CODES},
        "certificate.measures",
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_would_take_too_long_is_refused_at_once(what: str) -> None:
    check, instance, certificate, field = HOSTILE[what]
    with pytest.raises(InputError, match="steps to check") as refusal:
        check(instance, certificate)
    assert refusal.value.field == field


def test_a_walk_of_a_tree_over_starts_ends_with_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    seed = next(seed for seed in SEEDS if optimum(seed) > 3)
    instance, certificate = alone(seed), proof(seed)
    assert start_tree.value(instance, certificate) == optimum(seed) * unit(seed)
    monkeypatch.setattr(kernels, "MOST_WORK", 3)
    with pytest.raises(InputError, match="the walk takes more than"):
        start_tree.value(instance, certificate)


def test_bins_of_very_many_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bins, "MAX_CELLS", 10_000)
    jobs = [(1, 1)] * 20
    held = [Reservation(3 * number, 3 * number + 1, 1) for number in range(600)]
    certificate = {"makespan": 10**6, "cuts": [], "weights": [[1] * 20], "tree": [0]}
    with pytest.raises(InputError, match="moments × jobs"):
        pair_tree.value(shop([2], jobs, reservations=held), certificate)


def test_leaves_of_a_pair_tree_spend_before_they_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_tree, "MAX_EFFORT", 10**6)
    certificate = {"makespan": 2, "cuts": [], "weights": [[1] * 2_000], "tree": [0]}
    with pytest.raises(InputError, match="too much effort"):
        pair_tree.value(shop([2], [(1, 1)] * 2_000), certificate)


def test_pools_of_many_kinds_or_sets_times_items(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooLargeError, match="of all kinds"):
        Pool([1] * 99, [Kind(1, (90_000,) * 99)] * 5, range(99), [1] * 99)
    monkeypatch.setattr(pool, "MAX_CELLS", 1_000)
    with pytest.raises(TooLargeError, match="sets × items"):
        Pool([1] * 100, [Kind(100, (1,) * 100)], range(100), [1] * 100)
