"""Certificates changed in every way that JSON allows."""

from __future__ import annotations

import binascii
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

from oas.checker.reading import Refused
from oas.core.errors import OasError
from oas.core.numbers import ceil_to

Json = Any
Path = tuple[Any, ...]
Check = Callable[[Json], Fraction]

DEPTH = 400  # of lists in lists: less than json itself reads


def tampered(certificate: Json, *, each: int = 2, seed: int = 0) -> Iterator[tuple[str, Json]]:
    """Yield what was done, and a changed copy, for places of each kind in `certificate`.

    Parameters
    ----------
    certificate
        As JSON is read: dicts, lists, texts, numbers. It is not changed.
    each
        So many places of each kind are changed: entries of one list are of one kind, fields of objects are not.
    seed
        Of the choice among these places.
    """
    kinds: dict[tuple[Any, ...], list[Path]] = {}
    for path, value in _places(certificate, ()):
        kind = (*("*" if isinstance(step, int) else step for step in path), type(value).__name__)
        kinds.setdefault(kind, []).append(path)
    random = Random(seed)
    for paths in kinds.values():
        for path in sorted(random.sample(range(len(paths)), min(each, len(paths)))):
            place = paths[path]
            for what, value in _others(_at(certificate, place), random):
                yield f"{'.'.join(map(str, place)) or 'all'}: {what}", replaced(certificate, place, value)


def verdict(check: Check, certificate: Json, tick: Fraction = Fraction(0)) -> Fraction | None:
    """Return the bound that `check` finds, rounded up to the grid of `tick`, or None where it refuses to say one.

    Refusals are errors of the toolkit and `Refused`; what else is raised is a fault of the checker, and goes on.
    """
    try:
        found = check(certificate)
    except (OasError, Refused):
        return None
    return ceil_to(found, tick)


def _places(value: Json, path: Path) -> Iterator[tuple[Path, Json]]:
    yield path, value
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield from _places(inner, (*path, step))


def _at(value: Json, path: Path) -> Json:
    for step in path:
        value = value[step]
    return value


def replaced(value: Json, path: Path, other: Json) -> Json:
    """Return `value` with `other` at this place; what is beside it is shared with `value`."""
    if not path:
        return other
    step, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {**value, step: replaced(value.get(step), rest, other)}
    return [*value[:step], replaced(value[step], rest, other), *value[step + 1 :]]


def _others(value: Json, random: Random) -> Iterator[tuple[str, Json]]:
    """Yield what may stand in the place of `value`."""
    if isinstance(value, bool):
        yield "the contrary", not value
    elif isinstance(value, int):
        numbers = (value + 1, value - 1, -value, 0, 2 * value, 2**31, 2**53, 2**62, 2**63, 2**64, 2**200, -1, -(2**62))
        yield from ((f"{one}", one) for one in dict.fromkeys(numbers) if one != value)
    elif isinstance(value, list):
        yield from _lists(value, random)
    elif isinstance(value, dict):
        yield "no fields", {}
        yield "a field more", {**value, "more": 1}
        for name in value:
            yield f"without {name}", {key: one for key, one in value.items() if key != name}
    elif isinstance(value, str):
        yield from _texts(value, random)
    yield from _strangers(value)


def _strangers(value: Json) -> Iterator[tuple[str, Json]]:
    deep: Json = []
    for _ in range(DEPTH):
        deep = [deep]
    nested: Json = {}
    for _ in range(DEPTH):
        nested = {"tree": nested}
    strangers = (None, True, False, 0, 1, 1.0, 0.5, float("nan"), float("inf"), "", "1", "1/2", [], {}, [[]], [None])
    for one in strangers:
        if type(one) is not type(value):
            yield repr(one), one
    yield "lists in lists", deep
    yield "objects in objects", nested


def _lists(value: list[Json], random: Random) -> Iterator[tuple[str, Json]]:
    yield "emptied", []
    yield "twice", value + value
    yield "reversed", value[::-1]
    yield "in a list", [value]
    yield "one more: 0", [*value, 0]
    yield "one more: a list", [*value, []]
    if value:
        at = random.randrange(len(value))
        yield f"without {at}", value[:at] + value[at + 1 :]
        yield f"{at} doubled", [*value[: at + 1], *value[at:]]
        yield "the last left out", value[:-1]
        yield "the first half", value[: len(value) // 2]
    if len(value) > 1:
        at, other = sorted(random.sample(range(len(value)), 2))
        yield (
            f"{at} and {other} swapped",
            [*value[:at], value[other], *value[at + 1 : other], value[at], *value[other + 1 :]],
        )


def _texts(value: str, random: Random) -> Iterator[tuple[str, Json]]:
    yield "cut off", value[:-4]
    yield "one letter more", value + "A"
    yield "a letter of no alphabet", value[:4] + "\u00e9" + value[5:]
    yield "a line break", value[:4] + "\n" + value[4:]
    yield "a NUL", "\0" + value
    try:
        held = zlib.decompress(b64decode(value, validate=True))
    except (binascii.Error, zlib.error, ValueError):
        return
    yield "two packed pieces", b64encode(zlib.compress(held) + zlib.compress(held)).decode()
    yield "not packed", b64encode(held).decode()
    for what, other in _bytes(held, random):
        yield what, b64encode(zlib.compress(other)).decode()


def _bytes(held: bytes, random: Random) -> Iterator[tuple[str, bytes]]:
    """Yield what may stand in the place of packed bytes."""
    yield "no bytes", b""
    yield "bytes twice", held + held
    yield "a byte 0 more", held + b"\x00"
    yield "a byte 255 more", held + b"\xff"
    yield "long numbers", held[: len(held) // 2] + b"\xff" * 12 + held[len(held) // 2 :]
    if not held:
        return
    yield "the last byte left out", held[:-1]
    yield "the first byte left out", held[1:]
    yield "the first half of the bytes", held[: len(held) // 2]
    for at in sorted(random.sample(range(len(held)), min(12, len(held)))):
        for other in {(held[at] + 1) % 256, (held[at] - 1) % 256, 0, 1, 2, 253, 254, 255} - {held[at]}:
            yield f"byte {at} is {other}", held[:at] + bytes([other]) + held[at + 1 :]
        yield f"without byte {at}", held[:at] + held[at + 1 :]
        yield f"byte {at} doubled", held[: at + 1] + held[at:]
