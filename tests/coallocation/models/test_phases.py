"""The phases and slots models: the optimum of brute force by two solvers, warm starts, answers and reductions."""

from dataclasses import replace
from fractions import Fraction as F
from functools import cache

import pyomo.environ as pyo
import pytest

from oas.coallocation.allocations import allocations
from oas.coallocation.generate.tiny import saturated
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.models import sequences, slots
from oas.coallocation.models.phases import FORMULATION, build, read, start_values, time_of
from oas.coallocation.models.reductions import canonical_runs, identical_jobs, reduced_allocations
from oas.coallocation.models.sequences import prepare
from oas.coallocation.running import StartedRun, ends_of, schedule_from_starts, starts_from_schedule
from oas.core.errors import SolverError, TooLargeError
from oas.core.verifier import verify
from oas.solvers.isolation.client import run
from oas.solvers.task import Limits, Settings, Task, continuous_bound, integer_bound
from oas.solving.brute_force import brute_force
from tests.coallocation.grids import four_jobs, slowed
from tests.slow import every_fourth_quick, mostly_slow
from tests.solving.rows import put

PLACES = ("PQ", "PR", "QS", "RS")


def four_jobs_spec(saturation="slowdown"):
    """Return the model of the four jobs on their clusters, with a horizon of all one after the other."""
    instance = four_jobs(saturation)
    scaled = instance.scaled()
    counts = [tuple(int(name in own) for name in "PQRS") for own in PLACES]
    choices = tuple(
        tuple(one for one in allocations(scaled, job) if one.counts == own) for job, own in enumerate(counts)
    )
    return prepare(instance, scaled, F(44), F(12), choices=choices)


SOLVERS = ("highs", "cbc")


SEEDS = (1, 2, 3, 5, 6, 7, 9, 10)
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


@pytest.mark.parametrize("solver", SOLVERS)
def test_jobs_that_are_kept_apart_do_not_run_together(solver):
    instance = four_jobs("slowdown")
    choices = tuple(tuple(own) for own in four_jobs_spec().choices)
    pairs = [frozenset((one, two)) for one in range(4) for two in range(one)]
    spec = prepare(instance, None, F(44), F(0), choices=choices, apart=pairs)
    assert max(ends_of(instance, solved(spec, solver)[1])) == 44


@pytest.mark.parametrize("seed", every_fourth_quick(SEEDS))
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


def worst_row(build, spec, values):
    """Return by how much the values break the worst row, and the objective."""
    model = put(build(spec), values)
    rows = list(model.component_data_objects(pyo.Constraint, active=True))
    missed = [max(row.lb - pyo.value(row.body) if row.has_lb() else 0, 0) for row in rows]
    missed += [max(pyo.value(row.body) - row.ub if row.has_ub() else 0, 0) for row in rows]
    return max(missed), pyo.value(model.objective)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_schedule_satisfies_every_row(seed):
    instance, optimum, schedule = solved_instance(seed)
    every = tuple(tuple(allocations(instance.scaled(), job)) for job in range(3))
    for spec in (
        prepare(instance, instance.scaled(), optimum, optimum),
        prepare(instance, None, optimum, optimum, choices=every),
    ):
        values = start_values(spec, starts_from_schedule(instance, schedule))
        missed, objective = worst_row(build, spec, values)
        assert missed < 1e-9 and abs(objective - sequences.HORIZON_UNITS) < 1e-6
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


def incumbent(spec, *sequence):
    """Values that say that these jobs run together, phase by phase."""
    place = {tuple(job for job, _ in one.members): index for index, one in enumerate(spec.configurations)}
    return {("runs", (phase, place[jobs])): 1.0 for phase, jobs in enumerate(sequence)}


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


def test_too_large_is_said_by_name(monkeypatch):
    instance = four_jobs("slowdown")
    count = len(prepare(instance, instance.scaled(), F(44), F(0)).configurations)
    monkeypatch.setattr(sequences, "MAX_CONFIGURATIONS", count - 1)
    with pytest.raises(TooLargeError, match=f"the phases model would have more than {count - 1:,} configurations"):
        prepare(instance, instance.scaled(), F(44), F(0))
    monkeypatch.setattr(sequences, "MAX_CONFIGURATIONS", count)
    monkeypatch.setattr(sequences, "MAX_VARIABLES", 4 * count - 1)
    with pytest.raises(TooLargeError, match=f"the phases model would have {4 * count:,} variables"):
        prepare(instance, instance.scaled(), F(44), F(0))


SLOTTED = range(8)


@cache
def slotted_instance(seed):
    """A tiny instance with narrow links and slots, its optimum by brute force, and a schedule that has it."""
    threshold = (None, "1/2", 1)[seed % 3]
    instance = saturated(seed=seed, jobs=3, slot=1, threshold=threshold)
    return instance, *brute_force(instance)


@pytest.mark.parametrize("seed", mostly_slow(SLOTTED, quick=(1, 4)))
def test_two_solvers_find_the_slotted_optimum(seed):
    instance, optimum, schedule = slotted_instance(seed)
    for solver in SOLVERS:
        spec = prepare(instance, instance.scaled(), int(optimum) + 2, 0)
        start = slots.start_values(spec, starts_from_schedule(instance, schedule))
        assert start is not None
        task = Task(slots.FORMULATION.builder, spec, start if seed % 2 else None)
        outcome = run(task, Settings(solver, integer_objective=True), Limits(120))
        found = schedule_from_starts(instance, slots.read(spec, outcome.values))
        assert not verify(instance, found)
        assert found.makespan == optimum == slots.ticks_of(spec, integer_bound(outcome.bound))


@pytest.mark.parametrize("seed", SLOTTED)
def test_a_slotted_schedule_satisfies_every_row(seed):
    instance, optimum, schedule = slotted_instance(seed)
    for horizon, bound in ((int(optimum), 0), (int(optimum) + 3, int(optimum) - 1)):
        spec = prepare(instance, instance.scaled(), horizon, bound)
        values = slots.start_values(spec, starts_from_schedule(instance, schedule))
        missed, objective = worst_row(slots.build, spec, values)
        assert missed < 1e-9 and slots.ticks_of(spec, round(objective)) == optimum
    too_short = prepare(instance, instance.scaled(), int(optimum) - 1, 0)
    assert slots.start_values(too_short, starts_from_schedule(instance, schedule)) is None


def configurations_of_one(spec):
    """By job, a configuration in which it runs alone."""
    return {one.members[0][0]: index for index, one in enumerate(spec.configurations) if len(one.members) == 1}


@pytest.mark.parametrize(
    ("order", "message"),
    [((0, 1), "does not run job w"), ((0, 1, 0, 2), "breaks the run of job u"), ((0, 0, 1), "does not run job w")],
)
def test_nonsense_in_slots_is_an_error(order, message):
    instance = slowed(1)
    spec = prepare(instance, instance.scaled(), 30, 0)
    alone = configurations_of_one(spec)
    with pytest.raises(SolverError, match=message):
        slots.read(spec, {("runs", (slot, alone[job])): 1.0 for slot, job in enumerate(order)})
    with pytest.raises(SolverError, match="two configurations in step 3"):
        slots.read(spec, {("runs", (3, 0)): 1.0, ("runs", (3, 1)): 1.0})


SHARINGS = ("paper", "max-min")


def policy(sharing):
    return {"policy": "slowdown", "sharing": sharing}


def clusters(*given):
    return [Cluster(f"C{place}", [NodeGroup(*one) for one in groups], own) for place, (groups, own) in enumerate(given)]


@pytest.mark.parametrize(("sharing", "left"), [("paper", 1), ("max-min", 2)])
def test_dominance_is_that_of_the_sharing(sharing, left):
    # On C1 and C2 job x runs alone on links that the wide job saturates beside it; on C0 it needs no link at all.
    jobs = [Job("wide", 3, 4, 2, F(1, 2)), Job("x", 2, 3, 1, F(1, 2))]
    grid = clusters(([(5, 1)], 9), ([(4, 1)], F(1, 2)))
    instance = CoallocationInstance(grid, jobs, 0, policy(sharing))
    assert len(reduced_allocations(instance)[1]) == left


@pytest.mark.parametrize("sharing", SHARINGS)
def test_runs_are_moved_onto_what_is_kept(sharing):
    moved_at_all = False
    for seed in range(40):
        instance = saturated(seed=seed, jobs=3, sharing=sharing)
        scaled, kept = instance.scaled(), reduced_allocations(instance)
        own = [allocations(scaled, job)[-1] for job in range(3)]
        runs = [StartedRun(job, F(20 * (2 - job)), choice) for job, choice in enumerate(own)]  # one after the other
        found = canonical_runs(instance, kept, identical_jobs(instance), runs)
        assert found is not None and [run.job for run in found] == [0, 1, 2]
        assert all(run.allocation in kept[run.job] for run in found)
        assert sorted(run.start for run in found) == [0, 20, 40]
        assert max(ends_of(instance, found)) <= max(ends_of(instance, runs))
        moved_at_all |= found != runs
        for group in identical_jobs(instance):
            assert sorted(group, key=lambda job: found[job].start) == list(group)
    assert moved_at_all
