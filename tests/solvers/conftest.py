"""Every test here must leave nothing behind: no file of ours, no process of ours."""

import os
import sys
import tempfile
import time
import uuid
from pathlib import Path

import psutil
import pytest

from oas.solvers.isolation.client import WorkerProcess

MARK = "OAS_TEST_MARK"


def marked_processes(mark):
    """Every live process, this one aside, that inherited the mark."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(MARK) == mark and alive(process.pid):
                found.append(process)
        except psutil.Error:
            continue
    return found


def alive(pid):
    """Whether the process exists and is not merely waiting to be reaped."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until(condition, seconds=60.0):
    """Wait until `condition` holds; say whether it does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return bool(condition())


@pytest.fixture(autouse=True)
def scratch(tmp_path_factory, monkeypatch):
    """A private temporary folder, empty again after the test."""
    folder = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    yield folder
    assert wait_until(lambda: not list(folder.iterdir()), 60), f"left behind: {list(folder.iterdir())}"


@pytest.fixture
def mark(monkeypatch):
    """A mark that processes started in this test inherit; none may be alive after it."""
    own = uuid.uuid4().hex
    monkeypatch.setenv(MARK, own)
    yield own
    assert wait_until(lambda: not marked_processes(own), 60), f"still running: {marked_processes(own)}"


@pytest.fixture
def worker(mark):
    """A worker of this test's own."""
    with WorkerProcess() as one:
        yield one


@pytest.fixture
def python_environment(mark, scratch):
    """The environment of a script run by the tests: it finds the package and the builders."""
    root = Path(__file__).parents[2]
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *sys.path]), "TMPDIR": str(scratch)}


@pytest.fixture
def fake_cbc(tmp_path, monkeypatch):
    """Make CBC a shell script of this text."""

    def make(text):
        script = tmp_path / "cbc"
        script.write_text(f"#!/bin/sh\n{text}\n")
        script.chmod(0o755)
        monkeypatch.setenv("OAS_CBC", str(script))
        return script

    return make
