"""Loops that run as they stand do what compiled ones do, and can be stopped on the way."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from oas import generate
from oas.core import compiling
from oas.core.clock import clock
from oas.core.problem import find_place
from oas.core.uncompiled import need_not_compile, uncompiled
from oas.exact.coallocation import loops as coallocation
from oas.exact.coallocation.chronological.search import ChronologicalSearch, Weights
from oas.exact.mosp import loops as mosp
from oas.exact.mosp.loops import RuinSearch

if TYPE_CHECKING:
    from collections.abc import Iterator

LOOPS = [one.function for package in (coallocation, mosp) for one in package.loops_for(None)]


class _StopError(Exception):
    pass


@pytest.fixture
def never(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No compiled code is found."""
    monkeypatch.setattr(compiling, "_is_there", lambda dispatcher, arguments: False)
    yield


@pytest.mark.parametrize("function", LOOPS)
def test_every_loop_runs_as_it_stands(function: str, never: None) -> None:
    with uncompiled():
        assert need_not_compile()
        find_place(function)()
    assert not need_not_compile()


def test_they_do_what_plain_and_compiled_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    scaled = generate.uni(seed=3, jobs=12, organizations=2, processors=8).scaled()
    found = []
    for compiled, there in ((False, True), (True, True), (True, False)):
        monkeypatch.setattr(compiling, "_is_there", lambda dispatcher, arguments, there=there: there)
        with uncompiled():
            found.append(RuinSearch(scaled, compiled=compiled).improve(0, 300))
    assert found[0] == found[1] == found[2]


def test_what_a_look_raises_ends_them(never: None) -> None:
    scaled = generate.section4(seed=1, jobs=16, clusters=3, nodes=8, bandwidth="tight", slot_percent="10").scaled()
    weights = Weights(tuple((1,) * len(scaled.powers) for _ in range(16)), 24)
    search = ChronologicalSearch(scaled, [weights], sum(row[0] for row in scaled.durations) // 2, placed=True)
    looks = []

    def look() -> None:
        looks.append(time.monotonic())
        if len(looks) == 20:
            raise _StopError

    with clock(look), uncompiled(), pytest.raises(_StopError):
        search.go_on(10**9)
    assert len(looks) == 20
