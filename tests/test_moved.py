"""Import paths and names of earlier versions still work, and warn."""

import sys
import warnings
from importlib import import_module
from types import SimpleNamespace

import pytest

from heuristics import registry
from oas._moved import GONE, MOVED, PROBLEMS, new_path
from oas.campaigns.status import MethodStatus
from oas.fair.exact.optimum import FairOptimum
from oas.fair.studies.fairness import Fairness
from oas.fair.studies.price import PriceRow
from oas.fair.studies.running import Trial
from oas.logs.appraisal import Appraisal
from oas.queueing.stream import JobStream

PATHS = {
    old.replace("*", problem): new.replace("*", problem)
    for old, new in MOVED.items()
    for problem in (PROBLEMS if "*" in old else ("",))
}


@pytest.mark.parametrize("old", sorted(PATHS))
def test_an_old_path_gives_the_same_names(old):
    module = import_module(PATHS[old])
    for name in [name for name in sys.modules if name == old or name.startswith(f"{old}.")]:
        del sys.modules[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        moved = import_module(old)
    text = f"{old} is now {PATHS[old]}; the old path will be removed"
    assert text in [str(warning.message) for warning in caught if warning.category is DeprecationWarning]
    assert all(getattr(moved, name) is value for name, value in vars(module).items() if not name.startswith("__"))


def test_only_what_has_moved_is_found():
    assert {path: new_path(path) for path in GONE} == dict.fromkeys(GONE, "")
    assert new_path("oas.core.numbers") is None and new_path("oas.no_such_module") is None
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        import_module("oas.no_such_module")


@pytest.mark.parametrize(
    ("kind", "old"),
    [
        (FairOptimum, "wanted"),
        (PriceRow, "wanted"),
        (Fairness, "second"),
        (Fairness, "left"),
        (Trial, "cut"),
        (Appraisal, "left"),
        (MethodStatus, "asked"),
        (JobStream, "begun"),
        (JobStream, "at_once"),
    ],
)
def test_a_former_attribute_is_the_present_one(kind, old):
    new = vars(kind)[old].new
    assert new in kind.__annotations__ or hasattr(kind, new)
    with pytest.warns(DeprecationWarning, match=f"{kind.__name__}.{old} is now {new}; the old name will be removed"):
        assert vars(kind)[old].__get__(SimpleNamespace(**{new: 7}), kind) == 7


def test_a_former_function_is_the_present_one():
    with pytest.warns(DeprecationWarning, match=r"registry\.own_methods is now toolkit_methods"):
        assert registry.own_methods is registry.toolkit_methods
    with pytest.raises(AttributeError, match="no_such_function"):
        _ = registry.no_such_function
