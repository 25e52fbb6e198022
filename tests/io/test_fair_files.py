"""Instances of fair sharing in files: what may be left out, what is written, and every kind of hostile file refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.io import dumps, loads
from oas.problems.fair.instance import FairInstance
from oas.problems.rigid import Organization, RigidJob
from tests.io.test_hostile import HUGE, changed, refusal
from tests.io.test_round_trip import valid
from tests.problems.fair.instances import random_instance

FAIR = (
    '{"format": "oas-instance", "version": 1, "problem": "fair", "name": "x", "horizon": 14, "organizations": [\n'
    ' {"id": "A", "processors": 2, "jobs": [\n'
    '  {"id": "a1", "time": 3},\n'
    '  {"id": "a2", "time": 8, "processors": 2, "release": 5}]},\n'
    ' {"id": "B", "processors": 1, "jobs": [{"id": "b1", "time": 1, "release": 2}]}], "provenance": {"by": "hand"}}'
)


def read(text: str) -> FairInstance:
    instance = loads(text.encode())
    assert isinstance(instance, FairInstance)
    return instance


def test_what_it_says() -> None:
    expected = FairInstance(
        [
            Organization("A", 2, [RigidJob("a1", 3, 1), RigidJob("a2", 8, 2, 5)]),
            Organization("B", 1, [RigidJob("b1", 1, 1, 2)]),
        ],
        14,
        "x",
    )
    assert read(FAIR) == expected and read(FAIR).digest == expected.digest
    assert read(FAIR).provenance == {"by": "hand"}
    assert valid("instance", FAIR)


def test_defaults_may_be_left_out() -> None:
    document = json.loads(FAIR)
    del document["name"], document["provenance"]
    instance = read(json.dumps(document))
    assert (instance.name, instance.provenance) == ("", {})
    assert instance.digest == read(FAIR).digest


@pytest.mark.parametrize("seed", range(10))
def test_what_is_written_is_read_again(seed: int) -> None:
    instance = random_instance(seed)
    again = read(dumps(instance).decode())
    assert again == instance and again.digest == instance.digest and again.name == instance.name
    assert dumps(again) == dumps(instance)
    assert valid("instance", dumps(instance)) and not valid("schedule", dumps(instance))


@given(
    st.integers(1, 10**79),
    st.lists(st.tuples(st.integers(1, 10**79), st.integers(0, 10**79)), min_size=1, max_size=4),
    st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=9),
)
def test_numbers_of_any_length_and_names(horizon: int, jobs: list[tuple[int, int]], name: str) -> None:
    releases = sorted(release for _, release in jobs)
    own = [RigidJob(f"{name}{i}", time, 1, releases[i]) for i, (time, _) in enumerate(jobs)]
    instance = FairInstance([Organization(name, 1, own)], max(horizon, releases[0] + 1), name, {name: name})
    again = read(dumps(instance).decode())
    assert again == instance and again.provenance == instance.provenance


@pytest.mark.parametrize(
    ("old", "new", "field", "reason"),
    [
        ('"horizon": 14', '"horizon": 0', "horizon", "must be at least 1"),
        ('"horizon": 14, ', "", "horizon", "is missing"),
        ('"time": 3', '"time": 0', "organizations[0].jobs[0].time", "must be above 0"),
        ('"time": 3', '"time": 2.5', "organizations[0].jobs[0].time", "must be an integer, not a decimal"),
        ('"time": 3', f'"time": {HUGE}', "organizations[0].jobs[0].time", "too long"),
        ('"release": 5', '"release": 1e3', "organizations[0].jobs[1].release", "must be an integer, not a decimal"),
        ('"horizon": 14', '"horizon": "3"', "horizon", "must be an integer, not text"),
        ('"release": 5', '"release": -5', "organizations[0].jobs[1].release", "must not be negative"),
        (
            '"release": 5',
            '"release": 5}, {"id": "a3", "time": 1, "release": 4',
            "organizations[0].jobs[2].release",
            "before job a2, at 5, which it follows",
        ),
        ('"processors": 2, "jobs"', '"processors": 0, "jobs"', "organizations[0].processors", "must be at least 1"),
        ('"processors": 2, "jobs"', '"jobs"', "organizations[0].processors", "is missing"),
        (
            '"processors": 2, "release"',
            '"processors": 3, "release"',
            "organizations[0].jobs[1].processors",
            "wider than the organization's own cluster of 2",
        ),
        ('[{"id": "b1", "time": 1, "release": 2}]', "[]", "organizations[1].jobs", "at least 1"),
        ('"id": "B"', '"id": "A"', "organizations[1].id", "the id is taken"),
        (
            '"release": 2}]',
            '"release": 2}], "reservations": []',
            "organizations[1].reservations",
            "there is no such field",
        ),
        ('"horizon": 14', '"horizon": 14, "local": "HF"', "local", "there is no such field"),
        ('"release": 2', '"release": 2, "deadline": 3', "organizations[1].jobs[0].deadline", "there is no such field"),
        ('"fair"', '"fare"', "problem", "did you mean fair"),
    ],
)
def test_what_is_refused(old: str, new: str, field: str, reason: str) -> None:
    error = refusal(changed(old, new, FAIR))
    assert error.field == field and reason in error.reason
