"""Functions called in the watched worker, and the linear programs they may drive."""

import os
import signal
import threading
import time
from fractions import Fraction

import pytest

from oas.core.errors import InputError
from oas.core.result import Termination
from oas.solvers.isolation.client import call
from oas.solvers.outcome import CallOutcome
from oas.solvers.task import Limits, Settings, Task

HERE = "tests.solvers.callables"
LIMITS = Limits(time=60)
HALF = {"half": Fraction(1, 2)}


def half(worker, kind, argument=None, limits=LIMITS, on_progress=None):
    return worker.call(f"{HERE}:half", (kind, argument), limits, on_progress)


def test_the_value_comes_back_as_it_is():
    payload = {"a": (Fraction(1, 3), 10**40), "b": [None, "x"]}
    outcome = call(f"{HERE}:echo", payload, LIMITS)
    assert isinstance(outcome, CallOutcome)
    assert (outcome.termination, outcome.value, outcome.message) == (Termination.FINISHED, payload, "")
    assert outcome.seconds > 0


def test_progress_is_shown_and_the_value_is_not_the_partial_one(worker):
    seen = []
    outcome = half(worker, "return", on_progress=seen.append)
    assert (outcome.termination, outcome.value) == (Termination.FINISHED, "whole")
    assert [(one.bound, one.objective) for one in seen] == [(1.5, 7)]


def test_what_was_handed_over_survives_an_exception(worker):
    outcome = half(worker, "raise")
    assert (outcome.termination, outcome.value) == (Termination.ERROR, HALF | {"kind": "raise"})
    assert "on purpose" in outcome.message


@pytest.mark.parametrize(
    ("number", "termination"), [(signal.SIGSEGV, Termination.CRASHED), (signal.SIGKILL, Termination.KILLED)]
)
def test_what_was_handed_over_survives_a_death(worker, number, termination):
    outcome = half(worker, "signal", int(number))
    assert (outcome.termination, outcome.value) == (termination, HALF | {"kind": "signal"})
    assert number.name in outcome.message
    assert half(worker, "exit").termination is Termination.CRASHED
    assert half(worker, "return").value == "whole"


def test_plain_kernels_end_at_the_time_limit(worker, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    worker.close()
    outcome = worker.call(f"{HERE}:price_without_end", 1, Limits(time=2, grace=60), None)
    assert (outcome.termination, outcome.value, outcome.message) == (Termination.TIME_LIMIT, "half", "")
    assert half(worker, "return").value == "whole"  # and the process lives


@pytest.mark.slow
def test_the_time_limit(worker):
    assert half(worker, "clock", limits=Limits(time=1)).termination is Termination.TIME_LIMIT
    told = half(worker, "listen", limits=Limits(time=1, grace=20))
    assert (told.termination, told.value) == (Termination.TIME_LIMIT, "whole")
    deaf = half(worker, "deaf", 60, Limits(time=1, grace=0.4))
    assert (deaf.termination, deaf.value) == (Termination.TIME_LIMIT, HALF | {"kind": "deaf"})
    assert deaf.seconds < 20


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


def test_calls_and_models_take_turns(worker):
    task = Task("tests.solvers.builders:knapsack", ((5, 4, 3), (2, 3, 1), 4))
    assert half(worker, "return").value == "whole"
    assert worker.run(task, Settings(), LIMITS).objective == 7
    assert half(worker, "return").value == "whole"


@pytest.mark.parametrize("function", ["nonsense", "__main__:f", "no.such.module:f", f"{HERE}:no_such"])
def test_what_is_no_function(worker, function):
    with pytest.raises(InputError, match="function"):
        worker.call(function, None, LIMITS)


def test_what_the_caller_got_wrong(worker):
    with pytest.raises(InputError, match="no such thing"):
        half(worker, "refuse", 3)
    with pytest.raises(InputError, match="payload"):
        worker.call(f"{HERE}:echo", threading.Lock(), LIMITS)


def test_linear_programs(worker):
    first, second, third = worker.call(f"{HERE}:linear_programs", None, LIMITS).value
    assert first == (9, [3, 1], [3])
    assert second == (8, [3, 0, 2], [2])
    assert third == (10, [0, 2, 4], [3])


@pytest.mark.parametrize(
    ("kind", "said"), [("infeasible", "kInfeasible"), ("unbounded", "nbounded"), ("row", "column")]
)
def test_linear_programs_without_an_optimum(worker, kind, said):
    outcome = worker.call(f"{HERE}:impossible_program", kind, LIMITS)
    assert outcome.termination is Termination.ERROR
    assert "SolverError" in outcome.message and said in outcome.message
