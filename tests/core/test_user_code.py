"""A user's own code: the file that it comes from is told once, and a file called heuristics hides nothing silently."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from heuristics.registry import find_method
from oas.core import announcing
from oas.core.errors import InputError
from oas.core.hidden_package import check_not_hidden
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


# A user's own file called heuristics: one line says what to rename


GRID = Path(__file__).parents[2] / "examples" / "grid.json"
SCRIPT = "import oas\ntry:\n    oas.{name}\nexcept oas.OasError as error:\n    print(error)\n"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_file_beside_a_script_is_named(tmp_path: Path) -> None:
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


def test_what_needs_no_heuristic_works(tmp_path: Path) -> None:
    (tmp_path / "heuristics.py").touch()
    (tmp_path / "script.py").write_text(f"import oas\nprint(len(oas.load({str(GRID)!r}).jobs))\n")
    assert run(tmp_path, "script.py").stdout == "8\n"
