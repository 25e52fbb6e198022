"""Decoding of bytes into a typed document; an `InputError` names the place and the value.

JSON is read once, into dicts, lists and exact numbers; markers replace values that no document may contain. msgspec
then checks the structure. Its errors are converted to those of this package, with the refused value.
"""

from __future__ import annotations

import json
import math
import re
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from oas.core.errors import InputError, LargerThanReadError, unknown_name
from oas.core.formats import show_count
from oas.core.numbers import MAX_DIGITS, exact
from oas.core.registry import problem_named, problem_names
from oas.io.documents import (
    CHOICES,
    MAX_DEPTH,
    Document,
    InstanceHeading,
    ModelDocument,
    ResultDocument,
    ScheduleDocument,
)
from oas.io.files import label, refuse_binary, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MAX_BYTES = 64 * 2**20
# A JSON text has at most one value more than commas and opening brackets; their count limits the work that follows.
MAX_VALUES = 1_000_000
MAX_MODEL_VALUES = 5_000_000  # of the description of a model: the largest ones have 300,000 variables
MAX_LENGTH = 4300  # maximum number of characters of an integer, as in Python

# A ratio in a file: `exact` permits twice as many digits as `parse_fraction`.
_LONG_RATIO = re.compile(rf"-?\d{{1,{2 * MAX_DIGITS}}}/\d{{1,{2 * MAX_DIGITS}}}", re.ASCII)
_PLACE = re.compile(r" - at `\$((?:\.\w+|\[\d+\]|\[\.\.\.\])*)`\Z")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|(\[\.\.\.\])")
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_SURROGATE, _ESCAPED = re.compile("[\ud800-\udfff]"), re.compile(r"\\u[dD]")
_TYPES = {dict: "object", list: "array", str: "str", bool: "bool", int: "int", Decimal: "decimal", type(None): "null"}
_WORDS = {
    "array": "a list",
    "bool": "true or false",
    "decimal": "a decimal",
    "float": "a decimal",
    "int": "an integer",
    "null": "null",
    "object": "an object",
    "str": "text",
}

Step = str | int | None  # a key, an index, or some key that msgspec does not name


def decode(data: bytes, limit: int = MAX_BYTES) -> Document:
    """Return the document in `data`, which may be gzipped; at most `limit` bytes are unpacked.

    Raises `InputError` if it is too large, a broken gzip file or not JSON in UTF-8, has a key twice, or does not
    match one of the formats.
    """
    tree = read_tree(unpacked(data, limit))
    first = _converted(tree, InstanceHeading | ScheduleDocument | ResultDocument)
    if not isinstance(first, InstanceHeading):
        return first
    if first.problem not in problem_names():
        raise unknown_name(first.problem, problem_names(), "problem", reason="unknown value")
    return _converted(tree, problem_named(first.problem).part("document").document)


def decode_model(data: bytes) -> ModelDocument:
    """Return the description of a model in `data`; errors as `decode`."""
    tree = read_tree(unpacked(data, MAX_BYTES), most=MAX_MODEL_VALUES)
    kind = tree.get("format") if isinstance(tree, dict) else None
    if kind != "oas-model":
        raise InputError("an oas-model file, as `oas export` writes it, is needed", field="format", value=kind)
    document: ModelDocument = _converted(tree, ModelDocument)
    return document


def has_too_many_values(data: bytes, most: int) -> bool:
    """Return whether JSON may have more than `most` values."""
    return data.count(b",") + data.count(b"[") + data.count(b"{") > most


@dataclass(frozen=True)
class Flaw:
    """A value or key that no document may contain."""

    reason: str
    value: object
    key: str | None = None  # the key that is given twice


def read_tree(data: bytes, decimal: Callable[[str], object] = Decimal, most: int | None = None) -> Any:
    """Read JSON in UTF-8 as dicts, lists, texts and ints; `decimal` converts numbers with a point or an exponent.

    `most`: the maximum number of values; None for `MAX_VALUES`.

    Raises `InputError` if it is anything else, too large or nested too deeply, has a key twice (JSON readers silently
    keep the last), or holds NaN, a number that is too long, or half a surrogate pair.
    """
    if not data.strip(b" \t\r\n"):
        raise InputError("the file is empty")
    refuse_binary(data)
    most = MAX_VALUES if most is None else most
    if has_too_many_values(data, most):
        raise LargerThanReadError(f"more than {most} values")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        place = _line_and_column(data, error.start)
        raise InputError("not UTF-8", field=place, value=data[error.start : error.start + 4]) from error
    flawed = _ESCAPED.search(text) is not None

    def flaw(reason: str, value: object, key: str | None = None) -> Flaw:
        nonlocal flawed
        flawed = True
        return Flaw(reason, value, key)

    def members(pairs: list[tuple[str, object]]) -> object:
        by_key = dict(pairs)
        if len(by_key) < len(pairs):
            seen: set[str] = set()
            for key, value in pairs:
                if key in seen:
                    return flaw("the key appears twice in one object", value, key)
                seen.add(key)
        return by_key

    def whole(digits: str) -> object:
        return int(digits) if len(digits) <= MAX_LENGTH else flaw("the number is too long", digits)

    def broken(number: str) -> object:
        return decimal(number) if math.isfinite(float(number)) else flaw("the number is too long", _Shown(number))

    def constant(name: str) -> object:
        return flaw("JSON has no such number", _Shown(name))

    try:
        tree = json.loads(text, object_pairs_hook=members, parse_int=whole, parse_float=broken, parse_constant=constant)
        for steps, defect in _flaws(tree, []) if flawed else ():
            value = None if isinstance(defect.value, dict | list | Flaw) else defect.value
            raise InputError(
                defect.reason, field=_path(steps if defect.key is None else [*steps, defect.key]), value=value
            )
    except json.JSONDecodeError as error:
        raise _malformed(error) from error
    except RecursionError as error:
        raise _too_deep(data) from error
    return tree


class _Shown(str):
    """A text shown without quotes."""

    def __repr__(self) -> str:
        return str(self)


def _flaws(tree: object, steps: list[Step]) -> Iterator[tuple[list[Step], Flaw]]:
    """Yield the flaws of a tree with their places, in the order of the text."""
    if isinstance(tree, Flaw):
        yield steps, tree
    elif isinstance(tree, str) and _SURROGATE.search(tree):
        yield steps, Flaw("half of a surrogate pair is not Unicode", tree)
    elif isinstance(tree, dict):
        for key, value in tree.items():
            if _SURROGATE.search(key):
                yield [*steps, key], Flaw("half of a surrogate pair is not Unicode", key)
            yield from _flaws(value, [*steps, key])
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from _flaws(value, [*steps, index])


def _malformed(error: json.JSONDecodeError) -> InputError:
    """Return the error for text that is not JSON."""
    if error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated"):
        return InputError("not valid JSON: the text ends too early")
    reason = "trailing characters" if error.msg == "Extra data" else f"{error.msg[0].lower()}{error.msg[1:]}"
    excerpt = error.doc[error.pos : error.pos + 20]
    place = f"line {error.lineno}, column {error.colno}"
    return InputError(f"not valid JSON: {reason.removesuffix(' at')}", field=place, value=excerpt)


def _too_deep(data: bytes) -> InputError:
    """Return the error for deeply nested brackets."""
    depth = 0
    for token in _TOKEN.finditer(data):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(token[0], 0)
        if depth > MAX_DEPTH:
            place = _line_and_column(data, token.start())
            return InputError(f"nested more than {MAX_DEPTH} deep", field=place, value=token[0].decode())
    return InputError("nested too deeply")


def _line_and_column(data: bytes, position: int) -> str:
    """Return the line and column of a byte in a text, counted from 1."""
    line, column = data.count(b"\n", 0, position) + 1, position - data.rfind(b"\n", 0, position)
    return f"line {line}, column {column}"


def read_number(kind: type, value: object) -> Fraction:
    """Read a number field: any JSON number, or text with a decimal or a ratio."""
    if kind is not Fraction:
        raise NotImplementedError
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        raise InputError('must be a number or a text such as "37/30"', value=value)
    if isinstance(value, str) and _LONG_RATIO.fullmatch(value):
        numerator, denominator = map(int, value.split("/"))
        if denominator:
            return exact(Fraction(numerator, denominator), "")
    return exact(value, "")


def _converted(tree: object, kind: Any) -> Any:
    try:
        return msgspec.convert(tree, kind, dec_hook=read_number)
    except msgspec.ValidationError as error:
        raise _misshapen(error, tree) from error
    except RecursionError as error:
        raise InputError(f"nested more than {MAX_DEPTH} deep") from error


def _misshapen(error: msgspec.ValidationError, tree: object) -> InputError:
    """Return the error for JSON that does not have the structure of the format."""
    message = str(error)
    place = _PLACE.search(message)
    parts = (part.groups() for part in _STEP.finditer(place[1] if place else ""))
    steps: list[Step] = [field or (int(index) if index else None) for field, index, _ in parts]
    message = message[: place.start()] if place else message
    if match := re.fullmatch("Object (missing required|contains unknown) field `(.*)`", message, re.DOTALL):
        reason = "is missing" if match[1] == "missing required" else "there is no such field"
        return InputError(reason, field=_path([*steps, match[2]]))
    if match := re.fullmatch(r"Expected `array` of length ([<>])= (\d+)", message):
        bound = "at least" if match[1] == ">" else "at most"
        return InputError(f"must have {bound} {show_count(int(match[2]), 'item')}", field=_path(steps))
    value: object = None
    with suppress(LookupError):  # a key that msgspec does not name may not be found
        steps, value = _resolved(tree, steps, _refused(error, message))
    shown = None if isinstance(value, dict | list) else _Shown(value) if isinstance(value, Decimal) else value
    cause = error.__cause__
    reason = cause.reason if isinstance(cause, InputError) else _reason(message, steps)
    return InputError(reason, field=_path(steps), value=shown)


def _reason(message: str, steps: Sequence[Step]) -> str:
    """Return msgspec's message in the words of this package."""
    if match := re.match(r"Expected `([^`]*)`(?:, got `(\w+)`)?", message):
        expected = " or ".join(_WORDS.get(word, word) for word in match[1].split(" | "))
        return f"must be {expected}" + (f", not {_WORDS.get(match[2], match[2])}" if match[2] else "")
    if message.startswith("Invalid"):
        known = CHOICES.get(str(steps[-1]) if steps else "", ())
        return "unknown value" + (f"; known: {', '.join(map(str, known))}" if known else "")
    return "the number is too long" if "out of range" in message else message


def _path(steps: Sequence[Step]) -> str:
    path = ""
    for step in steps:
        path += f"[{step}]" if isinstance(step, int) else f".{label('…' if step is None else step)}"
    return path.removeprefix(".")


def _refused(error: msgspec.ValidationError, message: str) -> Callable[[object], bool]:
    """Return a predicate that recognizes the refused value if msgspec does not name its key."""
    cause = error.__cause__
    if isinstance(cause, InputError):
        refused = cause.value
        return lambda value: type(value) is type(refused) and value == refused
    got = re.search(r", got `(\w+)`$", message)
    return lambda value: got is not None and _TYPES[type(value)] == got[1]


def _resolved(tree: object, steps: Sequence[Step], refused: Callable[[object], bool]) -> tuple[list[Step], object]:
    """Follow a path and return it with its value; an unnamed key is the first one that leads to a refused value."""
    if not steps:
        return [], tree
    first, rest = steps[0], steps[1:]
    for key in [first] if first is not None else tree:  # type: ignore[attr-defined]
        try:
            path, value = _resolved(tree[key], rest, refused)  # type: ignore[index]
        except (LookupError, TypeError):
            continue
        if first is not None or refused(value):
            return [key, *path], value
    raise LookupError("no such value")
