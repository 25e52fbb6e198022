"""The printed schemas accept what is written and refuse what the reader refuses for its shape."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from oas.core.errors import InputError
from oas.io import dumps, schema
from tests.io.contents import any_instances, any_mosp, any_results, any_schedules
from tests.io.test_hostile import INSTANCE, changed

if TYPE_CHECKING:
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance
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


@given(any_instances())
def test_instances(instance: CoallocationInstance) -> None:
    assert valid("instance", dumps(instance))
    assert not valid("schedule", dumps(instance)) and not valid("result", dumps(instance))


@given(any_mosp())
def test_mosp_instances(instance: MospInstance) -> None:
    assert valid("instance", dumps(instance))
    assert not valid("schedule", dumps(instance)) and not valid("result", dumps(instance))


@given(any_schedules())
def test_schedules(schedule: Schedule) -> None:
    assert valid("schedule", dumps(schedule))
    assert not valid("instance", dumps(schedule))


@given(any_results)
def test_results(result: Result) -> None:
    assert valid("result", dumps(result))
    assert not valid("schedule", dumps(result))


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


def test_numbers_as_the_reader_takes_them() -> None:
    for number in ("7", "0.7", '"0.7"', '"37/30"', '"6.7e5"'):
        assert valid("instance", changed('"base_time": 1.5', f'"base_time": {number}'))


def test_unknown_kind() -> None:
    with pytest.raises(InputError, match="kind: unknown format; known: instance, schedule, result"):
        schema("swf")


def test_schemas_are_plain_json() -> None:
    for kind in ("instance", "schedule", "result"):
        assert json.loads(json.dumps(schema(kind))) == schema(kind)
