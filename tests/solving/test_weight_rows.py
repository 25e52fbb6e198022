"""Weight rows hold in every feasible schedule, and their capacities are the heaviest sets that can run together."""

import gc
from dataclasses import replace
from itertools import product
from random import Random

import pytest

import oas
from oas.coallocation.allocations import runs_from_schedule
from oas.coallocation.generate.section4 import section4
from oas.coallocation.models import feasible_sets as coallocation_sets
from oas.coallocation.models import start_indexed as coallocation_start_indexed
from oas.lp.program import LinearProgram
from oas.mosp.generate.section7 import uni
from oas.mosp.models import feasible_sets as mosp_sets
from oas.mosp.models import start_indexed as mosp_start_indexed
from oas.mosp.models.reductions import free_at
from oas.solvers.isolation.client import call, run
from oas.solvers.matrix import of_model
from oas.solvers.task import Limits, Settings, Task, integer_bound
from oas.solving.brute_force import brute_force
from oas.solving.lower_bound import best_bound
from oas.solving.methods import toolkit_methods
from oas.solving.model_builder import ticks_of
from oas.solving.model_run import strengthened
from oas.solving.weight_rows import Hull, WeightRow, terms_of
from tests.coallocation import grids
from tests.mosp.instances import random_cluster_runs
from tests.mosp.instances import random_instance as random_mosp
from tests.slow import at_least, draws
from tests.solving.rows import broken, model_of, rows_of, values_of
from tests.strategies import random_feasible_runs

RELAX = "oas.solvers.matrix:solve_relaxation"


def grid(seed):
    """A grid whose jobs compete for nodes and links."""
    rng = Random(seed)
    if seed % 3 == 0:
        return grids.small(40, 25)[seed // 3 % 40][0]
    bandwidth, percent = rng.choice(("std", "tight")), rng.choice((100, 70, 50))
    return section4(
        seed=seed, jobs=rng.randint(3, 6), nodes=rng.randint(1, 3), bandwidth=bandwidth, slot_percent=percent
    )


def organizations(seed):
    """Clusters without promises, some of them partly reserved, some jobs released late."""
    rng = Random(seed)
    instance = random_mosp(seed, max_jobs=7, releases=rng.random() < 0.5, reservations=rng.random() < 0.5)
    return instance.with_locality(None)


def tiny(draw, seed, count):
    """Return one of `count` tiny grids, or tiny organizations, with its ticks, and its optimum by brute force."""
    if draw is grid:
        instance = grids.small(count, 25)[seed % count][0]
    else:
        instance = random_mosp(seed, max_jobs=4, releases=seed % 2 == 0, reservations=seed % 3 == 0)
    scaled = instance.scaled()
    return instance, scaled, int(brute_force(instance)[0] / scaled.tick)


def grid_schedules(instance, seed):
    methods = toolkit_methods(instance.problem, instance.variant)
    schedules = [methods[(seed + index) % len(methods)](instance) for index in range(3)]
    return [random_feasible_runs(instance, seed)] + [
        runs_from_schedule(instance, instance.scaled(), schedule) for schedule in schedules
    ]


def organization_schedules(instance, seed):
    return [random_cluster_runs(instance.scaled(), 10 * seed + index) for index in range(4)]


def last_end(instance, runs):
    times = getattr(instance.scaled(), "times", None)
    return max(one.end if times is None else one.start + times[one.job] for one in runs)


CASES = pytest.mark.parametrize(
    ("formulation", "draw", "schedules"),
    [
        (coallocation_start_indexed.FORMULATION, grid, grid_schedules),
        (mosp_start_indexed.FORMULATION, organizations, organization_schedules),
    ],
    ids=["grid", "mosp"],
)


class Unlimited:
    """A session without limits."""

    def must_stop(self):
        return False

    def time_left(self):
        return None


def at_every_moment(spec, formulation):
    """Return the spec with its rows at all moments at which the same capacity applies."""
    strong = strengthened(formulation, spec)
    rows = set(strong.weight_rows)
    if hasattr(spec, "choices"):
        rows |= {row._replace(moment=moment) for row in rows for moment in spec.moments}
    return replace(spec, weight_rows=tuple(rows)), len(strong.weight_rows)


@CASES
@pytest.mark.parametrize("reduced", [False, True])
def test_feasible_schedules_satisfy_every_row(formulation, draw, schedules, reduced):
    added = 0
    for seed in range(draws(30)):
        instance = draw(seed)
        scaled, every = instance.scaled(), schedules(instance, seed)
        horizon = max(last_end(instance, runs) for runs in every)
        bound = int(best_bound(instance).value / scaled.tick) if seed % 2 else 0
        prepare = formulation.prepare if reduced else formulation.prepare_full
        spec, found = at_every_moment(prepare(instance, scaled, horizon, bound), formulation)
        rows = [row for row in rows_of(model_of(formulation, spec)) if row[0] == "weights"]
        for runs in every:
            values = formulation.start_values(spec, runs) if reduced else values_of(spec, runs)
            if values is not None:
                assert broken(rows, values) == set(), (seed, runs)
        added += found
    assert added >= at_least(40)


@CASES
@pytest.mark.parametrize("reduced", [False, True])
def test_the_optimum_is_that_of_brute_force(formulation, draw, schedules, reduced):
    added = 0
    for seed in range(draws(12)):
        instance, scaled, optimum = tiny(draw, seed, 12)
        prepare = formulation.prepare if reduced else formulation.prepare_full
        spec = strengthened(formulation, prepare(instance, scaled, optimum + seed % 4, 0))
        outcome = run(Task(formulation.builder, spec), Settings(integer_objective=True), Limits(120))
        assert ticks_of(spec, integer_bound(outcome.bound)) == optimum, seed
        assert ticks_of(spec, round(outcome.objective)) == optimum, seed
        added += len(spec.weight_rows)
    assert added >= at_least(12)


@CASES
@pytest.mark.parametrize("reduced", [False, True])
def test_the_bound_on_the_makespan_is_no_greater_than_the_optimum(formulation, draw, schedules, reduced):
    raised = 0
    for seed in range(draws(30)):
        instance, scaled, optimum = tiny(draw, seed, 30)
        prepare = formulation.prepare if reduced else formulation.prepare_full
        for horizon in (optimum, optimum + 5):
            spec = formulation.tighten(prepare(instance, scaled, horizon, 0), Unlimited())
            longest = max(
                min(time + starts[0] for one, _, time, starts in spec.columns() if one == job and starts)
                for job in range(scaled.job_count)
            )
            assert longest <= spec.lower_bound <= optimum, seed
            raised += spec.lower_bound > longest
    assert raised >= at_least(10)


@pytest.mark.parametrize(
    ("module", "instance", "optimum"),
    [
        (coallocation_start_indexed, section4(seed=540006, jobs=16, bandwidth="tight", slot_percent=50), 24),
        (mosp_start_indexed, uni(seed=540003, jobs=16, organizations=2, processors=32), 154),
    ],
    ids=["grid", "mosp"],
)
def test_the_bound_on_the_makespan_is_often_the_optimum(module, instance, optimum):
    spec = module.prepare(instance, instance.scaled(), optimum + 9, 0)
    assert module.tighten(spec, Unlimited()).lower_bound == optimum


@pytest.mark.parametrize("beyond", [0, 2])
@CASES
def test_a_model_with_the_bound_on_the_makespan_has_the_same_optimum(formulation, draw, schedules, beyond):
    for seed in range(draws(8)):
        instance, scaled, optimum = tiny(draw, seed, 8)
        spec = formulation.tighten(formulation.prepare(instance, scaled, optimum + beyond, 0), Unlimited())
        outcome = run(Task(formulation.builder, spec), Settings(integer_objective=True), Limits(120))
        assert ticks_of(spec, integer_bound(outcome.bound)) == optimum, seed
        assert ticks_of(spec, round(outcome.objective)) == optimum, seed


def wrong(duals, rng):
    """Return duals of a solver that errs: scaled, disturbed, exchanged, drawn, or far too large."""
    kind = rng.randrange(5)
    if kind == 0:
        return [dual * rng.choice((-1, 0.9, 1 + 1e-7, 2, 1000)) for dual in duals]
    if kind == 1:
        return [dual + rng.gauss(0, 0.05) for dual in duals]
    if kind == 2:
        return rng.sample(duals, len(duals))
    if kind == 3:
        return [rng.gauss(0, 10 ** rng.uniform(-3, 3)) for _ in duals]
    return [dual * 10 ** rng.uniform(0, 15) for dual in duals]


@CASES
def test_wrong_duals_weaken_rows_and_bound_only(formulation, draw, schedules, monkeypatch):
    right, rng, raised = LinearProgram.duals, Random(1), 0
    monkeypatch.setattr(LinearProgram, "duals", lambda self: wrong(right(self), rng))
    for seed in range(draws(20)):
        instance, scaled, optimum = tiny(draw, seed, 20)
        every = schedules(instance, seed)
        horizon = max(optimum, *(last_end(instance, runs) for runs in every))
        spec = formulation.tighten(formulation.prepare_full(instance, scaled, horizon, 0), Unlimited())
        assert spec.lower_bound <= optimum, seed
        raised += spec.lower_bound > 0
        rows = [row for row in rows_of(model_of(formulation, spec)) if row[0] == "weights"]
        for runs in every:
            assert broken(rows, values_of(spec, runs)) == set(), (seed, runs)
    assert raised >= at_least(5)


def heaviest_choice(spec, row):
    """Return the maximum weight of allocations that fit together, by enumeration."""
    scaled = spec.scaled
    sizes = [len(one.nodes) for one in scaled.classes]
    clusters = [one.cluster for one in scaled.classes]
    best = 0
    for chosen in product(*([None, *range(len(own))] for own in spec.choices)):
        nodes, loads = [0] * len(sizes), [0] * scaled.cluster_count
        weight = 0
        for job, choice in enumerate(chosen):
            if choice is not None:
                counts = spec.choices[job][choice].counts
                on = [sum(c for c, k in zip(counts, clusters, strict=True) if k == one) for one in range(len(loads))]
                nodes = [a + b for a, b in zip(nodes, counts, strict=True)]
                loads = [a + scaled.link_loads[job][b] for a, b in zip(loads, on, strict=True)]
                weight += row.weights[job][choice]
        if all(a <= b for a, b in zip([*nodes, *loads], [*sizes, *scaled.link_capacity], strict=True)):
            best = max(best, weight)
    return best


def heaviest_jobs(spec, row):
    (cluster,) = {k for own in row.weights for k, weight in enumerate(own) if weight}
    free = free_at(spec.profiles[cluster], row.moment)
    best = 0
    for taken in product((0, 1), repeat=spec.scaled.job_count):
        if sum(a * b for a, b in zip(taken, spec.scaled.widths, strict=True)) <= free:
            best = max(best, sum(a * own[cluster] for a, own in zip(taken, row.weights, strict=True)))
    return best


@pytest.mark.parametrize(
    ("formulation", "draw", "heaviest"),
    [
        (coallocation_start_indexed.FORMULATION, lambda seed: grids.small(60, 25)[seed][0], heaviest_choice),
        (mosp_start_indexed.FORMULATION, organizations, heaviest_jobs),
    ],
    ids=["grid", "mosp"],
)
def test_capacities_are_the_heaviest_sets(formulation, draw, heaviest):
    compared = 0
    for seed in range(draws(60)):
        instance = draw(seed)
        scaled = instance.scaled()
        spec = formulation.prepare_full(instance, scaled, 3 * int(best_bound(instance).value / scaled.tick) + 3, 0)
        rows = {(row.weights, row.capacity): row for row in strengthened(formulation, spec).weight_rows}
        for row in rows.values():
            assert heaviest(spec, row) == row.capacity, (seed, row)
        compared += len(rows)
    assert compared >= at_least(20)


def rows_of_random_weights(spec, sets, rng):
    """Return rows of large random weights at every moment at which a job can run, half of them lifted."""
    rows = []
    for place, own in enumerate(sets.places):
        for kind in sorted({kind for _, kind in own}):
            hull = Hull(sets, kind)
            weights = tuple(rng.choice((0, rng.randint(1, 9999))) for _ in range(sets.items))
            weights = hull._lifted(list(weights)) if rng.random() < 0.5 else weights
            table = [
                [0] * (1 + max(choice for _, choice, _, _ in spec.columns())) for _ in range(spec.scaled.job_count)
            ]
            for job, choice, _, _ in spec.columns():
                at, item = sets.item(job, choice)
                table[job][choice] = weights[item] if at == place else 0
            rows += [
                WeightRow(tuple(map(tuple, table)), hull.most(weights), moment) for moment, one in own if one == kind
            ]
    return [row for row in rows if any(terms_of(spec, row))]


@pytest.mark.parametrize("limits", [{}, {"MOST_SETS": 1, "MAX_CELLS": 3}], ids=["exact", "upper"])
@pytest.mark.parametrize(
    ("formulation", "module", "make_sets", "draw", "schedules", "heaviest"),
    [
        (
            coallocation_start_indexed.FORMULATION,
            coallocation_sets,
            coallocation_sets.CoallocationSets,
            lambda seed: grids.small(30, 25)[seed][0],
            grid_schedules,
            heaviest_choice,
        ),
        (
            mosp_start_indexed.FORMULATION,
            mosp_sets,
            mosp_sets.MospSets,
            organizations,
            organization_schedules,
            heaviest_jobs,
        ),
    ],
    ids=["grid", "mosp"],
)
def test_rows_of_any_weights_hold(formulation, module, make_sets, draw, schedules, heaviest, limits, monkeypatch):
    for name, limit in limits.items():
        monkeypatch.setattr(module, name, limit, raising=False)
    compared = 0
    for seed in range(draws(30)):
        instance, rng = draw(seed), Random(seed)
        scaled, every = instance.scaled(), schedules(instance, seed)
        spec = formulation.prepare_full(instance, scaled, max(last_end(instance, runs) for runs in every), 0)
        spec = replace(spec, weight_rows=tuple(rows_of_random_weights(spec, make_sets(spec), rng)))
        for row in {(row.weights, row.capacity): row for row in spec.weight_rows}.values():
            if any(map(any, row.weights)):
                assert heaviest(spec, row) <= row.capacity, (seed, row)
                compared += 1
        rows = [row for row in rows_of(model_of(formulation, spec)) if row[0] == "weights"]
        for runs in every:
            assert broken(rows, values_of(spec, runs)) == set(), (seed, runs)
    assert compared >= at_least(24)


def test_a_garbage_collection_takes_no_variable_away(monkeypatch):
    of = LinearProgram.of
    monkeypatch.setattr(LinearProgram, "of", lambda matrix: (gc.collect(), of(matrix))[1])
    instance = grids.small(1, 25)[0][0]
    spec = coallocation_start_indexed.prepare(instance, instance.scaled(), 25, 0)
    coallocation_start_indexed.strengthen(spec, Unlimited())


@pytest.mark.parametrize(
    ("formulation", "instance", "horizon", "least"),
    [
        (coallocation_start_indexed.FORMULATION, section4(seed=7004, bandwidth="tight", slot_percent=50), 17, 0.3),
        (mosp_start_indexed.FORMULATION, uni(seed=8001, jobs=10, organizations=2, processors=32), 79, 0.1),
    ],
    ids=["grid", "mosp"],
)
def test_the_rows_are_violated_by_the_relaxation_and_raise_its_bound(formulation, instance, horizon, least):
    spec = formulation.prepare(instance, instance.scaled(), horizon, 0)
    strong = strengthened(formulation, spec)
    assert strong == strengthened(formulation, spec)
    before, after = (
        call(RELAX, (of_model(model_of(formulation, one))[0], {}), Limits()).value.objective for one in (spec, strong)
    )
    assert after > before + least


def test_statistics_count_the_rows_of_a_reduced_model_and_the_other_has_none():
    instance = section4(seed=7002, jobs=5, bandwidth="tight", slot_percent=100)
    reduced, full = (oas.model(instance, reduced=one).statistics().families for one in (True, False))
    assert reduced.set_index("family").rows["weights"] > 0
    assert "weights" not in set(full.family)
