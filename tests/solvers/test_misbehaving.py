"""Solvers that hang, die and lie: executables written here, run as CBC; HiGHS with a tolerance too large."""

import time
import uuid

import pytest

from oas.core.errors import SolverMissingError
from oas.core.result import Termination
from oas.solvers.isolation.client import WorkerProcess
from oas.solvers.task import Limits, Settings, Task
from tests.solvers.conftest import MARK, marked_processes, wait_until

OWN = uuid.uuid4().hex  # several of these files may run in parallel
TASK = Task("tests.solvers.builders:knapsack", ((5, 4, 3), (2, 3, 1), 4))
LIMITS = Limits(time=1, grace=1)


@pytest.fixture(scope="module")
def shared():
    """One worker for this file: it must outlive whatever CBC does, or be replaced."""
    with pytest.MonkeyPatch.context() as patch, WorkerProcess() as one:
        patch.setenv(MARK, OWN)
        yield one
    assert wait_until(lambda: not marked_processes(OWN), 60)


@pytest.fixture
def worker(shared):
    yield shared
    assert wait_until(lambda: {one.pid for one in marked_processes(OWN)} <= {shared.pid}, 60)


def run(worker, limits=LIMITS):
    began = time.monotonic()
    outcome = worker.run(TASK, Settings("cbc"), limits)
    assert time.monotonic() - began < 300
    assert (outcome.values, outcome.objective, outcome.bound, outcome.infeasible) == (None, None, None, False)
    return outcome


def usable_again(worker, monkeypatch):
    monkeypatch.delenv("OAS_CBC")
    assert worker.run(TASK, Settings("cbc"), Limits(time=60)).objective == 7


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("exit 0", id="silent"),
        pytest.param("echo Result - Optimal solution found; exit 0", id="boasting"),
        pytest.param("head -c 100000 /dev/urandom; exit 0", id="rubbish"),
        pytest.param("yes | head -n 200000", id="endless"),
    ],
)
def test_an_exit_code_of_0_without_a_solution_is_an_error(worker, fake_cbc, script, monkeypatch):
    fake_cbc(script)
    assert run(worker, Limits(time=30)).termination is Termination.ERROR
    usable_again(worker, monkeypatch)


SOLUTION = 'while [ $# -gt 1 ]; do shift; done; printf "%b" "{}" > "$1"'


@pytest.mark.parametrize(
    ("text", "termination"),
    [
        ("Optimal - objective value 3\\n 0 x1 nonsense 0\\n", Termination.ERROR),
        ("Optimal - objective value 3\\n rubbish\\n", Termination.ERROR),
        ("\\0\\0\\0", Termination.ERROR),
        ("Splendid - objective value 3\\n", Termination.ERROR),
    ],
)
def test_rubbish_in_the_solution_file(worker, fake_cbc, text, termination):
    fake_cbc(SOLUTION.format(text))
    assert run(worker, Limits(time=30)).termination is termination


ROWS = "Optimal - objective value 6\\n 0 c_l_x5_ 4 0\\n 0 x2 {} 0\\n 1 x3 {} 0\\n 2 x4 {} 0\\n"


def test_an_integral_lie_is_handed_on_for_the_caller_to_verify(worker, fake_cbc):
    fake_cbc(SOLUTION.format(ROWS.format(1, 0.99999999, 1e-9)))
    outcome = worker.run(TASK, Settings("cbc"), Limits(time=30))
    assert outcome.values == {("take", (0,)): 1, ("take", (1,)): 1}
    assert outcome.termination is Termination.FINISHED
    assert outcome.objective == pytest.approx(9)  # of the values, not 6 as stated


@pytest.mark.parametrize(
    "text", [ROWS.format(0.5, 1, 0), ROWS.format(1, 1, 0).partition(" 1 x3")[0]], ids=["fractional", "incomplete"]
)
def test_no_integral_solution_is_no_incumbent_and_drops_the_bounds_of_the_log(worker, fake_cbc, text):
    fake_cbc(f"echo 'After 0 nodes, 1 on tree, 7 best solution, best possible 5'; {SOLUTION.format(text)}")
    outcome = run(worker, Limits(time=30))
    assert outcome.termination is Termination.ERROR
    assert "without an integral solution" in outcome.message


def test_an_optimum_of_highs_without_integers_is_an_error(worker):
    """2x + 2y = 5: with a tolerance of 0.6 HiGHS takes 5/2 for an integer."""
    options = {"mip_feasibility_tolerance": 0.6, "presolve": "off"}
    task = Task("tests.solvers.builders:infeasible", None)
    outcome = worker.run(task, Settings("highs", options=options), Limits(time=30))
    assert (outcome.termination, outcome.values) == (Termination.ERROR, None)
    assert "without an integral solution" in outcome.message


@pytest.mark.parametrize(
    ("name", "termination"),
    [
        ("SEGV", Termination.CRASHED),
        ("ABRT", Termination.CRASHED),
        ("KILL", Termination.KILLED),
        ("TERM", Termination.KILLED),
    ],
)
def test_death_by_a_signal_names_it(worker, fake_cbc, name, termination, monkeypatch):
    fake_cbc(f"kill -{name} $$; sleep 600")
    outcome = run(worker, Limits(time=30))
    assert outcome.termination is termination
    assert f"SIG{name}" in outcome.message
    usable_again(worker, monkeypatch)


def test_a_failing_exit_code(worker, fake_cbc):
    fake_cbc("echo no licence; exit 7")
    outcome = run(worker, Limits(time=30))
    assert outcome.termination is Termination.CRASHED
    assert "exit code 7" in outcome.message
    assert "no licence" in outcome.message


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("exec sleep 600", id="hangs"),
        pytest.param("sleep 600", id="child hangs", marks=pytest.mark.slow),
        pytest.param("trap '' INT TERM HUP; sleep 600", id="ignores signals"),
        pytest.param("sleep 600 & sleep 600", id="grandchildren", marks=pytest.mark.slow),
    ],
)
def test_what_hangs_is_ended(worker, fake_cbc, script, monkeypatch):
    fake_cbc(script)
    assert run(worker).termination is Termination.TIME_LIMIT
    usable_again(worker, monkeypatch)


def test_a_binary_that_cannot_be_executed(worker, fake_cbc):
    script = fake_cbc("")
    script.write_bytes(b"\x7fELF no such thing")
    outcome = run(worker, Limits(time=30))
    assert outcome.termination is Termination.CRASHED
    assert "127" in outcome.message or "cannot execute" in outcome.message


def test_a_missing_binary_says_what_to_do(monkeypatch):
    monkeypatch.setenv("OAS_CBC", "/nowhere/cbc")
    with WorkerProcess() as unused:
        with pytest.raises(SolverMissingError, match="OAS_CBC"):
            unused.run(TASK, Settings("cbc"), LIMITS)
        assert unused.pid is None
