"""Whether a file is accepted rightly: its content has the meaning of its text, and no number is out of range."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from benchmarks.robustness.documents import places
from oas.core.instances import is_instance
from oas.core.schedule import Schedule
from oas.io import dumps

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.io.conversion import Content

RANGES: dict[Any, Callable[[Fraction], bool]] = {
    **dict.fromkeys(("count", "tasks", "processors", "horizon", "locality"), lambda value: value >= 1),
    **dict.fromkeys(("bandwidth", "slot", "release", "start"), lambda value: value >= 0),
    **dict.fromkeys(("base_time", "time"), lambda value: value > 0),
    "power": lambda value: 0 < value <= 1,
    "sigma": lambda value: 0 <= value <= 1,
}
"""Allowed numbers, by the field's name, anywhere in an instance."""
WHOLE = ("count", "tasks", "processors", "horizon")


class FuzzError(Exception):
    """A file that was answered wrongly."""


def check_meaning(data: bytes, content: Content) -> None:
    """Compare what a file says with what is written of its content; in instances, numbers with their ranges.

    FuzzError if they differ, or a number is out of its range.
    """
    text = _parsed(data)
    left_out = {"seconds", "gap"}  # of results: floats
    if isinstance(content, Schedule):
        left_out = {"instance_digest"}
    if is_instance(content):
        _check_ranges({name: value for name, value in text.items() if name not in ("provenance", "local")})
        if isinstance(text.get("local"), str):  # a policy: its starts are written in its place
            left_out = {"local", "seed"}
    _same({name: value for name, value in text.items() if name not in left_out}, _parsed(dumps(content)))


def _same(stated: Any, written: Any) -> None:
    """Demand that everything stated is written; defaults may be added, and numbers written in another form."""
    if isinstance(stated, dict) and isinstance(written, dict):
        for name, value in stated.items():
            if name in written:
                _same(*(_sorted(name, one) for one in (value, written[name])))
            else:
                _demand(not value, (name, value))  # none, or nothing in it
    elif isinstance(stated, list) and isinstance(written, list):
        _demand(len(stated) == len(written), (stated, written))
        for one, other in zip(stated, written, strict=True):
            _same(one, other)
    elif stated != written and _exact(stated) != _exact(written):
        raise FuzzError(f"the file says {stated!r}, read was {written!r}")


def _sorted(name: str, value: Any) -> Any:
    """Return a part of a schedule in the order in which it is written."""
    if name == "placements":
        return sorted(value, key=lambda one: (_exact(one["start"]), one["job"]))
    if name == "nodes" and isinstance(value, dict):
        return {cluster: sorted(nodes) for cluster, nodes in value.items()}
    return value


def _check_ranges(tree: Any) -> None:
    jobs = []
    for parent, key in places(tree):
        value = parent[key]
        if key in RANGES and value is not None:
            _demand(RANGES[key](_exact(value)), (key, value))
            _demand(key not in WHOLE or type(value) is int, (key, value))
        if isinstance(value, dict) and {"start", "end"} <= value.keys():
            _demand(_exact(value["start"]) < _exact(value["end"]), value)
        if key == "jobs":
            jobs += value
            widest = max((job.get("processors", 1) for job in value), default=0)
            _demand(widest <= parent.get("processors", widest), parent)
    for things in (jobs, tree.get("clusters", []), tree.get("organizations", [])):
        _demand(len({one["id"] for one in things}) == len(things), "ids")


def _exact(value: Any) -> Fraction:
    _demand(type(value) in (int, str, Fraction), value)
    return Fraction(value)


def _demand(holds: bool, what: object) -> None:
    if not holds:
        raise FuzzError(f"accepted although wrong: {what!r}")


def _parsed(data: bytes) -> Any:
    return json.loads(data, parse_float=lambda text: Fraction(Decimal(text)), object_pairs_hook=_members)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _demand(len({key for key, _ in pairs}) == len(pairs), "a key given twice")
    return dict(pairs)
