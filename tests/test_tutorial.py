"""What the tutorial shows is what happens: in a fresh environment, with real installations of the user's packages."""

import shlex
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.documents import blocks_of, check_oas, run_command

ROOT = Path(__file__).parents[1]
TUTORIAL = ROOT / "docs" / "tutorial.md"
# The build backend comes from here: an isolated build would fetch it.
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


@pytest.fixture
def python(tmp_path):
    """An environment that sees what is installed here and takes what the tutorial installs."""
    home = tmp_path / "environment"
    venv.create(home, symlinks=True)
    place = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    (place / "parent.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    return str(home / "bin" / "python")


@pytest.mark.slow
def test_tutorial(tmp_path, monkeypatch, python):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    blocks = [block for block in blocks_of(TUTORIAL) if block.note]
    assert sum(block.kind == "console" for block in blocks) > 5
    for block in blocks:
        if block.kind == "python":
            put_or_compare(Path(block.note.rpartition(": ")[2]), block.text)
            continue
        for command, *shown in block.commands:
            if command.startswith("pip "):
                pip = [sys.executable, "-m", "pip", "--python", python, *shlex.split(command)[1:]]
                done = run_command(pip, OFFLINE)
                assert done.returncode == 0, done.stderr
            else:
                check_oas(command, shown, python=python, code=3 if block.note.endswith("exit code 3") else 0)


def put_or_compare(file, text):
    """A test is shown as the template makes it; anything else is for the user to write."""
    if file.name.startswith("test_"):
        assert file.read_text(encoding="utf-8") == text
    else:
        file.write_text(text, encoding="utf-8")
