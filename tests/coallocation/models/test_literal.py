"""The literal model against brute force: as built, with each family taken out, as printed; its starts and answers."""

import pickle
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from random import Random

import pyomo.environ as pyo
import pytest
from pyomo.repn import generate_standard_repn

from oas.coallocation.allocations import jobs_without_allocation, schedule_from_runs
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.models import literal
from oas.coallocation.models.literal_model import build
from oas.coallocation.ticks import link_load
from oas.core.errors import InputError, SolverError, TooLargeError
from oas.core.verifier import verify
from oas.lp.program import LinearProgram
from oas.solvers.isolation.client import run
from oas.solvers.matrix import of_model, proven_bound
from oas.solvers.task import Limits, Settings, Task, integer_bound
from oas.solving.brute_force import brute_force
from oas.solving.model_run import strengthened
from tests.coallocation import grids
from tests.slow import mostly_slow
from tests.solving.rows import put
from tests.strategies import random_feasible_runs, random_instance


@cache
def solved_instance(seed):
    """Return the random instance of this seed and its optimum by brute force."""
    instance = random_instance(seed)
    return instance, brute_force(instance)[0]


@cache
def literal_specs(count, coefficients):
    """Return the first `count` seeds whose literal model, a slot longer than the optimum, has few coefficients."""
    found = []
    seed = 0
    while len(found) < count:
        instance, optimum = solved_instance(seed)
        scaled = instance.scaled()
        try:
            spec = literal.prepare(instance, scaled, int(optimum / scaled.tick) + 1, 0)
        except TooLargeError:
            spec = None
        if spec is not None and spec.coefficient_count <= coefficients:
            found.append((seed, spec))
        seed += 1
    return tuple(found)


def pool():
    return literal_specs(40, 3000)


BUILDER = literal.FORMULATION.builder
VARIANTS = "tests.coallocation.models.literal_variants"


def forms(spec):
    """The model, with weights of the jobs, and as printed."""
    return spec, strengthened(literal.FORMULATION, spec), replace(spec, strict=True)


def solve(payload, builder=BUILDER, solver="highs", **task):
    settings = Settings(solver=solver, integer_objective=True)
    return run(Task(builder, payload, **task), settings, Limits(time=120))


def makespan(spec, outcome):
    """Read, verify and measure; fails on a schedule that breaks a rule."""
    assert outcome.values is not None, outcome
    schedule = schedule_from_runs(spec.instance, spec.scaled, literal.read(spec, outcome.values))
    assert verify(spec.instance, schedule) == []
    return schedule.makespan


def assert_optimal(spec, outcome, optimum):
    assert makespan(spec, outcome) == optimum
    assert spec.scaled.to_time(integer_bound(outcome.bound)) == optimum


@pytest.mark.parametrize("place", mostly_slow(range(0, 21, 4), quick=(4, 12)))
def test_optimum_is_brute_forces(place):
    seed, spec = pool()[place]
    for solver in ("highs", "cbc"):
        for one in forms(spec):
            assert_optimal(one, solve(one, solver=solver), solved_instance(seed)[1])


def test_a_horizon_below_the_optimum_is_infeasible():
    instance = grids.uniform(2)  # one node pair, durations 3 and 4 slots, so 7
    assert brute_force(instance)[0] == 14
    assert solve(literal.prepare(instance, instance.scaled(), 7, 0)).infeasible is False
    assert solve(literal.prepare(instance, instance.scaled(), 6, 0)).infeasible is True


# Families that other rows imply at every integer point, or at some optimum: nothing goes wrong without them.
IMPLIED = {
    "tasks_together": "(12) leaves τ nodes, (17) and (19) n slots, and (20) asks for all τ·n pairs",
    "processing_slowdown": "whole_slots_exact repeats it",
    "time_cost": "whole_slots_exact repeats it",
    "whole_slots": "whole_slots_exact repeats it",
    "whole_slots_exact": "whole_slots repeats it",
    "one_count": "(4) is concave and 0 at 0: a count split into two loads the link no less",
    "bandwidth_of_placement": "no optimum needs BW high",
    "bandwidth_only_running": "no optimum needs BW high",
    "link_covers": "no instance here nearly fills a link; those of test_tight_rows.py do",
    "lower_bound": "it is true",
}
PRINTED = build(replace(literal_specs(1, 3000)[0][1], strict=True))
FAMILIES = [one.local_name for one in PRINTED.component_objects(pyo.Constraint)]


def fails(spec, families, optimum):
    """Whether the model without `families` goes wrong here: another objective, or an answer that is no schedule."""
    outcome = solve((replace(spec, strict=True), families), f"{VARIANTS}:without")
    if outcome.values is None or outcome.objective is None:
        return True
    try:
        runs = literal.read(spec, outcome.values)
        schedule = schedule_from_runs(spec.instance, spec.scaled, runs)
    except (SolverError, InputError):
        return True
    stated = spec.scaled.to_time(round(outcome.objective))
    return bool(verify(spec.instance, schedule)) or schedule.makespan != optimum or stated != optimum


NEEDED = [(one,) for one in FAMILIES if one not in IMPLIED]


@pytest.mark.parametrize("families", [*NEEDED, ("whole_slots", "whole_slots_exact")], ids="+".join)
def test_no_family_of_the_print_can_be_missed(families):
    assert any(fails(spec, families, solved_instance(seed)[1]) for seed, spec in pool())


@pytest.mark.parametrize("first", mostly_slow(range(0, 75, 25), quick=(0,)))
def test_19_and_20_as_printed_give_the_optimum_unless_a_duration_is_fixed_between_slots(first):
    """SP ≥ Z/Γ may rise until (19) and (20) hold; with σ = 0 it does not matter, and the duration is Tb."""
    for seed in range(first, first + 25):
        instance, optimum = solved_instance(seed)
        if not instance.slot:
            continue
        spec = literal.prepare(instance, instance.scaled(), int(optimum / instance.slot) + 1, 0, strict=True)
        if spec.coefficient_count > 3000:
            continue
        outcome = solve((spec, "at least"), f"{VARIANTS}:as_printed")
        fixed = [job.base_time / instance.slot for job in instance.jobs if job.sigma == 0]
        assert outcome.infeasible is any(slots.denominator > 1 for slots in fixed), seed
        if not outcome.infeasible:
            assert outcome.objective == pytest.approx(float(optimum / instance.slot)), seed


def test_19_and_20_as_printed_are_infeasible_unless_the_slot_divides_if_sp_equals_equation_3():
    for slot, divides in ((1, True), (2, True), (4, False), (5, False)):
        instance = grids.uniform(slot)
        scaled = instance.scaled()
        optimum = brute_force(instance)[0]
        spec = literal.prepare(instance, scaled, int(optimum / scaled.tick), 0, strict=True)
        outcome = solve((spec, "equal"), f"{VARIANTS}:as_printed")
        if divides:
            assert outcome.infeasible is False
            assert outcome.objective == pytest.approx(float(optimum / scaled.tick))
        else:
            assert outcome.infeasible is True
        assert_optimal(spec, solve(spec), optimum)


def test_as_printed_jobs_run_as_short_as_they_please_if_sp_is_free():
    instance = grids.uniform(1)
    spec = literal.prepare(instance, instance.scaled(), 14, 0, strict=True)
    assert brute_force(instance)[0] == 14
    outcome = solve((spec, "free"), f"{VARIANTS}:as_printed")
    assert outcome.objective == pytest.approx(2)  # one slot each


def large_bandwidths(seed):
    """Bandwidths of ten digits without a common divisor; links exactly as wide as two jobs' loads, or a hair narrower.

    With rows of such integers HiGHS 1.15.1 finds some of these infeasible and proves wrong bounds for others.
    """
    draw, instance = Random(seed), random_instance(seed, slots=[F(3), F(7, 4)])
    jobs = [
        Job(job.id, job.tasks, job.base_time, 10**9 + draw.randint(0, 10**9 // 3), job.sigma) for job in instance.jobs
    ]
    clusters = []
    for one in instance.clusters:
        pair = draw.sample(jobs, min(2, len(jobs)))
        load = sum(max(link_load(job, count) for count in range(job.tasks + 1)) for job in pair)
        clusters.append(Cluster(one.id, one.groups, max(F(0), load - draw.choice((0, 0, 1, F(1, 7))))))
    return CoallocationInstance(clusters, jobs, slot=instance.slot)


def large_bandwidth_specs(seeds):
    found = []
    for instance in map(large_bandwidths, seeds):
        scaled = instance.scaled()
        if not jobs_without_allocation(scaled):
            optimum = brute_force(instance)[0]
            spec = literal.prepare(instance, scaled, int(optimum / scaled.tick) + 1, 0)
            found += [(spec, optimum)] if spec.coefficient_count <= 3000 else []
    return found


@pytest.mark.slow
def test_large_bandwidths_fool_no_solver():
    specs = large_bandwidth_specs(range(31))
    assert len(specs) >= 15
    for spec, optimum in specs:
        assert_optimal(spec, solve(spec), optimum)


@pytest.mark.slow
def test_size_is_known_before_building():
    for spec in (form for _, one in pool() for form in forms(one)):
        model = build(spec)
        rows = model.component_data_objects(pyo.Constraint)
        built = sum(len(generate_standard_repn(row.body).linear_vars) for row in rows)
        assert sum(1 for _ in model.component_data_objects(pyo.Var)) == spec.variable_count
        assert built <= spec.coefficient_count <= 2 * built + 60


def test_a_model_too_large_is_refused_before_it_is_built():
    instance = CoallocationInstance([Cluster("A", [NodeGroup(12, 1)], 1)], [Job("a", 12, 30)], slot=1)
    with pytest.raises(TooLargeError, match=r"the literal model would have [\d,]+ coefficients, above 2,000,000"):
        literal.prepare(instance, instance.scaled(), 3000, 0)
    with pytest.raises(TooLargeError, match=r"the literal model would have [\d,]+ variables, above 200,000"):
        literal.prepare(instance, instance.scaled(), 300_000, 0)
    with pytest.raises(InputError, match=r"horizon: .* 30 ticks .*got 29"):
        literal.prepare(instance, instance.scaled(), 29, 0)


# Only these rows hold numbers that a float may round: 1/Γ, σ and Tb/η.
ROUNDED = {"processing_slowdown", "time_cost", "whole_slots"}


def spec_and_runs(seed):
    instance = solved_instance(seed)[0]
    runs = random_feasible_runs(instance, seed)
    return literal.prepare(instance, instance.scaled(), max(run.end for run in runs), 0), runs


def broken_rows(spec, values):
    """Families with a row that the values break; fails if a value has no variable or breaks its domain."""
    model = put(build(spec), values)
    for variable in model.component_data_objects(pyo.Var):
        low, high = variable.bounds
        assert variable.value in variable.domain and (low is None or low <= variable.value), variable.name
        assert high is None or variable.value <= high, variable.name
    broken = set()
    for row in model.component_data_objects(pyo.Constraint):
        family = row.parent_component().local_name
        slack = 1e-9 if family in ROUNDED else 0
        if min(row.lslack(), row.uslack()) < -slack:
            broken.add(family)
    return broken


def test_weights_are_in_two_families_of_which_the_print_has_none():
    names = [{one.local_name for one in build(form).component_objects(pyo.Constraint)} for form in forms(pool()[4][1])]
    assert names[1] - names[0] == {"weights", "work"}
    assert names[0] - names[2] == {"running_after_start"} and names[2] <= names[0]


@pytest.mark.parametrize("place", range(5))
def test_a_warm_start_satisfies_every_row(place):
    seed, _ = pool()[place]
    spec, runs = spec_and_runs(seed)
    values = literal.start_values(spec, runs)
    assert values is not None and all(values.values())
    for one in forms(spec):
        assert broken_rows(one, values) == set()
    assert max(run.end for run in runs) == values["makespan", ()]
    assert literal.read(pickle.loads(pickle.dumps(spec)), values) == sorted(runs, key=lambda run: run.job)


def warm_start(make=grids.mixed):
    """Return the grid's spec and the values of a random schedule of it, two slots before the horizon."""
    instance = make()
    runs = random_feasible_runs(instance, 1)
    spec = literal.prepare(instance, instance.scaled(), max(run.end for run in runs) + 2, 0)
    values = literal.start_values(spec, runs)
    return spec, values


def cells(values, job):
    return sorted(
        (slot, node) for name, index in values if name == "X" and index[0] == job for _, node, slot in [index]
    )


def drop_start(values):
    del values[next(key for key in values if key[0] == "Y" and key[1][0] == 0)]


def start_twice(values):
    values["Y", (0, 1 + next(key[1][1] for key in values if key[0] == "Y" and key[1][0] == 0))] = 1


def drop_node(values):
    del values[next(key for key in values if key[0] == "Z" and key[1][0] == 0)]


def other_node(values):
    held = {key[1][1] for key in values if key[0] == "Z" and key[1][0] == 1}
    (node,) = held
    del values["Z", (1, node)]
    values["Z", (1, (node + 1) % 3)] = 1


def leave_a_gap(values):
    last, node = cells(values, 1)[-1]
    del values["X", (1, node, last)]
    values["X", (1, node, last + 1)] = 1


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (drop_start, "starts job wide 0 times"),
        (start_twice, "starts job wide 2 times"),
        (drop_node, "gives job wide 1 nodes, not 2"),
        (other_node, "does not hold the nodes of job alone"),
        (leave_a_gap, "does not hold the nodes of job alone"),
    ],
)
def test_nonsense_is_refused_and_breaks_a_row(spoil, reason):
    spec, values = warm_start()
    assert broken_rows(spec, values) == set()
    spoil(values)
    with pytest.raises(SolverError, match=reason):
        literal.read(spec, values)
    assert broken_rows(spec, values)


@pytest.mark.parametrize(("sigma", "time"), [(F(1, 10), 5), (F(1, 10), 10)])
def test_no_duals_prove_a_bound_above_the_optimum_by_rounded_coefficients(sigma, time):
    instance = CoallocationInstance([Cluster("A", [NodeGroup(1, 1)], 1)], [Job("a", 1, time, 0, sigma)], slot=1)
    spec = literal.prepare(instance, instance.scaled(), time + 1, 0)
    matrix, _ = of_model(build(spec))
    # These rows are as strong as the paper's: without them, duals of the same value use the rounded coefficients.
    duals, others = [0.0] * len(matrix.rows), ("whole_slots_exact", "running_after_start")
    kept = [index for index, row in enumerate(matrix.rows) if row.family not in others]
    program = LinearProgram.of(replace(matrix, rows=tuple(matrix.rows[index] for index in kept)))
    assert program.solve() == pytest.approx(time)
    for index, dual in zip(kept, program.duals(), strict=True):
        duals[index] = dual
    assert proven_bound(matrix, duals) <= time
