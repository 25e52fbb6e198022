"""What the README shows is what happens."""

import doctest
from pathlib import Path

import pytest

from tests.documents import blocks_of, check_oas, check_picture

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


def long(block):
    """Whether CBC has to confirm an optimum, which takes ten seconds."""
    return any("--check cbc" in command for command, *_ in block.commands)


@pytest.mark.parametrize(
    "block",
    [pytest.param(block, id=block.commands[0][0][:48], marks=[pytest.mark.slow] * long(block)) for block in CONSOLE],
)
def test_console_examples_print_what_is_shown(block, newcomer):
    for command, *shown in block.commands:
        check_oas(command, shown)
    if long(block):
        check_picture(newcomer / "demo.png", ROOT / "docs" / "demo.png")


def test_python_example(newcomer):
    (session,) = [text for _, kind, text in BLOCKS if kind == "python" and ">>>" in text]
    example = doctest.DocTestParser().get_doctest(session, {}, "README", "README.md", 0)
    assert len(example.examples) > 5
    assert "CoallocationInstance" in session
    assert doctest.DocTestRunner().run(example).failed == 0
    assert (newcomer / "optimum.svg").exists()
