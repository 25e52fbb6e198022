"""`oas bench` as a user types it: real processes, a real ledger."""

import csv
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from contextlib import closing

import psutil
import pytest

from tests.commands import OAS, environment, run

CAMPAIGN = """
name = "few"
[limits]
time = 60
[[instances]]
generator = "tiny"
seeds = "0-1"
[[instances]]
generator = "uni"
parameters = { organizations = [2, 3], jobs = 5, processors = 4 }
[[methods]]
exact = "highs"
[[methods]]
heuristics = ["FCFS", "ILBA"]
[[methods]]
function = "mine:backwards"
"""
MINE = """
from heuristics.coallocation.list_engine import list_schedule

def backwards(instance, *, seed=0):
    return list_schedule(instance, range(len(instance.jobs))[::-1], overtaking=True)
"""
RUNS = 2 * 3 + 2 * 4  # tiny: highs, FCFS, mine; uni: highs, FCFS, ILBA, mine (which fails there)


def fill(folder):
    (folder / "few.toml").write_text(CAMPAIGN)
    (folder / "mine.py").write_text(MINE)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    """The ledger of the campaign, run once for all tests of this module."""
    folder = tmp_path_factory.mktemp("bench")
    (folder / "tmp").mkdir()
    fill(folder)
    done = run(folder, "bench", "run", "few.toml", "-q")
    assert said(done) == f"{RUNS} runs executed, 0 were in the ledger: few.ledger\n"
    assert done.stderr == f"oas: loads mine:backwards from {folder / 'mine.py'}\n"  # once, for all its workers
    assert list((folder / "tmp").iterdir()) == []
    return folder / "few.ledger"


@pytest.fixture
def bench(folder, ledger, run_here):
    """`oas bench` in a folder with a copy of that ledger."""
    shutil.copy(ledger, folder)
    return lambda *arguments: run_here("bench", *arguments)


def said(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_from_declaration_to_rows(folder, bench):
    assert said(bench("run", "few.toml", "-q")) == f"0 runs executed, {RUNS} were in the ledger: few.ledger\n"

    lines = said(bench("status", "few.toml")).splitlines()
    assert lines[0] == f"few: {RUNS} of {RUNS} runs done"
    table = {cells[0]: cells[1:6] for cells in map(str.split, lines[4:])}
    assert table == {
        "highs": ["4", "4", "0", "0", "0"],
        "FCFS": ["4", "4", "0", "0", "0"],
        "ILBA": ["2", "2", "0", "0", "0"],
        "mine:backwards": ["4", "4", "0", "0", "2"],  # it is no method for organizations, and fails there
    }

    text, _, certified = said(bench("verify", "few.toml")).partition("\n\n")
    counts = {line.rsplit(None, 1)[0]: int(line.rsplit(None, 1)[1]) for line in text.splitlines()}
    assert certified.startswith("certified by")
    assert counts["runs"] == RUNS and counts["schedules"] == RUNS - 2 and counts["faults"] == 0
    assert sum(count for name, count in counts.items() if name.startswith("optimal by")) == 4

    said(bench("export", "few.toml", "-o", "few.csv"))
    rows = list(csv.DictReader((folder / "few.csv").read_text().splitlines()))
    assert len(rows) == RUNS
    assert {row["current"] for row in rows} == {"True"}
    assert all(row["status"] == "optimal" for row in rows if row["method"] == "highs")


def test_a_forged_row_is_found(folder, bench):
    with closing(sqlite3.connect(folder / "few.ledger")) as connection, connection:
        query = "UPDATE runs SET objective = '1' WHERE key = (SELECT min(key) FROM runs WHERE method = 'FCFS')"
        assert connection.execute(query).rowcount == 1
    done = bench("verify", "few.toml")
    assert done.returncode == 3
    (line,) = [one for one in done.stderr.splitlines() if not one.startswith("oas: loads ")]
    assert "FCFS, seed 0: objective is" in line
    assert "faults                          1" in done.stdout


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_there_and_the_same_command_goes_on(folder):
    text = CAMPAIGN.replace('"0-1"', '"0-40"')
    (folder / "few.toml").write_text(text)
    process = subprocess.Popen(
        [*OAS, "bench", "run", "few.toml", "--workers", "2"],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    ledger, end = folder / "few.ledger", time.monotonic() + 600  # it may have to compile first
    while recorded(ledger) < 3 and time.monotonic() < end:
        time.sleep(0.05)
    family = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=300)
    assert process.returncode == 130
    kept = recorded(ledger)
    total = 41 * 3 + 2 * 4
    assert 3 <= kept < total
    assert f"{kept} of {total} runs are in few.ledger; the same command resumes from there" in error
    _, alive = psutil.wait_procs(family, timeout=60)
    assert not alive
    assert list((folder / "tmp").iterdir()) == []
    assert said(run(folder, "bench", "run", "few.toml", "-q")).startswith(
        f"{total - kept} runs executed, {kept} were in the ledger"
    )


def recorded(ledger):
    if not ledger.exists():
        return 0
    try:
        with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True, timeout=10)) as connection, connection:
            return connection.execute("SELECT count(*) FROM runs").fetchone()[0]
    except sqlite3.OperationalError:  # its tables are not there yet
        return 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('generator = "tiny"', 'generator = "tinny"', "instances[0].generator: unknown; did you mean tiny? known: "),
        ("[limits]\ntime", "[limits]\ntimes", "limits: there is no such key; did you mean time? known: time, memory"),
        ("mine:backwards", "yours:backwards", "cannot be imported: ModuleNotFoundError"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(folder, run_here, old, new, message):
    assert old in CAMPAIGN
    (folder / "few.toml").write_text(CAMPAIGN.replace(old, new, 1))
    done = run_here("bench", "run", "few.toml")
    assert done.returncode == 2
    assert message in done.stderr and "Traceback" not in done.stderr
    (line,) = [one for one in done.stderr.splitlines() if not one.startswith("oas: loads ")]
    assert line.startswith("oas: few.toml: ")
