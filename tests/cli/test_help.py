"""What ``--help`` prints on a page of 80 columns, the exit codes that it lists, and commands that do not exist."""

from __future__ import annotations

import re
import shlex

import pytest
import typer

from oas.cli.exit_codes import ExitCode
from oas.cli.helping import parameter_texts
from oas.cli.main import EPILOG, app
from oas.cli.plain_help import folded
from oas.generate.registry import generators


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


def test_arguments_choices_ranges_and_groups(shown):
    plot = shown("plot")
    assert usage(plot) == "oas plot [OPTIONS] FILE SCHEDULE..."
    assert "\n  FILE      Instance file (oas-instance JSON); - for stdin.  [required]\n" in plot
    assert usage(shown("schema")) == "oas schema [OPTIONS] [KIND]"
    assert "\n  KIND  instance, schedule or result.  [default: instance]\n" in shown("schema")
    appraise = shown("appraise")
    assert "\n  --format batsim|swf|sacct  Of the log" in appraise
    assert "[default: 0; 0 to 2147483647]" in " ".join(appraise.split())
    assert "\n  --time-limit SECONDS       For each window.  [default: 30; at least 0.001]\n" in appraise
    listed = " ".join(shown().split())
    assert "generate Make an instance by a seeded generator: a command for each." in listed


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
@pytest.mark.parametrize("width", [20, 50, 76])
def test_examples_that_are_broken_mean_the_same(command, width):
    lines = [line for line in (EVERY[command].epilog or "").splitlines() if line.startswith(("  oas ", "  sacct "))]
    assert lines or command[-1:] == ("worst-case",)
    for line in lines:
        short = folded(line, width)
        assert shlex.split(short.replace("\\\n", "")) == shlex.split(line)
        assert short == line or len(line) > width


@pytest.mark.parametrize("generator", generators(), ids=lambda one: one.name)
def test_generators_name_options_as_they_are_typed(shown, generator):
    text = " ".join(shown("generate", generator.name).split())
    for name in parameter_texts(generator.function):
        if "_" in name:
            assert f" --{name.replace('_', '-')} " in text and name not in text


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


def test_help_lists_every_one():
    listed = re.findall(r"^  (\d+)  +\S", EPILOG.partition("Exit codes:")[2], re.MULTILINE)
    assert [int(code) for code in listed] == list(ExitCode) == [0, 2, 3, 4, 130]
