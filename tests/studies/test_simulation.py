"""Figures of simulated policies, against their definitions; and what is refused."""

import math
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest

import oas
from oas.core.errors import InputError
from oas.core.stream import no_reservations
from oas.studies import simulation
from oas.studies.simulation import measured, spread
from tests.streams import POLICIES, stream_of


def test_figures_by_hand():
    """Two jobs one after the other on two processors, one of which is reserved until 6; 10 ticks a second."""
    stream = stream_of((20, 50, 1), (30, 200, 2), second=10).started([20, 70])
    found = measured("X", stream, 2, np.array([(0, 60, 1)]), F(10))
    assert found.makespan == 25  # from 2 s to 27 s
    assert found.utilisation == F(50 + 400, 2 * 250 - 40)
    assert (found.wait.mean, found.wait.median, found.wait.percentile95, found.wait.most) == (2.0, 2.0, 4.0, 4.0)
    assert found.bounded_slowdown.most == 24 / 20 and found.bounded_slowdown.mean == 1.1


@pytest.mark.parametrize("count", [1, 2, 19, 20, 21, 100])
def test_spread(count):
    values = np.random.default_rng(count).permutation(count) * 3
    found = spread(values)
    assert found.most == 3 * (count - 1) and found.mean == pytest.approx(values.mean())
    below = np.count_nonzero(values <= found.percentile95)
    assert below >= 0.95 * count > np.count_nonzero(values < found.percentile95)
    assert found.median == np.median(values)


def test_promises_are_held_against_the_policy_of_their_name(monkeypatch):
    """EASY's schedule is no conservative one: who mixes them up is found out."""
    stream = stream_of((0, 10, 2), (1, 10, 3), (1, 10, 4), (3, 20, 1))
    easy = simulation.find_policy("EASY")
    monkeypatch.setattr(simulation, "find_policy", lambda _: replace(easy, name="conservative"))
    found = oas.simulate(stream, "conservative", processors=4)
    assert [one.rule for one in found.rows[0].violations] == ["promise"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "processors: must be given: the log does not say"),
        ({"processors": 1}, r"processors\[1\]: job 2 is wider than the machine of 1 processors \(got 2\)"),
        ({"processors": 10**10}, "processors: must be at most 1000000000"),
        ({"processors": 2, "policies": []}, "policies: there is no policy"),
        ({"processors": 2, "policies": "EASI"}, "policy: unknown; did you mean EASY"),
        ({"processors": 2, "threshold": 0}, "threshold: must be above 0"),
        ({"processors": 2, "threshold": 0.5}, "threshold: a float may be rounded"),
        ({"processors": 2, "reservations": [(0, 4, 3)]}, r"reservations\[0\], processors: must be at most 2"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(InputError, match=message):
        oas.simulate(stream_of((0, 1, 1), (0, 1, 2)), **options)


def test_times_beyond_what_can_be_counted():
    with pytest.raises(InputError, match=r"time: all running times, \d+ ticks in all, after 2 reach 2\^62 ticks"):
        oas.simulate(stream_of((0, 2**61, 1), (2, 2**61, 1)), processors=1)
    with pytest.raises(InputError, match=r"reach 2\^62 ticks"):
        oas.simulate(stream_of((0, 2**61, 1)), processors=1, reservations=[(2**61, 2**61 + 5, 1)])
    longest = 2**62 - 10
    for policy in POLICIES:
        found = oas.simulate(stream_of((0, longest, 1), (3, 2, 1)), policy, processors=1)
        assert not found.violated and found.rows[0].makespan in (longest + 2, longest + 5)
    assert math.isfinite(found.to_frame()["bounded_slowdown_most"].max())


def test_large_areas_are_exact():
    stream = stream_of((0, 2**40, 10**9), (0, 2**40 + 1, 10**9)).started([0, 2**40])
    found = measured("X", stream, 10**9, no_reservations(), F(10))
    assert found.utilisation == 1
