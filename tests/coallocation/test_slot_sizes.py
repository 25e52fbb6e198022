"""The sweep over slot sizes and its cache, and the limit at η = 0: optima, the split of the loss, limits, Ctrl-C."""

import json
from dataclasses import replace
from fractions import Fraction as F

import pyomo.environ as pyo
import pytest

import oas
from oas._version import __version__
from oas.coallocation.generate.section4 import section4
from oas.coallocation.generate.tiny import tiny
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.metrics import executed
from oas.coallocation.models import literal, literal_model, start_indexed
from oas.coallocation.slot_sizes import model_time
from oas.coallocation.slot_sizes.model_size import ModelSize, model_sizes
from oas.coallocation.slot_sizes.model_time import ModelTime
from oas.coallocation.slot_sizes.points import ResultCache, carry_over, loss_of, without_contradictions
from oas.coallocation.tables import slots_parts
from oas.core.errors import InfeasibleError, InputError, SolverError, TooLargeError
from oas.core.result import Claim, Proof, ProofKind, Status, Termination
from oas.core.schedule_metrics import compaction
from oas.core.verifier import verify
from oas.show.tables import Table
from oas.solving import continuous
from oas.solving import study as module
from oas.solving.brute_force import brute_force
from oas.solving.continuous import solve_with_limit
from oas.solving.lower_bound import best_bound
from oas.solving.model_run import ModelRun
from oas.solving.recheck import recheck_result
from oas.solving.start import heuristic_schedules
from oas.solving.study import Interval
from tests.mosp.instances import random_instance
from tests.slow import every_fourth_quick, mostly_slow

PERCENTS = (30, 60, 100, 180)


def one_node(*times, slot=0):
    """Serial jobs on one node."""
    jobs = [Job(f"J{index}", 1, time) for index, time in enumerate(times)]
    return CoallocationInstance([Cluster("A", [NodeGroup(1, 1)], 0)], jobs, slot=slot)


# 7/5 and 3/5: mean 1, so η = 100 % is 1; they then take 2 slots and 1, and without a grid 2 in all.
WASTEFUL = one_node("7/5", "3/5")


@pytest.mark.parametrize("seed", every_fourth_quick(range(12)))
def test_every_point_is_the_optimum_and_the_split_adds_up(seed):
    instance = tiny(seed=seed)
    study = oas.slot_study(instance, PERCENTS)
    optimum = brute_force(instance.with_slot(0))[0]
    assert [point.percent for point in study.points] == [0, *PERCENTS]
    assert study.reference is study.points[0] and study.reference.makespan == optimum
    for point in study.points:
        grid = instance.with_slot(point.slot)
        assert point.slot == instance.mean_base_time * point.percent / 100
        assert point.proven and point.makespan == brute_force(grid)[0] and verify(grid, point.schedule) == []
        run = executed(instance, point.schedule)
        assert point.executed == run.makespan
        assert (point.compaction, point.executed_compaction) == (
            compaction(grid, point.schedule),
            compaction(instance, run),
        )
        loss = point.loss
        assert loss.rounding >= 0 and loss.scheduling.exact and loss.scheduling.low >= 0
        assert loss.rounding + loss.scheduling.low == loss.total.low == loss.total.high == point.makespan - optimum
        assert loss.of_the_size == loss.total


def test_where_an_optimum_is_not_proven_the_loss_is_a_range():
    # C*(0) in [9, 10], S = 14 with S* at least 12, E = 11.
    loss = loss_of(*map(F, (14, 11, 12, 9, 10)))
    assert loss.rounding == 3 and loss.scheduling == Interval(1, 2)
    assert loss.total == Interval(4, 5) and loss.of_the_size == Interval(2, 5)
    assert loss_of(*map(F, (14, 11, 8, 9, 10))).of_the_size == Interval(0, 5)  # never below 0


def results_of(instance, *slots):
    return {F(slot): oas.solve(instance.with_slot(slot)) for slot in slots}


def test_a_shorter_schedule_and_a_higher_bound_are_carried_over():
    results = results_of(WASTEFUL, 0, "1/5", 1)
    worse = oas.Schedule([oas.Placement("J0", 0, 2, {"A": [0]}), oas.Placement("J1", 9, 10, {"A": [0]})])
    results[F(1)] = replace(results[F(1)], schedule=worse, lower_bound=F(1), status=Status.FEASIBLE)
    held = carry_over(WASTEFUL, results)[F(1)]
    assert held.schedule.makespan == 3
    # The bound is 2 at η = 0 and at η = 1/5, and 1 is a multiple of 1/5: the first source is named.
    assert (held.lower_bound, held.bound_from) == (2, 0)


def test_a_bound_is_not_carried_to_a_grid_that_is_no_multiple():
    # One job of 1: 2 on the grid 2/3 · 3, 1 on the grid 1/2 and 4/3 on the grid 2/3; 4/3 is no bound at η = 1.
    instance = one_node(1)
    held = carry_over(instance, results_of(instance, 0, "2/3", 1))
    assert (held[F(2, 3)].lower_bound, held[F(1)].lower_bound, held[F(1)].schedule.makespan) == (F(4, 3), 1, 1)


@pytest.mark.parametrize("wrong", [0, "1/5"])
def test_a_certified_bound_that_another_point_refutes_is_an_error(wrong):
    results = results_of(WASTEFUL, 0, "1/5", 1)
    results[F(wrong)] = replace(results[F(wrong)], lower_bound=F(7, 2))
    with pytest.raises(SolverError, match=f"proven at η = {wrong} says"):
        without_contradictions(WASTEFUL, results)


@pytest.mark.parametrize("wrong", [0, "1/5"])
def test_claims_that_another_point_refutes_are_dropped_and_the_points_remain(wrong):
    results = results_of(WASTEFUL, 0, "1/5", 1)
    claims = tuple(Claim("liar", "1", "none", F(7, 2), run) for run in ("", "again"))
    lie = Proof(ProofKind.SOLVER, results[F(wrong)].proof.bound, claims)
    results[F(wrong)] = replace(results[F(wrong)], lower_bound=F(7, 2), proof=lie)
    sound, contradictions = without_contradictions(WASTEFUL, results)
    assert list(sound) == list(results) and sound[F(1)] is results[F(1)]
    assert sound[F(wrong)].lower_bound == 2 and sound[F(wrong)].proof.kind is ProofKind.CERTIFICATE
    (text,) = contradictions
    assert text.startswith("claimed by liar 1 on none, liar 1 on none (again) is wrong and does not count: ")
    assert f"proven at η = {wrong} says" in text and text in sound[F(wrong)].message


def study_of(*rows):
    """A study with made-up figures; a row is percent, lower bound, slotted and executed makespan."""
    real = oas.slot_study(WASTEFUL, [100])
    points = []
    for percent, bound, makespan, run in rows:
        schedule = oas.Schedule([oas.Placement("J0", 0, makespan, {"A": [0]})])
        slot = F(percent, 100)
        shown = {"percent": F(percent), "slot": slot, "schedule": schedule, "lower_bound": F(bound), "executed": F(run)}
        points.append(replace(real.points[0], **shown))
    return replace(real, points=tuple(points))


def test_advice_is_the_largest_size_within_and_says_how_sure_that_is():
    study = study_of(
        (0, 100, 100, 100), (5, 102, 102, 100), (10, 107, 107, 101), (20, 105, 105, 103), (30, 120, 120, 106)
    )
    assert (study.advice(5).percent, study.advice(5).proven) == (20, True)
    assert study.advice("4.9").percent == 5 and study.advice(0).percent == 0
    assert study.advice(5, executed=True).percent == 20 and study.advice(6, executed=True).percent == 30
    with pytest.raises(InputError, match="within: must not be negative"):
        study.advice(-1)


def test_an_insensitive_instance_is_said_to_be_so():
    text = [*slots_parts(study_of((0, 100, 100, 100), (10, 101, 101, 100), (50, 150, 150, 101)))]
    sizes = "η = 50 % for every tolerance from 1 % to 50 %"
    assert f"the instance is insensitive to the slot size (executed makespans): {sizes}" in text
    assert not any("insensitive" in part and "(slotted" in part for part in text if isinstance(part, str))
    sharp = study_of((0, 100, 100, 100), (10, 101, 101, 100), (50, 151, 151, 101))
    notes = [part for part in slots_parts(sharp) if isinstance(part, str)]
    assert sharp.insensitive() and any("advice is insensitive to the tolerance (slotted" in note for note in notes)


def test_model_times_are_solve_times_or_limits(monkeypatch):
    study = oas.slot_study(WASTEFUL, [20, 100], model_times=["highs"])
    runs = [run for point in study.points[1:] for run in point.model_times]
    assert {run.name for run in runs} == {"highs start-indexed", "highs literal"}
    assert {run.status for run in runs} == {"proven"} and all(run.seconds > 0 for run in runs)
    frame = study.to_frame()
    assert list(frame["highs_literal_status"][1:]) == ["proven", "proven"]
    assert "highs_literal_status" not in oas.slot_study(WASTEFUL, [100]).to_frame()
    late = ModelRun(Termination.TIME_LIMIT, message="late")
    monkeypatch.setattr(model_time, "run_model", lambda *_: late)
    study = oas.slot_study(WASTEFUL, [100], model_times=["highs"], model_limit=1)
    assert [(run.status, run.message) for run in study.points[1].model_times] == [("limit", "late")] * 2
    (times,) = (part for part in slots_parts(study) if isinstance(part, Table) and "highs\nliteral" in part.headings)
    assert times.rows[1][2:] == ("limit", "limit")
    with pytest.raises(InputError, match="cpsat takes"):
        oas.slot_study(WASTEFUL, [100], model_times=["cpsat"])


def test_a_solver_that_contradicts_the_study_has_failed():
    study = oas.slot_study(WASTEFUL, [100])
    point = replace(study.points[1], lower_bound=F(4))
    run = model_time.model_time(point, "highs", "literal", 60, 0)
    assert (run.status, run.message) == ("failed", "claims the optimum 3 at η = 1, which is between 4 and 3")


def test_the_figure_of_several_studies_has_medians_and_bands():
    rows = [(0, 100, 100, 100), (10, 110, 110, 100), (50, 120, 120, 104), (100, 150, 150, 110)]
    studies = [study_of(rows[0], *((p, b + more, m + more, e) for p, b, m, e in rows[1:])) for more in (0, 4, 10)]
    studies = [with_losses(study) for study in studies]
    figure = oas.plots.slot_size_figure(studies)
    assert [ax.get_ylabel() for ax in figure.axes] == ["above η = 0, %", "loss, % of η = 0", "variables"]
    top = figure.axes[0]
    assert any(list(line.get_ydata()) == pytest.approx([14, 24, 54]) for line in top.lines)
    band = top.collections[0].get_paths()[0].get_extents()
    assert (band.y0, band.y1) == pytest.approx((10, 60))
    limit = ModelTime("highs literal", 3.0, "limit")
    points = [replace(point, model_times=(limit,)) for point in studies[0].points]
    seconds = oas.plots.slot_size_figure(points[:3]).axes[3]
    assert seconds.get_ylabel() == "seconds" and seconds.get_legend().get_texts()[-1].get_text() == "limit or failure"
    assert not any(line.get_linestyle() == ":" and len(line.get_xdata()) for line in seconds.lines)


def with_losses(study):
    """The study with the losses that follow from its figures."""
    best = study.points[0]
    losses = (
        loss_of(point.makespan, point.executed, point.lower_bound, best.lower_bound, best.makespan)
        for point in study.points
    )
    return replace(study, points=tuple(replace(p, loss=loss) for p, loss in zip(study.points, losses, strict=True)))


@pytest.mark.parametrize(("when", "left"), [(F(5, 2), [250]), (1, [100, 250]), (0, [0, 10, 100, 250])])
def test_ctrl_c_keeps_what_is_finished(monkeypatch, when, left):
    solve = module.solve

    def interrupted(instance, **options):
        found = solve(instance, **options)
        return replace(found, termination=Termination.INTERRUPTED) if instance.slot == when else found

    monkeypatch.setattr(module, "solve", interrupted)
    study = oas.slot_study(WASTEFUL, [10, 100, 250])
    assert study.interrupted and [point.percent for point in study.points] == left
    assert (study.reference is None) == (when != 0)
    assert all((point.loss is None) == (when != 0) for point in study.points)


def test_instances_without_an_answer():
    with pytest.raises(InputError, match="problem: only instances of co-allocation have time slots"):
        oas.slot_study(random_instance(3))
    narrow = CoallocationInstance(
        [Cluster("A", [NodeGroup(1, 1)], 1), Cluster("B", [NodeGroup(1, 1)], 1)], [Job("wide", 2, 1, bandwidth=5)]
    )
    with pytest.raises(InfeasibleError, match="no allocation exists for wide"):
        oas.slot_study(narrow)
    with pytest.raises(TooLargeError, match="coarser times are needed"):
        oas.slot_study(one_node(*(1 + F(1, prime) for prime in (100003, 100019, 100043, 100049))))


INSTANCE = CoallocationInstance([Cluster("A", [NodeGroup(1, 1)], 0)], [Job("a", 1, "7/5"), Job("b", 1, "3/5")])


@pytest.fixture
def solved(monkeypatch):
    """Slot sizes in the order in which they were solved."""
    solve, slots = module.solve, []

    def record(instance, **options):
        slots.append(instance.slot)
        return solve(instance, **options)

    monkeypatch.setattr(module, "solve", record)
    return slots


def test_what_is_proven_is_not_solved_again(tmp_path, solved):
    first = oas.slot_study(INSTANCE, [100, 250], cache=tmp_path / "new" / "folder")
    assert solved == [F(5, 2), 1, 0] and not any(point.cached for point in first.points)
    again = oas.slot_study(INSTANCE, [50, 100, 250], cache=tmp_path / "new" / "folder", time_limit=None)
    assert solved == [F(5, 2), 1, 0, F(1, 2)]
    assert [point.cached for point in again.points] == [True, False, True, True] and again.notes == ()
    assert [point.result for point in first.points] == [again.points[index].result for index in (0, 2, 3)]


def open_result(**changes):
    """A result at η = 1 that time ended: the optimum is 3, the certificate says 2."""
    grid = INSTANCE.with_slot(1)
    schedule = oas.Schedule([oas.Placement("a", 0, 2, {"A": [0]}), oas.Placement("b", 3, 4, {"A": [0]})])
    changes = {"termination": Termination.TIME_LIMIT, "status": Status.FEASIBLE, "schedule": schedule} | changes
    return grid, replace(oas.solve(grid), **changes)


@pytest.mark.parametrize(("share", "found"), [(5, True), (4.999, True), (5.002, False), (None, False), (100, False)])
def test_what_is_not_proven_serves_limits_that_are_no_longer(tmp_path, share, found):
    grid, result = open_result()
    ResultCache(tmp_path, 0, 5).keep(grid, result)
    cache = ResultCache(tmp_path, 0, share)
    assert (cache.find(grid) == result) is found and cache.notes == []


def forged(document, what):
    """A file's text, damaged in one way."""
    if what == "cut off":
        return json.dumps(document)[:-40]
    if what == "no result":
        return "{}"
    if what == "shorter":
        for placement in document["schedule"]["placements"]:
            placement["start"] = 0
    if what == "bound":
        document["lower_bound"] = 4
    if what == "instance":
        document["instance"] = INSTANCE.with_slot(2).digest
    if what == "seed":
        document["seed"] = 5
    if what == "version":
        document["versions"]["oas-scheduling"] = "0.0.1"
    return json.dumps(document)


@pytest.mark.parametrize("what", ["cut off", "no result", "shorter", "bound", "instance", "seed", "version"])
def test_what_does_not_hold_is_ignored_with_a_word_and_replaced(tmp_path, solved, what):
    oas.slot_study(INSTANCE, [100], cache=tmp_path)
    path = next(path for path in tmp_path.iterdir() if path.name.startswith(INSTANCE.with_slot(1).digest))
    path.write_text(forged(json.loads(path.read_text()), what))
    del solved[:]
    study = oas.slot_study(INSTANCE, [100], cache=tmp_path)
    assert solved == [1] and study.points[1].makespan == 3
    (note,) = study.notes
    assert note.startswith(f"{path}: ignored, ") and "\n" not in note
    assert oas.slot_study(INSTANCE, [100], cache=tmp_path).notes == () and solved == [1]


def test_an_open_result_under_the_name_of_a_proven_one_is_no_proof(tmp_path):
    grid, result = open_result()
    cache = ResultCache(tmp_path, 0, 5)
    oas.save(result, tmp_path / f"{grid.digest}-seed0-{__version__}.json")
    assert cache.find(grid) is None and "claims less than its name" in cache.notes[0]


def test_forged_claims_in_the_cache_are_dropped_where_another_point_refutes_them(tmp_path):
    # Claims without a certificate cannot be checked, but η = 1 has a schedule that ends at 3, before 7/2 at η = 1/2.
    grid = INSTANCE.with_slot("1/2")
    schedule = oas.Schedule([oas.Placement("a", 0, "3/2", {"A": [0]}), oas.Placement("b", "5/2", "7/2", {"A": [0]})])
    claims = tuple(Claim("liar", "1", "none", F(7, 2), run) for run in ("", "again"))
    proof = Proof(ProofKind.SOLVER, None, claims)
    lie = replace(oas.solve(grid), schedule=schedule, lower_bound=F(7, 2), proof=proof)
    ResultCache(tmp_path, 0, 5).keep(grid, lie)
    study = oas.slot_study(INSTANCE, [50, 100], cache=tmp_path)
    assert [point.slot for point in study.points] == [0, F(1, 2), 1]
    assert all(point.lower_bound <= point.makespan for point in study.points)
    assert "liar 1 on none (again) is wrong and does not count" in study.notes[-1]


def built(model):
    """Variables and constraints of a Pyomo model."""
    kinds = (pyo.Var, pyo.Constraint)
    return ModelSize(*(sum(1 for _ in model.component_data_objects(kind, active=True)) for kind in kinds))


def bracket(instance):
    tick = instance.scaled().tick
    horizon = min(schedule.makespan for _, schedule in heuristic_schedules(instance))
    return int(horizon / tick), int(best_bound(instance).value / tick)


CASES = [
    section4(seed=1, slot_percent=100),
    section4(seed=3, bandwidth="tight", slot_percent=50),
    *(tiny(seed=seed).with_slot("1/2") for seed in (0, 2, 5)),
]


@pytest.mark.parametrize("instance", mostly_slow(CASES, quick=CASES[2:]))
def test_they_are_those_of_the_models_themselves(instance):
    given = (instance, instance.scaled(), *bracket(instance))
    sizes = model_sizes(instance)
    assert sizes.message == ""
    assert sizes.start_indexed == built(start_indexed.build(start_indexed.prepare(*given)))
    assert sizes.literal == built(literal_model.build(literal.prepare(*given)))


def test_what_is_too_large_says_so_and_the_literal_model_is_counted_all_the_same():
    instance = section4(seed=2, jobs=16, slot_percent=0)
    sizes = model_sizes(instance)
    assert sizes.start_indexed == ModelSize(None, None) and sizes.message.startswith("the start-indexed model would")
    assert sizes.literal.constraints > 10**10
    with pytest.raises(TooLargeError):
        literal.prepare(instance, instance.scaled(), *bracket(instance))


def slotted(seed):
    """Return a tiny feasible instance with slots."""
    instance = tiny(seed=seed)
    return instance if instance.slot else instance.with_slot(F(1, 2) + F(seed % 5, 3))


@pytest.mark.parametrize("seed", every_fourth_quick(range(30)))
def test_bound_optimum_executed_and_slotted_are_in_this_order(seed):
    instance = slotted(seed)
    result, limit = solve_with_limit(instance)
    optimum, _ = brute_force(instance.with_slot(0))
    assert result.status is Status.OPTIMAL and result.objective == brute_force(instance)[0]
    assert limit.lower_bound <= optimum <= limit.executed <= limit.slotted == result.objective
    assert limit.executed == executed(instance, result.schedule).makespan
    assert limit.slots * instance.slot == limit.slotted
    # Instances of this size are never left open.
    assert limit.proven and limit.best == limit.lower_bound == optimum
    assert recheck_result(instance.with_slot(0), limit.result)


def test_a_bound_that_the_execution_meets_proves_it(monkeypatch):
    # The search at η = 0 finds nothing better than 3, but the execution takes 2, and so does the bound.
    instance = one_node("7/5", "3/5", slot=1)
    longer = oas.solve(one_node("7/5", "3/5", slot=1)).schedule
    solve = continuous.solve

    def worse(instance, **options):
        found = solve(instance, **options)
        return found if instance.slot else replace(found, schedule=longer, status=Status.FEASIBLE)

    monkeypatch.setattr(continuous, "solve", worse)
    _, limit = solve_with_limit(instance)
    assert limit.result.objective == 3 and limit.best == limit.executed == 2 and limit.proven


def test_a_bound_above_an_execution_is_no_bound(monkeypatch):
    solve = continuous.solve

    def lying(instance, **options):
        found = solve(instance, **options)
        return found if instance.slot else replace(found, lower_bound=F(5, 2))

    monkeypatch.setattr(continuous, "solve", lying)
    with pytest.raises(SolverError, match="the bound 5/2 at η = 0 is above an executed schedule: 2"):
        solve_with_limit(one_node("7/5", "3/5", slot=1))


def test_times_too_fine_to_be_counted_at_eta_0():
    primes = (100003, 100019, 100043, 100049)
    result, limit = solve_with_limit(one_node(*(1 + F(1, prime) for prime in primes), slot=2))
    assert result.status is Status.OPTIMAL and result.objective == 8 and limit is None


@pytest.mark.parametrize("when", [1, 0], ids=["slotted", "continuous"])
def test_ctrl_c_keeps_what_there_is(monkeypatch, when):
    solve, calls = continuous.solve, []

    def interrupted(instance, **options):
        calls.append(instance.slot)
        found = solve(instance, **options)
        return replace(found, termination=Termination.INTERRUPTED) if instance.slot == when else found

    monkeypatch.setattr(continuous, "solve", interrupted)
    result, limit = solve_with_limit(one_node("7/5", "3/5", slot=1))
    assert result.objective == 3
    assert calls == ([1] if when else [1, 0])
    assert limit is None if when else limit.result.termination is Termination.INTERRUPTED
