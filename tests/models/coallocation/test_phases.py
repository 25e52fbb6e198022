"""The phases model: the optimum of brute force by two solvers, warm starts that satisfy every row, answers read."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from functools import cache

import pyomo.environ as pyo
import pytest

from oas.core.errors import InputError, SolverError, TooLargeError
from oas.core.verifier import verify
from oas.exact.coallocation.saturated.brute_force import brute_force
from oas.generate.coallocation.saturated import saturated
from oas.models.coallocation import phases
from oas.models.coallocation.phases import FORMULATION, phases_spec, prepare, read, start_values, time_of
from oas.models.coallocation.phases_model import build
from oas.models.registry import check_takes, default_formulation, reason_against
from oas.problems.coallocation.allocations import allocations
from oas.problems.coallocation.problem import COALLOCATION
from oas.problems.coallocation.progress import StartedRun, ends_of, schedule_from_starts, starts_from_schedule
from oas.solvers.export import write_model
from oas.solvers.isolation.client import run
from oas.solvers.outcome import continuous_bound
from oas.solvers.task import Limits, Settings, Task
from oas.solvers.variables import apply_start
from tests.models.coallocation.placed import four_jobs_spec
from tests.problems.coallocation.grids import four_jobs
from tests.slow import mostly_slow

SOLVERS = ("highs", "cbc")
LONG = (0, 4, 8, 21, 24, 29, 33)  # more than some seconds
SEEDS = [seed for seed in range(41) if seed not in LONG]
QUICK = SEEDS[:12]
TOLERANCE = 1e-6


@cache
def solved_instance(seed):
    """A tiny instance with narrow links, its optimum by brute force, and a schedule that has it."""
    saturation = ("paper", "max-min")[seed % 2]
    threshold = (None, "1/2", 1)[seed % 3]
    instance = saturated(seed=seed, jobs=3, sharing=saturation, threshold=threshold)
    return instance, *brute_force(instance)


def solved(spec, solver, start=None):
    outcome = run(Task(FORMULATION.builder, spec, start), Settings(solver), Limits(120))
    assert outcome.termination == "finished" and outcome.bound is not None
    return outcome, read(spec, outcome.values)


# By hand


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("saturation", "optimum"),
    [
        ("slowdown", F(64, 3)),
        ({"policy": "slowdown", "sharing": "max-min"}, F(64, 3)),
        ({"policy": "slowdown", "threshold": 1}, F(22)),  # as if saturation were forbidden
    ],
)
def test_the_four_jobs_whose_nodes_are_given(solver, saturation, optimum):
    spec = four_jobs_spec(saturation)
    outcome, runs = solved(spec, solver)
    assert max(ends_of(spec.instance, runs)) == optimum
    assert time_of(spec, continuous_bound(outcome.bound)) <= optimum <= time_of(spec, F(outcome.bound)) * F("1.000001")
    starts = sorted(run.start for run in runs)
    schedule = schedule_from_starts(spec.instance, runs)
    assert not verify(spec.instance, schedule) and schedule.makespan == optimum
    if optimum == F(64, 3):  # a start that is no end
        assert starts == [0, 0, F(26, 3), F(32, 3)]


@pytest.mark.parametrize("solver", SOLVERS)
def test_jobs_that_are_kept_apart_do_not_run_together(solver):
    instance = four_jobs("slowdown")
    choices = tuple(tuple(own) for own in four_jobs_spec().choices)
    pairs = [frozenset((one, two)) for one in range(4) for two in range(one)]
    spec = phases_spec(instance, F(44), F(0), choices, apart=pairs)
    assert max(ends_of(instance, solved(spec, solver)[1])) == 44


# Against brute force


@pytest.mark.parametrize("seed", mostly_slow(SEEDS, quick=QUICK))
def test_two_solvers_find_the_optimum_of_brute_force(seed):
    instance, optimum, schedule = solved_instance(seed)
    spec = prepare(instance, instance.scaled(), 2 * optimum, optimum / 2)
    start = start_values(spec, starts_from_schedule(instance, schedule))
    assert start is not None
    for solver in SOLVERS:
        outcome, runs = solved(spec, solver, start if seed % 2 else None)
        found = schedule_from_starts(instance, runs)
        assert not verify(instance, found)
        assert found.makespan == optimum
        assert time_of(spec, continuous_bound(outcome.bound)) <= optimum
        assert abs(float(time_of(spec, F(outcome.bound)) / optimum) - 1) < TOLERANCE


# Warm starts


def worst_row(build, spec, values):
    """Return by how much the values break the worst row, and the objective."""
    model = build(spec)
    for variable in model.component_data_objects(pyo.Var):
        variable.set_value(0, skip_validation=True)
    apply_start(model, values)
    rows = list(model.component_data_objects(pyo.Constraint, active=True))
    missed = [max(row.lb - pyo.value(row.body) if row.has_lb() else 0, 0) for row in rows]
    missed += [max(pyo.value(row.body) - row.ub if row.has_ub() else 0, 0) for row in rows]
    return max(missed), pyo.value(model.objective)


@pytest.mark.parametrize("seed", QUICK)
def test_a_schedule_satisfies_every_row(seed):
    instance, optimum, schedule = solved_instance(seed)
    for spec in (
        prepare(instance, instance.scaled(), optimum, optimum),
        phases_spec(instance, optimum, optimum, tuple(tuple(allocations(instance.scaled(), job)) for job in range(3))),
    ):
        values = start_values(spec, starts_from_schedule(instance, schedule))
        missed, objective = worst_row(build, spec, values)
        assert missed < 1e-9 and abs(objective - phases.HORIZON_UNITS) < 1e-6
        integers = {key: value for key, value in values.items() if key[0] == "runs"}
        assert max(ends_of(instance, read(spec, integers))) == optimum


def test_a_schedule_of_more_than_n_phases_is_made_shorter():
    spec = four_jobs_spec()
    # A, both, D, a pause, C, both, and B or C.
    moved = [StartedRun(job, F(start), spec.choices[job][0]) for job, start in enumerate((0, 16, 15, 1))]
    values = start_values(spec, moved)
    assert len({index[0] for (name, index) in values if name == "runs"}) <= 4
    missed, objective = worst_row(build, spec, values)
    assert missed < 1e-9 and time_of(spec, F(objective)) < max(ends_of(spec.instance, moved))


def test_what_the_model_does_not_hold_is_no_start():
    spec = four_jobs_spec()
    runs = solved(spec, "highs")[1]
    one = replace(spec, configurations=spec.configurations[:1])
    assert start_values(one, runs) is None
    other = allocations(spec.instance.scaled(), 0)[0]
    assert other not in spec.choices[0]
    assert start_values(spec, [replace(runs[0], allocation=other), *runs[1:]]) is None


# Answers


def incumbent(spec, *sequence):
    """Values that say that these jobs run together, phase by phase."""
    place = {tuple(job for job, _ in one.members): index for index, one in enumerate(spec.configurations)}
    return {("runs", (phase, place[jobs])): 1.0 for phase, jobs in enumerate(sequence)}


def test_starts_are_exact_and_phases_of_no_length_do_not_count():
    spec = four_jobs_spec()
    by_hand = incumbent(spec, (0, 3), (0, 2, 3), (1, 2, 3), (1, 2))
    assert [run.start for run in read(spec, by_hand)] == [0, F(32, 3), F(26, 3), 0]
    one_by_one = incumbent(spec, (0,), (0, 3), (3,), (2,), (1,))  # 3 beside 0 costs nothing: (0,) gets no time
    assert [run.start for run in read(spec, one_by_one)] == [0, 24, 12, 0]


@pytest.mark.parametrize(
    ("sequence", "message"),
    [
        ([(0,), (1,), (2,)], "no durations"),  # job 3 never runs
        ([(0, 2), (1, 3)], "no durations"),  # 0 and 2 are not done at the same time
        ([], "no durations"),
    ],
)
def test_nonsense_is_an_error(sequence, message):
    spec = four_jobs_spec()
    with pytest.raises(SolverError, match=message):
        read(spec, incumbent(spec, *sequence))


def test_a_broken_run_is_an_error():
    spec = four_jobs_spec()
    # A begins, C runs alone for a while, A goes on: durations exist.
    values = incumbent(spec, (0, 3), (2, 3), (0, 2), (2,), (1,))
    with pytest.raises(SolverError, match="breaks the run of job A"):
        read(spec, values)


def test_two_configurations_at_once_are_an_error():
    spec = four_jobs_spec()
    with pytest.raises(SolverError, match="two configurations in step 0"):
        read(spec, {("runs", (0, 0)): 1.0, ("runs", (0, 1)): 1.0})


# Who takes what


def test_the_default_is_the_first_that_takes_the_instance():
    for saturation, slot, name in (("forbid", 0, "start-indexed"), ("slowdown", 0, "phases")):
        assert default_formulation(COALLOCATION, instance=four_jobs(saturation, slot=slot)).name == name
    assert default_formulation(COALLOCATION).name == "start-indexed"
    assert reason_against(FORMULATION, four_jobs("slowdown", slot=2)) == "it is for continuous time, and slots are 2"
    with pytest.raises(InputError, match="formulation: does not take this instance: it is for continuous time"):
        check_takes(FORMULATION, four_jobs("slowdown", slot=2))
    with pytest.raises(InputError, match=r"saturation: the formulation phases does not implement it.*got 'forbid'"):
        check_takes(FORMULATION, four_jobs())
    with pytest.raises(InputError, match=r"none for these solvers under slowdown.*counts: it knows forbid"):
        default_formulation(COALLOCATION, "cpsat", four_jobs("slowdown"))


def test_too_large_is_said_by_name(monkeypatch):
    instance = four_jobs("slowdown")
    count = len(prepare(instance, instance.scaled(), F(44), F(0)).configurations)
    monkeypatch.setattr(phases, "MAX_CONFIGURATIONS", count - 1)
    with pytest.raises(TooLargeError, match=f"the phases model would have more than {count - 1:,} configurations"):
        prepare(instance, instance.scaled(), F(44), F(0))
    monkeypatch.setattr(phases, "MAX_CONFIGURATIONS", count)
    monkeypatch.setattr(phases, "MAX_VARIABLES", 4 * count - 1)
    with pytest.raises(TooLargeError, match=f"the phases model would have {4 * count:,} variables"):
        prepare(instance, instance.scaled(), F(44), F(0))


def test_it_can_be_written_to_a_file(tmp_path):
    for name in ("model.lp", "model.mps"):
        assert "runs" in write_model(FORMULATION.builder, four_jobs_spec(), tmp_path / name).read_text()
