"""Compiled code is executed when it is loaded: it is kept only where nobody else may write."""

import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

from oas.core import code_cache
from oas.core.code_cache import code_folders, is_kept
from tests.commands import GRID, run

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")


@pytest.fixture(autouse=True)
def asked_again(monkeypatch):
    """No answer is remembered, and the environment names no folder."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    temporary = []
    create = code_cache._temporary.__wrapped__

    @cache
    def noted():
        temporary.append(create())
        return temporary[-1]

    monkeypatch.setattr(code_cache, "_temporary", noted)
    code_folders.cache_clear()
    yield
    code_folders.cache_clear()
    for folder in filter(None, temporary):
        folder.cleanup()


@pytest.fixture
def named(tmp_path, monkeypatch):
    """The folder that the environment names, in one of its own."""
    folder = tmp_path / "above" / "code"
    folder.mkdir(parents=True)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(folder))
    return folder


def test_the_named_folder_is_used(named, caplog):
    assert code_folders() == (named,) and is_kept(named) and not caplog.text


@pytest.mark.parametrize(
    ("place", "change", "words"),
    [
        ("code", lambda folder: folder.chmod(0o777), "all users may write to"),
        ("above", lambda folder: folder.chmod(0o777), "all users may write to"),
        ("code", lambda folder: folder.chmod(0o1777), "all users may write to"),
        pytest.param("code", lambda folder: os.chown(folder, 4711, 0), "belongs to another user", marks=needs_root),
        pytest.param("above", lambda folder: os.chown(folder, 4711, 0), "belongs to another user", marks=needs_root),
        pytest.param(
            "code",
            lambda folder: (os.chown(folder, 0, 4711), folder.chmod(0o775)),
            "a group may write to",
            marks=needs_root,
        ),
    ],
)
def test_a_folder_open_to_others_is_named_and_not_used(named, caplog, place, change, words):
    folder = named if place == "code" else named.parent
    change(folder)
    assert named not in code_folders() and code_folders()
    assert len(caplog.records) == 1  # asking again says nothing new
    assert f"{words} {folder}" in caplog.text or f"{folder} {words}" in caplog.text


def test_a_folder_below_a_sticky_one_is_used(named):
    named.parent.chmod(0o1777)
    assert code_folders() == (named,)


@needs_root
def test_a_folder_of_root_and_its_group_is_used(named):
    named.parent.chmod(0o775)
    os.chown(named.parent, 0, 0)
    assert code_folders() == (named,)


def test_a_link_is_followed_before_it_is_checked(named, monkeypatch, tmp_path):
    (tmp_path / "link").symlink_to(named)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "link"))
    assert code_folders() == (named,)
    named.chmod(0o777)
    code_folders.cache_clear()
    assert named not in code_folders() and tmp_path / "link" not in code_folders()


def test_without_a_home_the_cache_of_the_user_is_left_out(monkeypatch):
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # as without HOME and an entry in passwd
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert code_cache.default_folders() == [Path(code_cache.__file__).parent / "__pycache__"]
    assert code_folders()


def test_warm_up_refuses_at_once_what_cannot_be_kept():
    """In a process of its own: kernels that other tests have compiled are not recorded again."""
    program = """
from oas.core import code_cache
from oas.core.registry import problem_named
from oas.solving import warm_up
code_cache._is_writable = lambda folder: False
warm_up._is_stored = lambda file: False
warm_up.compile_all = None
warm_up.warm_up([problem_named("mosp")], must_keep=True)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "NUMBA_CACHE_DIR: must be a folder that you alone can write to" in done.stderr


def test_a_temporary_folder_that_others_could_replace_is_not_used(tmp_path, monkeypatch, caplog):
    tmp_path.chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(code_cache, "default_folders", lambda: [Path("/proc/never"), tmp_path / "code"])
    assert code_folders() == ()
    assert "searches run slowly, as plain Python" in caplog.text


@pytest.mark.slow
def test_a_solve_names_the_folder_once_and_is_done(folder):
    (folder / "open").mkdir()
    (folder / "open").chmod(0o777)
    done = run(folder, "solve", str(GRID), "-q", "-o", "result.json", NUMBA_CACHE_DIR=str(folder / "open"))
    assert done.returncode == 0 and (folder / "result.json").exists()
    assert not done.stderr or done.stderr.count("all users may write to") == 1
    assert list((folder / "open").iterdir()) == []
