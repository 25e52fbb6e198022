"""Kernels are compiled in advance once per installation, and every one of them is among those."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

import pytest

import heuristics
import oas
from oas.core.code_folder import code_folders
from oas.core.compiling import Kernel, noted_kernels
from oas.exact.warm_up import warm_up
from oas.problems.fair.problem import FAIR
from oas.problems.registry import problems

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for compiled code in which there is none yet."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "code"))
    code_folders.cache_clear()
    yield tmp_path / "code"
    code_folders.cache_clear()


@pytest.mark.slow
def test_what_is_compiled_is_found_again(empty: Path) -> None:
    told: list[float] = []
    assert warm_up([FAIR], told.append) == (2, 2)
    assert told == sorted(told) and told
    assert warm_up([FAIR], told.append) == (0, 2)
    next(empty.glob("*.code")).unlink()
    assert warm_up([FAIR]) == (1, 2)


def test_every_kernel_is_among_them(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = {
        value
        for package in (oas, heuristics)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if "kernels" in module.name or module.name.endswith("replay")
        for value in vars(importlib.import_module(module.name)).values()
        if isinstance(value, Kernel)
    }
    for kernel in kernels:
        monkeypatch.setattr(kernel, "_compiled", None)  # by another test
    with noted_kernels() as noted:
        for problem in problems():
            problem.part("kernels")()
    assert set(noted) == kernels
    assert all(len(found) == 1 for found in noted.values())
    assert not list(empty.glob("*"))  # to learn this, nothing is compiled
