"""`oas price --saturation` as a user types it."""

from __future__ import annotations

import csv
import json

import pytest

import oas
from tests.studies.test_saturation_price import pair

PRICE = ("price", "pair.json", "--saturation", "-q")


def fill(folder):
    """Two jobs that saturate a link together; organizations."""
    oas.save(pair(), folder / "pair.json")
    oas.save(oas.load_example("organizations"), folder / "shared.json")


def rows(text):
    """The lines of the table, their blanks made one."""
    return [" ".join(line.split()) for line in text.splitlines()]


def test_table_picture_and_csv(folder, run_here):
    done = run_here(*PRICE, "--thresholds", "1,1/2,none", "--plot", "p.png", "-o", "p.csv")
    assert done.returncode == 0, done.stderr
    shown = rows(done.stdout)
    for begin in ("forbid 24 24 optimal 1 ", "threshold 1 24 24 optimal 1 ", "threshold none 18 18 optimal 1.333 "):
        assert any(line.startswith(begin) for line in shown), done.stdout
    assert "sharing: paper" in shown
    assert (folder / "p.png").read_bytes().startswith(b"\x89PNG") and "picture written to p.png" in done.stderr
    table = list(csv.DictReader((folder / "p.csv").read_text(encoding="utf-8").splitlines()))
    assert [(one["policy"], one["threshold"], one["makespan"]) for one in table] == [
        ("forbid", "", "24"),
        ("slowdown", "1", "24"),
        ("slowdown", "1/2", "18"),
        ("slowdown", "", "18"),
    ]
    assert [one["ratio_low"] for one in table] == [one["ratio_high"] for one in table] == ["1", "1", "4/3", "4/3"]


def test_json(folder, run_here):
    done = run_here(*PRICE, "--thresholds", "none", "--sharing", "max-min", "--json", "-o", "p.json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    copy = json.loads((folder / "p.json").read_text(encoding="utf-8"))
    assert copy == document and document["instance"] == pair().digest and not document["interrupted"]
    assert document["sharing"] == "max-min" and document["forbid"]["makespan"] == "24"
    (point,) = document["slowdown"]
    assert (point["threshold"], point["status"], point["makespan"]) == (None, "optimal", "18")
    assert point["ratio"] == ["4/3", "4/3"] and point["lower_bound"] == "18" and point["proof"]
    schedule = oas.io.loads_any(json.dumps(point["schedule"]).encode())
    under = pair().with_saturation({"policy": "slowdown", "sharing": "max-min"})
    assert oas.verify(under, schedule) == [] and schedule.makespan == 18


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pair.json", "--saturation", "--thresholds", "1/2,5/4"), "--thresholds: must be above 0 and at most 1"),
        (("pair.json", "--saturation", "--thresholds", "half"), "--thresholds: "),
        (("pair.json", "--saturation", "--locality", "1"), "--locality: cannot be given with --saturation"),
        (("pair.json", "--saturation", "--reservations"), "--reservations: cannot be given with --saturation"),
        (("shared.json", "--thresholds", "1"), "--thresholds: goes with --saturation alone"),
        (("shared.json", "--sharing", "paper"), "--sharing: goes with --saturation alone"),
        (("shared.json", "--saturation"), "shared.json: "),
        (("pair.json", "--saturation", "-o", "no/such/p.csv"), "--output"),
    ],
)
def test_bad_input(run_here, arguments, words):
    done = run_here("price", *arguments, "-q")
    assert done.returncode == 2 and words in done.stderr, done.stderr
