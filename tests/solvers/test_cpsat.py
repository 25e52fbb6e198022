"""The CP-SAT adapter: exact integers, limits, options, and a process without highspy."""

import os
import signal
import subprocess
import sys

import pytest

from oas.core.errors import InputError, SolverMissingError
from oas.core.result import Termination
from oas.solvers import discovery
from oas.solvers.isolation.client import run
from oas.solvers.outcome import integer_bound
from oas.solvers.task import Limits, Settings, Task, family_of
from tests.slow import mostly_slow
from tests.solvers.conftest import alive
from tests.solvers.knapsacks import knapsacks

LIMITS = Limits(time=60)
SMALL = ((5, 4, 3), (2, 3, 1), 4)
HARD = (1, 60, 5)
CPSAT = Settings("cpsat")


def task(builder, payload=None, start=None):
    return Task(f"tests.solvers.cp_builders:{builder}", payload, start)


def solve(builder, payload=None, start=None, limits=LIMITS, on_progress=None, **settings):
    return run(task(builder, payload, start), Settings("cpsat", **settings), limits, on_progress)


def works(worker):
    return worker.run(task("knapsack", SMALL), CPSAT, LIMITS).objective == 7


# What it answers


def test_proves_knapsacks():
    for payload, truth in knapsacks(10):
        outcome = solve("knapsack", payload)
        assert outcome.termination is Termination.FINISHED
        assert sum(payload[0][index] for name, index in outcome.values if name == "take" for index in index) == truth
        assert outcome.objective == outcome.bound == truth


def test_says_who_and_how_long():
    outcome = solve("knapsack", SMALL)
    assert (outcome.solver, outcome.version.count("."), outcome.message) == ("cpsat", 2, "")
    assert 0 < outcome.build_seconds < outcome.seconds


@pytest.mark.parametrize("ends", [(2**60 + 1, 2**61), (2**53 + 1, 2**54), (-(2**60) - 1, 5), (-(2**53) - 1, -7)])
def test_integers_that_no_float_holds(ends):
    outcome = solve("huge", ends)
    assert outcome.values == {("x", ("large", 0)): ends[0]}
    assert outcome.objective == outcome.bound == integer_bound(outcome.bound) == ends[0]
    assert type(outcome.bound) is int


def test_infeasible():
    outcome = solve("infeasible")
    assert outcome.termination is Termination.FINISHED and outcome.infeasible
    assert (outcome.values, outcome.objective, outcome.bound) == (None, None, None)


def test_a_model_that_outgrows_64_bits_is_an_error():
    outcome = solve("invalid")
    assert outcome.termination is Termination.ERROR and "overflow" in outcome.message
    assert (outcome.values, outcome.bound, outcome.infeasible) == (None, None, False)


@pytest.mark.parametrize("builder", ["not_a_task", "without_objective", "no_such"])
def test_what_is_no_builder_of_a_minimisation(builder):
    with pytest.raises(InputError, match="builder"):
        solve(builder)


def test_a_pyomo_builder_is_refused():
    with pytest.raises(InputError, match="does not return a CpTask"):
        run(Task("tests.solvers.builders:knapsack", SMALL), CPSAT, LIMITS)


@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_seed_gives_the_same_optimum(threads):
    one, two = (solve("market_split", (2, 14, 2), seed=5, threads=threads) for _ in range(2))
    assert one.objective == two.objective == one.bound == two.bound
    assert threads > 1 or one.values == two.values


# Warm starts


def test_a_warm_start_is_there_from_the_beginning():
    payload, truth = knapsacks(1)[0]
    best = solve("knapsack", payload).values
    outcome = solve("knapsack", payload, start=best, options={"stop_after_first_solution": True})
    assert outcome.objective == truth


def test_an_infeasible_warm_start_does_not_harm():
    payload, truth = knapsacks(1)[0]
    assert solve("knapsack", payload, start={("take", (0,)): 1}).objective == truth


@pytest.mark.parametrize("key", [("took", (0,)), ("take", (99,))])
def test_a_warm_start_must_name_variables(key):
    with pytest.raises(InputError, match="start"):
        solve("knapsack", SMALL, start={key: 1})


# Options


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"linearization_levell": 1}, "options"),
        ({"clear": 1}, "options"),
        ({"linearization_level": 1.5}, "options"),
        ({"linearization_level": True}, "options"),
        ({"cp_model_presolve": 5}, "options"),
        ({"search_branching": "SIDEWAYS"}, "options"),
        ({"search_branching": 2}, "options"),
        ({"subsolvers": "core"}, "options"),
        ({"max_deterministic_time": -1.0}, "options"),
        ({"max_time_in_seconds": 3.0}, "options.max_time_in_seconds"),
        ({"num_search_workers": 2}, "options.num_search_workers"),
        ({"catch_sigint_signal": True}, "options.catch_sigint_signal"),
    ],
    ids=str,
)
def test_no_option_is_ignored(options, field):
    with pytest.raises(InputError) as caught:
        solve("knapsack", SMALL, options=options)
    assert caught.value.field == field


@pytest.mark.parametrize("options", [{"max_number_of_conflicts": 10}, {"stop_after_first_solution": True}], ids=str)
def test_an_option_takes_effect(options):
    outcome = solve("market_split", HARD, options=options)
    assert outcome.termination is Termination.FINISHED and "FEASIBLE" in outcome.message
    assert outcome.bound < outcome.objective


def test_options_of_every_kind_are_taken():
    options = {"search_branching": "FIXED_SEARCH", "cp_model_presolve": False, "relative_gap_limit": 0}
    assert solve("knapsack", SMALL, options=options).objective == 7


# Limits, interruption, death


def test_time_limit_with_an_incumbent():
    seen = []
    outcome = solve("market_split", HARD, limits=Limits(time=1.5), on_progress=seen.append)
    assert outcome.termination is Termination.TIME_LIMIT
    assert outcome.values and outcome.objective >= outcome.bound
    assert any(progress.objective is not None for progress in seen)
    objectives = [progress.objective for progress in seen if progress.objective is not None]
    assert objectives == sorted(objectives, reverse=True)


def test_time_limit_without_an_incumbent():
    outcome = solve("equal_split", HARD, limits=Limits(time=1))
    assert outcome.termination is Termination.TIME_LIMIT
    assert (outcome.values, outcome.objective, outcome.infeasible) == (None, None, False)


@pytest.mark.parametrize(
    "options",
    [{}, {"stop_after_presolve": True}, {"stop_after_first_solution": True}, {"max_deterministic_time": 1e-9}],
    ids=str,
)
def test_no_bound_is_made_up(options):
    # A protocol buffer's field that was never set reads 0, which is no bound of an objective of about -10^6.
    outcome = solve("below_zero", 60, limits=Limits(time=1), options=options)
    assert outcome.bound is None or outcome.bound <= -(10**6)


def test_an_interrupt_keeps_the_incumbent(worker):
    sent = []

    def on_progress(progress):
        if progress.objective is not None and not sent:
            sent.append(progress)
            os.kill(worker.pid, signal.SIGINT)

    outcome = worker.run(task("market_split", HARD), CPSAT, LIMITS, on_progress)
    assert outcome.termination is Termination.INTERRUPTED
    assert outcome.values and outcome.objective <= sent[0].objective
    assert alive(worker.pid) and works(worker)


@pytest.mark.parametrize("number", mostly_slow([signal.SIGKILL, signal.SIGSEGV], quick=[signal.SIGKILL]))
def test_what_was_streamed_survives_the_worker(worker, number):
    def on_progress(progress):
        if progress.objective is not None and worker.pid is not None and alive(worker.pid):
            os.kill(worker.pid, number)

    outcome = worker.run(task("market_split", HARD), CPSAT, LIMITS, on_progress)
    assert outcome.termination is (Termination.KILLED if number == signal.SIGKILL else Termination.CRASHED)
    assert outcome.values and outcome.bound <= outcome.objective
    assert outcome.solver == "cpsat" and outcome.version
    assert works(worker)


@pytest.mark.parametrize(
    ("kind", "termination"),
    [
        ("too_large", Termination.TOO_LARGE),
        ("memory", Termination.MEMORY_LIMIT),
        ("other", Termination.ERROR),
    ],
)
def test_a_builder_that_raises(kind, termination):
    assert run(Task("tests.solvers.builders:raising", kind), CPSAT, LIMITS).termination is termination


@pytest.mark.parametrize(
    ("number", "termination"),
    mostly_slow(
        [(signal.SIGABRT, Termination.CRASHED), (signal.SIGKILL, Termination.KILLED)],
        quick=[(signal.SIGKILL, Termination.KILLED)],
    ),
)
def test_a_builder_that_kills_the_worker(worker, number, termination):
    outcome = worker.run(Task("tests.solvers.builders:dying", int(number)), CPSAT, LIMITS)
    assert outcome.termination is termination and number.name in outcome.message
    assert works(worker)


def test_chatter_does_not_reach_the_terminal(worker, capfd):
    assert worker.run(task("noisy", SMALL), CPSAT, LIMITS).objective == 7
    assert capfd.readouterr() == ("", "")


# Apart from highspy


SEPARATE = """
import sys, oas
from oas.solvers.isolation.client import run
from oas.solvers.task import Limits, Settings, Task
instance = oas.load({path!r})
first = oas.solve(instance, solver="cpsat", check=["highs"], time_limit=120)
second = oas.solve(instance, solver="highs", check=["cpsat"], time_limit=120)
def loaded(solver):
    return run(Task("tests.solvers.cp_builders:loaded", None), Settings(solver), Limits(time=60)).message
print([len(one.proof.claims) for one in (first, second)], loaded("cpsat"), loaded("highs"))
print([name for name in ("highspy", "ortools") if name in sys.modules])
"""


@pytest.mark.slow
def test_each_family_has_its_own_process(python_environment, tmp_path):
    import oas
    from tests.problems.coallocation.grids import alike

    path = str(tmp_path / "alike.json")
    oas.save(alike(), path)
    code = SEPARATE.format(path=path)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=python_environment)
    assert ended.stderr == ""
    assert ended.stdout.splitlines() == ["[2, 2] ortools highspy,pyomo", "[]"]


def test_families():
    assert [family_of(name) for name in ("cpsat", "highs", "cbc", "gurobi")] == ["cpsat", "mip", "mip", "mip"]


def test_a_missing_cpsat_says_what_to_do(monkeypatch):
    found = discovery.find_spec
    monkeypatch.setattr(discovery, "find_spec", lambda name: None if name == "ortools" else found(name))
    with pytest.raises(SolverMissingError, match=r"pip install 'oas-scheduling\[cpsat\]'"):
        run(task("knapsack", SMALL), CPSAT, LIMITS)
    (info,) = (one for one in discovery.installed() if one.name == "cpsat")
    assert not info.usable and info.optional and "oas-scheduling[cpsat]" in info.advice


def test_the_advice_names_this_project():
    from importlib.metadata import metadata

    assert metadata("oas-scheduling")["Name"] == "oas-scheduling"
    assert "cpsat" in metadata("oas-scheduling").get_all("Provides-Extra")
