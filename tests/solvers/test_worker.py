"""The worker process: its builder's mistakes, its limits, its deaths."""

import os
import signal
import threading
import time

import pytest

from oas.core.errors import InputError
from oas.core.result import Termination
from oas.solvers.isolation.client import run
from oas.solvers.task import Limits, Settings, Task
from tests.slow import mostly_slow
from tests.solvers.conftest import alive, wait_until
from tests.solvers.knapsacks import knapsacks

LIMITS = Limits(time=60)
SMALL = ((5, 4, 3), (2, 3, 1), 4)
HIGHS = Settings()


def task(builder, payload=None):
    return Task(f"tests.solvers.builders:{builder}", payload)


def works(worker):
    return worker.run(task("knapsack", SMALL), HIGHS, LIMITS).objective == 7


@pytest.mark.parametrize("solver", ["highs", "cbc"])
def test_chatter_does_not_reach_the_messages_nor_the_terminal(worker, solver, capfd):
    assert worker.run(task("noisy", SMALL), Settings(solver), LIMITS).objective == 7
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("kind", "termination", "message"),
    [
        ("too_large", Termination.TOO_LARGE, "7 things, at most 6"),
        ("memory", Termination.MEMORY_LIMIT, "out of memory"),
        ("other", Termination.ERROR, "a mistake in the builder"),
    ],
)
def test_a_builder_that_raises(kind, termination, message):
    outcome = run(task("raising", kind), HIGHS, LIMITS)
    assert outcome.termination is termination
    assert message in outcome.message


def test_a_builders_input_error_is_the_callers():
    with pytest.raises(InputError) as caught:
        run(task("raising", "input"), HIGHS, LIMITS)
    assert (caught.value.field, caught.value.value) == ("slots", 3)


@pytest.mark.parametrize("builder", ["not_a_model", "maximised", "without_objective", "no_such", "raising.no_such"])
def test_what_is_no_builder_of_a_minimisation(builder):
    with pytest.raises(InputError, match="builder"):
        run(task(builder), HIGHS, LIMITS)


def test_a_module_that_does_not_exist():
    with pytest.raises(InputError, match="cannot be imported"):
        run(Task("no.such.module:build", None), HIGHS, LIMITS)


def test_a_payload_that_cannot_travel():
    with pytest.raises(InputError, match="payload"):
        run(task("knapsack", threading.Lock()), HIGHS, LIMITS)


@pytest.mark.parametrize(
    ("number", "termination"),
    mostly_slow(
        [
            (signal.SIGSEGV, Termination.CRASHED),
            (signal.SIGABRT, Termination.CRASHED),
            (signal.SIGKILL, Termination.KILLED),
            (signal.SIGTERM, Termination.KILLED),
        ],
        quick=[(signal.SIGSEGV, Termination.CRASHED), (signal.SIGKILL, Termination.KILLED)],
    ),
)
def test_a_worker_that_dies(worker, number, termination):
    outcome = worker.run(task("dying", int(number)), HIGHS, LIMITS)
    assert outcome.termination is termination
    assert number.name in outcome.message


def test_a_worker_that_exits(worker):
    outcome = worker.run(task("dying", 0), HIGHS, LIMITS)
    assert outcome.termination is Termination.CRASHED
    assert "exit code 3" in outcome.message


def test_the_time_limit_holds_while_building(worker):
    outcome = worker.run(task("slow", 60), HIGHS, Limits(time=0.8, grace=20))
    assert outcome.termination is Termination.TIME_LIMIT
    assert outcome.seconds < 15  # asked, it stopped by itself
    pid = worker.pid
    # Interrupted in the midst of Python, of an import for all anybody knows, it serves no more.
    assert works(worker)
    assert worker.pid != pid


@pytest.mark.slow
@pytest.mark.parametrize("place", ["tests.solvers.slow_import:build", "tests.solvers.builders:resentful"])
def test_the_time_limit_is_no_fault_of_what_it_breaks_off(worker, place):
    outcome = worker.run(Task(place, 60), HIGHS, Limits(time=2, grace=20))
    assert (outcome.termination, outcome.message) == (Termination.TIME_LIMIT, "stopped before the solver began")
    pid = worker.pid
    assert works(worker)
    assert worker.pid != pid


@pytest.mark.slow
def test_the_time_limit_while_a_called_function_is_imported(worker):
    outcome = worker.call("tests.solvers.slow_import:call", None, Limits(time=2, grace=20))
    assert (outcome.termination, outcome.value) == (Termination.TIME_LIMIT, None)


def test_a_deaf_worker_is_killed(worker):
    outcome = worker.run(task("deaf", 60), HIGHS, Limits(time=0.8, grace=0.4))
    assert outcome.termination is Termination.TIME_LIMIT
    assert outcome.seconds < 20
    assert works(worker)


def test_the_memory_limit(worker):
    outcome = worker.run(task("hungry", 400 << 20), HIGHS, Limits(time=60, memory=300 << 20))
    assert outcome.termination is Termination.MEMORY_LIMIT
    assert outcome.seconds < 30
    assert works(worker)


def test_the_memory_limit_lets_small_models_pass(worker):
    outcome = worker.run(task("knapsack", SMALL), HIGHS, Limits(time=60, memory=2 << 30))
    assert outcome.termination is Termination.FINISHED


def kill_when_solving(worker, number, target=lambda pid: pid):
    """Return an on_progress that sends a signal once there is an incumbent."""
    sent = []

    def on_progress(progress):
        if progress.objective is not None and progress.bound is not None and not sent:
            sent.append(number)
            os.kill(target(worker.pid), number)

    return on_progress


@pytest.mark.parametrize("number", mostly_slow([signal.SIGKILL, signal.SIGSEGV], quick=[signal.SIGKILL]))
def test_what_was_streamed_survives_the_worker(worker, number):
    hard = task("market_split", (1, 60, 5))
    outcome = worker.run(hard, HIGHS, LIMITS, kill_when_solving(worker, number))
    assert outcome.termination is (Termination.KILLED if number == signal.SIGKILL else Termination.CRASHED)
    assert outcome.values
    assert outcome.bound <= outcome.objective
    assert (outcome.solver, outcome.version.count(".")) == ("highs", 2)
    assert works(worker)


def test_cbc_dies_with_the_worker(worker):
    import psutil

    seen = []

    def on_progress(_progress):
        if not seen:
            seen.extend(psutil.Process(worker.pid).children(recursive=True))
            os.kill(worker.pid, signal.SIGKILL)

    outcome = worker.run(task("market_split", (1, 60, 5)), Settings("cbc"), LIMITS, on_progress)
    assert outcome.termination is Termination.KILLED
    assert seen and wait_until(lambda: not any(alive(process.pid) for process in seen), 5)


def test_cbc_killed_alone(worker):
    import psutil

    def cbc(pid):
        (child,) = psutil.Process(pid).children()
        return child.pid

    on_progress = kill_when_solving(worker, signal.SIGKILL, cbc)
    outcome = worker.run(task("market_split", (1, 60, 5)), Settings("cbc"), LIMITS, on_progress)
    assert outcome.termination is Termination.KILLED
    assert "SIGKILL" in outcome.message
    assert outcome.bound is not None
    assert works(worker)


def test_an_exception_in_on_progress_reaches_the_caller_and_leaves_nothing(worker):
    def on_progress(_progress):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        worker.run(task("market_split", (1, 60, 5)), HIGHS, LIMITS, on_progress)
    assert worker.pid is None
    assert works(worker)


def test_a_worker_that_died_between_calls_is_replaced(worker):
    assert works(worker)
    os.kill(worker.pid, signal.SIGKILL)
    assert wait_until(lambda: not alive(worker.pid))
    assert works(worker)


@pytest.mark.slow
def test_a_worker_that_never_takes_the_request_is_replaced_once(worker):
    assert works(worker)
    first = worker.pid
    os.kill(first, signal.SIGSTOP)  # alive for all one can see, but it will die before it reads
    threading.Timer(0.5, os.kill, (first, signal.SIGKILL)).start()
    assert works(worker)
    assert worker.pid != first


@pytest.mark.slow
def test_closing_twice_and_using_again(worker):
    assert works(worker)
    worker.close()
    worker.close()
    assert works(worker)


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


@pytest.mark.slow
def test_waiting_for_ones_turn_is_not_charged(worker):
    outcomes = []
    first = threading.Thread(target=lambda: outcomes.append(worker.run(task("slow", 2), HIGHS, LIMITS)))
    first.start()
    time.sleep(0.3)
    assert worker.run(task("knapsack", SMALL), HIGHS, Limits(time=1.5)).termination is Termination.FINISHED
    first.join()
    assert outcomes[0].termination is Termination.FINISHED
