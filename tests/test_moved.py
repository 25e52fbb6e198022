"""Import paths of earlier versions still work, and warn."""

import sys
import warnings
from importlib import import_module

import pytest

from oas._moved import GONE, MOVED, PROBLEMS, new_path

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
