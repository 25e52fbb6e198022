"""Kernels that are compiled in advance, and solves where nothing is compiled yet."""

import gc
import importlib
import pkgutil

import numpy as np
import pytest

import heuristics
import oas
from oas import generate
from oas.core import compile_processes, compiling
from oas.core.code_cache import code_folders
from oas.core.compiling import Kernel, recorded_kernels
from oas.core.registry import problems
from oas.core.result import Status, Termination
from oas.core.verifier import verify
from oas.solvers.isolation.client import _workers
from oas.solvers.task import MIP
from oas.solving.pipeline import solve
from oas.solving.recheck import recheck_result
from oas.solving.warm_up import warm_up
from tests.core import sample_kernels

EIGHT = {
    "coallocation": generate.section4(seed=5, jobs=8, clusters=3, nodes=20, bandwidth="tight", slot_percent="10"),
    "mosp": generate.uni(seed=2, jobs=8, organizations=2, processors=16),
}
# Compiled code leaves the first one open after 20 s.
MANY = {
    "coallocation": generate.section4(seed=2, jobs=64, clusters=6, nodes=20, bandwidth="std", slot_percent="5"),
    "mosp": generate.uni(seed=1, jobs=1000, organizations=5, processors=64),
}


@pytest.fixture(autouse=True)
def nothing_compiled(tmp_path, monkeypatch):
    """A folder for compiled code in which there is none; kernels of this process that are compiled run plain."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "code"))
    monkeypatch.setattr(compiling, "_waiting", set())
    monkeypatch.setattr(compile_processes, "_background", compile_processes._Background())
    for kernel in [one for one in gc.get_objects() if type(one) is compiling.Kernel]:
        monkeypatch.setattr(kernel, "_compiled", None)
        monkeypatch.setattr(kernel, "_stored", False)
    code_folders.cache_clear()
    _workers[MIP, 0].close()  # the next one looks for compiled code in the nothing_compiled folder
    yield tmp_path / "code"
    _workers[MIP, 0].close()
    compile_processes._background.end()
    code_folders.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("problem", EIGHT)
def test_few_jobs_are_closed_by_plain_kernels(problem, monkeypatch):
    monkeypatch.setattr(compiling.Kernel, "_load", lambda kernel, arguments: False)
    result = solve(EIGHT[problem], time_limit=600)
    assert result.status is Status.OPTIMAL
    recheck_result(EIGHT[problem], result)


@pytest.mark.parametrize("problem", MANY)
def test_at_the_limit_it_ends_and_says_what_was_not_compiled(problem, monkeypatch):
    for name in ("PATIENCE", "PATIENCE_LOADED"):
        monkeypatch.setattr(compiling, name, 0.0)
    for seconds in (1, 4, 16, 64):  # a busy machine may need longer for the heuristics
        result = solve(MANY[problem], time_limit=seconds)
        if result.message:
            break
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.TIME_LIMIT)
    assert not verify(MANY[problem], result.schedule)
    assert "no compiled code yet for" in result.message and "`oas warm-up`" in result.message
    recheck_result(MANY[problem], result)


class TwoSmallKernels:
    """A problem whose kernels are compiled in a second."""

    def has(self, part):
        return part == "kernels"

    def part(self, _):
        def run():
            sums = sample_kernels.Sums(np.array([4]), np.array([0.0]))
            sample_kernels.add_up(np.arange(10), sums, 50)
            sample_kernels.first(np.arange(10))

        return run


def test_what_is_compiled_is_found_again(nothing_compiled):
    told = []
    assert warm_up([TwoSmallKernels()], told.append) == (2, 2)
    assert told == sorted(told) and told
    assert warm_up([TwoSmallKernels()], told.append) == (0, 2)
    next(nothing_compiled.glob("*.code")).unlink()
    assert warm_up([TwoSmallKernels()]) == (1, 2)


def test_every_kernel_is_among_them(nothing_compiled, monkeypatch):
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
    with recorded_kernels() as noted:
        for problem in problems():
            problem.part("kernels")()
    assert set(noted) == kernels
    assert all(len(found) == 1 for found in noted.values())
    assert not list(nothing_compiled.glob("*"))  # to learn this, nothing is compiled
