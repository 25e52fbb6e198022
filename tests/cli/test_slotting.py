"""`oas slots` as a user types it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

import pytest

import oas
from oas.cli.main import app
from oas.core.errors import InputError
from oas.exact.recheck import recheck_result
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.problems.mosp.instances import random_instance

# One node; at η = 1, the mean, 7/5 and 3/5 take 2 slots and 1, without a grid 2 in all.
INSTANCE = CoallocationInstance(
    [Cluster("A", [NodeGroup(1, 1)], 0)], [Job("a", 1, "7/5"), Job("b", 1, "3/5")], slot=7, name="wasteful"
)


def fill(folder):
    oas.save(INSTANCE, folder / "grid.json")


@pytest.fixture
def run(folder, monkeypatch, capfd):
    """Run the command in this process; return what it printed on both streams."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "130")

    def call(*arguments):
        assert not app(["slots", *arguments], standalone_mode=False)
        return capfd.readouterr()

    return call


def test_tables_advice_picture_and_file(folder, run):
    done = run("grid.json", "--percent", "20", "--eta", "1", "--plot", "s.png", "-o", "s.json")
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
    assert recheck_result(INSTANCE.with_slot(1), result)[-1] == "status: optimal, schedule and bound meet"


def test_a_damaged_cache_is_said_on_stderr_and_json_stays_json(folder, run):
    arguments = ["grid.json", "--percent", "100", "--cache", "cache", "--json", "--within", "60"]
    document = json.loads(run(*arguments).out)
    assert document["advice"]["slotted"]["percent"] == "100"
    for path in (folder / "cache").iterdir():
        path.write_text("{")
    done = run(*arguments)
    assert done.err.count(": ignored, ") == 2
    assert json.loads(done.out)["points"][1]["makespan"] == "3"
    assert all(point["cached"] for point in json.loads(run(*arguments).out)["points"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mosp.json"], "only instances of co-allocation have time slots"),
        (["grid.json", "--percent", "0"], "must be above 0"),
        (["grid.json", "--eta", "x"], "--eta: not a number"),
        (["grid.json", "--within", "-1"], "--within: must not be negative"),
        (["grid.json", "--time-limit", "0"], "--time-limit"),
        (["grid.json", "--plot", "slots.gif"], "--plot"),
        (["grid.json", "--plot", "new/s.png"], "--plot: cannot be written: no such folder"),
        (["grid.json", "--output", "new/s.json"], "--output: cannot be written: no such folder"),
    ],
)
def test_bad_input_is_named(folder, run, arguments, words):
    oas.save(random_instance(3), folder / "mosp.json")
    with pytest.raises(InputError) as caught:
        run(*arguments)
    assert words in str(caught.value)


@pytest.mark.slow
def test_ctrl_c_keeps_finished_points_and_the_same_command_goes_on(folder, run):
    oas.save(oas.generate.section4(seed=1, jobs=100), folder / "hard.json")
    arguments = ["hard.json", "--percent", "2", "--percent", "100000", "--time-limit", "300", "--cache", "cache"]
    process = subprocess.Popen(
        [sys.executable, "-m", "oas", "slots", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    end = time.monotonic() + 60
    while not (folder / "cache").is_dir() or not any((folder / "cache").iterdir()):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    shown, _ = process.communicate(timeout=60)
    assert process.returncode == 130 and "100,000 %" in shown and "η = 0 was not reached" in shown
    assert len(list((folder / "cache").iterdir())) == 1
    arguments[arguments.index("300")] = "1"
    assert [point["cached"] for point in json.loads(run(*arguments, "--json").out)["points"]] == [False, False, True]


def test_model_sizes_are_counted_on_request(folder, run):
    asked = ("grid.json", "--percent", "100", "-q")
    assert "literal" not in run(*asked).out
    shown = run(*asked, "--model-sizes").out
    assert "start-indexed" in shown and "literal" in shown
    points = json.loads(run(*asked, "--model-sizes", "--json").out)["points"]
    assert all(point["models"]["literal"]["variables"] > 0 for point in points)
    assert "models" not in json.loads(run(*asked, "--json").out)["points"][0]
