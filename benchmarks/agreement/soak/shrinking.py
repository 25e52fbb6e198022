"""An instance on which a participant differs, made smaller as long as the same participant differs.

It is done on the document of its file: a job, cluster, reservation or other part less, an optional field less, or a
smaller number in a place. What is no instance any more is passed over.
"""

from __future__ import annotations

import copy
import json
import time
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.core.errors import OasError
from oas.core.numbers import format_fraction
from oas.io import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oas.core.instances import Instance

ATTEMPTS, SECONDS = 1500, 240.0
_HEAD = {"format", "version", "problem", "name", "provenance", "id"}
Place = tuple[str | int, ...]


def shrunk(
    instance: Instance,
    differs: Callable[[Instance], bool],
    attempts: int = ATTEMPTS,
    seconds: float = SECONDS,
) -> Instance:
    """Return an instance of which nothing more can be taken away by itself, unless attempts or seconds ran out."""
    ends = time.monotonic() + seconds
    parts = _smaller(instance)
    for _ in range(attempts):
        smaller = next(parts, None)
        if smaller is None or time.monotonic() > ends:
            break
        if differs(smaller):
            instance, parts = smaller, _smaller(smaller)
    return instance


def _smaller(instance: Instance) -> Iterator[Instance]:
    """Yield the instances that are one step smaller."""
    document = _document(instance)
    weight = _weight(document)
    for change in (_less, _unset, _lower):
        for smaller in change(document):
            try:
                made = loads(json.dumps(smaller).encode())
            except OasError:
                continue
            if _weight(_document(made)) < weight:
                yield made


def _document(instance: Instance) -> dict[str, Any]:
    return {**json.loads(dumps(instance)), "provenance": {}}


def _weight(document: dict[str, Any]) -> tuple[int, int, Fraction]:
    """Return how many places there are, the digits in their numbers, and the numbers' sum: each step takes some."""
    places = [value for _, value in _places(document)]
    numbers = [number for number in map(_number, places) if number is not None]
    return len(places), sum(len(str(number)) for number in numbers), sum(numbers, Fraction(0))


def _number(value: object) -> Fraction | None:
    """Return the number that a file holds there; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        return Fraction(value)
    except (ValueError, ZeroDivisionError):
        return None


def _less(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield documents with an item of a list less; local starts of jobs that are gone go with them."""
    for place, value in _places(document):
        if isinstance(value, list):
            for index in range(len(value)):
                changed = copy.deepcopy(document)
                del _at(changed, place)[index]
                if isinstance(changed.get("local"), dict):
                    left = {job["id"] for own in changed["organizations"] for job in own["jobs"]}
                    changed["local"] = {name: start for name, start in changed["local"].items() if name in left}
                yield changed


def _unset(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield documents with a field less, or with nothing in it."""
    for place, value in _places(document):
        if isinstance(value, dict):
            for name in value:
                if name not in _HEAD:
                    changed = copy.deepcopy(document)
                    del _at(changed, place)[name]
                    yield changed
    for name, plain in (("locality", None), ("saturation", "forbid")):
        if document.get(name, plain) != plain:
            yield {**document, name: plain}


def _lower(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield documents with a simpler number in one place."""
    for place, value in _places(document):
        for simpler in _simpler(value):
            changed = copy.deepcopy(document)
            _at(changed, place[:-1])[place[-1]] = simpler
            yield changed


def _simpler(value: object) -> Iterator[int | str]:
    """Yield numbers that are simpler than `value`, simplest first; none if it is no number."""
    number = _number(value)
    if number is None:
        return
    candidates = [Fraction(0), Fraction(1), Fraction(number.numerator // number.denominator)]
    candidates += [Fraction(-(-number.numerator // number.denominator)), Fraction(number.numerator // 2)]
    candidates += [number.limit_denominator(most) for most in (2, 3, 7, 100)] + [number - 1]
    for one in sorted(set(candidates), key=_size):
        if one >= 0 and _size(one) < _size(number):
            yield one.numerator if one.denominator == 1 else format_fraction(one)


def _size(number: Fraction) -> tuple[int, int]:
    return number.denominator, abs(number.numerator)


def _places(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yield every place of a document that may change, outermost first, with what is there."""
    yield place, value
    if isinstance(value, dict):
        for name, part in value.items():
            if name not in _HEAD:
                yield from _places(part, (*place, name))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _places(part, (*place, index))


def _at(document: Any, place: Place) -> Any:
    for step in place:
        document = document[step]
    return document
