"""REF's certificate: an honest one passes, whatever is changed is noticed; the second algorithm is Algorithm 1 too."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import TYPE_CHECKING

import pytest

from heuristics.fair.certificate import verify_reference
from heuristics.fair.ref import reference
from heuristics.fair.second import recomputing
from heuristics.fair.second.recomputing import recompute
from oas.core.errors import TooLargeError
from oas.generate.fair.tiny import random_instance
from tests.heuristics.fair.plain_reference import PlainReference
from tests.heuristics.fair.test_ref import bits, busy, scaled_up
from tests.slow import every_fourth_quick

if TYPE_CHECKING:
    from heuristics.fair.ref import ReferenceRun

TICKS = busy(11, 4, 150, 1.2, wide=True)


@pytest.fixture(scope="module")
def run() -> ReferenceRun:
    return reference(TICKS)


@pytest.mark.parametrize("first", every_fourth_quick(range(0, 120, 10)))
def test_the_second_algorithm_is_algorithm_1(first: int) -> None:
    for seed in range(first, first + 10):
        ticks = random_instance(seed).scaled()
        plain = PlainReference(ticks)
        values = {bits(one): value for one, value in plain.values(ticks.horizon).items()}
        for compiled in (False, True):
            found = recompute(ticks, 1, compiled=compiled)
            assert found.starts == plain.runs[plain.everyone].row()
            assert dict(enumerate(found.values)) == values
            assert found.notes == plain.decisions


@pytest.mark.parametrize("compiled", [False, True])
def test_an_honest_run_passes(run: ReferenceRun, compiled: bool) -> None:
    assert len(run.decisions) > 50 and len(run.certificate.values) == 16
    assert verify_reference(TICKS, run.starts, run.certificate, compiled=compiled) == []


@pytest.mark.parametrize("organizations", [6, 8])
def test_a_large_run_passes(organizations: int) -> None:
    ticks = busy(3, organizations, 1500, 1.1, wide=True, mean=300.0)
    seen: list[int] = []
    found = reference(ticks)
    assert verify_reference(ticks, found.starts, found.certificate, on_progress=seen.append) == []
    assert seen == sorted(seen) and seen[-1] > ticks.horizon // 2


@pytest.mark.parametrize("seed", range(3))
def test_beyond_64_bits(seed: int) -> None:
    ticks = scaled_up(random_instance(seed, max_organizations=3).scaled(), 2**45 + 1)
    found = reference(ticks)
    assert verify_reference(ticks, found.starts, found.certificate) == []


def test_another_start(run: ReferenceRun) -> None:
    starts = run.starts.tolist()
    starts[7] += 1
    (found,) = verify_reference(TICKS, starts, run.certificate)
    assert found.rule == "reference" and found.jobs == ("7",)
    assert str(run.starts[7]) in found.message
    (found,) = verify_reference(TICKS, starts[:-1], run.certificate)
    assert found.rule == "reference" and "149, and must be 150" in found.message


@pytest.mark.parametrize("coalition", [0, 1, 6, 15])
def test_another_value(run: ReferenceRun, coalition: int) -> None:
    values = list(run.certificate.values)
    values[coalition] += 1
    (found,) = verify_reference(TICKS, run.starts, replace(run.certificate, values=tuple(values)))
    assert found.rule == "value" and f"({coalition})" in found.message
    (found,) = verify_reference(TICKS, run.starts, replace(run.certificate, values=tuple(values[:15])))
    assert found.rule == "value"


@pytest.mark.parametrize("change", [{"margin": F(1, 12)}, {"rival": 9}, {"chosen": 9}, {"job": 9000}])
def test_another_decision(run: ReferenceRun, change: dict[str, F | int]) -> None:
    decisions = list(run.decisions)
    before = decisions[20]
    decisions[20] = replace(before, **{name: getattr(before, name) + value for name, value in change.items()})
    (found,) = verify_reference(TICKS, run.starts, replace(run.certificate, decisions=tuple(decisions)))
    assert found.rule == "margin" and "(20)" in found.message


def test_decisions_left_out(run: ReferenceRun) -> None:
    for decisions in (run.decisions[1:], (), run.decisions[:-1]):
        (found,) = verify_reference(TICKS, run.starts, replace(run.certificate, decisions=decisions))
        assert found.rule == "margin"
    for stride in (2, 0, -1):
        assert verify_reference(TICKS, run.starts, replace(run.certificate, stride=stride))[0].rule == "margin"


def test_what_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = scaled_up(busy(1, 12, 1500), 2**28)
    with pytest.raises(TooLargeError, match=r"numbers may reach .*e\+.*3,072,000 starts are too many"):
        recompute(ticks, 1)
    monkeypatch.setattr(recomputing, "ROWS_MOST", 1000)
    with pytest.raises(TooLargeError, match="the limit is 1,000"):
        recompute(TICKS, 1)
