"""Files as the operating system has them, writing that is all or nothing, and the examples of the package."""

from __future__ import annotations

import errno
import gzip
import io
import os
import socket
import stat
import subprocess
import sys
import tracemalloc
from fractions import Fraction as F
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from oas.core.errors import InputError
from oas.core.result import Result, Status, Termination
from oas.core.schedule import Placement, Schedule
from oas.io import dumps, files, load, load_answer, load_result, load_schedule, loads_any, save
from oas.io.decoding import MAX_BYTES
from oas.io.unpacking import MARK
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.io.conversion import Content

INSTANCE = CoallocationInstance([Cluster("A", [NodeGroup(2, F(3, 4))], 1)], [Job("a", 1, 7)], name="tiny")
SCHEDULE = Schedule([Placement("a", 0, F(28, 3), {"A": [0]})], "hand")
RESULT = Result(Status.FEASIBLE, Termination.FINISHED, SCHEDULE, None, None, INSTANCE.digest)
NOTHING = Result(Status.NO_SOLUTION, Termination.TIME_LIMIT, None, None, None, INSTANCE.digest)


def refusal(path: object, reader: object = load) -> InputError:
    with pytest.raises(InputError) as caught:
        reader(path)  # type: ignore[operator]
    assert caught.value.file is not None
    assert str(caught.value).startswith(caught.value.file)
    return caught.value


@pytest.mark.parametrize(
    ("reader", "content", "field", "value"),
    [
        (load, SCHEDULE, "format", "oas-schedule"),
        (load, RESULT, "format", "oas-result"),
        (load_answer, INSTANCE, "format", "oas-instance"),
        (load_schedule, INSTANCE, "format", "oas-instance"),
        (load_schedule, NOTHING, "schedule", None),
        (load_result, SCHEDULE, "format", "oas-schedule"),
        (load_result, INSTANCE, "format", "oas-instance"),
    ],
)
def test_another_kind_is_refused(tmp_path: Path, reader: object, content: object, field: str, value: object) -> None:
    save(content, tmp_path / "file")  # type: ignore[arg-type]
    error = refusal(tmp_path / "file", reader)
    assert (error.field, error.value, error.file) == (field, value, str(tmp_path / "file"))


@pytest.mark.parametrize("written", [MARK.__add__, gzip.compress, lambda data: gzip.compress(MARK + data)])
@pytest.mark.parametrize(
    ("reader", "content"),
    [(load, INSTANCE), (load_schedule, SCHEDULE), (load_result, RESULT), (load_answer, NOTHING)],
)
def test_gzipped_and_marked_files_are_read(
    tmp_path: Path, written: Callable[[bytes], bytes], reader: Callable[[Path], object], content: Content
) -> None:
    """Whatever the file is called."""
    data = written(dumps(content))
    assert data != dumps(content)
    (tmp_path / "file").write_bytes(data)
    assert reader(tmp_path / "file") == content
    (tmp_path / "file").write_bytes(dumps(content)[:20] + MARK + dumps(content)[20:])
    refusal(tmp_path / "file", reader)


def test_a_bomb_is_unpacked_to_the_limit_only() -> None:
    bomb = gzip.compress(bytes(1 << 23))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="more than 4096 bytes"):
            loads_any(bomb, limit=1 << 12)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_missing_directory_and_nonsense_paths(tmp_path: Path) -> None:
    assert "No such file" in refusal(tmp_path / "none").reason
    assert "directory" in refusal(tmp_path).reason
    assert "embedded null" in refusal("a\0b").reason
    assert "too long" in refusal("a" * 5000).reason
    assert "No such file" in refusal("").reason
    assert str(refusal("a\x1b[31m\udc80")).isprintable()


def test_unreadable_file(tmp_path: Path) -> None:
    save(INSTANCE, tmp_path / "file")
    (tmp_path / "file").chmod(0)
    own = os.geteuid()
    if own == 0:  # root may read everything
        os.seteuid(65534)
    try:
        error = refusal(tmp_path / "file")
    finally:
        os.seteuid(own)
    assert error.reason == "cannot be read: Permission denied"


def test_a_read_that_fails(tmp_path: Path) -> None:
    """The kernel refuses to read a process's own memory at address 0."""
    if not Path("/proc/self/mem").exists():
        pytest.skip("needs /proc")
    assert "cannot be read: Input/output error" in refusal("/proc/self/mem").reason


def test_pipes_devices_and_sockets_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refusal(tmp_path / "pipe").reason
    assert "not a regular file" in refusal("/dev/zero").reason
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        assert "cannot be read" in refusal(tmp_path / "socket").reason


def test_size_cap_holds_without_reading_all(tmp_path: Path) -> None:
    with open(tmp_path / "file", "wb") as file:
        file.truncate(2**40)  # a sparse file of 1 TiB
    assert refusal(tmp_path / "file").reason == f"larger than {MAX_BYTES} bytes, the most that is read"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(dumps(INSTANCE))))
    assert load("-") == INSTANCE
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{")))
    assert refusal("-").file == "<stdin>"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b" " * (MAX_BYTES + 1))))
    assert "larger than" in refusal("-").reason


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def fail(_: int) -> None:
        raise failure

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(InputError if isinstance(failure, OSError) else KeyboardInterrupt) as caught:
        save(INSTANCE, path)
    if isinstance(failure, OSError):
        assert str(caught.value) == f"{path}: cannot be written: No space left on device"
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_what_cannot_be_put_into_a_file_does_not_touch_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    broken = Result(Status.FEASIBLE, Termination.FINISHED, None, F(1, 10**90), None, INSTANCE.digest)
    with pytest.raises(InputError):
        save(broken, path)
    assert path.read_text() == "old"


def test_links_are_followed_pipes_and_devices_written_into(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    save(INSTANCE, tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and load(tmp_path / "target") == INSTANCE
    save(INSTANCE, "/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    save(INSTANCE, tmp_path / "pipe")
    assert os.read(reader, 10**6) == dumps(INSTANCE)
    os.close(reader)


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name are Linux's")
def test_a_writer_that_is_killed_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("before")
    body = "import os, sys; from oas.io import files; os.fsync = lambda _: os.kill(os.getpid(), 9)\n"
    body += "files.write_bytes(sys.argv[1], b'after' * 1000)"
    done = subprocess.run([sys.executable, "-c", body, tmp_path / "file"], cwd=Path(__file__).parents[2], check=False)
    assert done.returncode == -9
    assert os.listdir(tmp_path) == ["file"] and (tmp_path / "file").read_text() == "before"


@pytest.mark.parametrize("named", [False, True])
def test_a_file_is_replaced_with_its_rights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool) -> None:
    if named:  # where the file system has no files without a name
        monkeypatch.setattr(files, "_unnamed", lambda _: None)
    umask = os.umask(0o022)
    try:
        files.write_bytes(tmp_path / "file", b"first")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644
    (tmp_path / "file").chmod(0o640)
    files.write_bytes(tmp_path / "file", b"second")
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["file"] and (tmp_path / "file").read_bytes() == b"second"
