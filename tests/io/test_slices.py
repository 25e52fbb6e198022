"""Cutting logs into instances: every policy for what a log leaves open, checked on made logs."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from oas.core.errors import InputError
from oas.core.verifier import verify
from oas.io.logs.recipes import follow, parse_recipe, read_recipe, recipe_of, write_recipe
from oas.io.logs.slices import Slice, cut
from oas.io.logs.swf import SwfLog, read_swf
from oas.problems.mosp.runs import local_schedule
from tests.io.test_swf import TRACES, line, log_of

HEADER = "; Acknowledge: Ada Example\n; MaxProcs: 8\n"


@pytest.fixture
def plain(tmp_path: Path) -> SwfLog:
    """40 jobs of 10 users: job k is user k mod 10's, submitted at 100 + 10k, on 1 to 8 processors for k s."""
    rows = [
        line(number=k, submit=100 + 10 * k, run=k, processors=1 + k % 8, user=k % 10, group=k % 2) for k in range(1, 41)
    ]
    return log_of(tmp_path, HEADER + "\n".join(rows))


def numbers(log: SwfLog, **window: object) -> list[int]:
    return sorted(int(job.id[1:]) for job in cut(log, Slice(**window)).jobs)  # type: ignore[arg-type]


def test_owners_are_dealt_evenly_and_stay_together(plain: SwfLog) -> None:
    instance = cut(plain, Slice(organizations=3, count=40, processors=None))
    users = [{int(job.id[1:]) % 10 for job in one.jobs} for one in instance.organizations]
    assert sorted(map(len, users)) == [3, 3, 4]
    assert set.union(*users) == set(range(10))
    other = cut(plain, Slice(organizations=3, count=40, processors=None, seed=1))
    assert [one.jobs for one in other.organizations] != [one.jobs for one in instance.organizations]
    groups = cut(plain, Slice(organizations=2, count=40, by="group", processors=None))
    assert all(len({int(job.id[1:]) % 2 for job in one.jobs}) == 1 for one in groups.organizations)


def test_digests_stay(plain: SwfLog) -> None:
    """Published recipes must go on giving their instances."""
    released = {"organizations": 2, "first": 7, "count": 20, "by": "group", "keep_releases": True, "local": "RND"}
    windows = [Slice(count=40, processors=None), Slice(**released, processors=None, seed=3)]  # type: ignore[arg-type]
    assert [cut(plain, window).digest[:16] for window in windows] == ["0eb6c57efb98c56c", "36e967b4b2f4d68d"]


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    rows = [
        line(number=1, run=-1),
        line(number=2, run=0),
        line(number=3, processors=-1, req_processors=-1),
        line(number=4, processors=0, req_processors=3),
        line(number=5, processors=9),
        line(number=6, user=-1),
        line(number=7, submit=-1),
        line(number=8, status=2),
        line(number=8, status=0),
        line(number=9),
        line(number=10),
    ]
    log = log_of(tmp_path, HEADER + "\n".join(rows))
    instance = cut(log, Slice(organizations=1, count=2, keep_releases=True))
    assert [(job.id, job.processors) for job in instance.jobs] == [("J4", 3), ("J8", 4)]
    assert json.loads(instance.provenance["left_out"]) == {
        "running time unknown": 1,
        "running time 0": 1,
        "processors unknown or 0": 1,
        "wider than the smallest cluster": 1,
        "user unknown": 1,
        "submit time unknown": 1,
        "part of an execution": 1,
    }
    assert numbers(log, organizations=1, count=3) == [4, 7, 8]  # without releases the submit time is not needed
    assert numbers(log, organizations=1, count=2, where={"status": 1}) == [4, 7]
    second = cut(log, Slice(organizations=1, count=1, zero_run_time="second"))
    assert [(job.id, job.time) for job in second.jobs] == [("J2", 1)]
    assert numbers(log, organizations=1, count=1, processors=9, first=5) == [5]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"organizations": 0}, "organizations"),
        ({"organizations": 11}, "organizations"),
        ({"organizations": 10**6}, "organizations"),
        ({"by": "colour"}, "by"),
        ({"first": -1}, "first"),
        ({"first": 39}, "count"),
        ({"count": 0}, "count"),
        ({"count": 10**9}, "count"),
        ({"processors": 0}, "processors"),
        ({"processors": 10**6}, "processors"),
        ({"processors": (4, 4)}, "processors"),
        ({"processors": (4, 4, 4, 4, 0)}, "processors[4]"),
        ({"keep_releases": 1}, "keep_releases"),
        ({"zero_run_time": "two"}, "zero_run_time"),
        ({"where": {"colour": 1}}, "where"),
        ({"where": {"user": "1"}}, "where.user"),
        ({"where": 3}, "where"),
        ({"local": "BEST"}, "local"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_slices_are_named(plain: SwfLog, arguments: dict, field: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(InputError) as caught:
        cut(plain, Slice(**{"count": 20, **arguments}))
    assert caught.value.field == field


def test_the_processors_of_the_system_are_shared_out(plain: SwfLog) -> None:
    whole = cut(plain, Slice(organizations=3, count=10, processors=None))
    shared = cut(plain, Slice(organizations=3, count=10))
    size = whole.organizations[0].processors
    assert [one.processors for one in whole.organizations] == [size] * 3
    assert shared.node_count == size
    assert [one.processors for one in shared.organizations] == sorted(((size + k) // 3 for k in range(3)), reverse=True)
    assert all(job.processors <= size // 3 for job in shared.jobs)
    with pytest.raises(InputError, match="too few to split") as caught:
        cut(plain, Slice(organizations=size + 1, count=10))
    assert caught.value.field == "organizations"


def test_a_recipe_older_than_shares_keeps_its_meaning(plain: SwfLog) -> None:
    window = Slice(organizations=2, count=10, processors=None)
    older = json.loads(write_recipe(recipe_of(plain, window)))
    del older["slice"]["processors"]
    assert follow(parse_recipe(json.dumps(older).encode()), plain) == cut(plain, window)


def test_a_recipe_makes_the_instance_again(plain: SwfLog, tmp_path: Path) -> None:
    window = Slice(organizations=3, count=15, processors=(8, 7, 6), keep_releases=True, where={"group": 1})
    recipe = recipe_of(plain, window)
    path = tmp_path / "recipe.json"
    path.write_bytes(write_recipe(recipe))
    assert read_recipe(path) == recipe
    assert follow(read_recipe(path), plain) == cut(plain, recipe.window)
    assert "J1" not in path.read_text()  # no data of the log
    with pytest.raises(InputError, match="only 15 such jobs"):  # of 20 odd numbers 5 ask for 8 processors
        recipe_of(plain, replace(window, count=16))


def test_a_recipe_knows_its_log_and_its_instance(plain: SwfLog, tmp_path: Path) -> None:
    recipe = recipe_of(plain, Slice(organizations=2, count=10))
    other = log_of(tmp_path, HEADER + "\n".join(line(number=k, user=k % 3) for k in range(1, 30)), "other.swf")
    with pytest.raises(InputError) as caught:
        follow(recipe, other)
    assert caught.value.field == "sha256"
    changed = write_recipe(recipe).replace(b'"count": 10', b'"count": 11')
    with pytest.raises(InputError) as caught:
        follow(parse_recipe(changed), plain)
    assert caught.value.field == "digest"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"version": 1', b'"version": 2', "version"),
        (b'"count": 10', b'"count": "10"', "slice.count"),
        (b'"count": 10', b'"size": 10', "slice.size"),
        (b'"oas-recipe"', b'"oas-instance"', "oas-instance"),
        (b"{", b"[", "not a recipe"),
        (b'"log": "made"', b'"log": 3', "log"),
        (b'"count": 10', b'"count": 10, "count": 10', "twice"),
        (b'"count": 10', b'"count": 1e1', "slice.count"),
        (b'"count": 10', b'"count": ' + b"[" * 100_000, "not a recipe"),
        (b'"made"', b'"\xff"', "not a recipe"),
    ],
)
def test_bad_recipes_are_refused(plain: SwfLog, old: bytes, new: bytes, message: str) -> None:
    data = write_recipe(recipe_of(plain, Slice(organizations=2, count=10)))
    assert old in data
    with pytest.raises(InputError, match=message):
        parse_recipe(data.replace(old, new, 1))


def test_a_slice_of_a_real_log() -> None:
    path = TRACES / "KTH-SP2-1996-2.1-cln.swf.gz"
    if not path.exists():
        pytest.skip("trace not found")
    instance = cut(read_swf(path), Slice(organizations=4, first=2000, count=60, processors=None, keep_releases=True))
    assert instance.digest[:16] == "21957c8a7919a111"
    assert len(instance.jobs) == 60
    assert all(one.jobs for one in instance.organizations)
    assert not verify(instance, local_schedule(instance))
