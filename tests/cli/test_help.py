"""What ``--help`` prints on a page of 80 columns, the exit codes that it lists, and commands that do not exist."""

from __future__ import annotations

import re

import pytest
import typer

from oas.cli.main import app


def commands(command, name=()):
    """The path of every command and group, and the command itself."""
    yield name, command
    for child, found in getattr(command, "commands", {}).items():
        yield from commands(found, (*name, child))


EVERY = dict(commands(typer.main.get_command(app)))


def usage(text):
    """The first line, from the name of the program on; before it stands how the tests were started."""
    first = " ".join(text.partition("\n\n")[0].split())
    return first[first.index("oas") :]


@pytest.fixture
def shown(run_here, monkeypatch):
    """The help of a command, as it is on a page of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")

    def show(*command):
        done = run_here(*command, "--help")
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return show


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_help_fits_the_page_and_is_plain(shown, command):
    text = shown(*command)
    assert [line for line in text.splitlines() if len(line) > 80] == []
    assert re.findall(r"<(?:str|int|float|bool|list)\b|<[\w|-]*>|[{}]|[<>]=|=[<>]|\\\[|(?<!\])\.\.\.$", text) == []
    assert usage(text).startswith(" ".join(["oas", *command, "[OPTIONS]"]))
    assert re.search(r"\n  Examples?:\n", text) or command[-1:] == ("worst-case",)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("generate nothing", "oas: generate: there is no such command; known: section4, workload, tiny, uni, swf, "),
        ("generate sectoin4", "oas: generate: there is no such command; did you mean section4? known: section4, "),
        ("generate worst-case matchin", "oas: generate worst-case: there is no such command; did you mean matching? "),
        ("bench rnu", "oas: bench: there is no such command; did you mean run? known: run, status, "),
        ("solev grid.json", "oas: there is no such command; did you mean solve? known: solve, compare, "),
    ],
)
def test_a_command_that_does_not_exist(run_here, typed, said):
    done = run_here(*typed.split())
    assert (done.returncode, done.stdout) == (2, "")
    wrong = typed.replace(" grid.json", "").split()[-1]
    assert done.stderr.startswith(said) and done.stderr.endswith(f" (got {wrong!r})\n")
