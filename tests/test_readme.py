"""What the README shows is what happens."""

import doctest
import re
from fractions import Fraction
from pathlib import Path

import pytest

from tests.documents import blocks_of, check_oas

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = blocks_of(ROOT / "README.md")


@pytest.fixture
def newcomer(tmp_path, monkeypatch):
    """An empty folder with the examples and the README's own heuristic."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (own,) = [text for _, kind, text in BLOCKS if kind == "python" and "def " in text]
    (tmp_path / "my_heuristics.py").write_text(own, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


CONSOLE = [block for block in BLOCKS if block.kind == "console"]


@pytest.mark.parametrize("block", CONSOLE, ids=[block.commands[0][0][:48] for block in CONSOLE])
def test_console_examples_print_what_is_shown(block, newcomer):
    for command, *shown in block.commands:
        check_oas(command, shown)


def test_python_example(newcomer):
    (session,) = [text for _, kind, text in BLOCKS if kind == "python" and ">>>" in text]
    example = doctest.DocTestParser().get_doctest(session, {}, "README", "README.md", 0)
    assert len(example.examples) > 5
    assert doctest.DocTestRunner().run(example).failed == 0
    assert (newcomer / "optimum.svg").exists()


def test_instance_example_is_read():
    import oas.io

    (text,) = [text for _, kind, text in BLOCKS if kind == "json"]
    instance = oas.io.loads(text.encode())
    # Six tasks take slow nodes too: 5/2 · 37/30 = 37/12, rounded up to slots of 1/2.
    assert oas.solve(instance).objective == Fraction(7, 2)


def test_every_command_is_named():
    from oas.cli.main import app

    names = {command.name for command in app.registered_commands} | {group.name for group in app.registered_groups}
    assert names == set(re.findall(r"`oas ([\w-]+)", README.split("## Commands")[1].split("##")[0]))
