"""Arguments, limits and interruptions of a solve."""

from dataclasses import replace

import pytest

import oas
from oas.coallocation.generate.section4 import section4
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.clock import check_clock
from oas.core.errors import InputError
from oas.core.result import Status, Termination
from oas.core.verifier import verify
from oas.solving import pipeline, start
from oas.solving.continuous import solve_with_limit
from oas.solving.lower_bound import best_bound
from oas.solving.methods import find_method, toolkit_methods
from oas.solving.options import bytes_of
from oas.solving.pipeline import solve

# Comparing its 100,000 allocations with one another takes minutes.
LONG_TO_PREPARE = section4(seed=0, jobs=64, clusters=3, nodes=80, bandwidth="std", slot_percent="25")
# Few allocations, but 3.5 million coefficients: Pyomo needs a minute to build them.
LONG_TO_BUILD = section4(seed=0, jobs=12, clusters=3, nodes=4, bandwidth="std", slot_percent="5")
# What may pass beyond the limit: the grace, and what a busy machine makes of it. Without a limit it is minutes.
SLACK = 60


def start_of(instance):
    """One heuristic's schedule, so that a busy machine does not spend the limit on the others."""
    made = dict.fromkeys(method.name for method in toolkit_methods(instance.problem))
    return made | {"FCFS": find_method("FCFS", instance.problem)(instance)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("instance", "asked", "message"),
    [
        pytest.param(
            LONG_TO_PREPARE,
            {"formulation": "start-indexed"},
            "the start-indexed model was not ready in time",
            id="prepare-highs",
        ),
        pytest.param(
            LONG_TO_PREPARE,
            {"solver": "cbc"},
            "the start-indexed model was not ready in time",
            id="prepare-cbc",
            marks=pytest.mark.slow,
        ),
        pytest.param(LONG_TO_BUILD, {"formulation": "start-indexed"}, "", id="build-highs", marks=pytest.mark.slow),
        pytest.param(LONG_TO_PREPARE, {"solver": "cpsat"}, "", id="cpsat", marks=pytest.mark.slow),
    ],
)
def test_the_time_limit_counts_from_the_first_moment(instance, asked, message):
    for seconds in (3, 12, 48, 192):  # a busy machine may need longer for the start and the bounds
        result = solve(instance, time_limit=seconds, schedules=start_of(instance), **asked)
        if message in result.message:
            break
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.TIME_LIMIT)
    assert message in result.message
    assert result.schedule is not None and verify(instance, result.schedule) == []
    assert result.lower_bound is not None and result.lower_bound < result.objective
    assert result.seconds["total"] < seconds + SLACK


def test_preparing_keeps_the_memory_limit_too():
    result = solve(LONG_TO_PREPARE, formulation="start-indexed", memory_limit=2**20, time_limit=600)
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.MEMORY_LIMIT)
    assert result.schedule is not None and result.seconds["total"] < 600


@pytest.mark.slow
def test_a_check_that_cannot_be_prepared_in_time_confirms_nothing_and_spoils_nothing():
    # Every job needs more than half of the nodes: any order is optimal, but the model lists thousands of allocations.
    wide = tuple(replace(job, tasks=121, bandwidth=0) for job in LONG_TO_PREPARE.jobs)
    instance = replace(LONG_TO_PREPARE, jobs=wide)
    for seconds in (3, 12, 48):  # a busy machine may need longer for the optimum
        result = solve(instance, time_limit=seconds, check=("highs:start-indexed",))
        if result.status is Status.OPTIMAL:
            break
    assert result.status is Status.OPTIMAL and result.proof is not None and result.proof.claims == ()
    assert "did not confirm the optimum (time_limit)" in result.message


@pytest.fixture
def interrupted(monkeypatch):
    """An instance whose heuristics are interrupted after the first schedule."""
    candidates = start.candidates

    def one_then_ctrl_c(*arguments, **options):
        yield next(candidates(*arguments, **options))
        raise KeyboardInterrupt

    monkeypatch.setattr("oas.solving.stages.candidates", one_then_ctrl_c)
    return oas.load_example("grid")


def test_a_loop_over_instances_ends_with_the_best_result(interrupted):
    solved = []
    with pytest.raises(KeyboardInterrupt) as caught:
        for instance in (interrupted, interrupted):
            solved.append(oas.solve(instance))
    assert not solved
    assert isinstance(caught.value, oas.SolveInterrupted)
    result = caught.value.result
    assert result.termination is Termination.INTERRUPTED
    assert oas.verify(interrupted, result.schedule) == []


def test_it_is_returned_in_notebooks_or_on_request(interrupted, monkeypatch):
    assert oas.solve(interrupted, on_interrupt="return").termination is Termination.INTERRUPTED
    monkeypatch.setattr(pipeline, "call_by_path", lambda function: function == "oas.show.progress:in_notebook")
    assert oas.solve(interrupted).termination is Termination.INTERRUPTED
    with pytest.raises(oas.SolveInterrupted):
        oas.solve(interrupted, on_interrupt="raise")
    with pytest.raises(oas.InputError, match="on_interrupt: must be one of auto, raise, return"):
        oas.solve(interrupted, on_interrupt="ignore")


def test_enumerating_ends_at_the_time_limit(monkeypatch):
    monkeypatch.setattr("oas.core.clock.INTERVAL", 0)
    monkeypatch.setattr("oas.solving.stages.OVERRUN", 0)
    instance = oas.generate.uni(seed=1, jobs=7, organizations=2, processors=8)
    result = oas.solve(instance, formulation="brute-force", time_limit=1e-6)
    assert result.termination is Termination.TIME_LIMIT
    assert oas.verify(instance, result.schedule) == []


def test_a_search_that_is_out_of_time_before_it_begins_ends_in_a_result(monkeypatch):
    monkeypatch.setattr("oas.core.clock.INTERVAL", 0)
    monkeypatch.setattr("oas.solving.stages.OVERRUN", -1e9)
    result = oas.solve(oas.generate.saturated(seed=3, jobs=14, nodes=4), time_limit=60)
    assert result.termination is Termination.TIME_LIMIT
    assert result.schedule is not None and result.lower_bound is not None


INSTANCE = CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 0)], [Job("a", 1, 5), Job("b", 2, 3)], slot=1)
SHARED = {
    "solver": [3, None, ""],
    "formulation": [3, None, ["literal"]],
    "check": [3, None, [3], "", "highs:", "highs:magic"],
    "time_limit": ["3", True, [3], 0, -1, float("nan"), float("inf"), 10**400],
    "memory_limit": ["3", True, 1.5, 0, -1, float("inf")],
    "gap": ["x", None, [1], -1],
    "threads": ["2", 1.5, True, 0],
    "seed": ["0", None, 1.5, -1, 2**31],
    "solver_options": [3, "a", [1], {3: 1}],
    "start": [3, "s.json"],
    "on_progress": [3, "line"],
    "display": ["no", 3, None],
}
OF_SOLVE = SHARED | {"schedules": [3, ["FCFS"], {"FCFS": 3}]}
OF_COMPARE = SHARED | {"heuristics": [3, [3], "FCSF", [None]], "extra": [3, [3], "no_such_module:f", None]}


def cases(call, wrong):
    for argument, values in wrong.items():
        for value in values:
            yield pytest.param(call, argument, value, id=f"{call.__name__} {argument} {value!r}")


@pytest.mark.parametrize(("call", "argument", "value"), [*cases(oas.solve, OF_SOLVE), *cases(oas.compare, OF_COMPARE)])
def test_an_argument_that_is_wrong_is_named(call, argument, value):
    with pytest.raises(InputError) as refused:
        call(INSTANCE, **{argument: value})
    assert refused.value.field == argument


@pytest.mark.parametrize(
    ("given", "size"),
    [
        ("4 GiB", 4 * 2**30),
        ("500MB", 500 * 10**6),
        ("1.5 MiB", 3 * 2**19),
        (2**20, 2**20),
        (None, None),
    ],
)
def test_a_memory_limit_is_a_text_with_a_unit_or_bytes(given, size):
    assert bytes_of(given) == size


@pytest.mark.parametrize(
    "given", [4096, "4096", "4096 B", "4G", "4 gib", "-1 GiB", "1e3 MiB", "", "٤ GiB", 2.0**30 + 0.5]
)
def test_a_memory_limit_without_unit_or_too_small_is_refused(given):
    with pytest.raises(oas.InputError, match="memory_limit: must be"):
        bytes_of(given)


def test_a_start_that_is_late_without_a_schedule_ends_with_the_hasty_one(monkeypatch):
    def endless(*_arguments, **_options):
        while True:
            check_clock()
        yield

    monkeypatch.setattr("oas.core.clock.INTERVAL", 0)
    monkeypatch.setattr("oas.solving.stages.OVERRUN", -1e9)
    monkeypatch.setattr("oas.solving.stages.candidates", endless)
    monkeypatch.setattr("oas.solving.stages.Solve._search", lambda self: self.stop(Termination.TIME_LIMIT))
    instance = oas.generate.reservations(seed=1, jobs=20, processors=16, availability="alpha", releases=True)
    result = oas.solve(instance, time_limit=60)
    assert (result.status, result.termination) == (Status.FEASIBLE, Termination.TIME_LIMIT)
    assert result.schedule.method == "the last resort" and oas.verify(instance, result.schedule) == []
    assert result.proof.bound.name == "area"  # the others are left out


def test_of_late_bounds_the_first_is_enough():
    instance = oas.load_example("grid")
    assert best_bound(instance, lambda: True).name == "area"
    assert best_bound(instance, lambda: False) == best_bound(instance)


def test_a_late_solve_is_not_followed_by_another_at_slot_0(monkeypatch):
    monkeypatch.setattr("oas.solving.continuous.LATE", -1e9)
    result, limit = solve_with_limit(oas.load_example("grid"), time_limit=60)
    assert result.schedule is not None and limit is None


def test_with_no_time_for_a_heuristic_the_hasty_schedule_is_made_first(monkeypatch):
    monkeypatch.setattr("oas.solving.stages.JOB_SECONDS", 1e9)
    monkeypatch.setattr("oas.solving.stages.candidates", lambda *_arguments, **_options: iter(()))
    monkeypatch.setattr("oas.solving.stages.Solve._search", lambda self: self.stop(Termination.TIME_LIMIT))
    instance = oas.generate.reservations(seed=1, jobs=20, processors=16, availability="alpha", releases=True)
    result = oas.solve(instance, time_limit=60)
    assert result.schedule.method == "the last resort" and oas.verify(instance, result.schedule) == []
