"""The worker process, for models and functions: faulty builders, limits, Ctrl-C, crashes."""

import os
import signal
import threading
import time
from fractions import Fraction

import psutil
import pytest

from oas.core.errors import InputError
from oas.core.result import Termination
from oas.solvers.isolation.client import call, run
from oas.solvers.task import CallOutcome, Limits, Settings, Task
from tests.slow import every_fourth_quick
from tests.solvers.conftest import alive, wait_until
from tests.solvers.knapsacks import knapsacks

LIMITS = Limits(time=60)
SMALL = ((5, 4, 3), (2, 3, 1), 4)
HARD = (1, 60, 5)
HIGHS = Settings()
CALLS = "tests.solvers.callables"
HALF = {"half": Fraction(1, 2)}


def task(builder, payload=None, module="builders"):
    return Task(f"tests.solvers.{module}:{builder}", payload)


def works(worker):
    return worker.run(task("knapsack", SMALL), HIGHS, LIMITS).objective == 7


def half(worker, kind, argument=None, limits=LIMITS, on_progress=None):
    return worker.call(f"{CALLS}:half", (kind, argument), limits, on_progress)


# Builders


@pytest.mark.parametrize(
    ("solver", "module"), every_fourth_quick([("highs", "builders"), ("cbc", "builders"), ("cpsat", "cp_builders")])
)
def test_chatter_does_not_reach_the_messages_nor_the_terminal(worker, solver, module, capfd):
    assert worker.run(task("noisy", SMALL, module), Settings(solver), LIMITS).objective == 7
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("settings", [HIGHS, Settings("cpsat")], ids=lambda one: one.solver)
@pytest.mark.parametrize(
    ("kind", "termination", "message"),
    [
        ("too_large", Termination.TOO_LARGE, "7 things, at most 6"),
        ("memory", Termination.MEMORY_LIMIT, "out of memory"),
        ("other", Termination.ERROR, "a mistake in the builder"),
    ],
)
def test_a_builder_that_raises(settings, kind, termination, message):
    outcome = run(task("raising", kind), settings, LIMITS)
    assert outcome.termination is termination and message in outcome.message


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        *((task(one), "builder") for one in ("not_a_model", "maximised", "without_objective", "no_such", "a.no_such")),
        (Task("no.such.module:build", None), "cannot be imported"),
        (task("knapsack", threading.Lock()), "payload"),
        (task("raising", "input"), r"slots: must be even \(got 3\)"),
    ],
)
def test_what_the_caller_got_wrong_with_a_model(asked, said):
    with pytest.raises(InputError, match=said):
        run(asked, HIGHS, LIMITS)


# Functions


def test_values_and_progress_come_back_as_they_are(worker):
    payload = {"a": (Fraction(1, 3), 10**40), "b": [None, "x"]}
    outcome = call(f"{CALLS}:echo", payload, LIMITS)
    assert isinstance(outcome, CallOutcome) and outcome.seconds > 0
    assert (outcome.termination, outcome.value, outcome.message) == (Termination.FINISHED, payload, "")
    seen = []
    outcome = half(worker, "return", on_progress=seen.append)
    assert (outcome.termination, outcome.value) == (Termination.FINISHED, "whole")  # not the partial value
    assert [(one.bound, one.objective) for one in seen] == [(1.5, 7)]
    failed = half(worker, "raise")
    assert (failed.termination, failed.value) == (Termination.ERROR, HALF | {"kind": "raise"})
    assert "on purpose" in failed.message
    assert works(worker)  # calls and models take turns


def test_what_the_caller_got_wrong_with_a_function(worker):
    with pytest.raises(InputError, match="no such thing"):
        half(worker, "refuse", 3)
    with pytest.raises(InputError, match="payload"):
        worker.call(f"{CALLS}:echo", threading.Lock(), LIMITS)


# Limits


@pytest.mark.slow
def test_the_time_limit_holds_while_building(worker):
    outcome = worker.run(task("slow", 600), HIGHS, Limits(time=0.8, grace=200))
    assert outcome.termination is Termination.TIME_LIMIT
    assert outcome.seconds < 150  # it stopped when asked
    pid = worker.pid
    # Interrupted in the midst of Python, of an import for all anybody knows, it serves no more.
    assert works(worker)
    assert worker.pid != pid


@pytest.mark.slow
def test_the_time_limit_is_no_fault_of_the_import_that_it_breaks_off(worker):
    outcome = worker.run(Task("tests.solvers.slow_import:build", 600), HIGHS, Limits(time=2, grace=200))
    assert (outcome.termination, outcome.message) == (Termination.TIME_LIMIT, "stopped before the solver began")
    assert works(worker)


@pytest.mark.slow
def test_a_deaf_worker_is_killed(worker):
    outcome = worker.run(task("deaf", 600), HIGHS, Limits(time=0.8, grace=0.4))
    assert outcome.termination is Termination.TIME_LIMIT and outcome.seconds < 300
    assert works(worker)
    deaf = half(worker, "deaf", 600, Limits(time=1, grace=0.4))
    assert (deaf.termination, deaf.value) == (Termination.TIME_LIMIT, HALF | {"kind": "deaf"})
    assert works(worker)


def test_the_memory_limit(worker):
    outcome = worker.run(task("hungry", 400 << 20), HIGHS, Limits(time=600, memory=300 << 20))
    assert outcome.termination is Termination.MEMORY_LIMIT and outcome.seconds < 300
    small = worker.run(task("knapsack", SMALL), HIGHS, Limits(time=60, memory=2 << 30))
    assert small.termination is Termination.FINISHED


def test_two_threads_take_turns(worker):
    problems = knapsacks(6)
    answers = {}

    def solve(index):
        payload, _ = problems[index]
        answers[index] = worker.run(task("knapsack", payload), HIGHS if index % 2 else Settings("cbc"), LIMITS)

    threads = [threading.Thread(target=solve, args=(index,)) for index in range(len(problems))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [round(answers[index].objective) for index in range(6)] == [truth for _, truth in problems]


# Ctrl-C and exceptions


def test_ctrl_c_is_for_the_function_to_see(worker):
    def press(_progress):
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()

    outcome = half(worker, "listen", on_progress=press)
    assert (outcome.termination, outcome.value) == (Termination.INTERRUPTED, "whole")
    pid = worker.pid
    assert half(worker, "return").value == "whole"
    assert worker.pid == pid  # nothing was broken off


def test_ctrl_c_is_told_also_of_a_call_that_ends_on_its_own(worker):
    def press(_progress):
        time.sleep(0.2)  # the answer is on its way
        os.kill(os.getpid(), signal.SIGINT)

    assert half(worker, "return", on_progress=press).termination is Termination.INTERRUPTED
    assert half(worker, "return").termination is Termination.FINISHED


def test_an_exception_in_on_progress_reaches_the_caller_and_leaves_nothing(worker):
    def on_progress(_progress):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        worker.run(task("market_split", HARD), HIGHS, LIMITS, on_progress)
    assert worker.pid is None
    assert works(worker)


# Deaths


@pytest.mark.parametrize(
    ("number", "termination"), [(signal.SIGSEGV, Termination.CRASHED), (signal.SIGKILL, Termination.KILLED)]
)
def test_a_worker_that_dies(worker, number, termination):
    outcome = worker.run(task("dying", int(number)), HIGHS, LIMITS)
    assert outcome.termination is termination and number.name in outcome.message
    called = half(worker, "signal", int(number))  # what was handed over survives
    assert (called.termination, called.value) == (termination, HALF | {"kind": "signal"})
    assert number.name in called.message


def test_a_worker_that_exits_or_dies_between_calls_is_replaced(worker):
    outcome = worker.run(task("dying", 0), HIGHS, LIMITS)
    assert outcome.termination is Termination.CRASHED and "exit code 3" in outcome.message
    assert works(worker)
    os.kill(worker.pid, signal.SIGKILL)
    assert wait_until(lambda: not alive(worker.pid))
    assert works(worker)
    worker.close()
    worker.close()
    assert works(worker)


@pytest.mark.slow
def test_a_worker_that_never_takes_the_request_is_replaced_once(worker):
    assert works(worker)
    first = worker.pid
    os.kill(first, signal.SIGSTOP)  # alive for all one can see, but it will die before it reads
    threading.Timer(0.5, os.kill, (first, signal.SIGKILL)).start()
    assert works(worker)
    assert worker.pid != first


def kill_when_solving(worker, number, target=lambda pid: pid):
    """Return an on_progress that sends a signal once there is an incumbent."""
    sent = []

    def on_progress(progress):
        if progress.objective is not None and progress.bound is not None and not sent:
            sent.append(number)
            os.kill(target(worker.pid), number)

    return on_progress


@pytest.mark.parametrize(("solver", "module"), every_fourth_quick([("highs", "builders"), ("cpsat", "cp_builders")]))
def test_what_was_streamed_survives_the_worker(worker, solver, module):
    hard = task("market_split", HARD, module)
    outcome = worker.run(hard, Settings(solver), LIMITS, kill_when_solving(worker, signal.SIGKILL))
    assert outcome.termination is Termination.KILLED
    assert outcome.values and outcome.bound <= outcome.objective
    assert (outcome.solver, outcome.version.count(".")) == (solver, 2)
    assert works(worker)


def test_cbc_dies_with_the_worker(worker):
    seen = []

    def on_progress(_progress):
        if not seen:
            seen.extend(psutil.Process(worker.pid).children(recursive=True))
            os.kill(worker.pid, signal.SIGKILL)

    outcome = worker.run(task("market_split", HARD), Settings("cbc"), LIMITS, on_progress)
    assert outcome.termination is Termination.KILLED
    assert seen and wait_until(lambda: not any(alive(process.pid) for process in seen), 60)


def test_cbc_killed_alone(worker):
    def cbc(pid):
        (child,) = psutil.Process(pid).children()
        return child.pid

    on_progress = kill_when_solving(worker, signal.SIGKILL, cbc)
    outcome = worker.run(task("market_split", HARD), Settings("cbc"), LIMITS, on_progress)
    assert outcome.termination is Termination.KILLED and "SIGKILL" in outcome.message
    assert outcome.bound is not None
    assert works(worker)
