"""A user's own file called heuristics, beside a script or where a command is typed: one line says what to rename."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import oas
from oas.core.errors import InputError
from oas.core.hidden_package import check_not_hidden

GRID = Path(__file__).parents[2] / "examples" / "grid.json"
SCRIPT = "import oas\ntry:\n    oas.{name}\nexcept oas.OasError as error:\n    print(error)\n"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_package_itself_hides_nothing() -> None:
    check_not_hidden()


@pytest.mark.parametrize("name", ["solve", "compare", "appraise"])
def test_a_file_beside_a_script_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "heuristics.py").write_text("def mine(instance, *, seed=0): ...\n")
    (tmp_path / "script.py").write_text(SCRIPT.format(name=name))
    said = run(tmp_path, "script.py").stdout
    assert said.startswith(f"{tmp_path / 'heuristics.py'}: ") and "rename it, to my_heuristics.py" in said
    assert len(said.splitlines()) == 1


def test_a_folder_beside_a_script_is_named(tmp_path: Path) -> None:
    (tmp_path / "heuristics").mkdir()
    (tmp_path / "heuristics" / "__init__.py").touch()
    (tmp_path / "script.py").write_text(SCRIPT.format(name="solve"))
    assert run(tmp_path, "script.py").stdout.startswith(f"{tmp_path / 'heuristics'}: ")


def test_a_script_of_the_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "heuristics.py").write_text(SCRIPT.format(name="solve"))
    assert f"{tmp_path / 'heuristics.py'}: " in run(tmp_path, "heuristics.py").stdout


def test_what_needs_no_heuristic_works(tmp_path: Path) -> None:
    (tmp_path / "heuristics.py").touch()
    (tmp_path / "script.py").write_text(f"import oas\nprint(len(oas.load({str(GRID)!r}).jobs))\n")
    assert run(tmp_path, "script.py").stdout == "8\n"


def test_the_command_run_as_a_module_says_so(tmp_path: Path) -> None:
    (tmp_path / "heuristics.py").touch()
    done = run(tmp_path, "-m", "oas", "compare", str(GRID))
    assert done.returncode == 2 and done.stderr.startswith(f"oas: {tmp_path / 'heuristics.py'}: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_heuristic_asked_for_by_the_name_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "heuristics.py").write_text("def mine(instance, *, seed=0): ...\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError, match=r"heuristics\.py: .*rename it"):
        oas.compare(oas.generate.tiny(seed=4), heuristics=["heuristics:mine"])
