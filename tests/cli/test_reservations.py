"""`oas price --reservations` and `oas place-reservation` as a user types them."""

from __future__ import annotations

import json
from fractions import Fraction as F

import pytest

import oas

JOBS = [oas.RigidJob("a", 3, 2), oas.RigidJob("b", 3, 2)]


def fill(folder):
    """Two jobs of all processors: with a reservation that they have to go around, and without; two organizations."""
    held = [oas.Reservation(1, 2, 1), oas.Reservation(40, 41, 2)]
    oas.save(oas.MospInstance([oas.Organization("O", 2, JOBS, held)], None, name="held"), folder / "held.json")
    oas.save(oas.MospInstance([oas.Organization("O", 2, JOBS)], None, name="free"), folder / "free.json")
    oas.save(oas.generate.uni(seed=1, organizations=2, jobs=4, processors=4), folder / "shared.json")
    oas.save(oas.generate.tiny(seed=1), folder / "grid.json")


PLACE = ("place-reservation", "free.json", "-q", "--formulation", "brute-force", "--length", "2", "--processors", "1")


def rows(text):
    """The lines of the tables, their blanks made one."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_prices_as_table_json_and_file(folder, run_here):
    done = run_here("price", "held.json", "--reservations", "--solver", "highs", "-q", "-o", "prices.json")
    assert done.returncode == 0, done.stderr
    shown = [line.split(" optimal ") for line in rows(done.stdout) if " optimal " in line]
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
    assert rows(done.stdout)[-2:] == ["0 2 8 10 2 4", "3 5 8 10 2 4"]
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


def test_json_without_a_curve_table_and_starts_so_much_apart(run_here):
    done = run_here(*PLACE, "--between", "1/2", "9", "--every", "5/2", "--organization", "O", "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 0 and F(document["reservation"]["start"]) == 8 and document["delay"] == ["0", "0"]


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
        ([*PLACE, "--between", "0", "x"], "--between: not a number"),
        ([*PLACE, "--between", "0", "1", "--length", "0"], "--length: must be above 0"),
        ([*PLACE, "--between", "0", "1", "--processors", "3"], "--processors: more than the 2 processors of O (got 3)"),
        ([*PLACE, "--between", "0", "1", "--every", "0"], "--every: must be above 0"),
        ([*PLACE, "--between", "0", "1", "--organization", "P"], "--organization: there is no such organization"),
        ([*PLACE, "--between", "0", "1", "--plot", "c.gif"], "--plot: must end in"),
        (
            ["place-reservation", "held.json", "--length", "2", "--processors", "2", "--between", "0", "1"],
            "--between: the reservation fits beside the others at no start (got '0 to 1')",
        ),
        (
            ["place-reservation", "shared.json", "--length", "2", "--processors", "2", "--between", "0", "1"],
            "shared.json: locality: must be null",
        ),
        (
            ["place-reservation", "grid.json", "--length", "2", "--processors", "2", "--between", "0", "1"],
            "grid.json: problem: only clusters of organizations have reservations",
        ),
    ],
)
def test_a_mistake_is_one_line_that_names_it(run_here, arguments, words):
    done = run_here(*arguments)
    assert done.returncode == 2 and words in done.stderr
    assert "Traceback" not in done.stderr and len(done.stderr.splitlines()) == 1 and not done.stdout
