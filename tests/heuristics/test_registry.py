"""Finding heuristics by name, as entry points and by dotted name."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from heuristics import registry
from heuristics.coallocation import fcfs
from heuristics.registry import find_method, methods, own_methods
from oas.core.errors import InputError
from tests.heuristics.coallocation.test_methods import HAND


def a_users_own(instance, *, seed=0):
    """Schedule as FCFS does.

    More about it.
    """
    return fcfs.schedule(instance, seed=seed)


not_callable = 3


def test_by_name() -> None:
    assert find_method("FCFS") is fcfs.METHOD
    assert find_method("fcfs") is fcfs.METHOD
    assert all(find_method(method.name) is method for method in own_methods())


def test_by_dotted_name() -> None:
    method = find_method(f"{__name__}:a_users_own")
    assert method.name == f"{__name__}:a_users_own"
    assert method.summary == "Schedule as FCFS does."
    assert method(HAND) == fcfs.METHOD(HAND)
    assert find_method("heuristics.coallocation.fcfs:METHOD") is fcfs.METHOD


def test_in_the_folder_where_the_command_is_typed(tmp_path, monkeypatch) -> None:
    (tmp_path / "my_own_rule.py").write_text("from heuristics.coallocation.fcfs import schedule as mine\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [path for path in registry.sys.path if path])
    assert find_method("my_own_rule:mine")(HAND) == fcfs.METHOD(HAND)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nonesuch", "unknown; known: FCFS, SJF, BJF, FPFS, SPT, LPT, or package.module:function"),
        ("no.such.module:f", "cannot be imported: ModuleNotFoundError"),
        ("heuristics.coallocation.fcfs:nonesuch", "cannot be imported: AttributeError"),
        (":", "cannot be imported: ValueError"),
        (f"{__name__}:not_callable", "is not a function"),
    ],
)
def test_what_is_not_there(name: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        find_method(name)
    assert reason in str(caught.value)
    assert str(caught.value).startswith("heuristic: ") and name[:20] in str(caught.value)


def test_entry_points(monkeypatch) -> None:
    point = EntryPoint("installed", f"{__name__}:a_users_own", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == "oas.heuristics" else [])
    methods.cache_clear()
    try:
        assert [method.name for method in methods()] == [*(method.name for method in own_methods()), "installed"]
        assert find_method("Installed")(HAND) == fcfs.METHOD(HAND)
    finally:
        methods.cache_clear()


@pytest.mark.parametrize("target", ["no_such_module:anything", f"{__name__}:no_such_function"])
def test_an_installed_heuristic_that_is_gone(monkeypatch, target: str) -> None:
    point = EntryPoint("broken", target, registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    methods.cache_clear()
    try:
        with pytest.raises(InputError, match="cannot be imported") as caught:
            methods()
        assert target in str(caught.value) and "broken" in str(caught.value)
    finally:
        methods.cache_clear()
