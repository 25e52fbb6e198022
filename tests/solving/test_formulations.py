"""Formulations in the pipeline: CP-SAT's, those whose objective is time, and solves with given nodes."""

from dataclasses import replace
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oas
from oas.coallocation.allocations import allocations, runs_from_schedule
from oas.coallocation.exact.saturated.search import SaturatedExactSearch
from oas.coallocation.generate.tiny import saturated
from oas.coallocation.models import counts_cpsat, phases
from oas.coallocation.running import StartedRun, schedule_from_starts
from oas.core.errors import InputError, SolverMissingError
from oas.core.registry import COALLOCATION, MOSP
from oas.core.result import Bound, Status, Termination
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.solvers import discovery
from oas.solvers.task import Limits, Settings, continuous_bound
from oas.solving import model_run
from oas.solving.brute_force import brute_force
from oas.solving.evidence import Evidence
from oas.solving.model_run import rounded_down, run_model
from oas.solving.options import Options
from oas.solving.pipeline import solve
from oas.solving.recheck import recheck_result
from oas.solving.start import heuristic_schedules
from tests.coallocation.given_nodes import optimum_on
from tests.coallocation.grids import four_jobs, slowed
from tests.solving.planted import (
    ONE_SPLIT_JOB,
    AtHorizon,
    best_heuristic,
    make_known,
    no_start,
    optimal,
    overloaded,
    planted,
)
from tests.solving.test_pipeline import CLOSED, OPEN

MARGIN = F(1, 10**6)


def plant(monkeypatch, objective, read, builder="state_time"):
    """Make a formulation known that states a time, exactly as its solver does, in units of one."""
    lying = replace(planted(builder, objective, read), continuous=True)
    make_known(monkeypatch, lying, "planted")


def off(value):
    """A lower bound is above this if no more than its margin and its rounding are off."""
    return value - value * MARGIN * F("1.01")


def test_below_nothing_is_nothing():
    assert rounded_down(F(0)) == rounded_down(F(-3, 7)) == 0
    assert rounded_down(F(1, 3)) < F(1, 3) and rounded_down(F(64, 3)).denominator <= 10**12


@given(st.floats(0, 1e9))
def test_a_bound_loses_its_margin(stated):
    assert continuous_bound(stated) < F(stated)
    assert continuous_bound(stated) >= F(stated) - max(F(1), F(stated)) * F("1.000001e-6")


@pytest.mark.parametrize("nonsense", [float("inf"), float("nan")])
def test_what_is_no_bound(nonsense):
    with pytest.raises(ValueError, match="is no bound"):
        continuous_bound(nonsense)


def test_a_true_bound_does_not_close_the_instance(monkeypatch):
    plant(monkeypatch, AtHorizon(-1), optimal)
    result = solve(OPEN, formulation="planted")
    assert (result.status, result.objective, result.termination) == (Status.FEASIBLE, 12, Termination.FINISHED)
    (claim,) = result.proof.unconfirmed
    assert result.lower_bound == 11 and off(12) < claim.bound < 12
    assert recheck_result(OPEN, result)[-1] == "status: feasible, no optimum is claimed"


def test_a_bound_above_a_verified_schedule_is_a_fault(monkeypatch):
    plant(monkeypatch, AtHorizon(F(1, 1000)), best_heuristic)
    result = solve(OPEN, formulation="planted")
    assert (result.status, result.termination, result.objective) == (Status.FEASIBLE, Termination.ERROR, 13)
    assert result.lower_bound == 11 and "above a verified schedule; nothing it says is used" in result.message


def test_a_schedule_that_breaks_a_rule_is_a_fault(monkeypatch):
    plant(monkeypatch, AtHorizon(-1), overloaded)
    result = solve(ONE_SPLIT_JOB, formulation="planted")
    assert result.termination is Termination.ERROR and "the verifier rejects" in result.message
    assert result.schedule is not None and result.status is not Status.NO_SOLUTION


def test_a_second_opinion_says_how_near_it_comes(monkeypatch):
    plant(monkeypatch, AtHorizon(), best_heuristic)
    result = solve(OPEN, check="highs:planted")
    assert result.status is Status.OPTIMAL and "the optimum less its margin" in result.message
    assert not any(claim.formulation == "planted" for claim in result.proof.claims)


@pytest.mark.parametrize("solver", ["highs", "cbc"])
def test_phases_between_bounds(solver):
    instance = slowed()
    evidence = Evidence(instance)
    runs = [StartedRun(job, F(20 * job), allocations(instance.scaled(), job)[-1]) for job in range(3)]
    first = schedule_from_starts(instance, runs)
    assert evidence.offer(first, "first") is None
    evidence.bound = Bound("none", F(0))
    seen = []
    run = run_model(evidence, phases.FORMULATION, Settings(solver), Limits(60), lambda *now: seen.append(now))
    assert run.termination is Termination.FINISHED, run.message
    assert off(evidence.makespan) < run.claim.bound < evidence.makespan < first.makespan
    assert all(isinstance(value, F | None) for now in seen for value in now)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"formulation": "literal"}, r"saturation: the formulation literal does not implement it; .*got 'slowdown"),
        ({"check": "highs:start-indexed"}, "check: the formulation start-indexed does not implement it"),
        ({"solver": "cpsat"}, "formulation: co-allocation has none for these solvers under slowdown"),
        ({"formulation": "phasse"}, r"formulation: unknown; did you mean phases\? known: auto, phases, brute-force"),
    ],
)
def test_what_does_not_know_slowdown_is_refused_before_any_work(asked, said):
    with pytest.raises(InputError, match=said):
        oas.solve(four_jobs("slowdown"), **asked)


@pytest.fixture
def idle_search(monkeypatch):
    """The problem's own search finds nothing: what it leaves open is all there is."""
    monkeypatch.setattr(SaturatedExactSearch, "close", lambda *_: Termination.FINISHED)


@pytest.mark.usefixtures("idle_search")
def test_what_the_search_leaves_open_goes_on_to_phases():
    result = oas.solve(slowed())
    assert (result.solver, result.formulation, result.termination) == ("auto", "auto", Termination.FINISHED)
    assert result.objective == brute_force(slowed())[0]
    (claim,) = result.proof.claims
    assert (claim.solver, claim.formulation) == ("highs", "phases")
    assert result.lower_bound < off(result.objective) < claim.bound <= result.objective  # by one run only


@pytest.mark.usefixtures("idle_search")
def test_where_no_model_goes_on_that_is_said():
    result = oas.solve(slowed(1).with_saturation({"policy": "slowdown", "sharing": "max-min"}))
    assert result.termination is Termination.TOO_LARGE and result.status is Status.FEASIBLE
    assert result.message == "no model takes slowdown, max-min as it is here"


PLACES = {"A": {"P": 0, "Q": 0}, "B": {"P": 0, "R": 0}, "C": {"Q": 1, "S": 0}, "D": {"R": 1, "S": 1}}


def plan(places=PLACES, times=None):
    """The nodes of each job, at times that do not matter."""
    placements = []
    for place, (job, own) in enumerate(places.items()):
        start, end = (times or {}).get(job, (30 * place, 30 * place + 1))
        placements.append(Placement(job, F(start), F(end), {name: [number] for name, number in own.items()}))
    return Schedule(placements)


def fill(folder):
    """The four jobs under both policies, and the plan of their nodes."""
    for name, saturation in (("grid", "forbid"), ("slow", "slowdown")):
        oas.save(four_jobs(saturation), folder / f"{name}.json")
    oas.save(plan(), folder / "plan.json", instance=four_jobs("slowdown"))


def nodes_of(schedule):
    return {one.job: {name: list(own) for name, own in one.nodes.items()} for one in schedule.placements}


@pytest.mark.parametrize("solver", ["auto", "highs", "cbc"])
@pytest.mark.parametrize(
    ("saturation", "optimum"),
    [
        ("slowdown", F(64, 3)),
        ({"policy": "slowdown", "sharing": "max-min"}, F(64, 3)),
        ({"policy": "slowdown", "threshold": 1}, F(22)),  # what forbid allows
    ],
)
def test_the_four_jobs(solver, saturation, optimum):
    instance = four_jobs(saturation)
    result = oas.solve(instance, solver=solver, placements=plan())
    assert (result.status, result.termination, result.objective) == (Status.FEASIBLE, Termination.FINISHED, optimum)
    assert not verify(instance, result.schedule) and nodes_of(result.schedule) == nodes_of(plan())
    # On other nodes there is a schedule of 20: the bound stays one for all, and is re-checked.
    assert result.lower_bound <= 20
    assert f"on the nodes given, no schedule is shorter than {str(float(optimum))[:4]}" in message_in_decimals(result)
    assert recheck_result(instance, result)


def message_in_decimals(result):
    """The message with the bound rounded up, as its margin was taken off."""
    head, _, tail = result.message.partition("shorter than ")
    number = F(tail.split(" ")[0])
    return f"{head}shorter than {float(number) + 1e-3:.6f}"


@pytest.mark.parametrize("seed", range(3))
def test_against_brute_force(seed):
    instance = saturated(seed=seed, jobs=3, slot=seed % 2)
    made = max((one for _, one in heuristic_schedules(instance)), key=lambda one: one.makespan)
    optimum = optimum_on(instance, {one.job: one.nodes for one in made.placements})
    result = oas.solve(instance, placements=made)
    assert result.objective == optimum and nodes_of(result.schedule) == nodes_of(made)
    assert result.lower_bound <= brute_force(instance)[0]


@pytest.mark.parametrize(
    ("places", "said"),
    [
        (
            {**PLACES, "B": {"P": 1, "R": 0}},
            "placements: the plan gives no nodes that will do: .*number 1 of cluster P",
        ),
        ({**PLACES, "B": {"P": 0}}, "placements: the plan gives no nodes that will do: .*holds 1 distinct"),
        ({**PLACES, "B": {"X": 0, "R": 0}}, "placements: the plan gives no nodes that will do: .*cluster X"),
        ({name: PLACES[name] for name in "ABC"}, "placements: the plan gives no nodes that will do: .*D"),
    ],
)
def test_nodes_that_will_not_do(places, said):
    with pytest.raises(InputError, match=said):
        oas.solve(four_jobs("slowdown"), placements=plan(places))


def test_links_that_carry_no_job_there():
    instance = four_jobs("slowdown", bandwidth=(0, 1, 1, 9))
    with pytest.raises(InputError, match=r"placements: .*the load of the link of cluster P exceeds its limit"):
        oas.solve(instance, placements=plan())


def chosen(**asked):
    options = Options(**{"problem": COALLOCATION, **asked})
    return options.model.name if options.model else "", [(solver, one.name) for solver, one in options.checks]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"solver": "cpsat"}, ("counts", [])),
        ({"solver": "cpsat", "problem": MOSP}, ("cumulative", [])),
        ({"check": ("cpsat:counts", "cbc")}, ("start-indexed", [("cpsat", "counts"), ("cbc", "start-indexed")])),
        ({"formulation": "literal", "check": ("cpsat", "cbc")}, ("literal", [("cpsat", "counts"), ("cbc", "literal")])),
        ({"solver": "cpsat", "check": ("cbc:literal", "cpsat")}, ("counts", [("cbc", "literal"), ("cpsat", "counts")])),
    ],
    ids=str,
)  # fmt: skip
def test_each_solver_gets_a_formulation_it_takes(asked, expected):
    assert chosen(**asked) == expected


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"solver": "highs", "formulation": "counts"}, "highs takes start-indexed or literal; counts is for cpsat"),
        ({"solver": "cpsat", "formulation": "literal"}, "cpsat takes counts; literal is for highs, cbc and other MIP"),
        ({"check": ("cpsat:start-indexed",)}, "cpsat takes counts; start-indexed is for highs, cbc"),
        ({"solver": "cpsat", "formulation": "cumulative"}, "unknown; known: auto, start-indexed, literal, counts"),
    ],
    ids=str,
)
def test_what_does_not_go_together_is_refused_before_any_work(monkeypatch, asked, reason):
    def refuse(*_):
        raise AssertionError("a solver was called")

    monkeypatch.setattr(model_run, "run", refuse)
    for instance in (OPEN, CLOSED):
        with pytest.raises(InputError, match=f"{'check' if 'check' in asked else 'formulation'}: {reason}"):
            solve(instance, **asked)


@pytest.mark.parametrize("check", ["highs", "cpsat:counts"])
def test_a_second_opinion_refutes_what_cpsat_wrongly_proved(monkeypatch, check):
    best = min((schedule for _, schedule in heuristic_schedules(OPEN)), key=lambda schedule: schedule.makespan)
    runs = runs_from_schedule(OPEN, OPEN.scaled(), best)
    lying = replace(
        counts_cpsat.FORMULATION,
        name="lying",
        ticks_of=lambda spec, _: spec.horizon * spec.unit,
        start_values=no_start,
        read=lambda *_: runs,
    )
    make_known(monkeypatch, lying, "lying")
    result = solve(OPEN, solver="cpsat", formulation="lying", check=(check,))
    assert (result.status, result.termination, result.objective) == (Status.FEASIBLE, Termination.ERROR, 12)
    assert "found a schedule shorter than what had been proven" in result.message


@pytest.fixture
def without_ortools(monkeypatch):
    found = discovery.find_spec
    monkeypatch.setattr(discovery, "find_spec", lambda name: None if name == "ortools" else found(name))


@pytest.mark.usefixtures("without_ortools")
def test_without_ortools_everything_else_works():
    with pytest.raises(SolverMissingError, match="oas-scheduling\\[cpsat\\]"):
        solve(OPEN, solver="cpsat")
    assert solve(OPEN).status is Status.OPTIMAL
