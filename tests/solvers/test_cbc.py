import time

import pytest

from oas.core.errors import InputError
from oas.core.result import Termination
from oas.solvers.cbc_log import CbcLog, lowered, read_end
from oas.solvers.cbc_options import checked_options
from oas.solvers.isolation.client import run
from oas.solvers.outcome import integer_bound
from oas.solvers.task import Limits, Settings, Task
from tests.solvers.knapsacks import knapsacks

LIMITS = Limits(time=60)
NO_INTEGER = "(no integer solution - continuous used)"
SMALL = ((5, 4, 3), (2, 3, 1), 4)


def solve(builder, payload=None, start=None, limits=LIMITS, on_progress=None, **settings):
    task = Task(f"tests.solvers.builders:{builder}", payload, start)
    return run(task, Settings("cbc", **settings), limits, on_progress)


@pytest.mark.parametrize("integer_objective", [False, True])
def test_proves_knapsacks(integer_objective):
    for payload, truth in knapsacks(8) if integer_objective else knapsacks(8, unit=100):
        outcome = solve("knapsack", payload, integer_objective=integer_objective)
        assert outcome.termination is Termination.FINISHED
        assert sum(payload[0][index] for (_, (index,)) in outcome.values) == truth
        assert integer_bound(outcome.bound) == truth


def test_a_gap_is_not_taken_for_an_optimum():
    # CBC and Pyomo's plugin both call this optimal.
    proven = 0
    for payload, truth in knapsacks(6):
        outcome = solve("knapsack", payload, options={"ratioGap": 0.3, "preprocess": "off"})
        assert outcome.termination is Termination.FINISHED
        assert integer_bound(outcome.bound) <= truth <= round(outcome.objective)
        proven += integer_bound(outcome.bound) == round(outcome.objective)
    assert proven < 6


def test_a_gap_of_the_callers_own_lowers_the_bound():
    options = {"allowableGap": 1200.0, "heuristicsOnOff": "off", "cuts": "off"}
    missed = 0
    for payload, truth in knapsacks(6):
        outcome = solve("knapsack", payload, options=options)
        assert integer_bound(outcome.bound) <= truth <= round(outcome.objective)
        missed += truth < round(outcome.objective)
    assert missed  # else the bound was not put to the test


def test_names():
    outcome = solve("named")
    assert outcome.values == {("scalar", ()): 3, ("pair", ("b", 2)): 1, ("part.inner", (7,)): -3, ("held", ()): 4}


def test_a_linear_program_has_an_empty_incumbent():
    outcome = solve("linear")
    assert outcome.values == {}
    assert outcome.objective == pytest.approx(5 / 3) == outcome.bound


@pytest.mark.parametrize("builder", ["infeasible", "infeasible_lp"])
def test_infeasible(builder):
    outcome = solve(builder)
    assert outcome.termination is Termination.FINISHED
    assert outcome.infeasible
    assert (outcome.values, outcome.objective, outcome.bound) == (None, None, None)


def test_unbounded_is_an_error_not_an_optimum():
    outcome = solve("unbounded")
    assert outcome.termination is Termination.ERROR
    assert (outcome.values, outcome.bound) == (None, None)
    assert "nbounded" in outcome.message


def test_time_limit_counts_wall_time_and_keeps_the_incumbent():
    seen = []
    began = time.monotonic()
    outcome = solve("market_split", (1, 60, 5), limits=Limits(time=2.5), on_progress=seen.append)
    assert time.monotonic() - began < 12
    assert outcome.termination is Termination.TIME_LIMIT
    assert outcome.values
    assert outcome.bound <= outcome.objective
    told = [progress.seconds for progress in seen if None not in (progress.bound, progress.objective)]
    assert told[0] < outcome.seconds - 0.3  # while it ran, not in one lump at the end


def test_no_fractional_point_is_taken_for_an_incumbent():
    outcome = solve("equal_split", (1, 60, 5), limits=Limits(time=1))
    assert outcome.termination is Termination.TIME_LIMIT
    assert (outcome.values, outcome.objective) == (None, None)
    assert not outcome.infeasible


def test_a_fitting_warm_start_is_used():
    payload, truth = knapsacks(1)[0]
    best = solve("knapsack", payload).values
    outcome = solve("knapsack", payload, start=best)
    assert round(outcome.objective) == truth
    assert outcome.message == ""


def test_a_warm_start_that_does_not_fit_is_left_out():
    # CBC before 2.10.7 can answer wrongly from an infeasible start.
    payload, truth = knapsacks(1)[0]
    outcome = solve("knapsack", payload, start={("take", (0,)): 1})
    assert round(outcome.objective) == truth == integer_bound(outcome.bound)
    assert "does not fit" in outcome.message


def test_one_thread_is_said():
    assert "one thread" in solve("knapsack", SMALL, threads=2).message


@pytest.mark.parametrize(
    "options",
    [
        {"ratio": 0.1},
        {"ratioGap": -0.1},
        {"ratioGap": True},
        {"ratioGap": float("nan")},
        {"ratioGap": "0.1 -import /etc/passwd"},
        {"maxNodes": 2.5},
        {"maxNodes": 0},
        {"cuts": "maybe"},
        {"seconds": 3},
        {"solve": ""},
    ],
)
def test_no_option_is_ignored(options):
    with pytest.raises(InputError) as caught:
        solve("knapsack", SMALL, options=options)
    assert caught.value.field == f"options.{next(iter(options))}"


def test_options_take_effect():
    outcome = solve("market_split", (1, 60, 5), options={"maxNodes": 5}, limits=Limits(time=30))
    assert outcome.termination is Termination.FINISHED
    assert outcome.objective is None or outcome.bound < outcome.objective


def test_checked_options_are_written_exactly():
    written = checked_options({"ratioGap": 0.1, "maxNodes": 7, "cuts": "off"})
    assert written == {"ratioGap": "0.1", "maxNodes": "7", "cuts": "off"}


def test_bounds_are_lowered_by_what_printing_may_have_added():
    # %g prints 1234567.8 as 1.23457e+06, which is above it.
    for truth in (1234567.8, 413.0004, -98765.43, 0.123456789):
        assert lowered(f"{truth:g}") <= truth
    assert lowered("1e+50") is None


def test_log_lines():
    log = CbcLog()
    assert not log.read("Version: 2.10.3 ")
    assert log.read("Cbc0010I After 9000 nodes, 5532 on tree, 8 best solution, best possible 3 (1.85 seconds)")
    assert (log.version, log.objective) == ("2.10.3", 8)
    assert 2.999 < log.bound < 3
    assert log.read("Cbc0010I After 0 nodes, 1 on tree, 1e+50 best solution, best possible 3 (0.5 seconds)")
    assert log.objective is None
    assert not log.read("Lower bound:                    413.000")
    assert 412.999 < log.final_bound < 413


@pytest.mark.parametrize(
    ("header", "termination", "infeasible", "objective"),
    [
        ("Optimal - objective value 44.00000000", Termination.FINISHED, False, 44),
        ("Infeasible - objective value 5.00000000", Termination.FINISHED, True, None),
        ("Integer infeasible - objective value 0.00000000", Termination.FINISHED, True, None),
        ("Unbounded - objective value 0.00000000", Termination.ERROR, False, None),
        ("Stopped on time - objective value 7.00000000", Termination.TIME_LIMIT, False, 7),
        (f"Stopped on time {NO_INTEGER} - objective value 7.5", Termination.TIME_LIMIT, False, None),
        ("Stopped on time - objective value 1e+50", Termination.TIME_LIMIT, False, None),
        ("Stopped on nodes - objective value 7.00000000", Termination.FINISHED, False, 7),
        ("Stopped on difficulties - objective value 7.00000000", Termination.ERROR, False, None),
        ("Optimal", Termination.ERROR, False, None),
        ("", Termination.ERROR, False, None),
    ],
)
def test_solution_headers(header, termination, infeasible, objective):
    end = read_end(header, interrupted=False)
    assert (end.termination, end.infeasible, end.objective) == (termination, infeasible, objective)


def test_interrupted_header():
    assert (
        read_end("Stopped on iterations - objective value 5", interrupted=True).termination is Termination.INTERRUPTED
    )
