"""The start-indexed model of fair sharing: exactly the verifier's schedules, at what they cost, and its reductions."""

from collections import Counter
from dataclasses import replace
from itertools import product
from random import Random

import pyomo.environ as pyo
import pytest
from pyomo.core.expr.visitor import identify_variables

from benchmarks.soak.fair import model
from benchmarks.soak.findings import AGREED
from benchmarks.soak.poor_schedules import worst_start
from oas.core.errors import InputError, SolverError, TooLargeError
from oas.fair.exact.brute_force import brute_force
from oas.fair.models import start_indexed
from oas.fair.models.reductions import alike, canonical_starts, latest_starts, start_moments
from oas.fair.models.start_indexed import FairStartSpec, cost_of, formulation, read, start_values
from oas.fair.models.start_indexed_model import build
from oas.fair.objectives import Objective, ScheduleClass, class_violations, objective_value, open_at_horizon
from oas.fair.ticks import schedule_from_starts, starts_from_schedule
from oas.solvers.task import Settings
from tests.fair.instances import array_of, case, fair, random_instance
from tests.fair.instances import random_starts as starts_by_lot
from tests.solving.rows import broken as broken_rows
from tests.solving.rows import put, rows_of


def spec_of(instance, objective, schedule_class, horizon=None, bound=0):
    until = instance.horizon if horizon is None else horizon
    found = formulation(objective, schedule_class).prepare(instance, instance.scaled(), until, bound)
    assert isinstance(found, FairStartSpec)
    return found


def unreduced(instance, objective, schedule_class, horizon=None):
    """Every moment, every start from the release on, and no symmetry taken away."""
    spec = spec_of(instance, objective, schedule_class, horizon)
    ending = objective is Objective.MAKESPAN
    starts = tuple(
        tuple(range(release, spec.until - (time - 1) * ending))
        for release, time in zip(spec.releases, spec.times, strict=True)
    )
    certain = (ending,) * len(starts)
    return replace(spec, moments=tuple(range(spec.until)), starts=starts, certain=certain, alike=())


def broken(spec, values):
    """Families with a row that the values break."""
    return broken_rows(rows_of(build(spec)), values)


SECONDS = 120.0
EVERY = list(product(Objective, ScheduleClass))


def random_starts(instance, rng):
    """Starts from each release on, in the order of each organization or almost: half of them near a greedy one."""
    ticks = instance.scaled()
    if rng.random() < 0.5:
        schedule = worst_start(instance, Objective.FLOW)
        starts = starts_from_schedule(instance, schedule).tolist()
        job = rng.randrange(ticks.job_count)
        starts[job] = max(int(ticks.release[job]), starts[job] + rng.randint(-1, 2))
    else:
        starts = [max(release, rng.randint(-1, instance.horizon)) for release in ticks.release.tolist()]
    return [start if start < instance.horizon else -1 for start in starts]


def accepted(instance, starts, objective, schedule_class):
    try:
        schedule = schedule_from_starts(instance, starts)
    except InputError:  # more processors than there are
        return False
    if objective is Objective.MAKESPAN and open_at_horizon(instance, schedule):
        return False
    return not class_violations(instance, schedule, schedule_class)


@pytest.mark.parametrize("seed", range(3))
def test_it_allows_what_the_verifier_allows(seed):
    instance, rng = case(seed), Random(seed)
    seen = Counter()
    for objective, schedule_class in EVERY:
        spec = unreduced(instance, objective, schedule_class)
        rows = rows_of(build(spec))
        for _ in range(15):
            starts = random_starts(instance, rng)
            values = start_values(spec, starts)
            if values is None:  # the makespan does not apply
                assert not accepted(instance, starts, objective, schedule_class)
                continue
            assert (broken_rows(rows, values) == set()) == accepted(instance, starts, objective, schedule_class), starts
            seen[broken_rows(rows, values) == set()] += 1
    assert seen[True] >= 3 and seen[False] >= 20, seen


@pytest.mark.parametrize("seed", range(3))
def test_its_objective_is_what_a_schedule_costs(seed):
    for objective, schedule_class in EVERY:
        schedule = worst_start(case(seed), objective)
        if schedule is None:
            continue
        value = objective_value(case(seed), schedule, objective)
        untils = {value, case(seed).horizon} if objective is Objective.MAKESPAN else {case(seed).horizon}
        for until in untils:
            spec = spec_of(case(seed), objective, schedule_class, until)
            values = start_values(spec, starts_from_schedule(case(seed), schedule).tolist())
            assert values is not None and broken(spec, values) == set()
            stated = round(pyo.value(put(build(spec), values).objective))
            assert cost_of(spec, stated) == objective.sign * value
            again = schedule_from_starts(case(seed), read(spec, values))
            assert objective_value(case(seed), again, objective) == value


def test_families_by_hand():
    """Two processors; each schedule breaks one rule."""
    instance = fair((1, [(3,), (2,)]), (1, [(4, 1)]), horizon=6)  # a1, a2, b1
    spec = unreduced(instance, Objective.FLOW, ScheduleClass.GREEDY)

    def families(*starts):
        values = start_values(spec, starts)
        return broken(spec, values)

    assert families(0, 0, 2) == set()
    assert families(0, 3, 1) == {"greedy"}
    assert families(0, 0, 1) == {"processors"}
    assert families(2, 1, 3) == {"fifo", "greedy"}
    waits_again = {("waits", (0, 3)): 1.0}
    assert "once" in broken(spec, waits_again)
    with pytest.raises(SolverError, match="wait after its start"):
        read(spec, waits_again)


def test_the_objective_is_small():
    """Of jobs that are all two processors wide losses are even; those of the makespan count attainable ones."""
    wide = fair((2, [(2, 0, 2), (4, 0, 2)]), (2, [(2, 0, 2), (6, 0, 2), (2, 0, 2)]), horizon=10)
    spec = spec_of(wide, Objective.STRATEGY_PROOF, ScheduleClass.ANY)
    assert spec.unit % 2 == 0
    assert cost_of(spec, 0) == spec.least_cost and cost_of(spec, 3) == spec.least_cost + 3 * spec.unit
    ending = spec_of(wide, Objective.MAKESPAN, ScheduleClass.ANY, 10, 6)
    assert ending.ends == [8, 10]
    assert [cost_of(ending, steps) for steps in (-1, 0, 1, 2, 3)] == [6, 6, 8, 10, 10]


@pytest.mark.parametrize("solver", ["highs", "cbc"])
def test_a_model_in_which_all_is_certain_is_solved_too(solver):
    """As many processors as jobs, all released at once: each greedy schedule starts all of them there."""
    instance = fair((2, [(5,), (5,)]), (2, [(5,), (5,)]), horizon=9)
    assert not list(spec_of(instance, Objective.FLOW, ScheduleClass.GREEDY).columns())
    start = worst_start(instance, Objective.FLOW)
    question = Objective.FLOW, ScheduleClass.GREEDY
    assert model(instance, question, Settings(solver), start, 20, SECONDS).verdict == AGREED


def test_size_is_known_before_building():
    for seed, (objective, schedule_class) in product(range(8), EVERY):
        spec = spec_of(case(seed), objective, schedule_class)
        built = build(spec)
        assert len(built.waits) == len(list(spec.columns()))
        rows = [row for family in (built.processors, built.greedy) for row in family.values()]
        assert sum(len(list(identify_variables(row.body))) for row in rows) <= spec.nonzeros


def test_a_model_too_large_is_refused_before_it_is_built(monkeypatch):
    many = fair((1, [(time,) for time in range(400, 440)]), (1, [(7, 1)]), horizon=50_000)
    with pytest.raises(TooLargeError, match=r"model would have [\d,]+ variables, above 300,000"):
        spec_of(many, Objective.FLOW, ScheduleClass.ANY)
    monkeypatch.setattr(start_indexed, "MAX_NONZEROS", 20)
    with pytest.raises(TooLargeError, match=r"model would have [\d,]+ coefficients, above 20"):
        spec_of(case(1), Objective.FLOW, ScheduleClass.GREEDY)
    with pytest.raises(TooLargeError, match="would have 2,001 jobs, above 2,000"):
        spec_of(fair((1, [(1,)] * 2001), horizon=9), Objective.FLOW, ScheduleClass.ANY)


@pytest.mark.parametrize("seed", range(6))
def test_two_solvers_find_what_brute_force_finds(seed):
    """Successive seeds go through objectives and classes; all of them on each: `benchmarks.soak`."""
    instance = case(seed)
    objective, schedule_class = EVERY[seed % len(EVERY)]
    found, start = brute_force(instance, objective, schedule_class), worst_start(instance, objective)
    if found is None or start is None:
        objective = Objective.FLOW
        found, start = brute_force(instance, objective, schedule_class), worst_start(instance, objective)
    assert found is not None and start is not None
    for solver in ("highs", "cbc"):
        finding = model(instance, (objective, schedule_class), Settings(solver), start, found[0], SECONDS)
        assert finding.verdict == AGREED, finding


@pytest.mark.parametrize("seed", range(60))
def test_every_greedy_schedule_keeps_its_place(seed):
    instance = random_instance(seed)
    ticks = instance.scaled()
    moments, latest = start_moments(ticks, instance.horizon), latest_starts(ticks)
    for lot in range(4):
        starts = array_of(instance, starts_by_lot(instance, lot)).tolist()
        for start, last in zip(starts, latest, strict=True):
            assert (start == -1 and last >= instance.horizon) or (start in moments and 0 <= start <= last)


@pytest.mark.parametrize("seed", range(20))
def test_exchanged_starts_are_as_greedy(seed):
    """Three copies of one organization, and schedules by lot."""
    rng = Random(seed)
    jobs = [(rng.randint(1, 4), release) for release in sorted(rng.randint(0, 4) for _ in range(3))]
    instance = fair((1, jobs), (1, jobs), (1, jobs), (1, [(2,), (3, 1)]), horizon=rng.randint(5, 14))
    pairs = alike(instance.scaled())
    starts = array_of(instance, starts_by_lot(instance, seed)).tolist()
    never = instance.horizon
    moved = canonical_starts(pairs, [never if start == -1 else start for start in starts])
    assert all(moved[first] <= moved[second] for group in pairs for first, second in group)
    schedule = schedule_from_starts(instance, [-1 if start == never else start for start in moved])
    assert class_violations(instance, schedule, ScheduleClass.GREEDY) == []
