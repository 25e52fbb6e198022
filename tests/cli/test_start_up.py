"""What commands import, and how the process ends: both decide how long a short command takes."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer

from oas.cli.command_list import COMMANDS
from oas.cli.main import app
from tests.commands import GRID, OAS

HEAVY = {"matplotlib", "pandas", "scipy", "pyomo", "dask", "ortools", "psutil"}


def imported(*arguments: str) -> set[str]:
    """The modules that a command imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *OAS[1:], *arguments], capture_output=True, text=True, check=True
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


def test_help_imports_no_command() -> None:
    modules = imported("--help")
    assert not {name for name in modules if name.startswith("oas.cli.commands.")} and "numpy" not in modules


@pytest.mark.parametrize("command", ["solve", "compare", "verify"])
def test_no_heavy_library_is_imported_for_few_jobs(command: str, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # on a busy machine kernels may outlast the patience for plain calls
    files = [str(GRID)]
    if command == "verify":
        files.append(str(tmp_path / "result.json"))
        subprocess.run([*OAS, "solve", str(GRID), "-q", "-o", files[-1]], capture_output=True, check=True)
    modules = imported(command, *files)
    assert not HEAVY & modules


def test_each_command_says_what_the_list_says() -> None:
    group = typer.main.get_command(app)
    context = group.make_context("oas", [], resilient_parsing=True)
    for name, one in COMMANDS.items():
        assert group.get_command(context, name).short_help == one.summary, name


def test_all_output_is_written_before_the_process_ends() -> None:
    code = """if True:
        import atexit, sys, threading, time
        from oas.cli import main as module
        def run():
            atexit.register(lambda: print("at exit", flush=True))
            threading.Thread(target=lambda: (time.sleep(0.2), sys.stdout.write("thread\\n"))).start()
            sys.stdout.write("x" * 100_000 + "\\n")
            sys.exit(3)
        module.run = run
        module.main()
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stdout.split() == ["x" * 100_000, "thread", "at", "exit"]
