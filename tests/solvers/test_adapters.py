"""The adapters of HiGHS, CBC and CP-SAT: answers, names, limits, warm starts and options, the same for all."""

import os
import signal
import subprocess
import sys
import time

import pytest

import oas
from oas.core.errors import InputError
from oas.core.result import Termination
from oas.solvers.cbc_text import bound_minus_rounding, read_end
from oas.solvers.isolation.client import run
from oas.solvers.task import Limits, Settings, Task, integer_bound
from tests.coallocation.grids import alike
from tests.slow import mostly_slow
from tests.solvers.conftest import alive
from tests.solvers.knapsacks import knapsacks

LIMITS = Limits(time=60)
SMALL = ((5, 4, 3), (2, 3, 1), 4)
HARD = (1, 60, 5)  # a market split that nothing proves within any time a test has
CPSAT = Settings("cpsat")
ALL, MIP = ("highs", "cbc", "cpsat"), ("highs", "cbc")


def task(solver, builder, payload=None, start=None):
    module = "cp_builders" if solver == "cpsat" else "builders"
    return Task(f"tests.solvers.{module}:{builder}", payload, start)


def solve(solver, builder, payload=None, start=None, limits=LIMITS, on_progress=None, **settings):
    return run(task(solver, builder, payload, start), Settings(solver, **settings), limits, on_progress)


def weight(payload, outcome):
    return sum(payload[0][index[0]] for name, index in outcome.values if name == "take")


# Answers


@pytest.mark.parametrize(
    ("solver", "shape", "integer_objective"),
    [
        # With the default relative gap of 1e-4 of HiGHS a third of these end with incumbent and bound apart.
        ("highs", {"size": 30, "unit": 100}, False),
        ("highs", {}, True),
        ("cbc", {"unit": 100}, False),
        ("cbc", {}, True),
        ("cpsat", {}, False),
    ],
)
def test_proves_knapsacks(solver, shape, integer_objective):
    for payload, truth in knapsacks(8, **shape):
        outcome = solve(solver, "knapsack", payload, integer_objective=integer_objective)
        assert outcome.termination is Termination.FINISHED
        assert weight(payload, outcome) == truth == integer_bound(outcome.bound)
    assert outcome.solver == solver and outcome.version.count(".") == 2
    assert 0 < outcome.build_seconds < outcome.seconds


@pytest.mark.parametrize("solver", MIP)
def test_names_and_linear_programs(solver):
    named = solve(solver, "named")
    assert named.values == {("scalar", ()): 3, ("pair", ("b", 2)): 1, ("part.inner", (7,)): -3, ("held", ()): 4}
    linear = solve(solver, "linear")
    assert linear.values == {} and linear.objective == pytest.approx(5 / 3) == linear.bound


@pytest.mark.parametrize(
    ("solver", "builder"), [*((one, "infeasible") for one in ALL), *((one, "infeasible_lp") for one in MIP)]
)
def test_infeasible(solver, builder):
    outcome = solve(solver, builder)
    assert outcome.termination is Termination.FINISHED and outcome.infeasible
    assert (outcome.values, outcome.objective, outcome.bound) == (None, None, None)


@pytest.mark.parametrize("solver", MIP)
def test_unbounded_is_an_error_not_an_optimum(solver):
    outcome = solve(solver, "unbounded")
    assert outcome.termination is Termination.ERROR and "nbounded" in outcome.message
    assert outcome.bound is None


def test_a_model_without_free_variables():
    outcome = solve("highs", "nothing", 2)
    assert (outcome.termination, outcome.infeasible, outcome.values) == (Termination.FINISHED, False, {})
    assert outcome.objective == outcome.bound == 3
    never = solve("highs", "nothing", 1)
    assert (never.values, never.objective, never.bound) == (None, None, None)
    one = solve("highs", "fixed", 2)
    assert one.values == {("x", (1,)): 1.0, ("x", (2,)): 1.0} and one.objective == one.bound == 2
    assert solve("highs", "fixed", 1).infeasible


def test_trickle_flow_shows_when_the_integers_are_rounded():
    # Without presolve HiGHS 1.15 calls 10 optimal. What is handed on are the rounded integers; whoever rebuilds the
    # starts from them finds 20, whatever the solver claims.
    outcome = solve("highs", "trickle", 1e8, options={"presolve": "off"})
    first = outcome.values.get(("first", ()), 0)
    assert first in (0, 1)
    assert outcome.objective <= 20 + 1e-6


@pytest.mark.parametrize("ends", [(2**60 + 1, 2**61), (2**53 + 1, 2**54), (-(2**60) - 1, 5), (-(2**53) - 1, -7)])
def test_integers_that_no_float_holds(ends):
    outcome = solve("cpsat", "huge", ends)
    assert outcome.values == {("x", ("large", 0)): ends[0]}
    assert outcome.objective == outcome.bound == integer_bound(outcome.bound) == ends[0]
    assert type(outcome.bound) is int


def test_a_model_that_outgrows_64_bits_is_an_error():
    outcome = solve("cpsat", "invalid")
    assert outcome.termination is Termination.ERROR and "overflow" in outcome.message
    assert (outcome.values, outcome.bound, outcome.infeasible) == (None, None, False)


@pytest.mark.parametrize("builder", ["not_a_task", "without_objective", "no_such"])
def test_builders_that_cpsat_refuses(builder):
    with pytest.raises(InputError, match="builder"):
        solve("cpsat", builder)
    with pytest.raises(InputError, match="does not return a CpTask"):
        run(Task("tests.solvers.builders:knapsack", SMALL), CPSAT, LIMITS)


# Warm starts


@pytest.mark.parametrize(
    ("solver", "options"),
    [("highs", {"mip_max_nodes": 0, "presolve": "off"}), ("cbc", {}), ("cpsat", {"stop_after_first_solution": True})],
)
def test_warm_starts(solver, options):
    payload, truth = knapsacks(1)[0]
    best = solve(solver, "knapsack", payload).values
    assert weight(payload, solve(solver, "knapsack", payload, start=best, options=options)) == truth
    # CBC before 2.10.7 can answer wrongly from an infeasible start: it is left out there.
    poor = solve(solver, "knapsack", payload, start={("take", (0,)): 1})
    assert round(poor.objective) == truth == integer_bound(poor.bound)
    assert ("does not fit" in poor.message) == (solver == "cbc")
    for key in (("took", (0,)), ("take", (99,))):
        with pytest.raises(InputError, match="start"):
            solve(solver, "knapsack", SMALL, start={key: 1})


# Options


def test_cbc_gets_no_seed_of_0_which_is_the_time_of_day():
    for seed, given in ((0, "1"), (7, "8"), (2**31 - 2, str(2**31 - 1)), (2**31 - 1, "1")):
        options = solve("cbc", "knapsack", SMALL, seed=seed).report["options"]
        assert options["randomCbcSeed"] == options["randomSeed"] == given


@pytest.mark.parametrize(
    ("solver", "options", "field"),
    [
        ("highs", {"mip_rel_gapp": 0.1}, "options.mip_rel_gapp"),
        ("highs", {"mip_max_nodes": 1.5}, "options.mip_max_nodes"),
        ("highs", {"presolve": "sometimes"}, "options.presolve"),
        ("highs", {"time_limit": 3.0}, "options.time_limit"),
        ("cbc", {"ratio": 0.1}, "options.ratio"),
        ("cbc", {"ratioGap": True}, "options.ratioGap"),
        ("cbc", {"ratioGap": float("nan")}, "options.ratioGap"),
        ("cbc", {"ratioGap": "0.1 -import /etc/passwd"}, "options.ratioGap"),
        ("cbc", {"maxNodes": 0}, "options.maxNodes"),
        ("cbc", {"cuts": "maybe"}, "options.cuts"),
        ("cbc", {"seconds": 3}, "options.seconds"),
        ("cpsat", {"linearization_levell": 1}, "options"),
        ("cpsat", {"linearization_level": 1.5}, "options"),
        ("cpsat", {"search_branching": "SIDEWAYS"}, "options"),
        ("cpsat", {"subsolvers": "core"}, "options"),
        ("cpsat", {"max_time_in_seconds": 3.0}, "options.max_time_in_seconds"),
        ("cpsat", {"num_search_workers": 2}, "options.num_search_workers"),
    ],
    ids=str,
)
def test_no_option_is_ignored(solver, options, field):
    with pytest.raises(InputError) as caught:
        solve(solver, "knapsack", SMALL, options=options)
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("solver", "options", "said"),
    [
        ("highs", {"mip_max_nodes": 1}, "maxIterations"),
        ("cbc", {"maxNodes": 5}, ""),
        ("cpsat", {"max_number_of_conflicts": 10}, "FEASIBLE"),
        ("cpsat", {"stop_after_first_solution": True}, "FEASIBLE"),
    ],
)
def test_an_option_takes_effect(solver, options, said):
    outcome = solve(solver, "market_split", HARD, options=options)
    assert outcome.termination is Termination.FINISHED and said in outcome.message
    assert outcome.objective is None or outcome.bound < outcome.objective


def test_options_of_every_kind_are_taken():
    options = {"search_branching": "FIXED_SEARCH", "cp_model_presolve": False, "relative_gap_limit": 0}
    assert solve("cpsat", "knapsack", SMALL, options=options).objective == 7
    given = solve("cbc", "knapsack", SMALL, options={"ratioGap": 0.1, "maxNodes": 7, "cuts": "off"}).report["options"]
    assert {"ratioGap": "0.1", "maxNodes": "7", "cuts": "off"}.items() <= given.items()
    for threads in (1, 2, 1):
        assert solve("highs", "knapsack", SMALL, threads=threads).objective == 7
    assert "one thread" in solve("cbc", "knapsack", SMALL, threads=2).message


@pytest.mark.parametrize(
    "options",
    [{"ratioGap": 0.3, "preprocess": "off"}, {"allowableGap": 1200.0, "heuristicsOnOff": "off", "cuts": "off"}],
    ids=str,
)
def test_a_gap_given_to_cbc_is_not_taken_for_an_optimum(options):
    # CBC and Pyomo's plugin both call this optimal.
    apart = 0
    for payload, truth in knapsacks(6):
        outcome = solve("cbc", "knapsack", payload, options=options)
        assert outcome.termination is Termination.FINISHED
        assert integer_bound(outcome.bound) <= truth <= round(outcome.objective)
        apart += integer_bound(outcome.bound) < round(outcome.objective)
    assert apart  # else the bound was not put to the test


# Limits


@pytest.mark.parametrize(
    ("solver", "seconds"), mostly_slow([("highs", 1.5), ("cbc", 2.5), ("cpsat", 1.5)], quick=[("highs", 1.5)])
)
def test_a_time_limit_keeps_the_incumbent(solver, seconds):
    seen = []
    began = time.monotonic()
    outcome = solve(solver, "market_split", HARD, limits=Limits(time=seconds), on_progress=seen.append)
    assert time.monotonic() - began < 300
    assert outcome.termination is Termination.TIME_LIMIT
    assert outcome.values and outcome.objective >= outcome.bound
    told = [one for one in seen if one.objective is not None]
    assert told and told[0].seconds < outcome.seconds - 0.3  # while it ran, not in one lump at the end
    assert [one.objective for one in told] == sorted((one.objective for one in told), reverse=True)


@pytest.mark.parametrize("solver", mostly_slow(ALL, quick=["cbc"]))
def test_a_time_limit_without_an_incumbent(solver):
    """A fractional point does not count as an incumbent, and no model is infeasible."""
    outcome = solve(solver, "equal_split", HARD, limits=Limits(time=1))
    assert outcome.termination is Termination.TIME_LIMIT
    assert (outcome.values, outcome.objective, outcome.infeasible) == (None, None, False)


@pytest.mark.parametrize(
    "options",
    [{}, {"stop_after_presolve": True}, {"stop_after_first_solution": True}, {"max_deterministic_time": 1e-9}],
    ids=str,
)
def test_no_bound_is_made_up(options):
    # A protocol buffer's field that was never set reads 0, which is no bound of an objective of about -10^6.
    outcome = solve("cpsat", "below_zero", 60, limits=Limits(time=1), options=options)
    assert outcome.bound is None or outcome.bound <= -(10**6)


def test_an_interrupt_keeps_cpsats_incumbent(worker):
    sent = []

    def on_progress(progress):
        if progress.objective is not None and not sent:
            sent.append(progress)
            os.kill(worker.pid, signal.SIGINT)

    outcome = worker.run(task("cpsat", "market_split", HARD), CPSAT, LIMITS, on_progress)
    assert outcome.termination is Termination.INTERRUPTED
    assert outcome.values and outcome.objective <= sent[0].objective
    assert alive(worker.pid)
    assert worker.run(task("cpsat", "knapsack", SMALL), CPSAT, LIMITS).objective == 7


# The log and the solution file of CBC


def test_bounds_are_lowered_by_what_printing_may_have_added():
    # %g prints 1234567.8 as 1.23457e+06, which is above it.
    for truth in (1234567.8, 413.0004, -98765.43, 0.123456789):
        assert bound_minus_rounding(f"{truth:g}") <= truth
    assert bound_minus_rounding("1e+50") is None


NO_INTEGER = "(no integer solution - continuous used)"


@pytest.mark.parametrize(
    ("header", "condition", "objective"),
    [
        ("Optimal - objective value 44.00000000", "optimal", 44),
        ("Infeasible - objective value 5.00000000", "infeasible", None),
        ("Integer infeasible - objective value 0.00000000", "infeasible", None),
        ("Unbounded - objective value 0.00000000", "error", None),
        ("Stopped on time - objective value 7.00000000", "maxTimeLimit", 7),
        (f"Stopped on time {NO_INTEGER} - objective value 7.5", "maxTimeLimit", None),
        ("Stopped on time - objective value 1e+50", "maxTimeLimit", None),
        ("Stopped on nodes - objective value 7.00000000", "maxIterations", 7),
        ("Stopped on difficulties - objective value 7.00000000", "error", None),
        ("Optimal", "error", None),
        ("", "error", None),
    ],
)
def test_solution_headers(header, condition, objective):
    assert read_end(header, interrupted=False) == (condition, objective)
    assert read_end("Stopped on iterations - objective value 5", interrupted=True).condition == "userInterrupt"


# Families of solvers in processes of their own


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
    path = str(tmp_path / "alike.json")
    oas.save(alike(), path)
    code = SEPARATE.format(path=path)
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=python_environment)
    assert ended.stderr == ""
    assert ended.stdout.splitlines() == ["[2, 2] ortools highspy,pyomo", "[]"]
