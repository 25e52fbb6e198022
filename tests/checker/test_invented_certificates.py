"""Invented certificates: none is confirmed above the optimum, and the attacks find faults planted in the checker.

The long run is `python -m benchmarks.robustness.invented`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.robustness.invented import shared_links
from benchmarks.robustness.invented.__main__ import ATTACKS, main, run
from oas.checker import coallocation_heaviest, coallocation_spread, coallocation_together
from oas.checker.brute_force import Enumeration
from oas.checker.coallocation_instance import CoallocationJob
from oas.checker.coallocation_rules import progress_rates
from oas.checker.coallocation_shared_links import EventOrder, _bits
from oas.checker.coallocation_together import SplitGivenUp, Together
from oas.checker.slowed_brute_force import SlowedEnumeration
from oas.fair.search import certificate
from tests.slow import draws

if TYPE_CHECKING:
    from pytest import MonkeyPatch


ATTEMPTS = {"enumeration": 45, "area, longest job, wide jobs": 300, "shared links": 300}


@pytest.mark.parametrize("kind", ATTACKS)
def test_nothing_false_is_confirmed(kind: str) -> None:
    found = run(kind, seed=1, attempts=draws(ATTEMPTS.get(kind, 600)))
    assert not found.faults
    assert 0 < found.met <= found.confirmed <= found.attempts


def test_the_command_reports_what_it_tried(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--kind", "REF", "--attempts", "12", "--seed", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[2].startswith("| REF | 1 | 12 | ")


def starts_separate(order: EventOrder, first: int, second: int) -> bool:
    ahead = order.earlier.get(2 * first, 0) >> 2 * second | order.earlier.get(2 * second, 0) >> 2 * first
    return bool(ahead & 1)


def started_jobs_still_run(order: EventOrder, running: int) -> bool:
    """Forget that a job that has started may have ended."""
    past = 0
    for job in _bits(running):
        past |= order.before(2 * job)
    return all(running >> event // 2 & 1 for event in _bits(past))


def alike_whatever_their_times(instance: Any) -> EventOrder:
    order = EventOrder({})
    for job in range(1, len(instance.jobs)):
        order = order.with_before(2 * job - 2, 2 * job)
    return order


def slower_together(users: Any, bandwidths: Any, sharing: str) -> Any:
    rates = progress_rates(users, bandwidths, sharing)
    return rates if len(users) == 1 else [rate / 2 for rate in rates]


def as_if_refuted(together: Together, items: Any) -> bool:
    try:
        return HAS_SPLIT(together, items)
    except SplitGivenUp:
        return False


def without_a_node(items: Any, nodes: int) -> Any:
    rests = RESTS(items, nodes)
    return [[0, *row[:-1]] for row in rests]


def on_one_cluster(loads: Any, free: Any, links: Any) -> bool:
    return max(free) >= len(loads) - 1


def as_if_in_halves(loads: Any, free: Any, links: Any) -> int:
    return max(loads)


def late_in_the_middle(search: SlowedEnumeration, phases: Any, count: int) -> bool:
    return IS_LATE(search, phases, count - 1)


def whatever_runs(*_: object) -> None:
    return None


def rounded_up_twice(job: CoallocationJob, power: Any, slot: Any) -> Any:
    return DURATION(job, power, slot) + slot / 2


def starts_alone(rule: str, *rest: Any) -> Any:
    return DIFFERENCES(rule, *rest) if rule == "reference" else ()


HAS_SPLIT, IS_LATE, DURATION = Together._has_split, SlowedEnumeration._is_late, CoallocationJob.duration
RESTS, DIFFERENCES = coallocation_heaviest._knapsack_rests, certificate._differences
PLANTED: list[Any] = [
    ("shared links", [(EventOrder, "separates", starts_separate)]),
    ("shared links", [(EventOrder, "allows", started_jobs_still_run)]),
    pytest.param(
        "shared links", [(shared_links, "order_of_alike_jobs", alike_whatever_their_times)], marks=pytest.mark.slow
    ),
    ("shared links", [(coallocation_spread, "progress_rates", slower_together)]),
    ("configurations", [(Together, "_has_split", as_if_refuted)]),
    ("configurations", [(coallocation_heaviest, "_knapsack_rests", without_a_node)]),
    ("jobs that cannot run together", [(coallocation_together, "can_be_split", on_one_cluster)]),
    ("jobs that cannot run together", [(coallocation_together, "_least_asked", as_if_in_halves)]),
    ("enumeration", [(SlowedEnumeration, "_is_late", late_in_the_middle)]),
    ("enumeration", [(Enumeration, "_usage", whatever_runs)]),
    ("area, longest job, wide jobs", [(CoallocationJob, "duration", rounded_up_twice)]),
    ("REF", [(certificate, "_differences", starts_alone)]),
]


@pytest.mark.parametrize(("kind", "changes"), PLANTED)
def test_planted_faults_are_found(kind: str, changes: Any, monkeypatch: MonkeyPatch) -> None:
    for place, name, other in changes:
        monkeypatch.setattr(place, name, other)
    assert run(kind, seed=0, attempts=3000, most_faults=1).faults
