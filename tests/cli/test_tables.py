"""Output of commands: help, tables in terminals of any width, and results that cannot be written."""

import csv
import json
import re
import shutil
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
import typer
from rich.console import Console

import oas
from oas.cli.fitted_table import fitted
from oas.cli.main import app
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.result import Claim, Proof, ProofKind
from oas.show.tables import Table
from tests.commands import GRID
from tests.slow import mostly_slow

WIDTHS = (120, 80, 60, 40)
LEFT_OUT = "not shown for lack of width: "


def fill_tables(folder):
    shutil.copy(GRID, folder / "grid.json")
    shutil.copy(GRID.with_name("organizations.json"), folder / "organizations.json")
    shutil.copy(GRID.with_name("batsim-jobs.csv"), folder / "log.csv")
    (folder / "one.toml").write_text(
        'name = "one"\n[[instances]]\nfiles = ["grid.json"]\n[[methods]]\nheuristics = ["FCFS", "LPT"]\n'
    )


def drawn(table, width):
    console = Console(file=StringIO(), width=width)
    console.print(*fitted(table, width), sep="\n")
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def example():
    row = ("package.module:function", "4,020,000", "3,516,000", "certificate", "0.001 s")
    headings, side = ("method", "makespan", "executed\nmakespan", "proof", "time"), ("time", "executed makespan")
    return Table(headings, [row], ("never there", *side), names=("proof",), styles=["bold"])


@pytest.mark.parametrize("width", range(38, 80))
def test_no_line_is_too_long_and_no_cell_is_broken(width):
    lines = drawn(example(), width)
    assert max(map(len, lines)) <= width
    (row,) = [line for line in lines if line.startswith("package")]
    assert "4,020,000" in row and "certificate" in row
    assert row.startswith("package.module:function ") or "…" in row.split()[0]
    assert row.startswith("package.module:function ") is (width >= 23 + 9 + 11 + 4)


COMMANDS = {
    "compare": ("compare", "grid.json", "--only", "FCFS", "--heuristic", "mine:a_rule_of_my_own", "--time-limit", "1"),
    "organizations": ("compare", "organizations.json", "--only", "ILBA", "--only", "MOCCA", "--time-limit", "5"),
    "price": ("price", "organizations.json", "--locality", "1", "--locality", "none", "--time-limit", "5"),
    "slots": ("slots", "grid.json", "--percent", "100", "--time-limit", "1"),
    "library list": ("library", "list", "oas-8-3x4-*-s0"),
    "library show": ("library", "show", "oas-8-3x4-std-50-s0"),
    "appraise": ("appraise", "log.csv", "--processors", "16", "--jobs", "4", "--windows", "2", "--time-limit", "5"),
    "bench status": ("bench", "status", "one.toml"),
    "example": ("example",),
    "test-heuristic": ("test-heuristic", "mine:a_rule_of_my_own", "--random", "3", "--medium", "1", "-q"),
}


@pytest.mark.parametrize(
    "command", mostly_slow(COMMANDS, quick=("compare", "organizations", "library list", "test-heuristic"))
)
def test_every_commands_tables_fit(folder, run_here, monkeypatch, command):
    (folder / "mine.py").write_text(
        "from heuristics.coallocation.list_engine import list_schedule\n"
        "def a_rule_of_my_own(instance, *, seed=0):\n"
        "    return list_schedule(instance, range(len(instance.jobs)), overtaking=True)\n"
    )
    if command == "bench status":
        assert run_here("bench", "run", "one.toml", "--workers", "1", "-q").returncode == 0
    for width in WIDTHS if command in ("compare", "library list", "example") else (80, 60):
        monkeypatch.setenv("COLUMNS", str(width))
        shown = run_here(*COMMANDS[command])
        assert shown.returncode == 0, shown.stderr
        lines = shown.stdout.splitlines()
        assert max(map(len, lines)) <= width
        if command == "compare":
            first = [line.split()[0] for line in lines if line]
            assert "FCFS" in first and ("mine:a_rule_of_my_own" in first) is (width >= 60)
            assert any(line.startswith(LEFT_OUT) for line in lines) is (width < 120)
        if command == "library list":
            assert sum(line.startswith("oas-8-3x4-") for line in lines) == 12


def test_verify_says_what_is_proven_here_and_what_is_claimed(folder, run_here):
    instance = oas.load(folder / "grid.json")
    proven = oas.solve(instance)
    assert proven.proof.kind is ProofKind.CERTIFICATE
    first = Claim("cpsat", "9.14", "counts", proven.objective)
    second = replace(first, run="cp_model_probing_level=0")
    claimed = replace(proven, proof=Proof(ProofKind.SOLVER, None, (first, second)))
    one_alone = replace(proven, proof=Proof(ProofKind.SOLVER, None, (first,)))
    documents = {}
    for name, result in {"proven": proven, "claimed": claimed, "one alone": one_alone}.items():
        oas.save(result, folder / f"{name}.json")
        run = run_here("verify", "grid.json", f"{name}.json", "--json")
        documents[name] = json.loads(run.stdout)
        assert run.returncode == (3 if name == "one alone" else 0)
    assert documents["proven"]["proven_here"] and documents["proven"]["claimed_by"] == []
    assert documents["proven"]["findings"][-1] == "status: optimal, proven: schedule and bound meet"
    assert documents["claimed"]["proven_here"] is False
    assert documents["claimed"]["claimed_by"] == [str(first), str(second)]
    assert documents["claimed"]["findings"][1].endswith(f"not proven here, claimed by {first}, {second}")
    assert documents["claimed"]["findings"][-1] == "status: optimal, claimed: schedule and bound meet"
    assert not documents["one alone"]["holds"] and documents["one alone"]["proven_here"] is None


def test_verify_in_json(folder, run_here):
    instance = oas.load(folder / "grid.json")
    schedule = oas.solve(instance, time_limit=0.5).schedule
    oas.save(schedule, folder / "good.json")
    good = run_here("verify", "grid.json", "good.json", "--json")
    document = json.loads(good.stdout)
    assert good.returncode == 0 and document["holds"] and document["violations"] == []
    assert document["makespan"] == str(schedule.makespan)
    assert document["findings"][0].startswith("schedule: feasible, 8 jobs")
    oas.save(oas.Schedule(list(schedule.placements)[1:]), folder / "bad.json")
    bad = run_here("verify", "grid.json", "bad.json", "--json")
    document = json.loads(bad.stdout)
    assert bad.returncode == 3 and not document["holds"] and document["findings"] == []
    assert [one["rule"] for one in document["violations"]] == [
        one.rule for one in oas.verify(instance, oas.io.load_schedule(folder / "bad.json"))
    ]
    assert (
        document["error"] == "bad.json: the schedule breaks 1 rule:"
        and "bad.json: the schedule breaks 1 rule" in bad.stderr
    )


def test_examples_are_listed_and_written(folder, run_here):
    listed = run_here("example").stdout
    assert all(name in listed for name in ("grid.json", "organizations.json", "sacct.txt", "campaign.toml"))
    kept = run_here("example", "grid")
    assert kept.returncode == 2 and "exists already" in kept.stderr  # `fill` has put one there
    assert run_here("example", "sacct").stdout == "sacct.txt\n"
    assert (folder / "sacct.txt").read_bytes() == GRID.with_name("sacct.txt").read_bytes()
    assert run_here("example", "grid", "-o", "-").stdout.encode() == GRID.read_bytes()
    assert run_here("example", "grid", "-o", "grid.json").returncode == 0
    assert run_here("example", "-o", "x.json").returncode == 2
    assert "did you mean campaign" in run_here("example", "campain").stderr


def commands(command, name=()):
    """The path of every command and group, and the command itself."""
    yield name, command
    for child, found in getattr(command, "commands", {}).items():
        yield from commands(found, (*name, child))


EVERY = dict(commands(typer.main.get_command(app)))


def usage(text):
    """The first line, from the name of the program on; before it stands how the tests were started."""
    first = " ".join(text.partition("\n\n")[0].split())
    return first[first.index("oas") :]


@pytest.fixture
def shown(run_here, monkeypatch):
    """The help of a command, as it is on a page of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")

    def show(*command):
        done = run_here(*command, "--help")
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return show


@pytest.mark.parametrize("command", EVERY, ids=" ".join)
def test_help_fits_the_page_except_commands_to_copy(shown, command):
    text = shown(*command)
    assert [line for line in text.partition("\n  Example")[0].splitlines() if len(line) > 80] == []
    assert usage(text).startswith(" ".join(["oas", *command, "[OPTIONS]"]))
    assert re.search(r"\n  Examples?:\n", text) or command[-1:] == ("worst-case",)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("generate sectoin4", "oas: No such command 'sectoin4'. Did you mean 'section4'? (see "),
        ("generate worst-case matchin", "oas: No such command 'matchin'. Did you mean 'matching'"),
        ("solev grid.json", "oas: No such command 'solev'. Did you mean 'solve'? (see "),
    ],
)
def test_a_command_that_does_not_exist(run_here, typed, said):
    done = run_here(*typed.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(said)


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


def fill_delivery(folder):
    oas.save(oas.generate.tiny(seed=5), folder / "tiny.json")
    oas.save(oas.generate.uni(seed=1, jobs=4, organizations=2, processors=4), folder / "pair.json")
    oas.save(oas.load_example("fair"), folder / "fair.json")


@ON_A_FULL_DISK
@pytest.mark.parametrize("name", WRITERS)
def test_unwritable_output_is_printed_and_saved_elsewhere(folder, run_here, name):
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


def test_jobs_in_the_log_of_an_execution(folder, run_here):
    jobs = [Job(name, 1, 2) for name in NAMES]
    oas.save(CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 1)], jobs), folder / "grid.json")
    assert run_here("execute", "grid.json", "--order", "FCFS", "-q", "--log", "events.csv").returncode == 0
    found = list(csv.DictReader((folder / "events.csv").read_text().splitlines()))
    assert {row["job"] for row in found} == AS_TEXT
    assert len(found) == 2 * len(NAMES)


def fill(folder):
    fill_tables(folder)
    fill_delivery(folder)
