"""Compiled code on disk that is damaged, or cannot be written, stops nobody; one line says so."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.slow import mostly_slow

ROOT = Path(__file__).resolve().parents[2]
CODE = (
    "from heuristics.mosp.capacity.profile import Profiles;"
    "profiles = Profiles([2], 1, compiled=True); profiles.occupy(0, 1, 2, 1);"
    "assert list(profiles.steps(0)) == [(0, 2), (1, 1), (3, 2)]"
)
NO_ROOM = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0));"


def run(folder, code=CODE):
    """What compiling a loop, with its compiled code kept in `folder`, says."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compiled")
    assert run(folder) == []
    return folder


@pytest.fixture
def compiled(compiled_once, tmp_path):
    """A folder with the compiled code."""
    return shutil.copytree(compiled_once, tmp_path / "compiled")


@pytest.mark.parametrize("ending", mostly_slow(["nbi", "nbc"], quick=["nbc"]))
@pytest.mark.parametrize("keep", mostly_slow([0, 0.5], quick=[0.5]))
def test_damaged_files_are_replaced(compiled, ending, keep):
    assert run(compiled) == []
    files = list(compiled.rglob(f"*.{ending}"))
    assert files
    for file in files:
        data = file.read_bytes()
        file.write_bytes(data[: int(keep * len(data)) if keep < 1 else keep])
    (line,) = run(compiled)
    assert line.startswith("compiled code cannot be read and is compiled anew (") and str(compiled) in line
    assert run(compiled) == []


@pytest.mark.slow
def test_without_room_each_process_compiles(tmp_path):
    for _ in range(2):
        (line,) = run(tmp_path, NO_ROOM + CODE)
        assert line.startswith("compiled code cannot be kept; each process compiles anew (OSError: ")
    assert run(tmp_path) == run(tmp_path) == []


@pytest.mark.slow
def test_a_damaged_file_that_cannot_be_replaced(compiled):
    for file in compiled.rglob("*.nbi"):
        file.write_bytes(b"")
    read, *_ = run(compiled, NO_ROOM + CODE)
    assert "cannot be read" in read


def test_loops_run_as_they_stand_where_numba_is_switched_off(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert run(tmp_path) == []
    assert not any(path.is_file() for path in tmp_path.rglob("*"))
