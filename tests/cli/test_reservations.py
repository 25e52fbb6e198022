"""`oas price --reservations`, `oas place-reservation` and `oas slots` as a user types them."""

from __future__ import annotations

import json

import pytest

import oas
from oas.cli.main import app
from oas.core.errors import InputError
from oas.exact.recheck import recheck_result
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.commands import check_mistake, rows_of
from tests.problems.mosp.instances import random_instance

JOBS = [oas.RigidJob("a", 3, 2), oas.RigidJob("b", 3, 2)]


def fill(folder):
    """Two jobs of all processors: with a reservation that they have to go around, and without; two organizations."""
    held = [oas.Reservation(1, 2, 1), oas.Reservation(40, 41, 2)]
    oas.save(oas.MospInstance([oas.Organization("O", 2, JOBS, held)], None, name="held"), folder / "held.json")
    oas.save(oas.MospInstance([oas.Organization("O", 2, JOBS)], None, name="free"), folder / "free.json")
    oas.save(oas.generate.uni(seed=1, organizations=2, jobs=4, processors=4), folder / "shared.json")
    oas.save(oas.generate.tiny(seed=1), folder / "grid.json")
    oas.save(WASTEFUL, folder / "wasteful.json")


PLACE = ("place-reservation", "free.json", "-q", "--formulation", "brute-force", "--length", "2", "--processors", "1")


def test_prices_as_table_json_and_file(folder, run_here):
    done = run_here("price", "held.json", "--reservations", "--solver", "highs", "-q", "-o", "prices.json")
    assert done.returncode == 0, done.stderr
    shown = [line.split(" optimal ") for line in rows_of(done.stdout) if " optimal " in line]
    assert [(left, right.split()[0]) for left, right in shown] == [
        ("none 8 8", "–"),
        ("[1, 2) × 1 processor 6 6", "2"),
        ("[40, 41) × 2 processors 8 8", "0"),
        ("any 6 6", "2"),
    ]
    document = json.loads((folder / "prices.json").read_text())
    assert document == json.loads(
        run_here("price", "held.json", "--reservations", "--solver", "highs", "-q", "--json").stdout
    )
    assert document["instance"] == oas.load(folder / "held.json").digest and not document["interrupted"]
    first = document["reservations"][0]
    assert (first["start"], first["end"], first["processors"], first["price"]) == ("1", "2", 1, ["2", "2"])
    assert first["without"]["status"] == "optimal" and first["without"]["proof"].startswith("certificate")
    assert document["without_any"]["price"] == ["2", "2"]


def test_the_best_start_the_curve_and_pictures(folder, run_here):
    done = run_here(*PLACE, "--between", "0", "5", "--curve", "--plot", "c.png", "--gantt", "g.svg", "-o", "p.json")
    assert done.returncode == 0, done.stderr
    assert "best start 0: makespan 8 with the reservation, proven" in done.stdout
    assert "without it 6: it delays the optimum by 2" in done.stdout
    assert rows_of(done.stdout)[-2:] == ["0 2 8 10 2 4", "3 5 8 10 2 4"]
    assert (folder / "c.png").read_bytes().startswith(b"\x89PNG") and b"<svg" in (folder / "g.svg").read_bytes()
    assert "picture written to c.png" in done.stderr
    document = json.loads((folder / "p.json").read_text())
    assert document["proven"] and document["reservation"] == {"start": "0", "end": "2", "processors": 1}
    assert document["optimum"] == {"status": "optimal", "makespan": "8", "lower_bound": "8"}
    assert document["delay"] == ["2", "2"] and document["rivals"] == []
    assert [piece["starts"] for piece in document["curve"]] == [["0", "2"], ["3", "5"]]
    assert {step["kind"] for step in document["steps"]} <= {"without", "common", "delay"}
    assert all(step["status"] == "optimal" for step in document["steps"])
    schedule = oas.io.loads_any(json.dumps(document["schedule"]).encode())
    held = [oas.Reservation(0, 2, 1)]
    assert oas.verify(oas.MospInstance([oas.Organization("O", 2, JOBS, held)], None), schedule) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["price", "free.json", "--reservations"], "free.json: reservations: there is none"),
        (["price", "grid.json", "--reservations"], "only organizations that share clusters"),
        (
            ["price", "held.json", "--reservations", "--locality", "1"],
            "--locality: cannot be given with --reservations",
        ),
        ([*PLACE, "--between", "3", "1"], "--between: the latest start must not be before the earliest, 3 (got '1')"),
        ([*PLACE, "--between", "-1", "1"], "--between: must not be negative (got '-1')"),
        ([*PLACE, "--between", "0", "1", "--processors", "3"], "--processors: more than the 2 processors of O (got 3)"),
        (
            ["place-reservation", "shared.json", "--length", "2", "--processors", "2", "--between", "0", "1"],
            "shared.json: locality: must be null",
        ),
    ],
)
def test_a_mistake_is_one_line_that_names_it(run_here, arguments, words):
    check_mistake(run_here(*arguments), words)


# One node; at η = 1, the mean, 7/5 and 3/5 take 2 slots and 1, without a grid 2 in all.
WASTEFUL = CoallocationInstance(
    [Cluster("A", [NodeGroup(1, 1)], 0)], [Job("a", 1, "7/5"), Job("b", 1, "3/5")], slot=7, name="wasteful"
)


@pytest.fixture
def slots(folder, monkeypatch, capfd):
    """Run the command in this process; return what it printed on both streams."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "130")

    def call(*arguments):
        assert not app(["slots", *arguments], standalone_mode=False)
        return capfd.readouterr()

    return call


def test_tables_advice_picture_and_file(folder, slots):
    done = slots("wasteful.json", "--percent", "20", "--eta", "1", "--plot", "s.png", "-o", "s.json")
    lines = done.out.splitlines()
    assert lines[0] == "wasteful: 2 jobs, 1 cluster (1 node)"
    (row,) = [" ".join(line.split()) for line in lines if line.startswith("100 %") and "proven" in line]
    assert row == "100 % 3 proven 2 50.00 % 0 % 50.00 %"
    assert "largest η within 5 % of the continuous optimum: 20 % = 0.2 (proven); executed: 100 % = 1 (proven)" in lines
    assert (folder / "s.png").read_bytes().startswith(b"\x89PNG") and "picture written" in done.err
    document = json.loads((folder / "s.json").read_text())
    point = document["points"][2]
    assert (point["makespan"], point["executed"], point["percent"]) == ("3", "2", "100")
    assert point["loss"]["rounding"] == "1" and point["loss"]["scheduling"] == ["0", "0"]
    assert document["advice"]["slotted"] == {"percent": "20", "proven": True, "undecided": []}
    result = oas.io.loads_any(json.dumps(point["result"]).encode())
    assert recheck_result(WASTEFUL.with_slot(1), result)[-1] == "status: optimal, schedule and bound meet"


def test_a_damaged_cache_is_said_on_stderr_and_json_stays_json(folder, slots):
    arguments = ["wasteful.json", "--percent", "100", "--cache", "cache", "--json", "--within", "60"]
    document = json.loads(slots(*arguments).out)
    assert document["advice"]["slotted"]["percent"] == "100"
    for path in (folder / "cache").iterdir():
        path.write_text("{")
    done = slots(*arguments)
    assert done.err.count(": ignored, ") == 2
    assert json.loads(done.out)["points"][1]["makespan"] == "3"
    assert all(point["cached"] for point in json.loads(slots(*arguments).out)["points"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mosp.json"], "only instances of co-allocation have time slots"),
        (["wasteful.json", "--eta", "x"], "--eta: not a number"),
        (["wasteful.json", "--plot", "new/s.png"], "--plot: cannot be written: no such folder"),
    ],
)
def test_bad_input_is_named(folder, slots, arguments, words):
    oas.save(random_instance(3), folder / "mosp.json")
    with pytest.raises(InputError) as caught:
        slots(*arguments)
    assert words in str(caught.value)
