"""REF's certificate, in which every change is noticed; RAND against Algorithm 3 moment by moment."""

from dataclasses import replace
from fractions import Fraction as F

import pytest

from heuristics.fair import certificate as certificates
from heuristics.fair.certificate import Decision, ReferenceCertificate, confirm, recompute, verify_reference
from heuristics.fair.rand import random_orderings, sampled_starts
from heuristics.fair.ref import METHOD, reference
from heuristics.registry import find_method
from oas.core.errors import InputError, TooLargeError, VerificationError
from oas.core.schedule import Schedule
from oas.generate.fair import random_instance
from oas.problems.fair.problem import FAIR
from oas.problems.fair.stream_rules import ticks_violations
from tests.heuristics.fair.plain import PlainReference, plain_sampled
from tests.heuristics.fair.plain import ticks as ticks_of
from tests.heuristics.fair.test_ref import bits, busy, scaled_up
from tests.slow import every_fourth_quick, mostly_slow

TICKS = busy(11, 4, 150, 1.2, wide=True)


@pytest.fixture(scope="module")
def run():
    return reference(TICKS)


@pytest.mark.parametrize("first", every_fourth_quick(range(0, 120, 10)))
def test_the_second_algorithm_is_algorithm_1(first):
    for seed in range(first, first + 10):
        ticks = random_instance(seed).scaled()
        plain = PlainReference(ticks)
        values = {bits(one): value for one, value in plain.values(ticks.horizon).items()}
        for compiled in (False, True):
            found = recompute(ticks, 1, compiled=compiled)
            assert found.starts == plain.runs[plain.everyone].row()
            assert dict(enumerate(found.values)) == values
            assert found.decisions == [Decision(*one) for one in plain.decisions]


@pytest.mark.parametrize("organizations", mostly_slow([6, 8], quick=[6]))
def test_a_large_run_passes(organizations):
    ticks = busy(3, organizations, 700, 1.1, wide=True, mean=300.0)
    seen = []
    found = reference(ticks)
    assert verify_reference(ticks, found.starts, found.certificate, on_progress=seen.append) == []
    assert seen == sorted(seen) and seen[-1] > ticks.horizon // 2


@pytest.mark.parametrize("seed", range(3))
def test_beyond_64_bits(seed):
    ticks = scaled_up(random_instance(seed, max_organizations=3).scaled(), 2**45 + 1)
    found = reference(ticks)
    assert verify_reference(ticks, found.starts, found.certificate) == []


def test_another_start(run):
    starts = run.starts.tolist()
    starts[7] += 1
    (found,) = verify_reference(TICKS, starts, run.certificate)
    assert found.rule == "reference" and found.jobs == ("7",)
    assert str(run.starts[7]) in found.message
    (found,) = verify_reference(TICKS, starts[:-1], run.certificate)
    assert found.rule == "reference" and "149, and must be 150" in found.message


@pytest.mark.parametrize("coalition", [0, 1, 6, 15])
def test_another_value(run, coalition):
    values = list(run.certificate.values)
    values[coalition] += 1
    (found,) = verify_reference(TICKS, run.starts, replace(run.certificate, values=tuple(values)))
    assert found.rule == "value" and f"({coalition})" in found.message
    (found,) = verify_reference(TICKS, run.starts, replace(run.certificate, values=tuple(values[:15])))
    assert found.rule == "value"


@pytest.mark.parametrize("change", [{"margin": F(1, 12)}, {"rival": 9}, {"chosen": 9}, {"job": 9000}])
def test_another_decision(run, change):
    decisions = list(run.decisions)
    before = decisions[20]
    decisions[20] = replace(before, **{name: getattr(before, name) + value for name, value in change.items()})
    (found,) = verify_reference(TICKS, run.starts, replace(run.certificate, decisions=tuple(decisions)))
    assert found.rule == "margin" and "(20)" in found.message


def test_decisions_left_out(run):
    for decisions in (run.decisions[1:], (), run.decisions[:-1]):
        (found,) = verify_reference(TICKS, run.starts, replace(run.certificate, decisions=decisions))
        assert found.rule == "margin"
    for stride in (2, 0, -1):
        assert verify_reference(TICKS, run.starts, replace(run.certificate, stride=stride))[0].rule == "margin"


def test_what_is_too_large_is_refused(monkeypatch):
    ticks = scaled_up(busy(1, 12, 1500), 2**28)
    with pytest.raises(TooLargeError, match=r"numbers may reach .*e\+.*3,072,000 starts are too many"):
        recompute(ticks, 1)
    monkeypatch.setattr(certificates, "ROWS_MOST", 1000)
    with pytest.raises(TooLargeError, match="the limit is 1,000"):
        recompute(TICKS, 1)


def certified(**changes):
    """Return REF's schedule of an instance, its certificate changed."""
    schedule = METHOD(INSTANCE)
    return Schedule(schedule.placements, schedule.method, {**(schedule.certificate or {}), **changes})


INSTANCE = random_instance(4)


def test_a_schedule_carries_its_certificate():
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
def test_a_certificate_that_cannot_be_read(changes, message):
    with pytest.raises(InputError, match=message):
        confirm(INSTANCE, certified(**changes))


def test_a_field_that_is_missing():
    with pytest.raises(InputError, match=r"certificate.values: is missing"):
        confirm(INSTANCE, Schedule(METHOD(INSTANCE).placements, certificate={"method": "REF"}))


@pytest.mark.parametrize("first", every_fourth_quick(range(0, 200, 20)))
def test_it_is_algorithm_3(first):
    """Few and many orderings, some of them twice; jobs of all times and widths."""
    for seed in range(first, first + 20):
        ticks = random_instance(seed).scaled()
        orderings = random_orderings(ticks.organization_count, 1 + seed % 6, seed)
        expected = plain_sampled(ticks, orderings)
        for compiled in (False, True):
            assert sampled_starts(ticks, orderings, compiled=compiled).tolist() == expected


def test_large_and_compiled():
    """More organizations than REF takes, and than half a word has bits."""
    organizations = 62
    ticks = busy(3, organizations, 200, wide=True)
    orderings = random_orderings(organizations, 3, 1)
    starts = sampled_starts(ticks, orderings, compiled=True)
    assert starts.tolist() == sampled_starts(ticks, orderings, compiled=False).tolist()
    assert not ticks_violations(ticks, starts)


def test_beyond_64_bits_it_is_exact():
    """All times are longer by one factor."""
    for seed in range(5):
        ticks = scaled_up(random_instance(seed, max_organizations=3).scaled(), 2**50)
        starts = sampled_starts(ticks, random_orderings(ticks.organization_count, 3, seed))
        assert not ticks_violations(ticks, starts)
        assert set((starts[starts >= 0] % 2**50).tolist()) <= {0}


@pytest.mark.parametrize(
    ("organizations", "orderings", "words"),
    [
        (3, [(0, 1)], r"orderings\[0\]: must hold each of 3 organizations once"),
        (3, [(0, 1, 2), (0, 0, 1)], r"orderings\[1\]: must hold each of 3 organizations once"),
        (1, [], "at least one is needed"),
        (63, random_orderings(63, 1), "at most 62"),
    ],
)
def test_orderings_that_are_refused(organizations, orderings, words):
    with pytest.raises(InputError, match=words):
        sampled_starts(ticks_of([1] * organizations, [(0, 0, 1)], 3), orderings)


@pytest.mark.parametrize("name", ["RAND(0)", "RAND(-3)", "RAND(1/2)", "RAND(x)", "RAND()", "RAND(2000000)"])
def test_bad_numbers(name):
    with pytest.raises(InputError, match="heuristic"):
        find_method(name, FAIR)
