"""Loops are compiled once per installation, before the clock of a solve, and whatever is kept is found again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from oas.core.result import Status
from oas.exact import warm_up as module
from oas.exact.coallocation.loops import (
    ANNEALING,
    BEAM,
    CHRONOLOGICAL,
    EXECUTION,
    MOMENTS,
    RUIN,
    SPLITTING,
    WALK,
    loops_for,
)
from oas.exact.pipeline import solve
from oas.exact.progress import COMPILE
from oas.exact.warm_up import missing, warm_up
from tests.exact.test_pipeline import OPEN
from tests.solvers.conftest import alive, wait_until

ROOT = Path(__file__).parents[2]
GRID = ROOT / "examples" / "grid.json"


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for compiled code in which there is none yet."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "code"))
    module._folders.cache_clear()
    yield tmp_path / "code"
    module._folders.cache_clear()


def test_what_is_compiled_is_found_until_it_is_gone_or_stale(empty: Path) -> None:
    assert missing([SPLITTING]) == [SPLITTING]
    told = []
    warm_up([SPLITTING], told.append)
    assert told == sorted(told) and told
    assert missing([SPLITTING]) == []
    [marker] = empty.glob("compiled-*.json")
    content = json.loads(marker.read_text())
    for damaged in ({**content, "for": "another processor"}, {**content, "compiled": ["gone"]}, {"for": 3}, []):
        marker.write_text(json.dumps(damaged))
        assert missing([SPLITTING]) == [SPLITTING]
    source = next(iter(content["sources"]))
    marker.write_text(json.dumps({**content, "sources": {source: [1, 1]}}))
    assert missing([SPLITTING]) == [SPLITTING]
    marker.write_text(json.dumps(content))
    assert missing([SPLITTING]) == []
    told.clear()
    warm_up([SPLITTING], told.append)
    assert told == []


def test_only_what_the_instance_can_need() -> None:
    every = {CHRONOLOGICAL, RUIN, BEAM, MOMENTS, EXECUTION, WALK, ANNEALING, SPLITTING}
    assert not {RUIN, BEAM} & {*loops_for(OPEN)} and set(loops_for(None)) == every
    slowed = OPEN.with_saturation("slowdown")
    assert loops_for(slowed.with_slot(1)) == (MOMENTS,) and loops_for(slowed.with_slot(0)) == ()


@pytest.mark.slow
def test_without_a_limit_compiling_is_a_stage_that_does_not_count(empty: Path) -> None:
    stages = []
    began = time.monotonic()
    result = solve(OPEN, on_progress=lambda seen: stages.append(seen.stage))
    wall = time.monotonic() - began
    assert result.status is Status.OPTIMAL
    assert result.seconds[COMPILE] > 0 and result.seconds["total"] + result.seconds[COMPILE] <= wall
    order = list(dict.fromkeys(stages))
    assert order.index("bounds") < order.index(COMPILE) < order.index("search")
    assert missing(loops_for(OPEN)) == []
    assert COMPILE not in solve(OPEN).seconds


@pytest.mark.slow
def test_ctrl_c_while_compiling_ends_with_the_best_schedule(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "code")}
    command = [sys.executable, "-m", "oas", "solve", str(GRID), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as run:
        assert run.stderr is not None
        assert any("compiling the search, once per installation" in line for line in run.stderr)
        run.send_signal(signal.SIGINT)
        document, _ = run.communicate()
    assert run.returncode == 130
    result = json.loads(document)
    assert (result["status"], result["termination"]) == ("feasible", "interrupted")
    assert result["schedule"]["placements"]


def test_without_a_folder_this_process_compiles_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(module, "_folders", lambda: (tmp_path / "file",))
    monkeypatch.setattr(module, "_MEMORY", set())
    assert missing([SPLITTING]) == [SPLITTING]
    warm_up([SPLITTING])
    assert missing([SPLITTING]) == []


def test_a_process_that_compiles_ends_with_its_parent(tmp_path: Path) -> None:
    """Even in the midst of it, when no thread of its own sees that the parent is gone."""
    holding = tmp_path / "holding"
    script = """if True:
        import time
        from oas.solvers.isolation.process import ChildProcess
        child = ChildProcess("oas.exact.warm_worker")
        child.start()
        child.send("tests.exact.busy:hold")
        print(child.pid, flush=True)
        time.sleep(3600)
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OAS_TEST_HOLDING": str(holding)}
    with subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert wait_until(holding.exists, 60)
        parent.kill()
    gone = wait_until(lambda: not alive(child), 60)
    if not gone:
        os.kill(child, signal.SIGKILL)
    assert gone
