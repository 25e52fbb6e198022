"""Finding heuristics by name, as entry points and by dotted names; the file of a user's own code is named."""

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from oas.core import user_code
from oas.core.errors import InputError
from oas.core.registry import COALLOCATION
from oas.core.user_code import check_not_hidden
from oas.solving import methods as registry
from oas.solving.method import Method
from oas.solving.methods import find_method, methods, toolkit_methods
from tests.heuristics.coallocation.test_methods import HAND

FCFS = find_method("FCFS", COALLOCATION)


def a_users_own(instance, *, seed=0):
    """Schedule as FCFS does.

    More about it.
    """
    return FCFS(instance, seed=seed)


METHOD = Method("own", a_users_own, "", problem=COALLOCATION)
not_callable = 3


def test_by_name():
    assert FCFS.name == "FCFS"
    assert find_method("fcfs", COALLOCATION) == FCFS
    assert all(find_method(method.name, COALLOCATION) == method for method in toolkit_methods(COALLOCATION))


def test_by_dotted_name():
    method = find_method(f"{__name__}:a_users_own", COALLOCATION)
    assert method.name == f"{__name__}:a_users_own"
    assert method.summary == "Schedule as FCFS does."
    assert method(HAND) == FCFS(HAND)
    assert find_method(f"{__name__}:METHOD", COALLOCATION) is METHOD


def test_in_the_folder_where_the_command_is_typed(tmp_path, monkeypatch):
    (tmp_path / "my_own_rule.py").write_text("from tests.solving.test_methods import a_users_own as mine\n")
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
def test_what_is_not_there(name, reason):
    with pytest.raises(InputError) as caught:
        find_method(name, COALLOCATION)
    assert reason in str(caught.value)
    assert str(caught.value).startswith("heuristic: ") and name[:20] in str(caught.value)


def test_entry_points(monkeypatch):
    point = EntryPoint("installed", f"{__name__}:a_users_own", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == "oas.heuristics" else [])
    own = [method.name for method in toolkit_methods(COALLOCATION)]
    methods.cache_clear()
    try:
        assert [method.name for method in methods(COALLOCATION)] == [*own, "installed"]
        assert find_method("Installed", COALLOCATION)(HAND) == FCFS(HAND)
    finally:
        methods.cache_clear()


@pytest.mark.parametrize("target", ["no_such_module:anything", f"{__name__}:no_such_function"])
def test_an_installed_heuristic_that_is_gone(monkeypatch, target):
    point = EntryPoint("broken", target, registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    methods.cache_clear()
    try:
        with pytest.raises(InputError, match="cannot be imported") as caught:
            methods(COALLOCATION)
        assert target in str(caught.value) and "broken" in str(caught.value)
    finally:
        methods.cache_clear()


@pytest.fixture
def told(monkeypatch, tmp_path):
    """The lines told, with a folder of modules on the path."""
    lines = []
    monkeypatch.setattr(user_code, "listeners", [lines.append])
    monkeypatch.syspath_prepend(str(tmp_path))
    return lines


def test_the_file_is_told_before_it_is_loaded(told, tmp_path):
    (tmp_path / "announced_pack").mkdir()
    (tmp_path / "announced_pack" / "__init__.py").write_text("from oas.core import user_code\n")
    file = tmp_path / "announced_pack" / "inner.py"
    file.write_text("from oas.core import user_code\nfor one in user_code.listeners:\n    one('it runs')\n")
    user_code.announce("announced_pack.inner", "best")
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


GRID = Path(__file__).parents[2] / "examples" / "grid.json"
SCRIPT = "import oas\ntry:\n    oas.{name}(oas.load_example('grid'))\nexcept oas.OasError as error:\n    print(error)\n"


def run(folder, *arguments):
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.slow
def test_a_file_beside_a_script_is_named(tmp_path):
    check_not_hidden()
    (tmp_path / "heuristics.py").write_text("def mine(instance, *, seed=0): ...\n")
    (tmp_path / "script.py").write_text(SCRIPT.format(name="solve"))
    said = run(tmp_path, "script.py").stdout
    assert said.startswith(f"{tmp_path / 'heuristics.py'}: ") and "rename it, to my_heuristics.py" in said
    assert len(said.splitlines()) == 1
    (tmp_path / "heuristics.py").write_text(SCRIPT.format(name="compare"))
    assert f"{tmp_path / 'heuristics.py'}: " in run(tmp_path, "heuristics.py").stdout
    (tmp_path / "heuristics.py").unlink()
    (tmp_path / "heuristics").mkdir()
    (tmp_path / "heuristics" / "__init__.py").touch()
    assert run(tmp_path, "script.py").stdout.startswith(f"{tmp_path / 'heuristics'}: ")


def test_what_needs_no_heuristic_works(tmp_path):
    (tmp_path / "heuristics.py").touch()
    (tmp_path / "script.py").write_text(f"import oas\nprint(len(oas.load({str(GRID)!r}).jobs))\n")
    assert run(tmp_path, "script.py").stdout == "8\n"
