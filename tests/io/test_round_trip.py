"""What is written and read again is equal in every attribute, and valid by the printed schema."""

from __future__ import annotations

import dataclasses
import json
import re
from fractions import Fraction as F
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from oas.core.errors import InputError
from oas.core.result import Bound, Proof, ProofKind, Result, Status, Termination
from oas.core.schedule import Schedule
from oas.core.verifier import verify
from oas.io import dumps, loads, loads_any, schema
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.mosp.runs import local_schedule
from tests.io.contents import any_instances, any_mosp, any_results, any_schedules
from tests.io.test_hostile import INSTANCE, changed
from tests.problems.mosp.instances import random_instance
from tests.strategies import instances_with_schedule

if TYPE_CHECKING:
    from oas.problems.mosp.instance import MospInstance

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
KNOWN = {
    "$defs", "$ref", "$schema", "additionalProperties", "anyOf", "default", "description", "enum", "items", "maxItems",
    "minItems", "pattern", "properties", "required", "title", "type",
}  # fmt: skip


def accepts(rule: Any, value: Any, root: dict[str, Any]) -> bool:
    """Whether a JSON Schema accepts a value, for the keywords that ours use."""
    if isinstance(rule, bool):
        return rule
    assert set(rule) <= KNOWN
    if "$ref" in rule:
        return accepts(root["$defs"][rule["$ref"].removeprefix("#/$defs/")], value, root)
    if "anyOf" in rule and not any(accepts(one, value, root) for one in rule["anyOf"]):
        return False
    if "enum" in rule and not any(type(one) is type(value) and one == value for one in rule["enum"]):
        return False
    if "type" in rule:
        fits = isinstance(value, TYPES[rule["type"]])
        if not fits or (isinstance(value, bool) and rule["type"] != "boolean"):
            return False
    if isinstance(value, str) and "pattern" in rule:
        return re.search(rule["pattern"], value) is not None
    if isinstance(value, list):
        fits = rule.get("minItems", 0) <= len(value) <= rule.get("maxItems", len(value))
        return fits and all(accepts(rule.get("items", True), item, root) for item in value)
    if isinstance(value, dict):
        own, others = rule.get("properties", {}), rule.get("additionalProperties", True)
        if not set(rule.get("required", ())) <= set(value):
            return False
        return all(accepts(own.get(key, others), item, root) for key, item in value.items())
    return True


def valid(kind: str, data: bytes | str) -> bool:
    root = schema(kind)
    return accepts(root, json.loads(data), root)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"tasks": 2', '"tasks": true'),
        ('"tasks": 2', '"tasks": 2.5'),
        ('"tasks": 2', '"tusks": 2'),
        ('"two", ', '"two", "deadline": 3, '),
        ('"base_time": 1.5', '"base_time": null'),
        ('"base_time": 1.5', '"base_time": "nan"'),
        ('"base_time": 1.5', '"base_time": "1/3/5"'),
        ('"version": 1', '"version": 2'),
        ('"coallocation"', '"mosp"'),
        ('"oas-instance"', '"oas-schedule"'),
        ('"by": "hand"', '"by": 3'),
        ('[{"count": 2, "power": 1}, {"count": 2, "power": 0.75}]', "[]"),
    ],
)
def test_other_shapes_are_refused(old: str, new: str) -> None:
    assert valid("instance", INSTANCE)
    assert not valid("instance", changed(old, new))


DIGEST = "0" * 64


def attributes(thing: object) -> dict[str, object]:
    """Every field, also those that equality leaves out."""
    assert dataclasses.is_dataclass(thing)
    return {field.name: getattr(thing, field.name) for field in dataclasses.fields(thing)}


@given(any_instances() | any_mosp())
def test_instances(instance: CoallocationInstance | MospInstance) -> None:
    again = loads(dumps(instance))
    assert again == instance and attributes(again) == attributes(instance)
    assert again.digest == instance.digest
    assert dumps(again) == dumps(instance)
    assert [valid(kind, dumps(instance)) for kind in ("instance", "schedule", "result")] == [True, False, False]


@given(any_schedules())
def test_schedules(schedule: Schedule) -> None:
    again = loads_any(dumps(schedule))
    assert again == schedule and attributes(again) == attributes(schedule)
    assert valid("schedule", dumps(schedule)) and not valid("instance", dumps(schedule))


@given(any_results)
def test_results(result: Result) -> None:
    again = loads_any(dumps(result))
    assert again == result and attributes(again) == attributes(result)
    assert valid("result", dumps(result)) and not valid("schedule", dumps(result))


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
