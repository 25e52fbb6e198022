"""Optima of fair sharing: brute force, what settles them, and answers that contradict verified facts."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import product
from random import Random

import pytest

from benchmarks.soak.poor_schedules import greedy_schedules, worst_start
from oas.core.errors import InputError
from oas.core.result import Bound, ProofKind, Status, Termination
from oas.fair.exact import optimum
from oas.fair.exact.brute_force import brute_force
from oas.fair.exact.optimum import FairEvidence, FairOptions, find_optimum, run_model
from oas.fair.generate import draw_tiny
from oas.fair.objectives import Objective, ScheduleClass, class_violations, objective_value, open_at_horizon
from oas.fair.ticks import schedule_from_starts
from oas.solvers.task import CallOutcome, Limits, Settings
from tests.fair.exact.planted import planted
from tests.fair.instances import case, fair, placed

# Two processors; a1, a2, b1 in the order of presentation. Greedy: 36, flow 10; idle at 0: makespan 5 instead of 6.
HAND = fair((1, [(3,), (2,)]), (1, [(4, 1)]), horizon=6)
GREEDY = placed(HAND, {"a1": 0, "a2": 0, "b1": 2})


def least_cases():
    """At most 4 jobs, watched until 6 at the latest."""
    found = [HAND]
    seed = 0
    while len(found) < 6:
        drawn = draw_tiny(Random(seed), max_organizations=2, max_jobs=2, max_processors=2, max_time=4)
        seed += 1
        if len(drawn.jobs) >= 3 and drawn.horizon >= 3 and drawn.jobs[0].release < 5:
            found.append(drawn.with_horizon(min(drawn.horizon, 5)) if len(drawn.jobs) > 3 else drawn.with_horizon(5))
    return found


def every_best(instance):
    """The best values over all combinations of a start or none for each job."""
    best = {}
    ranges = [range(-1, instance.horizon) for _ in instance.jobs]
    for starts in product(*ranges):
        try:
            schedule = schedule_from_starts(instance, starts)
        except InputError:
            continue
        for schedule_class in ScheduleClass:
            if class_violations(instance, schedule, schedule_class):
                continue
            for objective in Objective:
                if objective is Objective.MAKESPAN and open_at_horizon(instance, schedule):
                    continue
                cost = objective.sign * objective_value(instance, schedule, objective)
                best[objective, schedule_class] = min(cost, best.get((objective, schedule_class), cost))
    return {key: key[0].sign * cost for key, cost in best.items()}


@pytest.mark.parametrize("instance", least_cases(), ids=lambda _: "least")
def test_it_finds_what_trying_all_starts_finds(instance):
    expected = every_best(instance)
    for objective, schedule_class in product(Objective, ScheduleClass):
        found = brute_force(instance, objective, schedule_class)
        assert (None if found is None else found[0]) == expected.get((objective, schedule_class))


@pytest.mark.parametrize("seed", range(6))
def test_no_greedy_schedule_is_better(seed):
    instance = case(seed)
    for objective in (Objective.STRATEGY_PROOF, Objective.FLOW):
        greedy, free = (brute_force(instance, objective, schedule_class) for schedule_class in ScheduleClass)
        assert greedy is not None and free is not None
        assert objective.sign * free[0] <= objective.sign * greedy[0]
        values = [objective_value(instance, one, objective) for one in greedy_schedules(instance)]
        assert all(objective.sign * greedy[0] <= objective.sign * value for value in values)


# a2 first would be better, b1 first is: two organizations, one processor each, four jobs.
OPEN = fair((1, [(5,), (1,)]), (1, [(4,), (3,), (1,)]), horizon=9)


def known(instance, objective):
    return worst_start(instance, objective)


def evidence_of(objective, schedule_class=ScheduleClass.GREEDY, schedule=GREEDY):
    found = FairEvidence(HAND, objective, schedule_class, schedule)
    found.bound = Bound("none", F(1000 if objective is Objective.STRATEGY_PROOF else 0))
    return found


def lied(evidence, builder, cost, *starts, seconds=60):
    return run_model(evidence, Settings("highs"), Limits(seconds), lambda *_: None, planted(builder, cost, starts))


LIES = {
    "a2 before a1": (Objective.FLOW, 9, (1, 0, 2), "fifo"),
    "too many at once": (Objective.FLOW, 9, (0, 0, 1), "starts"),
    "b1 before its release": (Objective.FLOW, 9, (0, 3, 0), "start"),
    "idle beside a2": (Objective.FLOW, 9, (0, 3, 1), "greedy"),
    "nothing runs": (Objective.FLOW, 9, (-1, -1, -1), "greedy"),
    "one start too few": (Objective.FLOW, 9, (0, 0), "starts"),
    "nonsense": (Objective.FLOW, 9, (), "makes no sense"),
    "b1 ends late": (Objective.MAKESPAN, 5, (0, 0, 3), "greedy"),
    "not every job runs": (Objective.MAKESPAN, 5, (0, 0, -1), "greedy"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_schedule_that_breaks_a_rule_is_a_fault(lie):
    objective, cost, starts, message = LIES[lie]
    evidence = evidence_of(objective)
    run = lied(evidence, "state", cost, *starts)
    assert run.termination is Termination.ERROR and message in run.message
    assert evidence.claims == [] and evidence.schedule is GREEDY


def test_among_any_schedules_idle_processors_are_none_but_a_late_end_is():
    evidence = evidence_of(Objective.MAKESPAN, ScheduleClass.ANY)
    assert lied(evidence, "state", 5, 0, 3, 1).termination is Termination.FINISHED
    assert evidence.cost == 5 and not evidence.closed and len(evidence.unconfirmed) == 1
    late = evidence_of(Objective.MAKESPAN, ScheduleClass.ANY)
    run = lied(late, "state", 5, 0, 3, 3)
    assert run.termination is Termination.ERROR and "b1 ends at 7, after the horizon" in run.message


@pytest.mark.parametrize("objective", [Objective.STRATEGY_PROOF, Objective.FLOW])
def test_a_bound_that_a_verified_schedule_passes_is_a_fault(objective):
    evidence = evidence_of(objective)
    run = lied(evidence, "state", evidence.cost + 1, 0, 0, 2)
    assert run.termination is Termination.ERROR and "a bound that a verified schedule passes" in run.message
    assert evidence.claims == []
    assert lied(evidence, "state", evidence.cost, 0, 0, 2).termination is Termination.FINISHED
    assert not evidence.closed and len(evidence.unconfirmed) == 1
    evidence.claims.append(replace(evidence.claims[0], run="presolve=off"))
    assert evidence.closed and evidence.proof().kind is ProofKind.SOLVER


def test_an_optimum_that_is_claimed_but_not_shown_is_none():
    """The solver says 9, but what it shows costs 10: between the two it is open."""
    evidence = evidence_of(Objective.FLOW)
    assert lied(evidence, "state", 9, 0, 0, 2).termination is Termination.FINISHED
    assert (evidence.least_cost, evidence.cost) == (0, 10) and not evidence.closed
    assert [claim.bound for claim in evidence.unconfirmed] == [9]


def test_what_is_impossible_is_a_fault():
    run = lied(evidence_of(Objective.FLOW), "impossible", 9, 0, 0, 2)
    assert run.termination is Termination.ERROR and "a known solution has none" in run.message


def test_a_limit_leaves_bound_and_schedule():
    evidence = evidence_of(Objective.FLOW)
    assert lied(evidence, "endless", 0, seconds=2).termination in (Termination.TIME_LIMIT, Termination.ERROR)
    assert evidence.cost == 10


def test_a_schedule_to_begin_with_is_verified():
    with pytest.raises(InputError, match=r"schedule: the schedule is not feasible: \[greedy\]"):
        FairEvidence(HAND, Objective.FLOW, ScheduleClass.GREEDY, placed(HAND, {"a1": 0, "b1": 1, "a2": 3}))
    short = HAND.with_horizon(5)
    with pytest.raises(InputError, match="b1 ends at 6, after the horizon"):
        FairEvidence(short, Objective.MAKESPAN, ScheduleClass.ANY, placed(short, {"a1": 0, "a2": 0, "b1": 2}))


@pytest.mark.parametrize("solver", ["auto", "brute-force", "highs", "cbc"])
def test_every_way_finds_it(solver):
    for objective, schedule_class in product(Objective, ScheduleClass):
        evidence = FairEvidence(OPEN, objective, schedule_class, known(OPEN, objective))
        seen = []
        found = find_optimum(evidence, FairOptions(solver, 60), seen.append)
        truth = brute_force(OPEN, objective, schedule_class)
        assert truth is not None and found.value == found.bound == truth[0] and found.status is Status.OPTIMAL
        assert class_violations(OPEN, found.schedule, schedule_class) == []
        sign = objective.sign
        assert all(sign * one.lower_bound <= sign * found.value <= sign * one.objective for one in seen)
        assert seen[0].stage == "bounds" and {one.part for one in seen} == {f"{objective}, {schedule_class}"}
        if found.proof.kind is not ProofKind.CERTIFICATE:
            words = {"highs": "highs", "cbc": "cbc"}.get(solver, "brute force")
            assert words in str(found.proof)
            assert ("start-indexed" in str(found.proof)) == (words != "brute force")


def test_what_enumeration_leaves_open_is_left_to_the_solver(monkeypatch):
    best = brute_force(OPEN, Objective.FLOW, ScheduleClass.GREEDY)
    seen = []
    for most in (60, 4):
        monkeypatch.setattr(optimum, "ENUMERATED", most)
        evidence = FairEvidence(OPEN, Objective.FLOW, ScheduleClass.GREEDY, known(OPEN, Objective.FLOW))
        found = find_optimum(evidence, FairOptions(), lambda progress: seen.append(progress.stage))
        assert best is not None and found.proven and found.value == best[0]
        assert ("highs" in str(found.proof)) == (most == 4)
    assert list(dict.fromkeys(seen)) == ["bounds", "brute-force", "highs"]


def test_brute_force_that_is_worse_than_what_is_known_is_a_fault(monkeypatch):
    best = brute_force(OPEN, Objective.FLOW, ScheduleClass.GREEDY)
    poor = known(OPEN, Objective.FLOW)
    assert objective_value(OPEN, poor, Objective.FLOW) > best[0]
    monkeypatch.setattr(optimum, "call", lambda *_: CallOutcome(Termination.FINISHED, poor))
    evidence = FairEvidence(OPEN, Objective.FLOW, ScheduleClass.GREEDY, best[1])
    found = find_optimum(evidence, FairOptions("brute-force"))
    assert not found.proven and found.termination is Termination.ERROR and "missed a schedule" in found.message


def test_ctrl_c_keeps_what_is_known():
    evidence = FairEvidence(OPEN, Objective.FLOW, ScheduleClass.GREEDY, known(OPEN, Objective.FLOW))

    def stop(seen):
        if seen.stage == "highs":
            raise KeyboardInterrupt

    found = find_optimum(evidence, FairOptions("highs"), stop)
    assert found.termination is Termination.INTERRUPTED and not found.proven
    assert found.value == evidence.cost


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"solver": "cpsat"}, "solver: takes no MIP model"),
        ({"time_limit": 0}, "time_limit: must be a finite number of seconds above 0"),
        ({"threads": 0}, "threads"),
        ({"solver_options": {"presolve": "off"}}, "only a named solver takes options of its own"),
    ],
)
def test_bad_options_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        FairOptions(**given)
