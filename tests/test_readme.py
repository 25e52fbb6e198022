"""What the README shows is what happens."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


@pytest.fixture
def newcomer(tmp_path, monkeypatch):
    """An empty folder with the examples and the README's own heuristic."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (own,) = [text for kind, text in BLOCKS if kind == "python" and "def " in text]
    (tmp_path / "my_heuristics.py").write_text(own, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def without_times(text):
    """Wall times differ from run to run, and with them the width of their column."""
    text = re.sub(r"\d+\.\d+ s", "TIME", text)
    # Which of the shortest schedules a solver finds is its own affair: only the makespan is certain.
    text = re.sub(r"^(optimum +\d+ +[\d,]+).*$", r"\1", text, flags=re.MULTILINE)
    text = re.sub(r"^(O\d +\d+ +\d+) .*%$", r"\1", text, flags=re.MULTILINE)
    return [re.sub(r"[ ─]+", " ", line).strip() for line in text.splitlines()]


CONSOLE = [text for kind, text in BLOCKS if kind == "console"]


@pytest.mark.parametrize("block", CONSOLE, ids=[block.splitlines()[0][2:50] for block in CONSOLE])
def test_console_examples_print_what_is_shown(block, newcomer):
    for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE)[1:]:
        check_command(*part.splitlines())


def check_command(first, *shown):
    program, *arguments = shlex.split(first.removeprefix("$ "))
    assert program == "oas"
    run = subprocess.run(
        [sys.executable, "-m", "oas", *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "130"},
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    if shown:
        assert without_times(run.stdout) == without_times("\n".join(shown))


def test_python_example(newcomer):
    (session,) = [text for kind, text in BLOCKS if kind == "python" and ">>>" in text]
    example = doctest.DocTestParser().get_doctest(session, {}, "README", "README.md", 0)
    assert len(example.examples) > 5
    assert doctest.DocTestRunner().run(example).failed == 0
    assert (newcomer / "optimum.svg").exists()


def test_instance_example_is_read():
    import oas.io

    (text,) = [text for kind, text in BLOCKS if kind == "json"]
    instance = oas.io.loads(text.encode())
    # Six tasks take slow nodes too: 5/2 · 37/30 = 37/12, rounded up to slots of 1/2.
    assert oas.solve(instance).objective == Fraction(7, 2)


def test_every_command_is_named():
    from oas.cli.main import app

    names = {command.name for command in app.registered_commands} | {group.name for group in app.registered_groups}
    assert names == set(re.findall(r"`oas (\w+)", README.split("## Commands")[1].split("##")[0]))
