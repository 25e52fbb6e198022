"""MOSP and fair-sharing instances in files: defaults, layout, and every kind of hostile file refused."""

import json
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.core import instances as limits
from oas.core.instances import MAX_RESERVATIONS
from oas.core.registry import MOSP as MOSP_PROBLEM
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.core.verifier import verify
from oas.fair.instance import FairInstance
from oas.io import dumps, loads, schema
from oas.mosp.availability import availability
from oas.mosp.instance import MospInstance
from oas.mosp.local import LOCAL_ORDERS
from oas.solving.methods import find_method
from tests.io.test_files import valid
from tests.io.test_hostile import HUGE, changed, number_rows, refusal

MOSP = (
    '{"format": "oas-instance", "version": 1, "problem": "mosp", "name": "x", "locality": 1.25, "organizations": [\n'
    ' {"id": "A", "processors": 4, "jobs": [\n'
    '  {"id": "a1", "time": 3, "processors": 2},\n'
    '  {"id": "a2", "time": 2.5, "processors": 4, "release": 0.5}],\n'
    '  "reservations": [{"start": 9, "end": 10, "processors": 1}]},\n'
    ' {"id": "B", "processors": 2, "jobs": [{"id": "b1", "time": "1/3", "processors": 1}]}],\n'
    ' "local": {"a1": 0, "a2": 3.5, "b1": 7}, "provenance": {"by": "hand"}}'
)
LOCAL = '{"a1": 0, "a2": 3.5, "b1": 7}'


def read(text):
    instance = loads(text.encode())
    assert isinstance(instance, MospInstance)
    return instance


def test_what_it_says():
    jobs = [RigidJob("a1", 3, 2), RigidJob("a2", "5/2", 4, "1/2")]
    organizations = [
        Organization("A", 4, jobs, [Reservation(9, 10, 1)]),
        Organization("B", 2, [RigidJob("b1", "1/3", 1)]),
    ]
    expected = MospInstance(organizations, "5/4", {"a1": 0, "a2": F(7, 2), "b1": 7}, name="x")
    assert read(MOSP) == expected
    assert read(MOSP).provenance == {"by": "hand"}
    assert valid("instance", MOSP)


def test_defaults_may_be_left_out():
    document = json.loads(MOSP)
    for name in ("name", "locality", "local", "provenance"):
        del document[name]
    instance = read(json.dumps(document))
    assert (instance.name, instance.locality) == ("", 1)
    assert instance == MospInstance(instance.organizations, 1, "HF")
    assert instance.provenance == {"local": "HF"}


@pytest.mark.parametrize("policy", LOCAL_ORDERS)
def test_a_policy_in_place_of_the_starts(policy):
    """The starts are written, so that a file means the same whoever reads it."""
    instance = read(changed(LOCAL, f'"{policy}"', MOSP))
    assert instance == MospInstance(instance.organizations, "5/4", policy, name="x")
    written = json.loads(dumps(instance))
    assert written["local"].keys() == {"a1", "a2", "b1"}
    assert "seed" not in written and written["provenance"]["local"].startswith(policy)
    assert read(json.dumps(written)) == instance


def lone(*reservations, **keys):
    """Return an organization alone, without locality and local schedules."""
    jobs = [{"id": "a", "time": 3, "processors": 2}, {"id": "b", "time": "1/2", "processors": 4, "release": 1}]
    one = {"id": "A", "processors": 4, "jobs": jobs, "reservations": list(reservations)}
    document = {"format": "oas-instance", "version": 1, "problem": "mosp", "locality": None, "organizations": [one]}
    return json.dumps({**document, **keys})


def held(start, end, processors):
    return {"start": start, "end": end, "processors": processors}


def test_an_organization_alone_has_no_local_schedule_unless_it_is_given():
    text = lone(held(1, 2, 1))
    instance = read(text)
    assert instance.local is None and instance.provenance == {} and valid("instance", text)
    written = json.loads(dumps(instance))
    assert "local" not in written and read(json.dumps(written)) == instance
    assert valid("instance", json.dumps(written))
    carried = read(lone(held(1, 2, 1), local={"a": 2, "b": 5}))
    assert carried.local == {"a": 2, "b": 5} and carried.digest != instance.digest
    assert json.loads(dumps(carried))["local"] == {"a": 2, "b": 5}
    assert read(lone(local="SPT")).provenance == {"local": "SPT"}
    assert read(lone(locality=1)) == MospInstance(read(lone()).organizations, 1, "HF")
    assert refusal(lone(seed=3)).reason == "only the policy RND takes a seed"


@pytest.mark.slow
def test_as_many_reservations_as_allowed():
    """They are read, verified and scheduled around, jobs and reservations alternating; quadratic passes take hours."""
    apart = [held(10 * n, 10 * n + 9, 4) for n in range(MAX_RESERVATIONS)]
    instance = read(lone(*apart))
    assert availability(instance.organizations[0]).least_free == 0
    for name in ("FCFS", "EASY"):
        schedule = find_method(name, MOSP_PROBLEM)(instance)
        assert verify(instance, schedule) == [] and schedule.makespan == 10 * MAX_RESERVATIONS + 2
    error = refusal(lone(*apart, held(0, 1, 1)))
    assert error.field == "organizations[0].reservations" and "at most" in error.reason


def test_the_schema_knows_both_problems():
    kinds = schema("instance")["$defs"]
    for name, problem in (("CoallocationDocument", "coallocation"), ("MospDocument", "mosp")):
        assert kinds[name]["properties"]["problem"] == {"enum": [problem]}
    assert not valid("instance", changed('"mosp"', '"coallocation"', MOSP))
    assert not valid("instance", changed('"b1": 7', '"b1": null', MOSP))
    assert not valid("instance", changed(LOCAL, "3", MOSP))
    assert valid("instance", changed(LOCAL, '"RND", "seed": 3', MOSP))


@pytest.mark.parametrize(
    ("field", "old", "number", "reason", "shown"),
    number_rows(
        ("organizations[0].jobs[1].time", '"time": 2.5'),
        ("organizations[0].jobs[1].release", '"release": 0.5'),
        ("organizations[0].reservations[0].start", '"start": 9'),
        ("organizations[0].reservations[0].end", '"end": 10'),
        ("local.a2", '"a2": 3.5'),
        ("locality", '"locality": 1.25'),
    ),
)
def test_numbers(field, old, number, reason, shown):
    text = changed(old, f"{old.split(':')[0]}: {number}", MOSP)
    error = refusal(text)
    assert error.field == field
    assert reason in error.reason or (number == "-1" and "before its release" in error.reason)
    assert ("(got" not in str(error)) if shown is None else shown in str(error).partition("(got ")[2]


A = "organizations[0]"


@pytest.mark.parametrize(
    ("old", "new", "field", "reason"),
    [
        ('"mosp"', '"MOSP"', "problem", "unknown value; did you mean mosp? known: coallocation, mosp"),
        ('"locality": 1.25', '"locality": 0.99', "locality", "at least 1"),
        ('"id": "a2"', '"id": "a1"', f"{A}.jobs[1].id", "taken"),
        ('"processors": 4, "release"', '"processors": 4.0, "release"', f"{A}.jobs[1].processors", "not a decimal"),
        ('[{"start": 9, "end": 10, "processors": 1}]', "{}", f"{A}.reservations", "must be a list, not an object"),
        (LOCAL, "null", "local", "must be text or an object, not null"),
        (LOCAL, '"RND", "seed": 0.5', "seed", "must be an integer, not a decimal"),
        ('"b1": 7', '"b1": 7, "b1": 7', "local.b1", "twice"),
        ('"b1": 7', '"b1": [7]', "local.b1", "must be a number"),
    ],
)  # fmt: skip
def test_values_and_shapes(old, new, field, reason):
    error = refusal(changed(old, new, MOSP))
    assert error.field == field and reason in error.reason


def many(count, jobs=0, processors=1, reservations=0, local="HF"):
    """Return an instance of `count` organizations, each with that many jobs and reservations."""
    held = [{"start": n, "end": n + 1, "processors": 1} for n in range(reservations)]
    organizations = [
        {
            "id": f"O{k}",
            "processors": processors,
            "jobs": [{"id": f"{k}/{n}", "time": 1, "processors": 1} for n in range(jobs)],
            "reservations": held,
        }
        for k in range(count)
    ]
    document = {"format": "oas-instance", "version": 1, "problem": "mosp", "organizations": organizations}
    return json.dumps({**document, "local": local})


@pytest.mark.parametrize(
    ("sizes", "field", "reason"),
    [
        ((limits.MAX_CLUSTERS + 1,), "organizations", f"at most {limits.MAX_CLUSTERS:,} items"),
        ((1, limits.MAX_JOBS + 1), "organizations[0].jobs", f"at most {limits.MAX_JOBS:,} items"),
        pytest.param(
            (2, limits.MAX_JOBS // 2 + 1, 1, 0, {}),
            "organizations",
            f"more than {limits.MAX_JOBS} jobs in all",
            marks=pytest.mark.slow,
        ),
        ((2, 1, limits.MAX_NODES // 2 + 1), "organizations", f"more than {limits.MAX_NODES} processors in all"),
        ((2, 1, 2, MAX_RESERVATIONS // 2 + 1, {}), "organizations", f"more than {MAX_RESERVATIONS} reserv"),
        ((1, 5000), "local", "too many jobs and reservations for a policy"),
        ((1, 100, 2, 500), "local", "too many jobs and reservations for a policy"),
    ],
    ids=["organizations", "jobs", "jobs in all", "processors", "reservations", "policy", "policy and reservations"],
)
def test_too_much(sizes, field, reason):
    error = refusal(many(*sizes))
    assert error.field == field and reason in error.reason


def test_times_that_add_up_to_too_many_digits_are_refused_when_read():
    """A policy adds times up: their common denominator may be longer than any number may be."""
    text = changed(LOCAL, '"HF"', MOSP)
    for old, prime in (('"time": 3', 3**83), ('"time": 2.5', 7**47), ('"release": 0.5', 2**130)):
        text = changed(old, f'{old.partition(":")[0]}: "1/{prime}"', text)
    error = refusal(text)
    assert error.field == "local" and "common denominator" in error.reason


FAIR = (
    '{"format": "oas-instance", "version": 1, "problem": "fair", "name": "x", "horizon": 14, "organizations": [\n'
    ' {"id": "A", "processors": 2, "jobs": [\n'
    '  {"id": "a1", "time": 3},\n'
    '  {"id": "a2", "time": 8, "processors": 2, "release": 5}]},\n'
    ' {"id": "B", "processors": 1, "jobs": [{"id": "b1", "time": 1, "release": 2}]}], "provenance": {"by": "hand"}}'
)


def fair_read(text):
    instance = loads(text.encode())
    assert isinstance(instance, FairInstance)
    return instance


def test_fair_what_it_says():
    expected = FairInstance(
        [
            Organization("A", 2, [RigidJob("a1", 3, 1), RigidJob("a2", 8, 2, 5)]),
            Organization("B", 1, [RigidJob("b1", 1, 1, 2)]),
        ],
        14,
        "x",
    )
    assert fair_read(FAIR) == expected and fair_read(FAIR).digest == expected.digest
    assert fair_read(FAIR).provenance == {"by": "hand"}
    assert valid("instance", FAIR)


def test_fair_defaults_may_be_left_out():
    document = json.loads(FAIR)
    del document["name"], document["provenance"]
    instance = fair_read(json.dumps(document))
    assert (instance.name, instance.provenance) == ("", {})
    assert instance.digest == fair_read(FAIR).digest


@given(
    st.integers(1, 10**79),
    st.lists(st.tuples(st.integers(1, 10**79), st.integers(0, 10**79)), min_size=1, max_size=4),
    st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=9),
)
def test_numbers_of_any_length_and_names(horizon, jobs, name):
    releases = sorted(release for _, release in jobs)
    own = [RigidJob(f"{name}{i}", time, 1, releases[i]) for i, (time, _) in enumerate(jobs)]
    instance = FairInstance([Organization(name, 1, own)], max(horizon, releases[0] + 1), name, {name: name})
    again = fair_read(dumps(instance).decode())
    assert again == instance and again.provenance == instance.provenance and again.digest == instance.digest
    assert dumps(again) == dumps(instance)
    assert valid("instance", dumps(instance)) and not valid("schedule", dumps(instance))


@pytest.mark.parametrize(
    ("old", "new", "field", "reason"),
    [
        ('"horizon": 14, ', "", "horizon", "is missing"),
        ('"time": 3', '"time": 2.5', "organizations[0].jobs[0].time", "must be an integer, not a decimal"),
        ('"time": 3', f'"time": {HUGE}', "organizations[0].jobs[0].time", "too long"),
        ('[{"id": "b1", "time": 1, "release": 2}]', "[]", "organizations[1].jobs", "at least 1"),
        (
            '"release": 2}]',
            '"release": 2}], "reservations": []',
            "organizations[1].reservations",
            "there is no such field",
        ),
        ('"horizon": 14', '"horizon": 14, "local": "HF"', "local", "there is no such field"),
        ('"fair"', '"fare"', "problem", "did you mean fair"),
    ],
)
def test_what_is_refused(old, new, field, reason):
    error = refusal(changed(old, new, FAIR))
    assert error.field == field and reason in error.reason
