"""Diagnostics of a wrong file: the field's path and its value, in place of msgspec's own messages.

A second, lenient reading of the same text finds what msgspec does not tell: keys given twice, values, and where in the
document something lies that is not JSON at all (NaN) or not Unicode (half a surrogate pair).
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.formats import show_count
from oas.io.documents import CHOICES
from oas.io.files import label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import msgspec

MAX_DEPTH = 50

_PLACE = re.compile(r" - at `\$((?:\.\w+|\[\d+\]|\[\.\.\.\])*)`\Z")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|(\[\.\.\.\])")
_BYTE = re.compile(r"(?:JSON is malformed: )?(.*) \(byte (\d+)\)", re.DOTALL)
_WORDS = {
    "array": "a list",
    "bool": "true or false",
    "float": "a decimal",
    "int": "an integer",
    "null": "null",
    "object": "an object",
    "str": "text",
}
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_SURROGATE = re.compile("[\ud800-\udfff]")

Step = str | int | None  # a key, an index, or some key that msgspec does not name


class _Numeral(str):
    """A JSON number as written; `type_name` as msgspec names its type."""

    type_name = "int"


class _Decimal(_Numeral):
    type_name = "float"


@dataclass(frozen=True)
class _Flaw:
    """Something in the document that no document may hold."""

    reason: str
    value: object
    key: str | None = None


def refuse_repeated_keys(text: str) -> None:
    """Raise an `InputError` if an object of the document has a key twice; JSON readers silently keep the last."""
    tree, flawed = _read_leniently(text)
    if flawed:
        raise _first_flaw(tree)


def explain_malformed(error: msgspec.DecodeError, data: bytes, text: str) -> InputError:
    """Return what to raise for text that is not JSON."""
    try:
        return _first_flaw(_read_leniently(text)[0])
    except (ValueError, RecursionError, LookupError):  # it is not even nearly JSON: only a position can be named
        pass
    match = _BYTE.fullmatch(str(error))
    if match is None:
        return InputError("not valid JSON: the text ends too early")
    reason, position = match[1], int(match[2])
    excerpt = data[position : position + 20].decode(errors="replace")
    return InputError(f"not valid JSON: {reason}", field=line_and_column(data, position), value=excerpt or None)


def explain_invalid(error: msgspec.ValidationError, text: str) -> InputError:
    """Return what to raise for JSON of another shape than the format's."""
    message = str(error)
    place = _PLACE.search(message)
    steps = _steps(place[1]) if place else []
    message = message[: place.start()] if place else message
    if match := re.fullmatch("Object (missing required|contains unknown) field `(.*)`", message, re.DOTALL):
        path = _path([*steps, match[2]])
        if match[1] == "missing required":
            return InputError("is missing", field=path)
        return InputError("there is no such field", field=path)
    if match := re.fullmatch(r"Expected `array` of length ([<>])= (\d+)", message):
        bound = "at least" if match[1] == ">" else "at most"
        return InputError(f"must have {bound} {show_count(int(match[2]), 'item')}", field=_path(steps))
    try:
        tree, flawed = _read_leniently(text)
        if flawed:  # two readers may not mean the same value where a key is given twice
            return _first_flaw(tree)
        steps, value = _resolve(tree, steps, _sought(error, message))
    except (ValueError, RecursionError, LookupError, TypeError):  # broken or too deep behind the place in question
        value = None
    shown = None if isinstance(value, dict | list) else _plain(value)
    if isinstance(error.__cause__, InputError):
        return InputError(error.__cause__.reason, field=_path(steps), value=shown)
    return InputError(_reason(message, steps), field=_path(steps), value=shown)


def explain_nesting(data: bytes) -> InputError:
    """Return what to raise for brackets in brackets in brackets."""
    depth = 0
    for token in _TOKEN.finditer(data):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(token[0], 0)
        if depth > MAX_DEPTH:
            place = line_and_column(data, token.start())
            return InputError(f"nested more than {MAX_DEPTH} deep", field=place, value=token[0].decode())
    return InputError("nested too deeply")


def line_and_column(data: bytes, position: int) -> str:
    """Return where in a text file a byte lies, counted from 1."""
    line = data.count(b"\n", 0, position) + 1
    column = position - data.rfind(b"\n", 0, position)
    return f"line {line}, column {column}"


def _reason(message: str, steps: Sequence[Step]) -> str:
    """Put msgspec's message into the words of this package."""
    if match := re.match(r"Expected `([^`]*)`(?:, got `(\w+)`)?", message):
        wanted = " or ".join(_WORDS.get(word, word) for word in match[1].split(" | "))
        return f"must be {wanted}" + (f", not {_WORDS.get(match[2], match[2])}" if match[2] else "")
    if message.startswith("Invalid"):
        known = CHOICES.get(str(steps[-1]) if steps else "", ())
        return "unknown value" + (f"; known: {', '.join(map(str, known))}" if known else "")
    if "out of range" in message:
        return "the number is too long"
    return message


def _steps(place: str) -> list[Step]:
    return [
        field or (int(index) if index else None)
        for field, index, _ in (match.groups() for match in _STEP.finditer(place))
    ]


def _path(steps: Sequence[Step]) -> str:
    path = ""
    for step in steps:
        path += f"[{step}]" if isinstance(step, int) else f".{label('…' if step is None else step)}"
    return path.removeprefix(".")


def _plain(value: object) -> object:
    """Return a value as an error should show it: numbers without quotes where that is safe."""
    if isinstance(value, _Numeral) and len(value) <= 60:
        return float(value) if isinstance(value, _Decimal) and str(float(value)) == value else _Shown(value)
    return str(value) if isinstance(value, _Numeral) else value


class _Shown(str):
    """A text shown without quotes."""

    def __repr__(self) -> str:
        return str(self)


def _read_leniently(text: str) -> tuple[object, bool]:
    """Read JSON with numbers kept as text and flaws in place of what may not be there; say whether there are any."""
    flawed = False

    def members(pairs: list[tuple[str, object]]) -> object:
        nonlocal flawed
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        flawed = True
        seen: set[str] = set()
        for key, value in pairs:
            if key in seen:
                return _Flaw("the key appears twice in one object", value, key)
            seen.add(key)
        raise AssertionError("unreachable: fewer keys than pairs")

    def constant(name: str) -> _Flaw:
        nonlocal flawed
        flawed = True
        return _Flaw("JSON has no such number", _Shown(name))

    tree = json.loads(
        text, object_pairs_hook=members, parse_int=_Numeral, parse_float=_Decimal, parse_constant=constant
    )
    return tree, flawed


def _first_flaw(tree: object) -> InputError:
    """Return the error for the first flaw of the tree, in the order of the text.

    Raises `LookupError` if there is none.
    """
    for steps, flaw in _flaws(tree, []):
        value = None if isinstance(flaw.value, dict | list | _Flaw) else flaw.value
        path = _path(steps if flaw.key is None else [*steps, flaw.key])
        return InputError(flaw.reason, field=path, value=_plain(value))
    raise LookupError("no flaw")


def _flaws(tree: object, steps: list[Step]) -> Iterator[tuple[list[Step], _Flaw]]:
    if isinstance(tree, _Flaw):
        yield steps, tree
    elif isinstance(tree, str) and _SURROGATE.search(tree):
        yield steps, _Flaw("half of a surrogate pair is not Unicode", tree)
    elif isinstance(tree, dict):
        for key, value in tree.items():
            if _SURROGATE.search(key):
                yield [*steps, key], _Flaw("half of a surrogate pair is not Unicode", key)
            yield from _flaws(value, [*steps, key])
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from _flaws(value, [*steps, index])


def _sought(error: msgspec.ValidationError, message: str) -> Callable[[object], bool]:
    """Return what tells the value that msgspec refused, where it does not name the key."""
    if isinstance(error.__cause__, InputError):
        refused = error.__cause__.value
        if isinstance(refused, dict | list):
            return lambda value: type(value) is type(refused)
        return lambda value: value == (str(refused) if type(refused) is int else refused)
    if got := re.search(r", got `(\w+)`$", message):
        return lambda value: _type_name(value) == got[1]
    return _unbounded


def _resolve(tree: object, steps: Sequence[Step], sought: Callable[[object], bool]) -> tuple[list[Step], object]:
    """Follow a path; where it leaves a key open, take the first that leads to the value sought."""
    if not steps:
        return [], tree
    first, rest = steps[0], steps[1:]
    if first is not None:
        below = tree[first]  # type: ignore[index]
        path, value = _resolve(below, rest, sought)
        return [first, *path], value
    if not isinstance(tree, dict):
        raise LookupError("not an object")
    for key, below in tree.items():
        try:
            path, value = _resolve(below, rest, sought)
        except (LookupError, TypeError):
            continue
        if sought(value):
            return [key, *path], value
    raise LookupError("no such value")


def _type_name(value: object) -> str:
    """Return a value's JSON type as msgspec names it."""
    if isinstance(value, _Numeral):
        return value.type_name
    return {dict: "object", list: "array", str: "str", bool: "bool", type(None): "null"}.get(type(value), "")


def _unbounded(value: object) -> bool:
    """Whether this is a number that msgspec cannot hold."""
    if isinstance(value, _Decimal):
        return math.isinf(float(value))
    return isinstance(value, _Numeral) and len(value) > 4000
