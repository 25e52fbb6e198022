"""Every kind of hostile file is refused with the place and the reason; a short run of the fuzzer."""

import gzip
import re
import subprocess
import sys
from fractions import Fraction as F

import pytest

from oas.core.errors import InputError
from oas.core.instances import MAX_JOBS
from oas.core.result import Bound, Claim, Proof, ProofKind, Result, Status, Termination
from oas.core.schedule import Placement, Schedule
from oas.io import decoding, dumps, load_answer, loads_any, save, writing
from oas.io.decoding import MAX_BYTES, MAX_VALUES

FIRST = '{"id": "one", "tasks": 1, "base_time": 1}'
SECOND = '{"id": "two", "tasks": 2, "base_time": 1.5, "bandwidth": 1, "sigma": 0.7}'
CLUSTER = '{"id": "A", "bandwidth": 10, "nodes": [{"count": 2, "power": 1}, {"count": 2, "power": 0.75}]}'
INSTANCE = (
    '{"format": "oas-instance", "version": 1, "problem": "coallocation", "slot": 0, "saturation": "forbid",\n'
    f' "name": "x", "clusters": [{CLUSTER}],\n "jobs": [{FIRST}, {SECOND}], "provenance": {{"by": "hand"}}}}'
)


def refusal(data):
    """Return the error that a file gets; its text names the file."""
    with pytest.raises(InputError) as caught:
        loads_any(data.encode() if isinstance(data, str) else data, "grid.json")
    text = str(caught.value)
    assert text.startswith("grid.json: ") and len(text) < 500
    assert text.isprintable()
    return caught.value


def changed(old, new, text=INSTANCE):
    """Return the file with one place changed."""
    assert text.count(old) == 1
    return text.replace(old, new)


HUGE = "9" * 5000
NUMBER_KINDS = [
    ("NaN", "no such number", "NaN"),
    ("Infinity", "no such number", "Infinity"),
    ("true", "must be a number", "True"),
    ("null", "must be a number", None),
    ("[1]", "must be a number", None),
    ("{}", "must be a number", None),
    ("1e999999", "too long", "1e999999"),
    ("1e99", "exponent", "1E+99"),
    ("1e99999999999999999999", "too long", "1e99999999999999999999"),
    (HUGE, "too long", "9999"),
    ("9" * 81, "too long", "about 1e+81"),
    ("0." + "3" * 5000, "too long", "0.33"),
    ("0." + "3" * 41, "40 digits", "0.33"),
    ('"nan"', "not a number", "nan"),
    ('"1_0"', "not a number", "1_0"),
    ('"１"', "not a number", "１"),
    ('""', "not a number", "''"),
    ('"1/0"', "denominator is zero", "1/0"),
    (f'"1/{HUGE}"', "too long", "1/99"),
    ("-1", "must", "-1"),
]


def number_rows(first, *others):
    """Every kind of bad number at the first place, as (field, text in the file); four kinds at each of the others."""
    some = [kind for kind in NUMBER_KINDS if kind[0] in ("NaN", "true", '"1/0"', "-1")]
    every = [(*first, *kind) for kind in NUMBER_KINDS] + [(*other, *kind) for other in others for kind in some]
    return [pytest.param(*row, id=f"{row[0]} {row[2]}"[:40]) for row in every]


@pytest.mark.parametrize(
    ("field", "old", "number", "reason", "shown"),
    number_rows(
        ("jobs[1].base_time", '"base_time": 1.5'),
        ("jobs[1].bandwidth", '"bandwidth": 1,'),
        ("jobs[1].sigma", '"sigma": 0.7'),
        ("clusters[0].bandwidth", '"bandwidth": 10'),
        ("clusters[0].nodes[1].power", '"power": 0.75'),
        ("slot", '"slot": 0'),
    ),
)
def test_numbers(field, old, number, reason, shown):
    key = old.split(":")[0]
    error = refusal(changed(old, f"{key}: {number}" + ("," if old.endswith(",") else "")))
    assert error.field == field
    assert reason in error.reason
    if shown is None:
        assert "(got" not in str(error)
    else:
        assert shown in str(error).partition("(got ")[2]


@pytest.mark.parametrize(
    ("value", "reason", "shown"),
    [
        ("true", "must be an integer, not true or false", "True"),
        ("null", "must be an integer, not null", None),
        ("2.0", "must be an integer, not a decimal", "2.0"),
        ('"2"', "must be an integer, not text", "'2'"),
        ("[2]", "must be an integer, not a list", None),
        ("0", "at least 1", "0"),
        ("-" + "9" * 4000, "at least 1", "about -1e4000"),
        (HUGE, "too long", "9999"),
        ("NaN", "no such number", "NaN"),
    ],
    ids=lambda value: str(value)[:12],
)
@pytest.mark.parametrize(
    ("field", "old"), [("jobs[1].tasks", '"tasks": 2'), ("clusters[0].nodes[0].count", '"count": 2, "power": 1}')]
)
def test_counts(field, old, value, reason, shown):
    error = refusal(changed(old, re.sub(": 2", lambda _: f": {value}", old, count=1)))
    assert error.field == field
    assert reason in error.reason
    assert ("(got" not in str(error)) if shown is None else shown in str(error).partition("(got ")[2]


@pytest.mark.parametrize(
    ("old", "new", "field", "reason"),
    [
        ('"count": 2, "power": 1}', '"count": 1000000, "power": 1}', "clusters", "more than 100000 nodes"),
        ('"power": 0.75', '"power": 0', "clusters[0].nodes[1].power", "above 0"),
        ('"id": "two"', '"id": "one"', "jobs[1].id", "the same id as jobs[0]"),
        (CLUSTER, f"{CLUSTER}, {CLUSTER}", "clusters[1].id", "the same id as clusters[0]"),
        (CLUSTER, "", "clusters", "at least 1 item"),
        (f"{FIRST}, {SECOND}", "", "jobs", "at least 1 item"),
        (CLUSTER, "3", "clusters[0]", "must be an object, not an integer"),
        (f"[{CLUSTER}]", '"none"', "clusters", "must be a list, not text"),
        ('"two", ', '"two", "deadline": 3, ', "jobs[1].deadline", "no such field"),
        ('"two", ', '"two", "\\u001b[31m": 3, ', "jobs[1].'\\x1b[31m'", "no such field"),
        ('"tasks": 2, ', "", "jobs[1].tasks", "is missing"),
        ('"version": 1, ', "", "version", "is missing"),
        ('"format": "oas-instance", ', "", "format", "is missing"),
        ('"version": 1', '"version": 2', "version", "unknown value; known: 1"),
        ('"oas-instance"', '"swf"', "format", "known: oas-instance, oas-schedule, oas-result"),
        ('"coallocation"', '"job shop"', "problem", "unknown value; known: coallocation, mosp"),
        ('"coallocation"', '"mosp"', "slot", "no such field"),
        ('"problem": "coallocation", ', "", "problem", "is missing"),
        ('"forbid"', '"ignore"', "saturation", "unknown policy; known: forbid"),
        ('"by": "hand"', '"by": 3', "provenance.by", "must be text, not an integer"),
        ('"by": "hand"', '"b\\u0000y": "hand"', "provenance.'b\\x00y'", "control characters"),
        ('"name": "x"', '"name": "a\\u0007"', "name", "printable"),
        ('"tasks": 2', '"tasks": 2, "tasks": 2', "jobs[1].tasks", "twice"),
        ('"tasks": 2', '"tasks": 2, "t\\u0061sks": 2', "jobs[1].tasks", "twice"),
        ('"by": "hand"', '"by": "hand", "by": "hand"', "provenance.by", "twice"),
        ('"version": 1', '"version": 1, "format": "oas-instance"', "format", "twice"),
        ('"slot": 0', '"slot": 0, "slot": {"a": 1, "a": 2}', "slot", "twice"),
        ('"two"', '"\\udc00\\ud800"', "jobs[1].id", "surrogate"),
        ('"by": "hand"', '"\\ud800": "hand"', "provenance.'\\ud800'", "surrogate"),
        ('"by": "hand"', '"by": "\\ud83d"', "provenance.by", "surrogate"),
    ],
)
def test_values_and_shapes(old, new, field, reason):
    error = refusal(changed(old, new))
    assert error.field == field and reason in error.reason


@pytest.mark.parametrize(
    "text",
    ['""', '" a"', '"a "', '"a\\u0000"', '"a\\nb"', '"\\u001b[31m"', '"\\u202ea"', '"\\u00a0"', '"' + "x" * 201 + '"'],
)
@pytest.mark.parametrize(("field", "old"), [("jobs[1].id", '"two"'), ("clusters[0].id", '"A"')])
def test_ids(field, old, text):
    error = refusal(changed(old, text))
    assert error.field == field
    assert "printable characters" in error.reason
    assert "(got " in str(error)


def at(mark, offset):
    """Column, from 1, of the character that is `offset` - 1 behind the mark's first in the file's last line."""
    return str(INSTANCE.splitlines()[-1].index(mark) + offset)


DEPTH = sys.getrecursionlimit() * 20


@pytest.mark.parametrize(
    ("data", "place", "reason"),
    [
        (b"", "", "empty"),
        (INSTANCE.encode() + b"{}", "line 3, column", "trailing characters"),
        (INSTANCE[:60].encode(), "", "ends too early"),
        (INSTANCE[:-1].encode(), "", "ends too early"),
        (INSTANCE.encode("utf-16"), "", "byte-order mark of UTF-16"),
        (gzip.compress(INSTANCE.encode())[:-9], "", "not a whole gzip file"),
        (gzip.compress(INSTANCE.encode()) + b"garbage", "", "not a whole gzip file"),
        (gzip.compress(b" " * (MAX_BYTES + 1)), "", f"more than {MAX_BYTES} bytes"),
        (gzip.compress(gzip.compress(INSTANCE.encode())), "", "compressed twice"),
        (INSTANCE.encode("utf-16-le"), "line 1, column 2", "not valid JSON"),
        (changed("two", "tw\u00f6").encode("latin-1"), "line 3, column " + at("two", 3), "not UTF-8"),
        (changed("two", "\0").encode(), "line 3, column " + at("two", 1), "not valid JSON"),
        (changed("two", "t\nwo").encode(), "line 3, column " + at("two", 2), "not valid JSON"),
        (changed('"slot": 0', '"slot": 01').encode(), "line 1, column", "not valid JSON"),
        (changed('"slot": 0', "'slot': 0").encode(), "line 1, column", "not valid JSON"),
        (changed('"slot": 0', '"slot": 0,').encode(), "line 1, column", "not valid JSON"),
        (b"// grid\n" + INSTANCE.encode(), "line 1, column 1", "not valid JSON"),
        (changed("0.7}", "[" * DEPTH).encode(), "line 3, column " + at("0.7}", 48), "nested more than 50"),
        (changed("0.7}", '{"]": ' * DEPTH).encode(), "line 3, column " + at("0.7}", 1 + 6 * 47), "nested more than 50"),
        (b"[" * DEPTH, "line 1, column 51", "nested more than 50"),
        (b"[]", "", "must be an object, not a list"),
        (b"3", "", "must be an object, not an integer"),
        (b"[" + b"1," * MAX_VALUES + b"1]", "", f"more than {MAX_VALUES} values"),
        (b" " * (MAX_BYTES + 1), "", f"more than {MAX_BYTES} bytes"),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else value,
)
def test_not_even_a_document(data, place, reason):
    error = refusal(data)
    assert error.field.startswith(place) if place else error.field == ""
    assert reason in error.reason


def test_too_many_jobs():
    error = refusal(changed(FIRST, ", ".join([FIRST] * MAX_JOBS)))
    assert error.field == "jobs"
    assert error.reason == f"must have at most {MAX_JOBS:,} items"


SCHEDULE = dumps(Schedule([Placement("a", 0, F(1, 3), {"A": [0, 1], "B": [2]})], "by hand")).decode()


@pytest.mark.parametrize(
    ("old", "new", "field", "reason"),
    [
        ('"a"', '""', "placements[0].job", "printable"),
        ('"start": 0', '"start": NaN', "placements[0].start", "no such number"),
        ('"1/3"', '"1//3"', "placements[0].end", "not a number"),
        ("[2]", "[2.0]", "placements[0].nodes.B[0]", "must be an integer, not a decimal"),
        ("[2]", "[-1]", "placements[0].nodes.B", "at least 0"),
        ('"B"', '"A"', "placements[0].nodes.A", "twice"),
        ('"B"', '"\\u0000"', "placements[0].nodes", "printable"),
        ('"by hand"', '"\\u0007"', "method", "control characters"),
        ('"instance_digest": null', '"instance_digest": "abc"', "instance_digest", "64 hexadecimal digits"),
        ('"version": 1', '"version": 1, "jobs": []', "jobs", "no such field"),
    ],
)
def test_schedules(old, new, field, reason):
    error = refusal(changed(old, new, SCHEDULE))
    assert error.field == field and reason in error.reason


RESULT = dumps(
    Result(
        Status.FEASIBLE,
        Termination.TIME_LIMIT,
        Schedule([Placement("a", 0, 5, {"A": [7]})]),
        F(4),
        Proof(
            ProofKind.SOLVER,
            Bound("area", F(3), {"duals": [11, {"k": 12}]}),
            (Claim("highs", "1.15", "slots", F(9, 2)),),
        ),
        "f" * 64,
        seconds={"model": 0.5, "solve": 2.5},
        versions={"oas": "0.1"},
    )
).decode()


@pytest.mark.parametrize(
    ("old", "new", "field", "reason"),
    [
        ('"feasible"', '"perfect"', "status", "known: optimal, feasible, infeasible, no_solution"),
        ('"time_limit"', '"bored"', "termination", "known: finished, time_limit"),
        ('"kind": "solver"', '"kind": "belief"', "proof.kind", "known: certificate, brute_force, solver"),
        ('"objective": 5', '"objective": 4', "objective", "must be 5"),
        ('"gap": 0.25', '"gap": 0', "gap", "must be 0.25"),
        ('"lower_bound": 4', '"lower_bound": -Infinity', "lower_bound", "no such number"),
        ("11", "0.5", "proof.bound.certificate.duals[0]", "integers and texts only"),
        ("12", "1e3", "proof.bound.certificate.duals[1].k", "integers and texts only"),
        ("12", "[" * 60 + "]" * 60, "proof.bound.certificate.duals[1].k" + "[0]" * 48, "nested more than 50"),
        ("12", '1, "k": 2', "proof.bound.certificate.duals[1].k", "twice"),
        ('"9/2"', "true", "proof.claims[0].bound", "must be a number"),
        ('"slots"', '"\\u0000"', "proof.claims[0].formulation", "control characters"),
        ('"model": 0.5', '"model": 1e999', "seconds.model", "too long"),
        ("f" * 64, "F" * 64, "instance_digest", "64 hexadecimal digits"),
    ],
)
def test_results(old, new, field, reason):
    error = refusal(changed(old, new, RESULT))
    assert error.field == field and reason in error.reason


def test_nesting_of_any_depth():
    """The recursion limit strikes the two readings of a text at slightly different depths."""
    for depth in (*range(50, 200), *range(sys.getrecursionlimit() - 200, sys.getrecursionlimit() + 50)):
        for text in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
            assert "nested more than 50" in refusal(changed("12", text, RESULT)).reason


def test_what_is_too_large_to_be_read_is_written_and_that_is_said(tmp_path, caplog, monkeypatch):
    schedule = Schedule([Placement("J", 0, 1, {"A": range(30)})])
    save(schedule, tmp_path / "small.json")
    assert not caplog.messages
    for module in (decoding, writing):
        monkeypatch.setattr(module, "MAX_VALUES", 20)
    save(schedule, tmp_path / "large.json")
    assert (tmp_path / "large.json").read_bytes() == (tmp_path / "small.json").read_bytes()
    assert caplog.messages == [
        f"{tmp_path / 'large.json'} is written, but is larger than what is read: 64 MiB, 20 values"
    ]
    with pytest.raises(InputError, match="more than 20 values"):
        load_answer(tmp_path / "large.json")


@pytest.mark.slow
def test_a_thousand_files_under_a_memory_cap():
    command = [sys.executable, "-m", "benchmarks.robustness.fuzz_files", "--count", "1000", "--seed", "7"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    figures = dict(line.split()[:2] for line in run.stdout.splitlines())
    assert int(figures["files"]) == 1000 and int(figures["FAILED"]) == 0
    assert int(figures["accepted"]) > 50 and int(figures["refused"]) > 500
