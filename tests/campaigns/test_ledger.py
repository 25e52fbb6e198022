"""The ledger: what it has taken stays, once, and everything that goes wrong names the file."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from oas.campaigns.ledger import APPLICATION, VERSION, Ledger
from oas.core.errors import InputError
from tests.campaigns.runs import a_record

NOBODY = 65534


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a b?.ledger"


@pytest.fixture
def open_folder():
    """A folder that any user of this machine may enter."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o777)
    yield folder
    folder.chmod(0o777)
    shutil.rmtree(folder)


def filled(path, count=3):
    with Ledger(path, write=True) as ledger:
        ledger.add_instance("f", "d", "i", "mosp", b"{}")
        ledger.add([a_record(f"k{number}", result=b"x") for number in range(count)])
    return path


def keys(path):
    with Ledger(path) as ledger:
        return ledger.keys()


def in_a_process(body, *, unprivileged=False):
    """Run `body` in another process, optionally as the user nobody, and return its output."""
    drop = f"import os\nif os.getuid() == 0: os.setgid({NOBODY}); os.setuid({NOBODY})\n" if unprivileged else ""
    head = "from oas.campaigns.ledger import Ledger\nfrom tests.campaigns.runs import a_record\n"
    script = head + drop + textwrap.dedent(body)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])}
    return subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_what_went_in_comes_out(path):
    record = a_record(objective="7/3", gap=0.5, peak_memory=1 << 40, keeps_locality=False, result=b"\0\1")
    with Ledger(path, write=True) as ledger:
        assert ledger.add([record]) == 1
        assert list(ledger.records(with_results=True)) == [record]
        (without,) = ledger.records()
        assert (without.result, without.objective) == (b"", "7/3")
        assert list(ledger.records({"other"})) == []
    assert keys(path) == {"k"}


def test_a_commit_is_on_the_disk(path):
    with Ledger(path, write=True) as ledger:
        connection = ledger._connection
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    with closing(sqlite3.connect(path)) as other, other:  # somebody's tool has changed it
        assert other.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)
    other.close()
    with Ledger(path, write=True) as ledger:
        assert ledger._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert ledger._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_the_same_run_is_there_once(path):
    first, second = a_record(seconds=1.0), a_record(seconds=2.0)
    with Ledger(path, write=True) as ledger:
        assert ledger.add([first, second]) == 1
        assert ledger.add([second, a_record("l")]) == 1
        assert [record.seconds for record in ledger.records({"k"})] == [1.0]


def test_all_or_none(path):
    with Ledger(path, write=True) as ledger:
        ledger.add([a_record("there")])
        with pytest.raises(InputError, match=r"a b\?.ledger"):
            ledger.add([a_record("fine"), a_record("not", seed=1 << 70), a_record("fine too")])
        assert ledger.keys() == {"there"}
        assert ledger.add([a_record("later")]) == 1


def test_an_instance_is_kept_once_under_its_first_name(path):
    with Ledger(path, write=True) as ledger:
        ledger.add_instance("f1", "d", "first", "mosp", b"one")
        assert ledger.add_instance("f2", "d", "second", "mosp", b"two").name == "first"
        assert ledger.document("d") == b"one"
        with pytest.raises(InputError, match="no such instance"):
            ledger.document("e")


def test_a_second_writer_is_refused_and_harms_nothing(path):
    with Ledger(path, write=True) as ledger:
        with pytest.raises(InputError, match="another run"):
            Ledger(path, write=True)
        link = path.with_name("link")
        link.symlink_to(path)
        with pytest.raises(InputError, match="another run"):
            Ledger(link, write=True)
        done = in_a_process(f"Ledger({str(path)!r}, write=True)")
        assert "another run of a campaign is writing it" in done.stderr
        ledger.add([a_record()])
        assert keys(path) == {"k"}
    with Ledger(path, write=True) as ledger:
        assert ledger.keys() == {"k"}


def test_readers_while_it_is_written(path):
    with Ledger(path, write=True) as ledger, Ledger(path) as reader:
        assert reader.keys() == set()
        ledger.add([a_record("a"), a_record("b")])
        halfway = reader.records()
        assert next(halfway).key == "a"
        ledger.add([a_record("c")])
        assert [record.key for record in halfway] == ["b"]  # one state from first to last row
        assert reader.keys() == {"a", "b", "c"}
        with pytest.raises(InputError, match="cannot be written"):
            reader.add([a_record("d")])
    assert keys(path) == {"a", "b", "c"}


def test_a_killed_writer_leaves_what_it_acknowledged(path):
    done = in_a_process(f"""
        import os, signal
        ledger = Ledger({str(path)!r}, write=True)
        ledger.add([a_record("a")])
        ledger._connection.execute("BEGIN")
        ledger._connection.execute("DELETE FROM runs")
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    assert done.returncode == -signal.SIGKILL
    assert path.with_name(f"{path.name}-wal").stat().st_size
    assert keys(path) == {"a"}
    with Ledger(path, write=True) as ledger:
        assert ledger.add([a_record("b")]) == 1
    assert keys(path) == {"a", "b"}
    assert list(path.parent.iterdir()) == [path]


def by_another_program(path):
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE runs (key)")


def of_a_newer_version(path):
    filled(path)
    with closing(sqlite3.connect(path)) as other, other:
        other.execute(f"PRAGMA user_version = {VERSION + 1}")


REFUSED = {
    "text": (lambda path: path.write_bytes(b"name = 1\n"), "no ledger"),
    "a head alone": (lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(84)), "no ledger|damaged"),
    "noise": (lambda path: path.write_bytes(bytes(range(256)) * 16), "no ledger"),
    "another program's": (by_another_program, "no ledger"),
    "newer": (of_a_newer_version, f"its version is {VERSION + 1}; this package reads {VERSION}"),
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("write", [False, True])
def test_a_file_that_is_no_ledger_is_refused_and_stays(path, kind, write):
    make, said = REFUSED[kind]
    make(path)
    before = path.read_bytes()
    with pytest.raises(InputError, match=rf"a b\?.ledger: (it is )?({said})"):
        Ledger(path, write=write)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_an_empty_file_becomes_one_when_written_only(path):
    path.touch()
    with pytest.raises(InputError, match="no ledger"):
        Ledger(path)
    filled(path)
    with closing(sqlite3.connect(path)) as other, other:
        assert other.execute("PRAGMA application_id").fetchone() == (APPLICATION,)


def test_a_missing_file_or_folder(tmp_path):
    for path, write, said in (
        (tmp_path / "none", False, "run the campaign first"),
        (tmp_path / "gone" / "none", True, r"gone.none: it cannot be written: No such file"),
        (tmp_path, True, "cannot be opened"),
    ):
        with pytest.raises(InputError, match=said):
            Ledger(path, write=write)
    assert not list(tmp_path.iterdir())


def test_damage_is_told(path):
    filled(path, 2000)
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE instances SET document = x'00'")
    with Ledger(path) as ledger, pytest.raises(InputError, match="damaged"):
        ledger.document("d")
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(bytes(range(256)) * (size // 256 - 32))
    with Ledger(path) as ledger, pytest.raises(InputError, match=r"a b\?.ledger: it is damaged"):
        list(ledger.records(with_results=True))


def test_a_full_disk_loses_nothing(path):
    filled(path)
    with Ledger(path, write=True) as ledger:
        ledger._connection.execute("PRAGMA max_page_count = 12")
        with pytest.raises(InputError, match="the disk is full"):
            ledger.add([a_record(f"big{number}", message="x" * 5000) for number in range(20)])
        assert ledger.keys() == {"k0", "k1", "k2"}
    with Ledger(path, write=True) as ledger:
        assert ledger.add([a_record("later")]) == 1


@pytest.mark.parametrize("what", ["file", "folder"])
def test_without_the_right_to_write_it_is_read(open_folder, what):
    path = filled(open_folder / "l")
    path.chmod(0o444 if what == "file" else 0o666)
    open_folder.chmod(0o777 if what == "file" else 0o555)
    done = in_a_process(f"Ledger({str(path)!r}, write=True)", unprivileged=True)
    assert f"InputError: {path}: it cannot be written" in done.stderr
    if what == "folder":
        done = in_a_process(f"print(sorted(Ledger({str(path)!r}).keys()))", unprivileged=True)
        assert done.stdout == "['k0', 'k1', 'k2']\n", done.stderr
    assert keys(path) == {"k0", "k1", "k2"}
    assert list(open_folder.iterdir()) == [path]


def test_a_cut_off_run_in_a_folder_that_cannot_be_written(open_folder):
    path = open_folder / "l"
    done = in_a_process(f"""
        import os, signal
        Ledger({str(path)!r}, write=True).add([a_record("a")])
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    assert done.returncode == -signal.SIGKILL
    (open_folder / "l-shm").unlink()
    open_folder.chmod(0o555)
    for one in open_folder.iterdir():
        one.chmod(0o666)
    done = in_a_process(f"Ledger({str(path)!r})", unprivileged=True)
    assert f"InputError: {path}: its last run was cut off; copy it with l-wal to a folder" in done.stderr
    open_folder.chmod(0o777)
    assert keys(path) == {"a"}  # root and the owner can read it in place
