"""What is written and read again is equal, in every attribute."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction as F
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from oas.core.errors import InputError
from oas.core.result import Bound, Proof, ProofKind, Result, Status, Termination
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.io import dumps, loads, loads_any
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.mosp.runs import local_schedule
from tests.io.contents import any_instances, any_mosp, any_results, any_schedules
from tests.problems.mosp.instances import random_instance
from tests.strategies import instances_with_schedule

if TYPE_CHECKING:
    from oas.problems.mosp.instance import MospInstance

DIGEST = "0" * 64


def attributes(thing: object) -> dict[str, object]:
    """Every field, also those that equality leaves out."""
    assert dataclasses.is_dataclass(thing)
    return {field.name: getattr(thing, field.name) for field in dataclasses.fields(thing)}


@given(any_instances())
def test_instances(instance: CoallocationInstance) -> None:
    again = loads(dumps(instance))
    assert again == instance and attributes(again) == attributes(instance)
    assert again.digest == instance.digest
    assert dumps(again) == dumps(instance)


@given(any_mosp())
def test_mosp_instances(instance: MospInstance) -> None:
    again = loads(dumps(instance))
    assert again == instance and attributes(again) == attributes(instance)
    assert again.digest == instance.digest
    assert dumps(again) == dumps(instance)


@given(any_schedules())
def test_schedules(schedule: Schedule) -> None:
    again = loads_any(dumps(schedule))
    assert again == schedule and attributes(again) == attributes(schedule)


@given(any_results)
def test_results(result: Result) -> None:
    again = loads_any(dumps(result))
    assert again == result and attributes(again) == attributes(result)


@given(instances_with_schedule())
def test_a_feasible_schedule_stays_feasible(pair: tuple[CoallocationInstance, Schedule]) -> None:
    instance, schedule = loads(dumps(pair[0])), loads_any(dumps(pair[1], instance=pair[0]))
    assert isinstance(instance, CoallocationInstance) and isinstance(schedule, Schedule)
    assert verify(instance, schedule) == []


def test_a_feasible_mosp_schedule_stays_feasible() -> None:
    for seed in range(60):
        instance = random_instance(seed)
        schedule = local_schedule(instance)
        again, answer = loads(dumps(instance)), loads_any(dumps(schedule, instance=instance))
        assert isinstance(answer, Schedule) and again == instance
        assert verify(again, answer) == []


def small_instance(**changes: object) -> CoallocationInstance:
    clusters = [Cluster("A", [NodeGroup(2, F(3, 4))], F(1, 3))]
    return CoallocationInstance(clusters, [Job("a", 1, "6.7e5", "0.7", "0.7")], **changes)  # type: ignore[arg-type]


def test_one_job_one_line() -> None:
    jobs = [Job(f"job {index}", 1, F(index + 1, 3), 1, F(7, 10)) for index in range(20)]
    lines = dumps(CoallocationInstance([Cluster("A", [NodeGroup(1, 1)], 1)], jobs)).decode().splitlines()
    own = [line for line in lines if '"id": "job ' in line]
    assert len(own) == 20
    assert own[1] == '    {"id": "job 1", "tasks": 1, "base_time": "2/3", "bandwidth": 1, "sigma": "7/10"},'


def test_long_lists_of_nodes_stay_on_their_line() -> None:
    schedule = Schedule([Placement("a", 0, 1, {"A": range(500)}), Placement("b", 0, 1, {"A": range(500)})])
    lines = dumps(schedule).decode().splitlines()
    assert sum("498, 499]" in line for line in lines) == 2 and len(lines) < 30


def test_decimals_are_exact() -> None:
    text = dumps(small_instance()).decode().replace('"7/10"', "0.70")
    assert "0.70" in text
    read = loads(text.encode())
    assert isinstance(read, CoallocationInstance)
    assert read.jobs[0].sigma == F(7, 10)
    assert loads(text.replace("0.70", "7e-1").encode()) == small_instance()


def test_defaults_may_be_left_out() -> None:
    document = json.loads(dumps(small_instance()))
    for name in ("name", "slot", "saturation", "provenance"):
        del document[name]
    del document["jobs"][0]["sigma"], document["jobs"][0]["bandwidth"]
    expected = CoallocationInstance(small_instance().clusters, [Job("a", 1, 670000)])
    assert loads(json.dumps(document).encode()) == expected


def test_digest_of_the_instance_is_written_beside_a_schedule() -> None:
    instance = small_instance()
    assert json.loads(dumps(Schedule(()), instance=instance))["instance_digest"] == instance.digest


def test_a_solvers_last_words_do_not_keep_a_result_from_being_saved() -> None:
    words = "fell over\x1b[31m\x00\udc80\r\n\tat line 3"
    result = Result(Status.NO_SOLUTION, Termination.CRASHED, None, None, None, DIGEST, message=words)
    again = loads_any(dumps(result))
    assert isinstance(again, Result)
    assert again.message == "fell over�[31m��\r\n\tat line 3"


def test_certificates_become_plain_data() -> None:
    bound = Bound("b", F(1), {"tuple": (1, F(1, 3)), "inner": {"x": None}})
    result = Result(Status.FEASIBLE, Termination.FINISHED, None, F(1), Proof(ProofKind.CERTIFICATE, bound), DIGEST)
    again = loads_any(dumps(result))
    assert isinstance(again, Result) and again.proof is not None and again.proof.bound is not None
    assert again.proof.bound.certificate == {"tuple": [1, "1/3"], "inner": {"x": None}}


@pytest.mark.parametrize(
    ("result", "field"),
    [
        ({"proof": Proof(ProofKind.CERTIFICATE, Bound("b", F(1), {"x": [0, 0.5]}))}, "certificate.x[1]"),
        ({"versions": {"oas": 3}}, "versions.oas"),
        ({"seconds": {"all": float("inf")}}, ""),
        ({"lower_bound": F(1, 10**81)}, ""),
        ({"proof": Proof(ProofKind.CERTIFICATE, Bound("b", F(1), {"x": "\ud800"}))}, ""),
    ],
)
def test_what_no_file_can_hold_is_refused_when_written(result: dict[str, object], field: str) -> None:
    fields: dict[str, object] = {"schedule": None, "lower_bound": None, "proof": None, "instance_digest": DIGEST}
    with pytest.raises(InputError) as caught:
        dumps(Result(Status.FEASIBLE, Termination.FINISHED, **{**fields, **result}))  # type: ignore[arg-type]
    assert caught.value.field == field
