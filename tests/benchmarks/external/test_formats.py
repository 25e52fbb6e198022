"""Readers of public files: small ones with known optima, and hostile ones with clear errors."""

from __future__ import annotations

import json

import pytest

from benchmarks.external.formats.packing import MOST_BYTES, MOST_JOBS
from benchmarks.external.formats.registry import FORMATS
from benchmarks.external.instances import instance_of
from oas.core.errors import InputError
from oas.exact.pipeline import solve
from tests.benchmarks.external.small import BINS, GAPPY, MACHINES, PERFECT, strip


@pytest.mark.parametrize(
    ("form", "content", "processors", "jobs", "optimum"),
    [
        ("bpplib", BINS, 10, ((1, 7), (1, 6), (1, 5), (1, 5), (1, 4), (1, 3)), 3),
        ("pcmax", MACHINES, 2, ((3, 1), (3, 1), (2, 1), (2, 1), (2, 1)), 6),
        ("or-datasets", PERFECT, 4, ((1, 4), (2, 3), (1, 1), (1, 1)), 3),
        ("or-datasets", GAPPY, 3, ((2, 2), (2, 2)), 4),
        ("or-datasets-heightwise", strip(99, [(5, 3, 1), (2, 1, 2)], height=3), 3, ((5, 3), (2, 1), (2, 1)), 7),
    ],
)
def test_an_instance_has_the_optimum_of_its_problem(form, content, processors, jobs, optimum) -> None:
    read = FORMATS[form](content, "file")
    assert (read.processors, read.jobs) == (processors, jobs)
    instance = instance_of(read, "made by hand")
    assert len(instance.organizations) == 1 and instance.locality is None
    result = solve(instance, time_limit=20)
    assert result.objective == result.lower_bound == optimum


def test_area_bounds_are_rounded_up() -> None:
    assert FORMATS["bpplib"](b"2 10 6 5", "file").area_bound == 2
    assert FORMATS["bpplib"](BINS, "file").area_bound == 3
    assert FORMATS["or-datasets"](GAPPY, "file").area_bound == 3


def test_jobs_are_dealt_out_in_turn() -> None:
    packing = FORMATS["bpplib"](BINS, "file")
    instance = instance_of(packing, "dealt", 4)
    assert [[job.processors for job in owner.jobs] for owner in instance.organizations] == [[7, 4], [6, 3], [5], [5]]
    assert {owner.processors for owner in instance.organizations} == {10} and instance.locality == 1
    assert len(instance_of(packing, "dealt", 50).organizations) == 6  # none without a job


@pytest.mark.parametrize(
    ("form", "content", "said"),
    [
        ("bpplib", b"", "capacity are missing"),
        ("bpplib", b"5", "capacity are missing"),
        ("bpplib", b"2 10 5", "2 sizes are announced, 1 are there"),
        ("bpplib", b"2 10 5 5 5", "2 sizes are announced, 3 are there"),
        ("bpplib", b"2 10 5 11", r"size 2: larger than what it must fit into, 10 \(got 11\)"),
        ("bpplib", b"2\n10\n5\n-5\n", r"line 4: must be a whole number above 0 \(got '-5'\)"),
        ("bpplib", b"2\n10\n5\n0\n", "line 4: must be a whole number above 0"),
        ("bpplib", b"2\n10\n5\n2.5\n", "line 4: must be a whole number above 0"),
        ("bpplib", b"2 10 5 1e3", "must be a whole number above 0"),
        ("bpplib", b"2 10 5 " + b"9" * 5000, "must be a whole number above 0"),
        ("bpplib", "2 10 5 ٥".encode(), "no text: byte 7 is not ASCII"),
        ("bpplib", b"\x00\xff", "is not ASCII"),
        ("bpplib", b"999999999999 10 5", f"number of items: must be from 1 to {MOST_JOBS}"),
        ("bpplib", b"1" * (MOST_BYTES + 1), "larger than 8000000 bytes"),
        ("pcmax", b"2", "machines and jobs are missing"),
        ("pcmax", b"2 3 1 1", "3 times are announced, 2 are there"),
        ("or-datasets", b"{", "not as OR-Datasets has it"),
        ("or-datasets", b"[" * 100_000, "not as OR-Datasets has it"),
        ("or-datasets", b"\xff\xfe", "not as OR-Datasets has it"),
        ("or-datasets", b'{"Objects":[],"Items":[]}', "Objects: one object is needed"),
        ("or-datasets", strip(4, []), "number of items: must be from 1"),
        ("or-datasets", strip(4, [(5, 1, 1)]), "piece 1: larger than what it must fit into, 4"),
        ("or-datasets", strip(4, [(1, 1, 10**6)]), "number of items: must be from 1"),
        ("or-datasets", strip(4, [(1, 1, 0)]), "Demand"),
        ("or-datasets", strip(0, [(1, 1, 1)]), "Length"),
        ("or-datasets", json.dumps({"Objects": [{"Length": 4.5, "Height": 1}], "Items": []}).encode(), "Length"),
    ],
)
def test_what_is_wrong_is_named(form, content, said) -> None:
    with pytest.raises(InputError, match=said) as caught:
        FORMATS[form](content, "a file")
    assert str(caught.value).startswith("a file") and len(str(caught.value)) < 300
