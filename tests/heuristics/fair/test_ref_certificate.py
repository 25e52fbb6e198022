"""REF's certificate: an honest one passes, whatever is changed is noticed; the second algorithm is Algorithm 1 too."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from typing import TYPE_CHECKING

import pytest

from heuristics.fair.certificate import ReferenceCertificate, confirm, verify_reference
from heuristics.fair.ref import METHOD, reference
from heuristics.fair.second import recomputing
from heuristics.fair.second.recomputing import recompute
from oas.core.errors import InputError, TooLargeError, VerificationError
from oas.core.schedule import Schedule
from oas.generate.fair.tiny import random_instance
from tests.heuristics.fair.plain import PlainReference
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


def certified(**changes: object) -> Schedule:
    """Return REF's schedule of an instance, its certificate changed."""
    schedule = METHOD(INSTANCE)
    return Schedule(schedule.placements, schedule.method, {**(schedule.certificate or {}), **changes})


INSTANCE = random_instance(4)


def test_a_schedule_carries_its_certificate() -> None:
    run = reference(INSTANCE.scaled())
    schedule = certified()
    assert schedule == METHOD(INSTANCE) and schedule.certificate is not None
    assert ReferenceCertificate.from_data(schedule.certificate) == run.certificate
    values, decisions = len(run.certificate.values), len(run.decisions)
    assert decisions > 0 and confirm(INSTANCE, schedule) == (
        f"REF: confirmed by a second algorithm, with v of all {values} coalitions"
        f" and the margins of {decisions} decisions"
    )
    with pytest.raises(VerificationError, match=r"does not hold:\n  \[margin\] noted decisions .*: there are 0"):
        confirm(INSTANCE, certified(decisions=[]))
    with pytest.raises(VerificationError, match=r"\[value\] coalitions have another v: there are 2, and must be "):
        confirm(INSTANCE, certified(values="0 1"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "RAND(3)"}, "certificate.method: of fair sharing, REF alone is confirmed"),
        ({"values": [1, 2]}, "certificate.values: must be whole numbers with blanks between"),
        ({"values": "1 2.5"}, "certificate.values: must be whole numbers with blanks between"),
        ({"values": "1" * 5000}, "certificate.values: must be whole numbers with blanks between"),
        ({"stride": 0}, "certificate.stride: must be at least 1"),
        ({"stride": "1"}, "certificate.stride: "),
        ({"decisions": {}}, "certificate.decisions: must be a list"),
        ({"decisions": [[1, 2, 3]]}, r"certificate.decisions\[0\]: must be job, organization, its best rival"),
        ({"decisions": [[1, 2, -3, "1/2"]]}, r"certificate.decisions\[0\]: must be at least 0"),
        ({"decisions": [[1, 2, 3, "half"]]}, r"certificate.decisions\[0\]: not a number"),
    ],
)
def test_a_certificate_that_cannot_be_read(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        confirm(INSTANCE, certified(**changes))


def test_a_field_that_is_missing() -> None:
    with pytest.raises(InputError, match=r"certificate.values: is missing"):
        confirm(INSTANCE, Schedule(METHOD(INSTANCE).placements, certificate={"method": "REF"}))
