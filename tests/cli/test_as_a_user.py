"""The commands as a user types them: real processes, real solvers, real signals."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import psutil
import pytest

import oas
import oas.io
from oas.generate import section4
from tests.commands import GRID, OAS, environment, run
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.commands import Shown


def fill(folder: Path) -> None:
    oas.save(oas.generate.tiny(seed=5), folder / "tiny.json")
    oas.save(section4(seed=1, jobs=100, slot_percent=5), folder / "hard.json")
    oas.save(oas.generate.uni(seed=1, organizations=3, jobs=9, processors=16), folder / "mosp.json")


@pytest.fixture
def hard_solve(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A long solve, with its solver at work."""
    process = subprocess.Popen(
        [*OAS, "solve", "hard.json", "--output", "best.json"],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while not workers_of(process.pid) and time.monotonic() < end:
        time.sleep(0.1)
    assert workers_of(process.pid), "no solver was started"
    time.sleep(0.5)
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate()


def workers_of(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def gone(processes: list[psutil.Process], seconds: float) -> bool:
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    return not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


@pytest.mark.parametrize("number", mostly_slow([signal.SIGINT, signal.SIGTERM], quick=[signal.SIGINT]))
def test_an_interrupted_solve_keeps_the_best_schedule(
    folder: Path, run_here: Callable[..., Shown], hard_solve: subprocess.Popen[str], number: signal.Signals
) -> None:
    workers = workers_of(hard_solve.pid)
    hard_solve.send_signal(number)
    shown, _ = hard_solve.communicate(timeout=60)
    assert hard_solve.returncode == 130
    assert "interrupted" in shown
    assert run_here("verify", "hard.json", "best.json").returncode == 0
    assert gone(workers, 5)
    assert list((folder / "tmp").iterdir()) == []


@pytest.mark.slow
def test_a_killed_command_leaves_no_solver(folder: Path, hard_solve: subprocess.Popen[str]) -> None:
    workers = workers_of(hard_solve.pid)
    hard_solve.kill()
    hard_solve.communicate()
    assert gone(workers, 5)


def test_a_time_limit_ends_with_the_best_schedule(folder: Path) -> None:
    done = run(folder, "solve", "hard.json", "--time-limit", "1", "--json", "-q")
    result = json.loads(done.stdout)
    assert done.returncode == 0
    assert (result["status"], result["termination"]) == ("feasible", "time_limit")
    assert list((folder / "tmp").iterdir()) == []


def test_results_travel_through_pipes(folder: Path) -> None:
    solved = run(folder, "solve", "-", "--json", stdin=(folder / "tiny.json").read_text())
    assert solved.returncode == 0, solved.stderr
    checked = run(folder, "verify", "tiny.json", "-", stdin=solved.stdout)
    assert checked.returncode == 0 and "optimal" in checked.stdout


def tampered(result: dict[str, Any], what: str) -> dict[str, Any]:
    if what == "bound":
        result["lower_bound"] = result["objective"] * 2
        result["gap"] = -0.5
    elif what == "proof":
        result["proof"] = {"kind": "certificate", "bound": None, "claims": []}
    elif what == "schedule":
        result["schedule"]["placements"][0]["nodes"] = {"C9": [0]}
    return result


@pytest.mark.parametrize("what", ["bound", "proof", "schedule"])
def test_a_tampered_result_is_found_out(folder: Path, run_here: Callable[..., Shown], what: str) -> None:
    oas.save(oas.load(GRID), folder / "grid.json")
    good = oas.io.dumps(oas.solve(oas.load(GRID), time_limit=60))
    (folder / "bad.json").write_text(json.dumps(tampered(json.loads(good), what)))
    done = run_here("verify", "grid.json", "bad.json")
    assert done.returncode in (2, 3) and "Traceback" not in done.stderr
    assert done.stderr.startswith("oas: ")


MISTAKES = [
    (["solve", "missing.json"], "missing.json"),
    (["solve", "tiny.json", "--solver", "nonesuch", "--formulation", "start-indexed"], "nonesuch"),
    (["solve", "tiny.json", "--formulation", "magic"], "magic"),
    (["solve", "tiny.json", "--slot", "soon"], "soon"),
    (["solve", "tiny.json", "--option", "nothing"], "nothing"),
    (["solve", "tiny.json", "--time-limit", "-1"], "-1"),
    (["solve", "tiny.json", "--output", "no/such/folder/x.json"], "no/such/folder"),
    (["solve", "tiny.json", "--gantt", "x.gif"], "x.gif"),
    (["compare", "tiny.json", "--only", "NONE"], "NONE"),
    (["compare", "tiny.json", "--heuristic", "no_module:f"], "no_module"),
    (["verify", "tiny.json", "tiny.json"], "tiny.json"),
    (["export", "tiny.json"], "--lp"),
    (["export", "tiny.json", "--lp", "x.txt"], "x.txt"),
    (["plot", "tiny.json", "FCFS", "-o", "x.jpg"], "x.jpg"),
    (["generate", "section4", "--jobs", "0"], "jobs"),
    (["price", "tiny.json"], "tiny.json: only organizations"),
    (["schema", "nonesuch"], "Invalid value for 'KIND': 'nonesuch' is not one of"),
    (["appraise", "log.swf", "--windows", "few"], "Invalid value for '--windows': must be a valid integer (see"),
    (["appraise", "log.swf", "--windows", "0"], "Invalid value for '--windows': must be greater than or equal to 1"),
    (["solve", "mosp.json", "--slot", "1"], "--slot"),
    (["convert", "tiny.json"], "is no log in SWF, the format that this command reads"),
    (["nonesuch"], "nonesuch"),
]


@pytest.mark.parametrize(("arguments", "named"), MISTAKES, ids=[" ".join(one[0])[:40] for one in MISTAKES])
def test_a_users_mistake_is_named_without_a_traceback(
    run_here: Callable[..., Shown], arguments: list[str], named: str
) -> None:
    if "nonesuch" in arguments and "--solver" in arguments:
        arguments = [*arguments[:1], "hard.json", *arguments[2:]]
    done = run_here(*arguments, "-q" if arguments[0] in ("solve", "compare") else "--")
    assert done.returncode in (2, 4), (done.stdout, done.stderr)
    assert named in done.stderr and "Traceback" not in done.stderr
    assert not done.stdout


OWN = """
from heuristics.coallocation.list_engine import list_schedule
from oas import Placement, Schedule

def good(instance, *, seed=0):
    return list_schedule(instance, range(len(instance.jobs)), overtaking=True)

def raises(instance, *, seed=0):
    raise RuntimeError("out of ideas")

def junk(instance, *, seed=0):
    return 42

def breaks(instance, *, seed=0):
    whole = good(instance)
    return Schedule(whole.placements[1:])
"""


@pytest.mark.slow
def test_a_users_own_heuristics_are_ranked_and_judged(folder: Path, run_here: Callable[..., Shown]) -> None:
    (folder / "mine.py").write_text(OWN)
    good = run_here("compare", "tiny.json", "--heuristic", "mine:good", "--only", "FCFS", "--json", "-q")
    assert good.returncode == 0, good.stderr
    assert {row["method"] for row in json.loads(good.stdout)["rows"]} == {"exact", "FCFS", "mine:good"}
    assert good.stderr == f"oas: loads mine:good from {folder / 'mine.py'}\n"
    arguments = [word for name in ("raises", "junk", "breaks") for word in ("--heuristic", f"mine:{name}")]
    bad = run_here("compare", "tiny.json", *arguments, "-q")
    assert bad.returncode == 3
    for word in ("out of ideas", "not a Schedule", "missing_job", "FPFS"):
        assert word in bad.stdout


def test_both_formulations_are_exported_and_mean_the_same(folder: Path, run_here: Callable[..., Shown]) -> None:
    for name in ("start-indexed", "literal"):
        done = run_here("export", "tiny.json", "--lp", f"{name}.lp", "--formulation", name)
        assert done.returncode == 0, done.stderr
        assert "end" in (folder / f"{name}.lp").read_text()
    assert run_here("export", "tiny.json", "--mps", "model.mps").returncode == 0
    assert (folder / "model.mps").read_text().rstrip().endswith("ENDATA")


def test_generators_repeat_themselves(run_here: Callable[..., Shown]) -> None:
    for kind in (["section4"], ["workload", "2"], ["tiny"], ["uni"], ["swf"], ["worst-case", "tight-mocca4"]):
        one, two = run_here("generate", *kind), run_here("generate", *kind)
        assert one.returncode == 0 and one.stdout == two.stdout
        assert oas.io.loads(one.stdout.encode())


def test_organizations_are_compared(folder: Path) -> None:
    done = run(folder, "compare", "mosp.json", "-q")
    assert done.returncode == 0, done.stderr
    for word in ("optimum", "MOCCA", "ILBA", "without locality", "gain"):
        assert word in done.stdout
    assert max(map(len, done.stdout.splitlines()[:12])) <= 125


@pytest.mark.slow
def test_a_fake_cbc_never_makes_a_wrong_claim(folder: Path) -> None:
    fake = folder / "cbc"
    fake.write_text("#!/bin/sh\necho Optimal - objective value 1.0\nexit 0\n")
    fake.chmod(0o755)
    done = run(folder, "solve", str(GRID), "--solver", "cbc", "--json", "-q", OAS_CBC=str(fake))
    assert done.returncode == 4
    result = json.loads(done.stdout)
    assert (result["status"], result["termination"]) == ("feasible", "error")
    assert run(folder, "doctor", "--solver", "cbc", OAS_CBC=str(fake)).returncode == 4
    assert list((folder / "tmp").iterdir()) == []


@pytest.mark.slow
def test_a_plain_script_needs_no_main_guard(folder: Path) -> None:
    script = folder / "plain.py"
    script.write_text(f"import oas\nprint(oas.solve(oas.load({str(GRID)!r}), time_limit=60).status.value)\n")
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("optimal\n", "")


HEAVY = ("rich", "pandas", "numpy", "pyomo", "matplotlib", "numba", "highspy", "ortools", "pulp")


@pytest.mark.parametrize("code", ["import oas", "import oas.cli.main", "import oas; oas.generate.tiny(seed=1)"])
def test_start_up_loads_nothing_heavy(code: str) -> None:
    check = f"{code}; import sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_help_shows_examples_for_every_command(run_here: Callable[..., Shown]) -> None:
    commands = [
        "solve",
        "compare",
        "verify",
        "generate",
        "price",
        "convert",
        "export",
        "plot",
        "bench",
        "schema",
        "doctor",
    ]
    for command in ([], *([name] for name in commands)):
        done = run_here(*command, "--help")
        assert done.returncode == 0 and "Example" in done.stdout
    assert set(json.loads(run_here("schema", "result").stdout)) >= {"$defs"}


def test_ctrl_c_within_an_executed_string(folder: Path) -> None:
    """Dataclasses execute strings as they are made; the interrupt that is handled there is not the end of Python."""
    (folder / "interrupted.py").write_text(
        """import oas.cli.main as command
def app(**_):
    exec("raise KeyboardInterrupt")
command.app = app
command.main()
"""
    )
    done = subprocess.run(
        [sys.executable, "-m", "interrupted"], cwd=folder, env=environment(folder), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, b"oas: interrupted\n")


@pytest.mark.slow
def test_a_background_job_can_be_ended(folder: Path) -> None:
    """A shell's background job ignores Ctrl-C; being asked to terminate must work all the same."""
    script = folder / "background.sh"
    script.write_text(f"trap '' INT\nexec {sys.executable} -m oas solve hard.json --output best.json\n")
    process = subprocess.Popen(["bash", str(script)], cwd=folder, env=environment(folder), stdout=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not workers_of(process.pid) and time.monotonic() < end:
        time.sleep(0.1)
    workers = workers_of(process.pid)
    time.sleep(0.5)
    process.terminate()
    assert process.wait(timeout=60) == 130
    assert gone(workers, 5) and workers
    assert run(folder, "verify", "hard.json", "best.json").returncode == 0
