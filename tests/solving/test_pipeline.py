"""The exact pipeline: what it claims, on what proof, and that no wrong claim of a solver is adopted."""

import platform
from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise

import pytest

import oas
from oas.coallocation.exact.search import CoallocationExactSearch
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.errors import InputError, SolverError, SolverMissingError
from oas.core.formats import show_seconds
from oas.core.result import Bound, ProofKind, Status, Termination
from oas.core.schedule import Schedule
from oas.core.verifier import verify
from oas.io.reading import loads_any
from oas.solvers.discovery import usable
from oas.solving import model_run, search, start
from oas.solving import stages as solving
from oas.solving.brute_force import brute_force
from oas.solving.method import Method
from oas.solving.methods import find_method
from oas.solving.pipeline import solve
from oas.solving.recheck import LimitedCheck, Verdict, objection, recheck
from tests.solving.planted import (
    Always,
    AtHorizon,
    all_at_once,
    at_bound,
    best_heuristic,
    leave_the_list_schedule,
    make_known,
    optimal,
    planted,
    refused,
)


def two_nodes(*times, slot=1):
    """Serial jobs on two equal nodes: a partition problem."""
    jobs = [Job(f"J{index}", 1, time) for index, time in enumerate(times)]
    return CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 0)], jobs, slot=slot)


# Every heuristic needs 13, {5, 5} beside {4, 4, 4} takes 12, and the bounds say 11: only a search proves 12.
OPEN = two_nodes(5, 5, 4, 4, 4)
# Every heuristic needs 7, the optimum is 6, and so is the area bound: the solver only has to find it.
MET_BY_BOUND = two_nodes(3, 3, 2, 2, 2)
# FCFS is optimal at once.
CLOSED = two_nodes(2, 2, 3, 3)
# The job must be split and no link carries it.
INFEASIBLE = CoallocationInstance(
    [Cluster("A", [NodeGroup(1, 1)], 0), Cluster("B", [NodeGroup(1, 1)], 9)], [Job("fine", 1, 1), Job("torn", 2, 1, 1)]
)


@pytest.fixture
def no_solver(monkeypatch):
    def refuse(*_):
        raise AssertionError("a solver was called")

    monkeypatch.setattr(model_run, "run", refuse)


@pytest.fixture
def plant(monkeypatch):
    """Make a formulation known under the name ``planted``."""

    def register(formulation):
        make_known(monkeypatch, formulation, "planted")

    return register


@pytest.mark.usefixtures("no_solver")
def test_a_certificate_needs_no_solver():
    result = solve(CLOSED)
    assert (result.status, result.termination) == (Status.OPTIMAL, Termination.FINISHED)
    assert result.objective == result.lower_bound == 5 and result.gap == 0
    assert result.proof is not None and result.proof.kind is ProofKind.CERTIFICATE
    assert result.proof.bound is not None and result.proof.bound.name == "area"
    assert result.proof.claims == ()
    assert result.instance_digest == CLOSED.digest


@pytest.fixture
def without_logs(monkeypatch):
    """No solver that logs its proof is installed."""
    monkeypatch.setattr(solving, "usable", lambda name: name not in ("exact", "pumpkin") and usable(name))


@pytest.mark.skipif(not usable("exact"), reason="Exact is not installed")
def test_a_claim_becomes_a_certificate_if_a_solver_that_logs_its_proof_repeats_it():
    result = solve(OPEN, solver="highs")
    assert result.proof is not None and result.proof.kind is ProofKind.CERTIFICATE
    assert (result.proof.bound.name, result.proof.bound.value) == ("proof log", 12)
    assert [claim.solver for claim in result.proof.claims] == ["highs"] and "exact" in result.versions
    assert recheck(OPEN, result.proof.bound)
    own = solve(OPEN, solver="exact")
    assert own.closed_by == result.closed_by == "schedule of the toolkit, bound of the model"


@pytest.mark.usefixtures("without_logs")
@pytest.mark.parametrize(("solver", "formulation"), [("highs", "literal"), ("cbc", "start-indexed"), ("highs", "auto")])
def test_optimal_by_a_solver_and_a_second_run(solver, formulation):
    result = solve(OPEN, solver=solver, formulation=formulation)
    assert (result.status, result.termination) == (Status.OPTIMAL, Termination.FINISHED)
    assert result.objective == result.lower_bound == 12
    assert result.schedule is not None and verify(OPEN, result.schedule) == []
    assert result.proof is not None and result.proof.kind is ProofKind.SOLVER
    claim, second = result.proof.claims
    assert (second.solver, second.bound) == ("cpsat", 12) and "confirm" in result.seconds
    ran = "start-indexed" if formulation == "auto" else formulation
    assert (claim.solver, claim.formulation, claim.bound) == (solver, ran, 12)
    assert claim.version and result.versions[solver] == claim.version
    assert (result.solver, result.formulation) == (solver, ran)


@pytest.mark.usefixtures("no_solver")
def test_brute_force_is_a_proof_of_its_own():
    result = solve(OPEN, formulation="brute-force")
    assert result.status is Status.OPTIMAL and result.objective == result.lower_bound == 12
    assert result.proof is not None and result.proof.kind is ProofKind.BRUTE_FORCE
    assert (result.solver, result.formulation) == ("", "brute-force")


@pytest.mark.usefixtures("no_solver")
def test_infeasible_without_asking_a_solver():
    for formulation in ("auto", "brute-force"):
        result = solve(INFEASIBLE, formulation=formulation)
        assert (result.status, result.termination) == (Status.INFEASIBLE, Termination.FINISHED)
        assert result.schedule is None and result.lower_bound is None and result.gap is None
        assert "torn" in result.message and "fine" not in result.message


@pytest.mark.parametrize("solver", ["highs", "cbc", "cpsat"])
def test_without_another_solver_a_second_run_differs_from_the_first(solver, monkeypatch):
    monkeypatch.setattr(solving, "usable", lambda name: name == ("highs" if solver == "cbc" else solver))
    result = solve(OPEN, solver=solver)
    assert result.status is Status.OPTIMAL and result.proof is not None
    runs = {
        "highs": [("highs", ""), ("highs", "presolve=off")],
        "cbc": [("cbc", ""), ("highs", "")],
        "cpsat": [("cpsat", ""), ("cpsat", "cp_model_probing_level=0")],
    }
    assert [(claim.solver, claim.run) for claim in result.proof.claims] == runs[solver]


def test_a_claim_that_nothing_confirms_leaves_the_instance_open(monkeypatch):
    monkeypatch.setattr(solving, "usable", lambda _: False)
    result = solve(OPEN, solver="highs")
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.FINISHED)
    assert (result.objective, result.lower_bound) == (12, 11)
    assert result.proof is not None and result.proof.kind is ProofKind.CERTIFICATE
    assert result.unconfirmed.startswith("12 by highs ") and result.unconfirmed.endswith(" on start-indexed alone")
    assert result.message == "no other solver can confirm the claim"
    assert "not counted: the bound 12 by highs" in repr(result)


def test_a_claim_for_whose_confirmation_no_time_is_left_does_not_count(monkeypatch):
    confirm = solving.Solve._confirm

    def late(self):
        monkeypatch.setattr(solving.Solve, "left", lambda _: -0.1)
        confirm(self)

    monkeypatch.setattr(solving.Solve, "_confirm", late)
    result = solve(OPEN, solver="highs", time_limit=60)
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.TIME_LIMIT)
    assert result.unconfirmed.startswith("12 by highs ")


def test_the_same_solver_as_a_second_opinion_runs_differently():
    result = solve(OPEN, solver="highs", check="highs")
    assert [(claim.solver, claim.run) for claim in result.proof.claims] == [("highs", ""), ("highs", "presolve=off")]


def test_a_second_opinion_joins_the_proof():
    result = solve(OPEN, formulation="start-indexed", check=("cbc", "highs:literal"))
    assert result.status is Status.OPTIMAL and result.proof is not None
    said = [(claim.solver, claim.formulation, claim.bound) for claim in result.proof.claims]
    assert said == [("highs", "start-indexed", 12), ("cbc", "start-indexed", 12), ("highs", "literal", 12)]
    assert {"confirm cbc", "check highs", "highs"} <= set(result.seconds)


def test_the_time_of_a_second_opinion_is_not_that_of_the_solve():
    trace, parts = oas.Trace(), []

    def follow(report):
        trace(report)
        parts.append(report.part)

    result = solve(OPEN, check=("cbc",), on_progress=follow)
    seconds = result.seconds
    assert result.check_seconds == seconds["check cbc"] > 0
    assert result.solve_seconds == seconds["total"] - seconds["check cbc"] >= seconds["search"]
    (row,) = result.to_frame().to_dict("records")
    assert (row["seconds"], row["check_seconds"]) == (result.solve_seconds, result.check_seconds)
    assert f"second opinions {show_seconds(result.check_seconds)}" in repr(result)
    assert trace.seconds <= result.solve_seconds
    assert set(parts) == {"", "check cbc"} and parts == sorted(parts)
    times = {"highs": 3.0, "check cbc": 5.0, "check highs": 2.0, "total": 10.5}
    assert replace(result, seconds=times).solve_seconds == 3.5
    assert replace(result, seconds={}).solve_seconds is None


def test_a_solver_that_returns_the_bound_it_was_given_confirms_nothing(monkeypatch):
    """The bound 6 is a row of the model; a second opinion does not receive it."""
    leave_the_list_schedule(monkeypatch)
    result = solve(MET_BY_BOUND, solver="highs")
    assert result.status is Status.OPTIMAL and "highs" in result.seconds
    assert str(result.proof) == "certificate (area)"
    checked = solve(MET_BY_BOUND, solver="highs", check="cbc")
    assert str(checked.proof).startswith("certificate (area), confirmed by cbc ")


def test_only_the_first_run_has_weight_rows_which_share_code_with_the_bounds(monkeypatch):
    leave_the_list_schedule(monkeypatch)
    asked = []

    def spy(evidence, formulation, settings, *rest, strengthened, **more):
        asked.append((settings.solver, strengthened))
        return model_run.run_model(evidence, formulation, settings, *rest, strengthened=strengthened, **more)

    monkeypatch.setattr(solving, "run_model", spy)
    assert solve(MET_BY_BOUND, solver="highs", check="cbc").status is Status.OPTIMAL
    assert asked == [("highs", True), ("cbc", False)]


def test_a_result_records_its_options_and_the_threads_of_each_solver():
    options = {"cuts": "off", "maxNodes": 9}
    result = solve(OPEN, solver="cbc", threads=2, check="highs:literal", time_limit=60, solver_options=options)
    assert result.options == {
        "time_limit": "60.0",
        "check": "highs:literal",
        "solver_options.cuts": "off",
        "solver_options.maxNodes": "9",
    }
    assert (result.threads, result.threads_used) == (2, {"cbc": 1, "highs": 2})
    assert loads_any(oas.io.dumps(result)) == result
    searched = solve(OPEN, gap="1%")
    assert searched.options == {"gap": "1/100"}
    assert searched.threads_used["oas"] == 1
    assert solve(CLOSED).options == solve(CLOSED).threads_used == {}


def test_the_own_search_closes_what_bounds_leave_open():
    result = solve(OPEN, check=("cbc",))
    assert (result.status, result.objective, result.formulation) == (Status.OPTIMAL, 12, "auto")
    said = [(claim.solver, claim.formulation, claim.bound) for claim in result.proof.claims]
    assert said == [("cbc", "start-indexed", 12)]
    assert str(result.proof).startswith("certificate (search log), confirmed by cbc ")


@pytest.mark.usefixtures("without_logs")
@pytest.mark.parametrize("verdict", Verdict)
def test_the_certificate_is_checked_at_the_end(verdict, monkeypatch):
    asked = []

    def found(instance, bound, *_):
        asked.append((bound.name, bound.value, objection(instance, bound)))
        return LimitedCheck(verdict, "because")

    monkeypatch.setattr(solving, "recheck_within", found)
    result = solve(OPEN)
    assert asked == [("search log", 12, "")]
    assert result.proof is not None and result.objective == 12
    if verdict is Verdict.REFUSED:
        assert (result.status, result.termination) == (Status.FEASIBLE, Termination.ERROR)
        assert (result.lower_bound, result.proof.bound.certificate) == (11, {})
        assert result.message == "the bound 12 (search log) is not confirmed: because"
        return
    assert (result.status, result.termination, result.lower_bound) == (Status.OPTIMAL, Termination.FINISHED, 12)
    assert result.is_claimed == (verdict is not Verdict.CONFIRMED)
    assert [claim.solver for claim in result.proof.claims][:1] == (["oas"] if result.is_claimed else [])
    assert len({claim.source for claim in result.proof.claims}) == (2 if result.is_claimed else 0)
    assert ("the certificate (search log) was not checked" in result.message) == result.is_claimed
    assert (" within 300.0 s" in result.message) == (verdict is Verdict.UNDECIDED)


def test_a_bound_whose_certificate_takes_too_long_is_replaced_by_the_best_one_that_is_confirmed(monkeypatch):
    def hurried(instance, bound, *_):
        return LimitedCheck(Verdict.CONFIRMED if bound.name == "fast" else Verdict.UNDECIDED)

    def close(exact, _memory):
        for name, value in (("fast", F(23, 2)), ("slow", F(47, 4)), ("slowest", F(12))):
            exact.raise_bound(Bound(name, value, {"certificate": 1}))
        return Termination.TIME_LIMIT

    monkeypatch.setattr(solving, "recheck_within", hurried)
    monkeypatch.setattr(CoallocationExactSearch, "close", close)
    result = solve(OPEN, time_limit=60)
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.TIME_LIMIT)
    assert (result.lower_bound, result.proof.bound.name) == (F(23, 2), "fast")
    assert [str(claim.bound) for claim in result.proof.unconfirmed] == ["12"]
    assert result.message.startswith("the certificate (slowest) was not checked within ")


def test_a_bound_that_was_checked_during_the_search_counts_when_no_time_is_left(monkeypatch):
    def close(exact, _memory):
        exact.raise_bound(Bound("tree", F(23, 2), {"certificate": 1}))
        assert exact.step()
        exact.raise_bound(Bound("tree", F(47, 4), {"certificate": 2}))
        return Termination.TIME_LIMIT

    monkeypatch.setattr(search, "recheck_within", lambda *_: LimitedCheck(Verdict.CONFIRMED))
    monkeypatch.setattr(solving, "recheck_within", lambda *_: LimitedCheck(Verdict.UNDECIDED))
    monkeypatch.setattr(CoallocationExactSearch, "close", close)
    result = solve(OPEN, time_limit=60)
    assert (result.status, result.lower_bound, result.proof.bound.certificate) == (
        Status.FEASIBLE,
        F(23, 2),
        {"certificate": 1},
    )
    assert [str(claim.bound) for claim in result.proof.unconfirmed] == ["47/4"]


def test_a_wrong_optimum_is_refuted(plant):
    plant(planted("state", AtHorizon(), best_heuristic))
    exposed = solve(OPEN, formulation="planted")  # the second run finds a shorter schedule
    assert (exposed.status, exposed.objective, exposed.lower_bound) == (Status.FEASIBLE, 12, 11)
    assert exposed.proof is not None and exposed.proof.claims == ()
    assert "planted claims the bound 13, but a schedule ends at 12; no claim of highs counts" in exposed.message
    refuted = solve(OPEN, formulation="planted", check=("highs:start-indexed",))
    assert (refuted.status, refuted.termination) == (Status.FEASIBLE, Termination.ERROR)
    assert refuted.objective == 12 and refuted.lower_bound == 11
    assert refuted.proof is not None and refuted.proof.claims == ()
    assert "highs on start-indexed found a schedule shorter than what had been proven" in refuted.message


@pytest.mark.parametrize(
    ("instance", "stated", "message"),
    [
        pytest.param(
            OPEN, AtHorizon(-1), "highs on planted did not confirm the optimum (finished)", id="it proves less"
        ),
        pytest.param(
            MET_BY_BOUND, at_bound, "highs on planted did not confirm the optimum", id="the bound is not given"
        ),
        pytest.param(OPEN, AtHorizon(1), "claims a bound of 13, above a verified schedule", id="it contradicts"),
    ],
)
def test_a_check_that_does_not_confirm_does_not_join_the_proof(plant, instance, stated, message):
    plant(planted("state", stated, optimal))
    result = solve(instance, check=("highs:planted",))
    assert result.status is Status.OPTIMAL and result.proof is not None and result.proof.claims == ()
    assert message in result.message


@pytest.mark.parametrize(
    ("builder", "stated", "answer", "message"),
    [
        pytest.param("impossible", AtHorizon(), best_heuristic, "a known solution has none", id="infeasibility"),
        pytest.param(
            "state", AtHorizon(1), best_heuristic, "claims a bound of 14, above a verified schedule", id="bound"
        ),
        pytest.param("state", at_bound, all_at_once, "the verifier rejects", id="more nodes than there are"),
    ],
)
def test_nothing_of_a_faulty_answer_is_believed(plant, builder, stated, answer, message):
    plant(planted(builder, stated, answer))
    result = solve(OPEN, formulation="planted")
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.ERROR)
    assert result.objective == 13 and result.lower_bound == 11
    assert result.proof.kind is ProofKind.CERTIFICATE and result.proof.claims == ()
    assert message in result.message and "highs on planted" in result.message


def test_a_fault_is_reported_even_where_a_bound_proves_the_schedule(plant):
    plant(planted("state", AtHorizon(), optimal))
    result = solve(MET_BY_BOUND, formulation="planted")
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.ERROR)
    assert result.objective == result.lower_bound == 6
    assert "claims a bound of 7, above a verified schedule" in result.message


@pytest.mark.parametrize("stated", [11, 12])
def test_a_bound_below_the_schedule_is_kept_and_proves_no_optimum(plant, stated):
    plant(planted("state", Always(stated), best_heuristic))
    result = solve(OPEN, formulation="planted")
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.FINISHED)
    assert (result.objective, result.lower_bound, result.gap) == (13, 11, F(13, 11) - 1)
    assert [claim.bound for claim in result.proof.unconfirmed] == [stated] * (stated > 11)


def test_a_schedule_better_than_its_bound_says_is_kept(plant):
    plant(planted("state", AtHorizon(-3), optimal))
    result = solve(OPEN, formulation="planted")
    assert result.status is Status.FEASIBLE and result.objective == 12 and result.lower_bound == 11


def test_a_start_is_verified_and_begun_with():
    best = brute_force(OPEN)[1]
    result = solve(OPEN, formulation="start-indexed", time_limit=1e-9, start=replace(best, method="by hand"))
    assert (result.status, result.objective) == (Status.FEASIBLE, 12)
    assert result.schedule is not None and result.schedule.method == "by hand"
    assert solve(OPEN, time_limit=1e-9, start=result).objective == 12
    with pytest.raises(InputError, match="start: the schedule is not feasible: "):
        solve(OPEN, start=best_heuristic(CLOSED))
    with pytest.raises(InputError, match="start: the result has no schedule to begin with"):
        solve(OPEN, start=solve(INFEASIBLE))
    with pytest.raises(InputError, match="start: must be a Schedule or a Result"):
        solve(OPEN, start="best.json")


@pytest.mark.usefixtures("no_solver")
@pytest.mark.parametrize("gap", ["18.2%", F(2, 11), 0.19])
def test_a_schedule_within_the_gap_ends_the_search(gap):
    result = solve(OPEN, gap=gap)
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.FINISHED)
    assert (result.objective, result.lower_bound) == (13, 11)
    assert result.message.startswith("within the gap asked for, ")
    assert "search" not in result.seconds


@pytest.mark.usefixtures("no_solver")
@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"gap": "ten"}, "gap: must be a ratio such as 0.01, or 1%"),
        ({"solver_options": {"a": 1}}, "solver_options: the search of solver auto takes none"),
        ({"threads": 2, "formulation": "brute-force"}, "threads: enumeration runs in one"),
    ],
    ids=str,
)
def test_an_option_that_nothing_would_see_is_an_error(asked, reason):
    for instance in (OPEN, CLOSED):
        with pytest.raises(InputError, match=reason):
            solve(instance, **asked)


@pytest.mark.usefixtures("no_solver")
def test_out_of_time_before_the_solver():
    result = solve(OPEN, time_limit=1e-9)
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.TIME_LIMIT)
    assert result.objective == 13 and result.lower_bound == 11
    assert result.proof is not None and result.proof.kind is ProofKind.CERTIFICATE


def test_out_of_time_in_the_solver(plant):
    plant(planted("endless", Always(0), best_heuristic))
    result = solve(OPEN, formulation="planted", time_limit=2)
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.TIME_LIMIT)
    assert result.objective == 13 and result.lower_bound == 11


@pytest.mark.usefixtures("no_solver")
def test_too_large_before_building(plant):
    plant(replace(planted("state", AtHorizon(), optimal), prepare=refused))
    result = solve(OPEN, formulation="planted")
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.TOO_LARGE)
    assert result.objective == 13 and result.message == "the planted model would have 10 variables, above 9"


def test_too_large_while_building(plant):
    plant(planted("too_large", AtHorizon(), optimal))
    result = solve(OPEN, formulation="planted")
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.TOO_LARGE)
    assert "10 rows, above 9" in result.message


def interrupting(instance, *, seed=0):
    raise KeyboardInterrupt


@pytest.mark.usefixtures("no_solver")
def test_interrupted_among_the_heuristics(monkeypatch):
    late = Method("late", interrupting, "raises")
    fcfs, bjf = (find_method(name, CoallocationInstance) for name in ("FCFS", "BJF"))
    monkeypatch.setattr(start, "toolkit_methods", lambda *_: (fcfs, late, bjf))
    result = solve(OPEN, on_interrupt="return")
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.INTERRUPTED)
    assert result.objective == 13 and result.lower_bound is None and result.proof is None
    monkeypatch.setattr(start, "toolkit_methods", lambda *_: (late,))
    result = solve(OPEN, on_interrupt="return")
    assert (result.status, result.termination) == (Status.NO_SOLUTION, Termination.INTERRUPTED)
    assert result.schedule is None and result.objective is None


def test_a_heuristic_that_breaks_a_rule_is_an_error(monkeypatch):
    def broken(instance, *, seed=0):
        return Schedule(best_heuristic(instance).placements[1:])

    monkeypatch.setattr(start, "toolkit_methods", lambda *_: (Method("broken", broken, "drops a job"),))
    with pytest.raises(SolverError, match=r"broken made an infeasible schedule: \[missing_job\]"):
        solve(OPEN)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"formulation": "magic"}, r"formulation: unknown; known: auto, .*start-indexed.*\(got 'magic'\)"),
        ({"solver": "magic"}, r"solver: .*magic"),
        ({"check": ("cbc:magic",)}, r"check: unknown; .*\(got 'magic'\)"),
        ({"solver_options": {"mip_rel_gapp": 0}}, "mip_rel_gapp"),
    ],
    ids=str,
)
def test_what_is_asked_is_checked(asked, reason):
    with pytest.raises((InputError, SolverMissingError), match=reason):
        solve(OPEN, **asked)


def test_progress_and_figures():
    seen = []
    result = solve(OPEN, check=("cbc",), on_progress=seen.append, seed=3)
    stages = [one.stage for one in seen]
    named = [stage for stage in dict.fromkeys(stages) if stage != "cbc"]  # a solver as quick as this may say nothing
    assert named == ["start", "bounds", "search", "re-check", "check cbc"]
    assert stages[0] == "start" and seen[0].objective is None and seen[0].lower_bound is None
    assert seen[-1].objective == seen[-1].lower_bound == 12
    assert all(one.seconds <= two.seconds for one, two in pairwise(seen))
    parts = [one for one in result.seconds if one.startswith("search: ")]
    assert list(result.seconds) == ["start", "bounds", "search", *parts, "re-check", "check cbc", "total"]
    assert {"search: configurations", "search: local"} <= set(parts)
    assert sum(result.seconds[one] for one in parts) <= result.seconds["search"]
    assert all(value >= 0 for value in result.seconds.values())
    assert result.versions["oas-scheduling"] == oas.__version__
    assert result.versions["python"] == platform.python_version()
    assert set(result.versions) == {"oas-scheduling", "python", "pyomo", "highs", "cbc"}
    assert (result.seed, result.threads) == (3, 1)
