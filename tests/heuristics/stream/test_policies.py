"""The engines do job by job what plain loops over every tick do, plain and compiled."""

import pytest

from heuristics.stream import policies
from heuristics.stream.policies import find_policy
from oas.core.stream import no_reservations
from tests import streams
from tests.slow import every_fourth_quick, mostly_slow
from tests.streams import naive, random_case, stream_of


def starts(policy, stream, machine, reservations, compiled=False):
    return find_policy(policy).starts(stream, machine, reservations, compiled).tolist()


@pytest.mark.parametrize("policy", streams.POLICIES)
@pytest.mark.parametrize("seed", every_fourth_quick(range(21)))
def test_small_streams(policy, seed):
    stream, reservations = random_case(seed, count=30 + seed, load=(0.6, 1.0, 3.0)[seed % 3], reservations=seed % 7)
    assert starts(policy, stream, 8, reservations) == naive(policy, stream, 8, reservations).tolist()


@pytest.mark.parametrize("policy", streams.POLICIES)
def test_off_line(policy):
    stream, reservations = random_case(7, count=80)
    stream = stream.at_once()
    assert starts(policy, stream, 8, reservations) == naive(policy, stream, 8, reservations).tolist()


@pytest.mark.parametrize("policy", mostly_slow(streams.POLICIES, quick=("FCFS", "FCFS-strict", "conservative", "EASY")))
def test_two_thousand_jobs_around_reservations(policy):
    stream, reservations = random_case(3, 2000, machine=24, longest=60, load=0.95, reservations=150)
    expected = naive(policy, stream, 24, reservations).tolist()
    assert starts(policy, stream, 24, reservations) == expected
    assert starts(policy, stream, 24, reservations, compiled=True) == expected


def test_a_thousand_jobs_off_line():
    stream, reservations = random_case(4, 1000, machine=24, longest=20, reservations=80)
    stream = stream.at_once()
    expected = naive("conservative", stream, 24, reservations).tolist()
    assert starts("conservative", stream, 24, reservations) == expected
    assert starts("conservative", stream, 24, reservations, compiled=True) == expected


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_remembered_holds_for_longer_and_wider_jobs_alone(monkeypatch, seed, at_once):
    """With fewer buckets than times and widths, jobs of one bucket differ."""
    for name, most in (("TIMES", 4), ("TIMES_BEHIND", 5), ("WIDTHS", 3)):
        monkeypatch.setattr(policies, name, most)
    stream, reservations = random_case(seed, count=120, longest=40, load=1.5)
    stream = stream.at_once() if at_once else stream
    assert starts("conservative", stream, 8, reservations) == naive("conservative", stream, 8, reservations).tolist()


def test_who_overtakes():
    """Two of three processors are taken until 10; the second job needs three; the others one, for 9 and 8."""
    stream = stream_of((0, 10, 2), (1, 5, 3), (2, 9, 1), (2, 8, 1))
    found = {policy: starts(policy, stream, 3, no_reservations()) for policy in ("FCFS", "EASY", "FCFS-strict")}
    assert found == {"FCFS": [0, 18, 2, 10], "EASY": [0, 10, 15, 2], "FCFS-strict": [0, 10, 15, 15]}


def test_easy_delays_who_is_not_first_and_conservative_does_not():
    """The fourth job fits beside the first two, and delays the third."""
    stream = stream_of((0, 10, 2), (1, 10, 3), (1, 10, 4), (3, 20, 1))
    assert starts("EASY", stream, 4, no_reservations()) == [0, 10, 23, 3]
    assert starts("conservative", stream, 4, no_reservations()) == [0, 10, 20, 30]
