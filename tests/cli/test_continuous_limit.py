"""What `oas solve` and `oas compare` say of η = 0, as a user sees it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import oas
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup

# One node; 7/5 and 3/5 take 2 slots and 1, without a grid 2 in all.
INSTANCE = CoallocationInstance(
    [Cluster("A", [NodeGroup(1, 1)], 0)], [Job("a", 1, "7/5"), Job("b", 1, "3/5")], slot=1, name="wasteful"
)


@pytest.fixture
def folder(tmp_path):
    oas.save(INSTANCE, tmp_path / "grid.json")
    return tmp_path


def run(folder, *arguments):
    done = subprocess.run(
        [sys.executable, "-m", "oas", *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_solve_sets_it_beside_the_makespan(folder):
    lines = run(folder, "solve", "grid.json").splitlines()
    told = {line[:11].strip(): line[11:].strip() for line in lines[1:9]}
    assert told["makespan"].startswith("3 = 3 slots, by ")
    assert told["executed"] == "2 without the slot grid"
    assert told["η = 0"].startswith("bound 2 (proven optimum), proof: certificate (")
    assert "η = 0  " not in run(folder, "solve", "grid.json", "--slot", "0")


def test_json_of_solve_stays_a_result_file(folder):
    text = run(folder, "solve", "grid.json", "--json", "--output", "result.json")
    assert json.loads(text)["objective"] == 3 and "continuous" not in text
    assert json.loads((folder / "result.json").read_text())["objective"] == 3
    assert "optimal" in run(folder, "verify", "grid.json", "result.json")


def test_compare_tells_it_beneath_the_table_and_in_json(folder):
    assert "executed makespans stand against η = 0: bound 2 (proven optimum)" in run(folder, "compare", "grid.json")
    document = json.loads(run(folder, "compare", "grid.json", "--json"))
    limit = document["continuous"]
    figures = {name: limit[name] for name in ("slots", "slotted", "executed", "lower_bound", "best", "proven")}
    assert figures == {
        "slots": 3,
        "slotted": "3",
        "executed": "2",
        "lower_bound": "2",
        "best": "2",
        "proven": True,
    }
    (folder / "limit.json").write_text(json.dumps(limit["result"]))
    oas.save(INSTANCE.with_slot(0), folder / "continuous.json")
    assert "optimal" in run(folder, "verify", "continuous.json", "limit.json")
    document = json.loads(run(folder, "compare", "grid.json", "--json", "--slot", "0"))
    assert document["continuous"] is None
