"""Gurobi, SCIP, CPLEX and Xpress, where their Python packages are installed: answers, limits, interrupts, options."""

import os
import signal
from fractions import Fraction as F
from functools import cache
from importlib.util import find_spec

import pytest

import oas
from oas.core.errors import InputError, SolverMissingError
from oas.core.result import Bound, Termination
from oas.solvers import discovery
from oas.solvers.isolation.client import logged, run
from oas.solvers.known import preflight
from oas.solvers.parameters import PARAMETERS
from oas.solvers.task import Limits, Settings, Task, integer_bound
from oas.solving.brute_force import brute_force
from oas.solving.evidence import Evidence
from oas.solving.formulation import find_formulation
from oas.solving.model_run import run_model
from oas.solving.start import heuristic_schedules
from tests.slow import draws
from tests.solvers.knapsacks import knapsacks
from tests.solving.test_pipeline import OPEN
from tests.strategies import random_instance

LIMITS = Limits(time=60)
HARD = (1, 60, 5)  # a market split that nothing proves within any time a test has
PACKAGES = discovery.FURTHER_PACKAGES
SHORT = {  # ends after the first node or few more, without presolve
    "gurobi": {"NodeLimit": 0, "Presolve": 0, "Heuristics": 0, "Cuts": 0},
    "scip": {"limits/nodes": 1, "presolving/maxrounds": 0},
    "cplex": {"mip_limits_nodes": 0},
    "xpress": {"maxnode": 1, "presolve": 0},
}
NO_PRESOLVE = {"gurobi": {"Presolve": 0}, "scip": {"presolving/maxrounds": 0}, "cplex": {}, "xpress": {}}
THREADS = {"gurobi": 2, "scip": 1, "cplex": 2, "xpress": 2}


@cache
def fault(name):
    """What a licence does not permit; licences that come with a package end some day."""
    outcome = run(Task("tests.solvers.builders:linear", None), Settings(name), LIMITS)
    return outcome.message if "licen" in outcome.message.lower() else ""


def require(name):
    pytest.importorskip(PACKAGES[name])
    if fault(name):
        pytest.skip(fault(name))
    return name


@pytest.fixture(params=PACKAGES)
def solver(request):
    return require(request.param)


def solve(solver, builder, payload=None, start=None, limits=LIMITS, on_progress=None, **settings):
    return run(
        Task(f"tests.solvers.builders:{builder}", payload, start), Settings(solver, **settings), limits, on_progress
    )


def short(solver):
    """A limit within which nothing hard is proven; the import of Xpress takes seconds."""
    return Limits(time=6 if solver == "xpress" else 2)


def test_proves_knapsacks(solver):
    for index, (payload, truth) in enumerate(knapsacks(8)):
        settings = {"integer_objective": index % 2 == 0, "seed": index, "threads": THREADS[solver]}
        outcome = solve(solver, "knapsack", payload, **settings)
        assert outcome.termination is Termination.FINISHED
        weight = sum(payload[0][index[0]] for name, index in outcome.values if name == "take")
        assert weight == truth == integer_bound(outcome.bound)
        assert outcome.report["options"][PARAMETERS[solver].seed] == str(index)
    assert outcome.report["rows"] >= 1 and outcome.report["columns"] >= 16
    assert Settings(solver, threads=2).threads_used == THREADS[solver]


def test_names_and_linear_programs(solver):
    named = solve(solver, "named")
    assert named.values == {("scalar", ()): 3, ("pair", ("b", 2)): 1, ("part.inner", (7,)): -3, ("held", ()): 4}
    linear = solve(solver, "linear")
    assert linear.values == {} and linear.objective == pytest.approx(5 / 3) == linear.bound


def test_what_has_no_solution(solver):
    for builder in ("infeasible", "infeasible_lp"):
        outcome = solve(solver, builder)
        assert outcome.termination is Termination.FINISHED and outcome.infeasible
        assert (outcome.values, outcome.objective, outcome.bound) == (None, None, None)
    unbounded = solve(solver, "unbounded")
    assert unbounded.termination is Termination.ERROR and "unbounded" in unbounded.message
    assert unbounded.bound is None and not unbounded.infeasible


def test_models_with_known_answers(solver):
    # With their default tolerance of integers, Gurobi and CPLEX state 10 for the last one.
    assert [check.model for check in preflight(solver) if not check.ok] == []


def test_a_time_limit_keeps_incumbent_and_bound(solver):
    seen = []
    outcome = solve(solver, "market_split", HARD, limits=short(solver), on_progress=seen.append)
    assert outcome.termination is Termination.TIME_LIMIT
    assert outcome.values and outcome.objective >= outcome.bound
    told = [one for one in seen if one.objective is not None]
    assert told and told[0].seconds < outcome.seconds - 0.3
    assert [one.objective for one in told] == sorted((one.objective for one in told), reverse=True)


def test_a_time_limit_without_an_incumbent_keeps_the_bound(solver):
    outcome = solve(solver, "equal_split", HARD, limits=short(solver))
    assert outcome.termination is Termination.TIME_LIMIT
    assert (outcome.values, outcome.objective, outcome.infeasible) == (None, None, False)
    assert outcome.bound == 0


def test_an_interrupt_keeps_the_incumbent(solver, worker):
    sent = []

    def on_progress(progress):
        if progress.objective is not None and not sent:
            sent.append(progress)
            os.kill(worker.pid, signal.SIGINT)

    settings = Settings(solver, threads=THREADS[solver])
    outcome = worker.run(Task("tests.solvers.builders:market_split", HARD), settings, LIMITS, on_progress)
    assert outcome.termination is Termination.INTERRUPTED
    assert outcome.values is not None and outcome.objective <= sent[0].objective
    payload, truth = knapsacks(1)[0]
    after = worker.run(Task("tests.solvers.builders:knapsack", payload), settings, LIMITS)
    assert round(after.objective) == truth


def test_warm_starts(solver):
    best = solve("highs", "market_split", HARD, options={"mip_max_nodes": 300})
    cold = solve(solver, "market_split", HARD, options=SHORT[solver])
    warm = solve(solver, "market_split", HARD, start=best.values, options=SHORT[solver])
    assert cold.objective is None or cold.objective > best.objective
    assert warm.objective <= best.objective + 1e-6
    payload, truth = knapsacks(1)[0]
    poor = solve(solver, "knapsack", payload, start={("take", (0,)): 1})
    assert round(poor.objective) == truth == integer_bound(poor.bound)


@pytest.mark.parametrize("kind", ["relative", "absolute", "option"])
def test_within_a_gap_the_bound_is_that_of_the_solver(solver, kind):
    apart = 0
    for payload, truth in knapsacks(draws(18), size=30):
        settings = {
            "relative": {"gap": 0.3},
            "absolute": {"slack": truth // 3},
            "option": {"options": {PARAMETERS[solver].gap: 0.3}},
        }[kind]
        settings["options"] = {**settings.get("options", {}), **NO_PRESOLVE[solver]}
        outcome = solve(solver, "knapsack", payload, **settings)
        assert outcome.termination is Termination.FINISHED
        assert integer_bound(outcome.bound) <= truth <= round(outcome.objective)
        apart += integer_bound(outcome.bound) < round(outcome.objective)
    assert apart  # otherwise no search ended early


IGNORED = [
    ("gurobi", "MIPGapp", 1, "Unknown parameter"),
    ("gurobi", "MIPFocus", 1.5, "takes 1 instead"),
    ("gurobi", "MIPFocus", 99, "maximum is 3"),
    ("gurobi", "threads", 2, "is set by Settings and Limits"),
    ("scip", "limits/gapp", 1, "Not a valid parameter"),
    ("scip", "limits/nodes", 1.5, "takes 1 instead"),
    ("scip", "limits/nodes", -7, "invalid"),
    ("scip", "limits/time", 3, "is set by Settings and Limits"),
    ("cplex", "mip_x", 1, "no attribute"),
    ("cplex", "emphasis_mip", 1.5, "takes 1 instead"),
    ("cplex", "timelimit", 3, "is set by Settings and Limits"),
    ("xpress", "nosuch", 1, "Incorrect control"),
    ("xpress", "maxnode", 1.5, "non-integer"),
    ("xpress", "randomseed", 3, "is set by Settings and Limits"),
]


@pytest.mark.parametrize(("name", "option", "value", "reason"), IGNORED)
def test_no_option_is_ignored(name, option, value, reason):
    require(name)
    with pytest.raises(InputError, match=reason) as caught:
        solve(name, "knapsack", knapsacks(1)[0][0], options={option: value})
    assert caught.value.field == f"options.{option}"


DOUBTFUL = {
    "gurobi": {"IntFeasTol": 1e-3},
    "scip": {"numerics/feastol": 1e-4},
    "cplex": {"mip_tolerances_integrality": 1e-3},
    "xpress": {"miptol": 1e-3},
}


def test_no_bound_with_a_doubtful_option_not_even_one_reported_earlier(solver):
    outcome = solve(solver, "market_split", HARD, limits=short(solver), options=DOUBTFUL[solver])
    assert outcome.bound is None and outcome.objective is not None
    assert "may change the meaning" in outcome.message


def test_the_log_is_the_solvers_own(solver):
    text = []
    with logged(text.append):
        solve(solver, "knapsack", knapsacks(1)[0][0])
    assert {"gurobi": "Gurobi Optimizer", "scip": "SCIP Status", "cplex": "CPXPARAM", "xpress": "FICO Xpress"}[
        solver
    ] in "".join(text)


def test_a_log_longer_than_a_pipe_does_not_stop_scip():
    # If SCIP wrote it to a pipe, it could wait for a reader that waits for Python's lock.
    pytest.importorskip("pyscipopt")
    text = []
    with logged(text.append):
        outcome = solve("scip", "market_split", HARD, options={"display/freq": 1, "limits/nodes": 700})
    assert outcome.termination is Termination.FINISHED and outcome.report["nodes"] == 700
    assert len("".join(text)) > 2**16


@pytest.mark.slow
def test_the_model_alone_equals_brute_force(solver):
    for seed in range(draws(30)):
        instance = random_instance(seed)
        evidence = Evidence(instance)
        worst = max((schedule for _, schedule in heuristic_schedules(instance)), key=lambda schedule: schedule.makespan)
        assert evidence.offer(worst, "heuristic") is None
        evidence.bound = Bound("none", F(0))
        formulation = find_formulation("start-indexed", instance.problem)
        ended = run_model(evidence, formulation, Settings(solver, seed=seed), LIMITS, lambda *_: None)
        assert (ended.termination, ended.message) == (Termination.FINISHED, "")
        assert evidence.makespan == ended.claim.bound == brute_force(instance)[0]


def test_a_solve_by_name(solver):
    result = oas.solve(OPEN, solver=solver, time_limit=600, threads=THREADS[solver])
    assert (result.status, result.objective) == (oas.Status.OPTIMAL, 12)
    assert result.threads_used[solver] == THREADS[solver]


@pytest.mark.parametrize("name", ["scip", "glpk"])
def test_threads_are_refused_by_name(name):
    with pytest.raises(InputError, match=f"threads: {name} takes no threads"):
        oas.solve(OPEN, solver=name, threads=2)


def test_a_gap_is_refused_for_other_solvers_of_pyomo():
    with pytest.raises(InputError, match="gap: glpk takes none"):
        oas.solve(OPEN, solver="glpk", gap="1%")


@pytest.mark.parametrize("name", PACKAGES)
def test_a_missing_package_is_named(name, monkeypatch):
    monkeypatch.setattr(
        discovery, "find_spec", lambda package: None if package == PACKAGES[name] else find_spec(package)
    )
    with pytest.raises(SolverMissingError, match=f"{name} is optional; install it with: pip install {PACKAGES[name]}"):
        oas.solve(OPEN, solver=name)
