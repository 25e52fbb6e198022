"""A time limit holds where nothing is compiled yet: the search runs uncompiled, and again once it is compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from oas import generate
from oas.core.result import Result, Status, Termination
from oas.core.verifier import verify
from oas.exact import cold_start
from oas.exact import warm_up as module
from oas.exact.coallocation.loops import loops_for
from oas.exact.pipeline import solve
from oas.exact.progress import COMPILE
from oas.exact.recheck import recheck_result
from oas.exact.warm_up import missing
from oas.solvers.isolation.client import _workers
from oas.solvers.task import MIP
from tests.exact.test_pipeline import OPEN

if TYPE_CHECKING:
    from pathlib import Path

EIGHT = {
    "coallocation": generate.section4(seed=5, jobs=8, clusters=3, nodes=20, bandwidth="tight", slot_percent="10"),
    "mosp": generate.uni(seed=2, jobs=8, organizations=2, processors=16),
}
MANY = {
    "coallocation": generate.section4(seed=1, jobs=64, clusters=3, nodes=8, bandwidth="tight", slot_percent="10"),
    "mosp": generate.uni(seed=1, jobs=1000, organizations=5, processors=64),
}


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for compiled code in which there is none yet; what compiles in the background is ended."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "code"))
    module._folders.cache_clear()
    yield tmp_path / "code"
    if module._background is not None:
        module._background.end()
    module._folders.cache_clear()


@pytest.mark.parametrize("problem", EIGHT)
def test_few_jobs_are_closed_uncompiled(problem: str, empty: Path) -> None:
    instance = EIGHT[problem]
    result = solve(instance, time_limit=600)
    assert result.status is Status.OPTIMAL
    recheck_result(instance, result)


@pytest.mark.parametrize("problem", EIGHT)
def test_no_process_waits_for_the_compiler(problem: str, empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing compiled in the background, nothing is compiled at all: neither here nor where bounds are sought."""
    monkeypatch.setattr(cold_start, "compile_meanwhile", lambda _: None)
    _workers[MIP].close()  # the next one looks for compiled code in the empty folder
    result = solve(EIGHT[problem], time_limit=600)
    _workers[MIP].close()
    assert result.status is Status.OPTIMAL and any(part.startswith("search: ") for part in result.seconds)
    assert list(empty.glob("**/*.nb[ic]")) == []


@pytest.mark.parametrize("problem", MANY)
def test_at_the_limit_it_ends_and_says_what_was_not_compiled(problem: str, empty: Path) -> None:
    instance = MANY[problem]
    result = solve(instance, time_limit=0.2)
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.TIME_LIMIT)
    assert not verify(instance, result.schedule)
    assert "not compiled yet" in result.message and "`oas warm-up`" in result.message
    assert "ruin and recreate" in result.message or "chronological" in result.message
    recheck_result(instance, result)


def test_what_is_compiled_in_the_background_ends_with_the_process(empty: Path) -> None:
    module.compile_meanwhile(loops_for(OPEN))
    assert module.is_compiling()
    module._background.end()
    assert not module.is_compiling() and not (empty / "compiling.lock").exists()
    assert list(empty.glob("compiled-*.json")) == [] == list(empty.glob("**/*.tmp.*"))
    module.compile_meanwhile(loops_for(OPEN))  # begins again
    assert module.is_compiling()


@pytest.mark.slow
def test_once_it_is_compiled_the_search_begins_anew(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cold_start, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(cold_start, "FIRST_SHARE", 0.0)
    slowed = OPEN.with_saturation("slowdown").with_slot(1)
    stages: list[str] = []
    result: Result = solve(slowed, time_limit=600, on_progress=lambda seen: stages.append(seen.stage))
    assert result.status is Status.OPTIMAL and "compiled" not in result.message
    order = list(dict.fromkeys(stages))
    assert order.index("search") < order.index(COMPILE) and stages[-1] == "search"
    assert result.seconds["total"] >= result.seconds[COMPILE] > 0
    assert missing(loops_for(slowed)) == []
