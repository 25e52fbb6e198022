"""Finding heuristics by name, as entry points and by dotted name."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from heuristics import registry
from heuristics.method import Method
from heuristics.registry import find_method, methods, own_methods
from oas.core.errors import InputError
from oas.problems.coallocation.problem import COALLOCATION
from tests.heuristics.coallocation.test_methods import HAND

FCFS = find_method("FCFS", COALLOCATION)


def a_users_own(instance, *, seed=0):
    """Schedule as FCFS does.

    More about it.
    """
    return FCFS(instance, seed=seed)


METHOD = Method("own", a_users_own, "", problem=COALLOCATION)
not_callable = 3


def test_by_name() -> None:
    assert FCFS.name == "FCFS"
    assert find_method("fcfs", COALLOCATION) == FCFS
    assert all(find_method(method.name, COALLOCATION) == method for method in own_methods(COALLOCATION))


def test_by_dotted_name() -> None:
    method = find_method(f"{__name__}:a_users_own", COALLOCATION)
    assert method.name == f"{__name__}:a_users_own"
    assert method.summary == "Schedule as FCFS does."
    assert method(HAND) == FCFS(HAND)
    assert find_method(f"{__name__}:METHOD", COALLOCATION) is METHOD


def test_in_the_folder_where_the_command_is_typed(tmp_path, monkeypatch) -> None:
    (tmp_path / "my_own_rule.py").write_text("from tests.heuristics.test_registry import a_users_own as mine\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [path for path in registry.sys.path if path])
    assert find_method("my_own_rule:mine", COALLOCATION)(HAND) == FCFS(HAND)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nonesuch", "unknown; known: FCFS, SJF, BJF, FPFS, SPT, LPT, PATIENT, or package.module:function"),
        ("no.such.module:f", "cannot be imported: ModuleNotFoundError"),
        ("heuristics.coallocation.list_scheduling:nonesuch", "list_scheduling has no 'nonesuch'"),
        (":", "cannot be imported: ValueError"),
        (f"{__name__}:not_callable", "is not a function"),
    ],
)
def test_what_is_not_there(name: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        find_method(name, COALLOCATION)
    assert reason in str(caught.value)
    assert str(caught.value).startswith("heuristic: ") and name[:20] in str(caught.value)


def test_entry_points(monkeypatch) -> None:
    point = EntryPoint("installed", f"{__name__}:a_users_own", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == "oas.heuristics" else [])
    own = [method.name for method in own_methods(COALLOCATION)]
    methods.cache_clear()
    try:
        assert [method.name for method in methods(COALLOCATION)] == [*own, "installed"]
        assert find_method("Installed", COALLOCATION)(HAND) == FCFS(HAND)
    finally:
        methods.cache_clear()


@pytest.mark.parametrize("target", ["no_such_module:anything", f"{__name__}:no_such_function"])
def test_an_installed_heuristic_that_is_gone(monkeypatch, target: str) -> None:
    point = EntryPoint("broken", target, registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    methods.cache_clear()
    try:
        with pytest.raises(InputError, match="cannot be imported") as caught:
            methods(COALLOCATION)
        assert target in str(caught.value) and "broken" in str(caught.value)
    finally:
        methods.cache_clear()
