"""Finished points of a sweep in a folder, of which nothing is believed; sizes of models counted without building."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction as F

import pyomo.environ as pyo
import pytest

import oas
from oas._version import __version__
from oas.bounds.lower_bound import best_bound
from oas.core.errors import TooLargeError
from oas.core.result import Claim, Proof, ProofKind, Status, Termination
from oas.exact.start import heuristic_schedules
from oas.generate.coallocation.section4 import section4
from oas.generate.coallocation.tiny import tiny
from oas.models.coallocation import literal, literal_model, start_indexed, start_indexed_model
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.studies.slot_sizes import study as module
from oas.studies.slot_sizes.cache import ResultCache
from oas.studies.slot_sizes.model_size import ModelSize, model_sizes

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


def test_what_was_interrupted_or_failed_is_not_kept(tmp_path):
    for termination in set(Termination) - {Termination.TIME_LIMIT}:
        ResultCache(tmp_path, 0, 5).keep(*open_result(termination=termination))
    assert list(tmp_path.iterdir()) == []


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


def test_a_forged_claim_is_caught_where_another_point_refutes_it(tmp_path):
    # Nobody can check a solver's word; but 7/2 at η = 1/2 cannot be, as η = 1 has a schedule that ends at 3.
    grid = INSTANCE.with_slot("1/2")
    schedule = oas.Schedule([oas.Placement("a", 0, "3/2", {"A": [0]}), oas.Placement("b", "5/2", "7/2", {"A": [0]})])
    proof = Proof(ProofKind.SOLVER, None, (Claim("liar", "1", "none", F(7, 2)),))
    lie = replace(oas.solve(grid), schedule=schedule, lower_bound=F(7, 2), proof=proof)
    ResultCache(tmp_path, 0, 5).keep(grid, lie)
    with pytest.raises(oas.OasError, match="proven at η = 1/2 says"):
        oas.slot_study(INSTANCE, [50, 100], cache=tmp_path)


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


@pytest.mark.parametrize("instance", CASES, ids=range(len(CASES)))
def test_they_are_those_of_the_models_themselves(instance):
    given = (instance, instance.scaled(), *bracket(instance))
    sizes = model_sizes(instance)
    assert sizes.message == ""
    assert sizes.start_indexed == built(start_indexed_model.build(start_indexed.prepare(*given)))
    assert sizes.literal == built(literal_model.build(literal.prepare(*given)))


def test_what_is_too_large_says_so_and_the_literal_model_is_counted_all_the_same():
    instance = section4(seed=2, jobs=16, slot_percent=0)
    sizes = model_sizes(instance)
    assert sizes.start_indexed == ModelSize(None, None) and sizes.message.startswith("the start-indexed model would")
    assert sizes.literal.constraints > 10**12
    with pytest.raises(TooLargeError):
        literal.prepare(instance, instance.scaled(), *bracket(instance))
