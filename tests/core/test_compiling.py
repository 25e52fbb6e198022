"""Kernels do the same plain and compiled, whenever they go over from one to the other; compiled code may get lost."""

import logging
import os
import subprocess
import sys
import time
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

from oas import generate
from oas.coallocation.bounds.configurations import Weights
from oas.coallocation.exact.chronological_search import ChronologicalSearch
from oas.core import compile_processes, compiling
from oas.core.clock import clock
from oas.core.code_cache import code_folders
from oas.core.compiling import Kernel, kinds_of
from tests.core import sample_kernels
from tests.core.sample_kernels import Sums, add_up, first
from tests.slow import mostly_slow
from tests.solvers.conftest import alive, wait_until

ROOT = Path(__file__).resolve().parents[2]
WAIT = 120  # seconds at most for what another process does


@pytest.fixture(autouse=True)
def code(tmp_path, monkeypatch):
    """An empty folder for compiled code; the sample kernels are as new, and no other kernel waits for the compiler."""
    monkeypatch.setattr(compiling, "_waiting", set())
    monkeypatch.setattr(compile_processes, "_background", compile_processes._Background())
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "code"))
    code_folders.cache_clear()
    for name in ("add_up", "first", "never_compiled"):
        monkeypatch.setattr(sample_kernels, name, as_new(getattr(sample_kernels, name)))
    yield tmp_path / "code"
    compile_processes._background.end()
    code_folders.cache_clear()


def as_new(kernel):
    return Kernel(kernel.function, kernel._restarts, kernel._patient)


def given():
    return np.arange(10), Sums(np.array([4]), np.array([0.0])), 50


def outcome(run):
    values, sums, rounds = given()
    return run(values, sums, rounds), sums.total.tolist(), sums.share.tolist()


EXPECTED = ((4 + 50 * 3 * 45, True), [4 + 50 * 3 * 45], [25.0])


def test_plain_compiled_and_on_lists_are_the_same(code, monkeypatch):
    for name in ("PATIENCE", "PATIENCE_LOADED"):
        monkeypatch.setattr(compiling, name, 1e9)
    kernel = sample_kernels.add_up
    assert outcome(kernel) == outcome(kernel.plain) == EXPECTED
    assert not code.exists()  # nothing is compiled in so short a time
    assert outcome(kernel.compiled) == outcome(kernel) == EXPECTED and kernel.steps_per_call(500) == 500
    assert kernel.for_lists(list(range(10)), Sums([4], [0.0]), 50) == EXPECTED[0]
    assert [file.name for file in code.iterdir()] == [kernel.file(kinds_of(given()))]


def test_a_call_that_runs_begins_again_when_there_is_compiled_code(monkeypatch):
    monkeypatch.setattr(compiling, "POLL", 0.0)
    monkeypatch.setattr(compiling, "PATIENCE", 0.0)
    monkeypatch.setattr(compiling, "PATIENCE_LOADED", 0.0)
    asked = []

    def compile_after_three(name, kinds):
        asked.append(name)
        if len(asked) == 3:
            as_new(sample_kernels.add_up).compiled(*given())

    monkeypatch.setattr(compiling, "compile_in_background", compile_after_three)
    kernel = sample_kernels.add_up
    assert kernel.is_slow and kernel.steps_per_call(500) == 5
    assert outcome(kernel) == EXPECTED  # it would be more if the arrays had been left as they were
    assert asked == ["tests.core.sample_kernels:add_up"] * 3
    assert kernel._compiled is not None and not kernel.is_slow and compiling.waiting() == []


def test_a_process_in_the_background_compiles(monkeypatch, caplog):
    monkeypatch.setattr(compiling, "PATIENCE", 0.0)
    monkeypatch.setattr(compiling, "PATIENCE_LOADED", 0.0)
    monkeypatch.setattr(compiling, "POLL", 0.0)
    kernel, failing = sample_kernels.first, sample_kernels.never_compiled
    # A kernel that cannot be compiled does not stop those after it.
    compile_processes._background._requests = [(failing.name, kinds_of((np.array([7]),)))]
    with caplog.at_level(logging.INFO, "oas"):
        assert kernel(np.array([7])) == 7 and compiling.waiting() == ["first"]
    assert "compiling tests.core.sample_kernels:first in the background, once per installation" in caplog.text
    assert wait_until(lambda: kernel(np.array([7])) == 7 and kernel._compiled is not None, WAIT)
    assert compiling.waiting() == []


def test_what_cannot_be_compiled_stays_plain_and_is_tried_once(monkeypatch):
    for name in ("PATIENCE", "PATIENCE_LOADED", "POLL"):
        monkeypatch.setattr(compiling, name, 0.0)
    kernel = sample_kernels.never_compiled
    assert kernel(np.array([7])) == 1
    process = compile_processes._background._process
    assert process is not None and wait_until(lambda: process.poll() is not None, WAIT)
    assert kernel(np.array([7])) == 1
    assert compile_processes._background._process is process


def test_the_process_in_the_background_ends_with_its_parent():
    script = """if True:
        import sys, time
        from oas.core import compile_processes, compiling
        from oas.core.problem import import_object
        with compiling.recorded_kernels() as noted:
            import_object("oas.coallocation.exact.first_runs:run")()
        for kernel, found in noted.items():
            for kinds in found:
                compile_processes.compile_in_background(kernel.name, kinds)
        print(compile_processes._background._process.pid, flush=True)
        time.sleep(3600)
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE) as parent:
        child = int(parent.stdout.readline())
        assert alive(child)
        parent.kill()
    assert wait_until(lambda: not alive(child), WAIT)


@pytest.mark.parametrize("keep", mostly_slow([0.0, 0.5], quick=[0.5]))
def test_damaged_code_is_replaced(code, caplog, keep):
    sample_kernels.add_up.compiled(*given())
    [file] = code.iterdir()
    data = file.read_bytes()
    file.write_bytes(data[: int(keep * len(data))])
    assert outcome(as_new(sample_kernels.add_up).compiled) == EXPECTED
    assert "compiled code cannot be read and is compiled again" in caplog.text and str(file) in caplog.text
    assert len(file.read_bytes()) > len(data) / 2


def test_code_that_others_may_change_is_replaced(code, caplog):
    sample_kernels.add_up.compiled(*given())
    [file] = code.iterdir()
    file.write_bytes(b"code of somebody else")
    file.chmod(0o666)
    assert outcome(as_new(sample_kernels.add_up).compiled) == EXPECTED
    assert f"all users may write to {file}" in caplog.text
    assert file.stat().st_mode & 0o022 == 0


def test_code_is_of_one_source_and_kind_of_arguments(monkeypatch):
    kinds = kinds_of(given())
    name = sample_kernels.add_up.file(kinds)
    assert name == as_new(sample_kernels.add_up).file(kinds)
    assert name != sample_kernels.add_up.file(kinds_of((np.arange(10.0), *given()[1:])))
    other = namedtuple("Sums", ("share", "total"))
    other.__module__ = Sums.__module__
    assert name != sample_kernels.add_up.file(kinds_of((np.arange(10), other(*given()[1]), 50)))
    monkeypatch.setattr(sample_kernels, "FACTOR", 4)
    assert name != as_new(add_up).file(kinds)
    assert first.file(kinds) != name


def test_without_a_folder_code_lives_as_long_as_the_process(tmp_path, monkeypatch):
    monkeypatch.setattr("oas.core.code_cache._is_writable", lambda folder: False)
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    code_folders.cache_clear()
    assert outcome(sample_kernels.add_up.compiled) == EXPECTED
    assert [file.name for file in code_folders()[0].iterdir()] == [sample_kernels.add_up.file(kinds_of(given()))]


def test_kernels_stay_plain_where_numba_is_switched_off(monkeypatch):
    for name in ("PATIENCE", "PATIENCE_LOADED", "POLL"):
        monkeypatch.setattr(compiling, name, 0.0)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert outcome(sample_kernels.add_up) == EXPECTED and sample_kernels.add_up.is_slow
    assert outcome(sample_kernels.add_up.compiled) == EXPECTED and sample_kernels.add_up.is_slow
    assert compiling.waiting() == [] and compile_processes._background._process is None


class _StopError(Exception):
    pass


def test_what_a_look_at_the_clock_raises_ends_a_plain_call():
    scaled = generate.section4(seed=1, jobs=16, clusters=3, nodes=8, bandwidth="tight", slot_percent="10").scaled()
    weights = Weights(tuple((1,) * len(scaled.powers) for _ in range(16)), 24)
    horizon = sum(row[0] for row in scaled.durations) // 2
    search = ChronologicalSearch(scaled, [weights], horizon, placed=True, compiled=False)
    looks = []

    def look():
        looks.append(time.monotonic())
        if len(looks) == 20:
            raise _StopError

    with clock(look), pytest.raises(_StopError):
        search.resume(10**9)
    assert len(looks) == 20
