"""Sizes of the models at a slot size: counted as they would be built, without building them."""

from __future__ import annotations

import pyomo.environ as pyo
import pytest

from oas.bounds.lower_bound import best_bound
from oas.core.errors import TooLargeError
from oas.exact.start import heuristic_schedules
from oas.generate.coallocation.section4 import section4
from oas.generate.coallocation.tiny import tiny
from oas.models.coallocation import literal, literal_model, start_indexed, start_indexed_model
from oas.studies.slot_sizes import model_size
from oas.studies.slot_sizes.model_size import ModelSize, model_sizes


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


def test_identical_jobs_have_rows_of_their_own():
    instance = section4(seed=1, slot_percent=150)
    identical = type(instance)(
        instance.clusters, [*instance.jobs, *(_named(job) for job in instance.jobs[:2])], instance.slot
    )
    spec = start_indexed.prepare(identical, identical.scaled(), *bracket(identical))
    assert spec.identical_jobs
    assert model_size.start_indexed_size(spec) == built(start_indexed_model.build(spec))


def _named(job):
    return type(job)(f"{job.id} again", job.tasks, job.base_time, job.bandwidth, job.sigma)


def test_what_is_too_large_says_so_and_the_literal_model_is_counted_all_the_same():
    instance = section4(seed=2, jobs=16, slot_percent=0)
    sizes = model_sizes(instance)
    assert sizes.start_indexed == ModelSize(None, None) and sizes.message.startswith("the start-indexed model would")
    assert sizes.literal.constraints > 10**12
    with pytest.raises(TooLargeError):
        literal.prepare(instance, instance.scaled(), *bracket(instance))


def test_counting_that_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(model_size, "SECONDS", 1e-3)
    sizes = model_sizes(section4(seed=2, jobs=16, slot_percent=0))
    assert sizes.start_indexed == ModelSize(None, None) and sizes.message == "not counted within 0.001 s"
