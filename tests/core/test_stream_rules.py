"""The verifier of streams finds each rule that is broken, and nothing else."""

import numpy as np
import pytest

from oas.core.stream import JobStream, no_reservations
from oas.core.stream_rules import stream_violations
from tests.streams import POLICIES, naive, random_case, stream_of

LOG = stream_of((0, 4, 2), (1, 3, 1), (2, 5, 3))
DONE = {"ids": [1, 2, 3], "submit": [0, 1, 2], "time": [4, 3, 5], "processors": [2, 1, 3], "starts": [0, 1, 4]}


def broken(machine=3, reservations=(), **changes):
    done = JobStream(**{"owner": [0] * len(changes.get("ids", "abc")), **DONE, **changes})
    blocks = np.array(reservations, dtype=np.int64).reshape(-1, 3)
    return {one.rule: one for one in stream_violations(LOG, done, machine, blocks)}


def test_nothing_is_broken():
    assert not broken()
    assert not broken(reservations=[(9, 12, 3)])
    assert not broken(ids=["1", "2", "3"])


def test_in_any_order():
    assert not broken(ids=[3, 1, 2], time=[5, 4, 3], processors=[3, 2, 1], starts=[4, 0, 1])


def test_each_job_once():
    two = {name: values[:2] for name, values in DONE.items()}
    assert str(broken(**two)["missing_job"]) == "[missing_job] jobs that do not run: 1 (3)"
    assert set(broken(ids=[1, 2, 9])) == {"missing_job", "unknown_job"}
    assert broken(ids=[1, 2, 9])["unknown_job"].jobs == ("9",)
    four = {name: [*values, values[-1]] for name, values in DONE.items()}
    assert set(broken(machine=6, **four)) == {"duplicate_job"}


def test_duration_and_processors():
    found = broken(time=[4, 2, 5])
    assert set(found) == {"duration"} and found["duration"].jobs == ("2",)
    assert set(broken(processors=[2, 1, 2])) == {"tasks"}


def test_release():
    found = broken(machine=6, starts=[0, 0, 4])
    assert set(found) == {"start"} and found["start"].jobs == ("2",)


def test_capacity():
    found = broken(starts=[0, 1, 3])
    assert set(found) == {"capacity"}
    assert found["capacity"].message == ("6 of 3 processors are held at 3; more than there are at 1 moments, at most 6")
    assert found["capacity"].jobs == ("1", "2", "3")


@pytest.mark.parametrize(
    ("reservation", "fits"),
    [((9, 10, 1), True), ((8, 10, 1), False), ((4, 5, 1), False), ((6, 7, 1), False), ((0, 1, 1), True)],
)
def test_reservations_hold_processors(reservation, fits):
    assert set(broken(reservations=[reservation])) == (set() if fits else {"capacity"})


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("seed", range(6))
def test_mutations_of_what_policies_make(policy, seed):
    """Of a schedule that breaks nothing: a job before its submission, and two at once, wider than the machine."""
    stream, reservations = random_case(seed)
    done = stream.started(naive(policy, stream, 8, reservations))
    assert not stream_violations(stream, done, 8, reservations)
    late = np.flatnonzero(stream.submit)[0]
    starts = done.begun.copy()
    starts[late] = stream.submit[late] - 1
    rules = {one.rule for one in stream_violations(stream, stream.started(starts), 8, no_reservations())}
    assert "start" in rules
    wide = np.add.outer(stream.processors, stream.processors) > 8
    one, other = np.argwhere(np.triu(wide, 1))[seed]
    starts = done.begun.copy()
    starts[one] = starts[other]
    rules = {one.rule for one in stream_violations(stream, stream.started(starts), 8, no_reservations())}
    assert "capacity" in rules
