"""Results that cannot be written are not lost; names of files promise no other format; no cell is a formula."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path

import pytest

import oas
from oas.cli.main import app
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from tests.commands import GRID

FULL = Path("/dev/full")
ON_A_FULL_DISK = pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
LOG = GRID.with_name("batsim-jobs.csv")
WRITERS = {
    "solve": ("solve", "tiny.json", "-q"),
    "compare": ("compare", "tiny.json", "--only", "FCFS", "-q"),
    "slots": ("slots", "tiny.json", "--percent", "50", "-q"),
    "price": ("price", "pair.json", "--locality", "1", "-q"),
    "execute": ("execute", "tiny.json", "--order", "FCFS", "-q"),
    "fair": ("fair", "fair.json", "--policy", "FCFS", "--samples", "0", "-q"),
    "simulate": ("simulate", str(LOG), "--processors", "64"),
}
OF_CSV = ("fair", "simulate")


def fill(folder):
    oas.save(oas.generate.tiny(seed=5), folder / "tiny.json")
    oas.save(oas.generate.uni(seed=1, jobs=4, organizations=2, processors=4), folder / "pair.json")
    oas.save(oas.load_example("fair"), folder / "fair.json")


@ON_A_FULL_DISK
@pytest.mark.parametrize("name", WRITERS)
def test_what_cannot_be_written_is_printed_and_saved_elsewhere(folder, run_here, name):
    target = folder / ("out.csv" if name in OF_CSV else "out.json")
    target.symlink_to(FULL)
    done = run_here(*WRITERS[name], "-o", str(target))
    assert done.returncode == 2 and len(done.stdout.splitlines()) > 3
    found = re.fullmatch(rf"oas: {target}: cannot be written: No space left on device; saved as (.*)\n", done.stderr)
    kept = Path(found[1])
    assert kept.name == target.name and kept.stat().st_size > 50
    shutil.rmtree(kept.parent)


@ON_A_FULL_DISK
def test_nothing_at_all_can_be_written(folder, run_here, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr("tempfile.tempdir", str(folder / "missing"))
        done = run_here("execute", "tiny.json", "--order", "FCFS", "-o", str(FULL))
    assert done.returncode == 2 and "makespan" in done.stdout
    assert done.stderr == "oas: /dev/full: cannot be written: No space left on device; nor can a temporary file\n"


@pytest.mark.parametrize("name", ["compare", "slots", "price"])
def test_a_name_of_csv_gets_the_table(folder, run_here, name):
    assert run_here(*WRITERS[name], "-o", "table.csv").returncode == 0
    rows = list(csv.DictReader((folder / "table.csv").read_text().splitlines()))
    assert rows and all(float(row["makespan"]) > 0 for row in rows)


@pytest.mark.parametrize("name", [*WRITERS, "place-reservation"])
def test_a_name_of_another_format_is_refused_before_any_work(run_here, name):
    ending, held = (".json", "CSV") if name in OF_CSV else (".parquet", "JSON")
    command = WRITERS.get(name, (name, "pair.json", "--length", "1", "--processors", "1", "--between", "0", "9"))
    done = run_here(*command, "-o", f"out{ending}")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == f"oas: --output: must not end in {ending}; the file holds {held} (got 'out{ending}')\n"


NAMES = ("=1+1", "@SUM(A1)", "+1-cmd", "-2+3", "-4", "-4.5e-3", "+1/3", "plain")
AS_TEXT = {"'=1+1", "'@SUM(A1)", "'+1-cmd", "'-2+3", "-4", "-4.5e-3", "+1/3", "plain"}  # a number is left as it is


@pytest.fixture
def rows(folder, monkeypatch, capfd):
    """Run a command in this process; return the rows of the CSV file that it writes."""
    monkeypatch.chdir(folder)

    def call(name, *arguments):
        assert not app([*arguments, name], standalone_mode=False)
        return list(csv.DictReader((folder / name).read_text().splitlines()))

    return call


def test_jobs_in_the_log_of_an_execution(rows):
    jobs = [Job(name, 1, 2) for name in NAMES]
    oas.save(CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 1)], jobs), "grid.json")
    found = rows("events.csv", "execute", "grid.json", "--order", "FCFS", "-q", "--log")
    assert {row["job"] for row in found} == AS_TEXT
    assert len(found) == 2 * len(NAMES)
