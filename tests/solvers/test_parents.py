"""The process that asks: scripts without a main guard, Ctrl-C, sudden death, spawn and fork."""

import json
import signal
import subprocess
import sys
import textwrap

import pytest

from tests.slow import mostly_slow
from tests.solvers.conftest import MARK, alive, marked_processes, wait_until

HEAD = """
import json, os, sys
from oas.solvers.isolation.client import run
from oas.solvers.task import Limits, Settings, Task
SMALL = Task("tests.solvers.builders:knapsack", ((5, 4, 3), (2, 3, 1), 4))
HARD = Task("tests.solvers.builders:market_split", (1, 60, 5))
def say(**facts):
    print(json.dumps(facts), flush=True)
"""
HARD_SOLVE = """
def on_progress(progress):
    if progress.objective is not None and progress.bound is not None:
        say(event="incumbent")
outcome = run({task}, Settings("{solver}"), Limits(time=60, grace={grace}), on_progress)
say(event="end", termination=outcome.termination, values=outcome.values and len(outcome.values), bound=outcome.bound,
    objective=outcome.objective, seconds=outcome.seconds)
"""


@pytest.fixture
def script(tmp_path, python_environment):
    """Start a script in a new process group, as a shell does."""
    started = []

    def start(body):
        path = tmp_path / "script.py"
        path.write_text(HEAD + textwrap.dedent(body))
        process = subprocess.Popen(
            [sys.executable, str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=python_environment,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def next_fact(process, event):
    for line in process.stdout:
        fact = json.loads(line)
        if fact["event"] == event:
            return fact
    raise AssertionError(f"ended without {event}: {process.stderr.read()}")


def test_a_plain_script_without_a_main_guard(script):
    process = script("""
        for solver in ("highs", "cbc"):
            outcome = run(SMALL, Settings(solver), Limits(time=60))
            say(solver=solver, objective=outcome.objective)
    """)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, "")
    assert [json.loads(line)["objective"] for line in out.splitlines()] == [7, 7]


def test_a_builder_beside_the_script(script, tmp_path):
    (tmp_path / "own_models.py").write_text("from tests.solvers.builders import knapsack as mine\n")
    process = script("""
        outcome = run(Task("own_models:mine", SMALL.payload), Settings(), Limits(time=60))
        say(objective=outcome.objective)
    """)
    out, err = process.communicate(timeout=300)
    assert (err, json.loads(out)["objective"]) == ("", 7)


@pytest.mark.parametrize("solver", mostly_slow(["highs", "cbc"], quick=["cbc"]))
def test_ctrl_c_keeps_the_incumbent(script, solver):
    process = script(HARD_SOLVE.format(task="HARD", solver=solver, grace=500) + "say(event='on')\n")
    next_fact(process, "incumbent")
    process.send_signal(signal.SIGINT)
    fact = next_fact(process, "end")
    assert fact["termination"] == "interrupted"
    assert fact["values"] and fact["objective"] >= fact["bound"]
    assert fact["seconds"] < 400  # it ended within the grace period
    next_fact(process, "on")  # the script continues: no exception was raised
    assert process.wait(300) == 0


def test_a_second_ctrl_c_kills_at_once(script):
    process = script("""
        say(event="ready")
        outcome = run(Task("tests.solvers.builders:deaf", 600), Settings(), Limits(grace=500))
        say(event="end", termination=outcome.termination, seconds=outcome.seconds)
    """)
    next_fact(process, "ready")
    assert wait_until(lambda: len(marked_processes(process_mark(process))) == 2)
    wait_until(lambda: False, 1.5)  # the worker must have reached its builder
    process.send_signal(signal.SIGINT)
    wait_until(lambda: False, 0.3)
    process.send_signal(signal.SIGINT)
    fact = next_fact(process, "end")
    assert fact["termination"] == "interrupted"
    assert fact["seconds"] < 300


@pytest.mark.parametrize(
    ("solver", "number"),
    mostly_slow(
        [("cbc", signal.SIGKILL), ("highs", signal.SIGTERM), ("cbc", signal.SIGHUP)], quick=[("cbc", signal.SIGKILL)]
    ),
)
def test_the_parents_sudden_death_leaves_nothing(script, scratch, solver, number):
    process = script(HARD_SOLVE.format(task="HARD", solver=solver, grace=5))
    next_fact(process, "incumbent")
    mark = process_mark(process)
    assert len(marked_processes(mark)) >= (2 if solver == "highs" else 3)
    assert list(scratch.iterdir())
    process.send_signal(number)
    process.wait(300)
    assert wait_until(lambda: not marked_processes(mark), 60)
    assert wait_until(lambda: not list(scratch.iterdir()), 60)


def test_worker_and_parent_killed_together_take_cbc_along(script, scratch):
    import shutil

    process = script(HARD_SOLVE.format(task="HARD", solver="cbc", grace=5))
    next_fact(process, "incumbent")
    mark = process_mark(process)
    cbc = [one for one in marked_processes(mark) if one.name() == "cbc"]
    others = [one for one in marked_processes(mark) if one.name() != "cbc"]
    assert cbc and len(others) == 2
    for one in others:
        one.suspend()  # so that neither can clean up after the other
    for one in others:
        one.kill()
    process.wait(300)
    assert wait_until(lambda: not any(alive(one.pid) for one in cbc), 60)
    for folder in scratch.iterdir():  # no process was left to do it
        shutil.rmtree(folder)


def process_mark(process):
    import psutil

    return psutil.Process(process.pid).environ()[MARK]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "before"), [("spawn", ""), ("fork", "run(SMALL, Settings(), Limits(time=60))")])
def test_under_multiprocessing(script, method, before):
    process = script(f"""
        import multiprocessing
        def solve(solver):
            return run(SMALL, Settings(solver), Limits(time=60)).objective
        if __name__ == "__main__":
            {before or "pass"}
            with multiprocessing.get_context("{method}").Pool(2) as pool:
                say(objectives=pool.map(solve, ["highs", "cbc", "highs", "cbc"], chunksize=1))
            say(after=solve("highs"))
    """)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, "")
    facts = [json.loads(line) for line in out.splitlines()]
    assert facts == [{"objectives": [7, 7, 7, 7]}, {"after": 7}]


def test_a_fork_during_a_solve_does_not_hide_the_parents_death(script, scratch):
    process = script("""
        import time
        def on_progress(progress):
            if not children:
                child = os.fork()
                if child == 0:
                    time.sleep(60)
                    os._exit(0)
                children.append(child)
                say(event="forked", child=child)
        children = []
        run(HARD, Settings(), Limits(time=60), on_progress)
    """)
    child = next_fact(process, "forked")["child"]
    mark = process_mark(process)
    process.kill()
    process.wait(300)
    assert wait_until(lambda: [one.pid for one in marked_processes(mark)] == [child], 60)
    import psutil

    psutil.Process(child).kill()
    assert wait_until(lambda: not list(scratch.iterdir()), 60)
