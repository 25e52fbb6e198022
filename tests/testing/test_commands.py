"""What the two commands refuse, and that nothing is overwritten; what they do is run by the tutorial's test."""

import ast
import json
import subprocess
import sys
import tomllib

import pytest

import oas
from oas.cli.commands.new_heuristic import new_heuristic_command


@pytest.mark.parametrize("problem", ["coallocation", "mosp", "fair"])
def test_the_template_is_filled_in_and_never_overwrites(tmp_path, problem):
    new_heuristic_command("very_own", problem, str(tmp_path))
    folder = tmp_path / "very_own"
    assert {one.name for one in folder.iterdir()} == {"very_own.py", "test_very_own.py", "pyproject.toml"}
    for file in folder.glob("*.py"):
        assert "$" not in file.read_text() and ast.parse(file.read_text())
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert project["name"] == "very-own"
    assert project["entry-points"] == {"oas.heuristics": {"very_own": "very_own:METHOD"}}
    (folder / "very_own.py").write_text("mine")
    with pytest.raises(oas.InputError, match="nothing is overwritten"):
        new_heuristic_command("very_own", problem, str(tmp_path))
    assert (folder / "very_own.py").read_text() == "mine"


@pytest.mark.parametrize("name", ["9a", "a-b", "class", "x_", "../up", "ärger", "oas", "random", "fcfs", ""])
def test_names_that_cannot_be(tmp_path, name):
    with pytest.raises(oas.InputError, match="NAME"):
        new_heuristic_command(name, "coallocation", str(tmp_path / "in"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("name", "code"), [("no.such:thing", 2), ("tests.testing.faulty:junk", 3)])
def test_exit_codes(name, code):
    command = [sys.executable, "-m", "oas", "test-heuristic", name, "--random", "2", "--medium", "0", "--json", "-q"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=100, check=False)
    assert done.returncode == code, done.stderr
    if code == 3:
        found = json.loads(done.stdout)
        assert not found["ok"] and found["instances"][0]["finding"]["kind"] == "returns no schedule"
    else:
        assert done.stdout == "" and done.stderr.startswith("oas: heuristic: cannot be imported")
