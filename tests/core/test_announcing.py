"""What is told before a user's code is loaded: which file it comes from, once, without importing it."""

from __future__ import annotations

import sys

import pytest

from heuristics.registry import find_method
from oas.core import announcing
from oas.core.errors import InputError
from oas.problems.coallocation.problem import COALLOCATION


@pytest.fixture
def told(monkeypatch, tmp_path):
    """The lines told, with a folder of modules on the path."""
    lines = []
    monkeypatch.setattr(announcing, "listeners", [lines.append])
    monkeypatch.syspath_prepend(str(tmp_path))
    return lines


def test_the_file_is_told_before_it_is_loaded(told, tmp_path):
    (tmp_path / "announced_pack").mkdir()
    (tmp_path / "announced_pack" / "__init__.py").write_text("from oas.core import announcing\n")
    file = tmp_path / "announced_pack" / "inner.py"
    file.write_text("from oas.core import announcing\nfor one in announcing.listeners:\n    one('it runs')\n")
    announcing.announce("announced_pack.inner", "best")
    assert told == [f"loads announced_pack.inner:best from {file}"]
    assert not any(name.startswith("announced_pack") for name in sys.modules)
    with pytest.raises(InputError, match="has no 'best'"):
        find_method("announced_pack.inner:best", COALLOCATION)
    with pytest.raises(InputError, match="has no 'other'"):
        find_method("announced_pack.inner:other", COALLOCATION)
    assert told == [
        f"loads announced_pack.inner:best from {file}",
        "it runs",
        f"loads announced_pack.inner:other from {file}",
    ]


def test_folders_without_an_init_file_are_packages_too(told, tmp_path):
    file = tmp_path / "announced_space" / "inner" / "deep.py"
    file.parent.mkdir(parents=True)
    file.write_text("")
    announcing.announce("announced_space.inner.deep", "best")
    assert told == [f"loads announced_space.inner.deep:best from {file}"]


@pytest.mark.parametrize("module", ["no_such_module", "", ".", "a..b", "sys.path"])
def test_nothing_is_told_of_what_is_not_there(told, module):
    announcing.announce(module, "f")
    assert told == []
