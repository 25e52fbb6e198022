"""One finished run as the ledger keeps it. A stranger may have written the ledger: reading checks each column."""

from __future__ import annotations

import json
import re
import zlib
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from oas.core.errors import InputError, shorten
from oas.core.numbers import MAX_DIGITS, identifier
from oas.core.result import ProofKind, Result, Status, Termination
from oas.io.decoding import MAX_BYTES
from oas.io.files import clean, inflated, text
from oas.io.reading import loads_any
from oas.io.writing import dumps

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction


Step = tuple[float, str | None, str | None]
"""Seconds since the solve began, lower bound, makespan; what a solver states while it runs is not verified."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """The record of a run: what was asked for, its outcome, and the machine and versions that it ran on.

    Status, termination, makespan, bound, gap, proof and message are as `oas.Result` has them, exact numbers as texts.
    """

    key: str  # hash of everything that was asked for (see `oas.campaigns.plan`)
    digest: str  # of the instance
    instance: str  # its name
    method: str  # label
    kind: str  # ``exact`` or ``heuristic``
    parameters: str  # JSON
    limits: str  # JSON
    seed: int
    repetition: int
    source: str  # hash of the source that was run
    package: str  # version of this package
    status: str
    termination: str
    objective: str | None = None
    lower_bound: str | None = None
    certified_bound: str | None = None  # the best lower bound with a certificate; None if there is none
    gap: float | None = None
    proof: str = ""
    message: str = ""
    keeps_locality: bool = True  # False for a heuristic that promises none, whose schedule was judged without it
    seconds: float = 0.0  # wall time of the run
    stages: str = "{}"  # JSON of the wall time of each stage
    progress: str = "[]"  # JSON list of every `Step` of an exact method
    peak_memory: int | None = None  # bytes of the run's process and its children, Python and libraries included
    solver: str = ""
    formulation: str = ""
    versions: str = "{}"
    threads: int = 1
    checkout: str = ""  # commit of the checkout that ran
    host: str = "{}"  # JSON of facts of the machine
    recorded: str = ""  # when, in UTC
    result: bytes = field(default=b"", repr=False)  # the result with schedule and certificate, compressed

    @property
    def names_code(self) -> bool:
        """Whether its parameters name a function, ``module:function``, to be imported."""
        return ":" in str((mapping(self.parameters) or {}).get("name", ""))

    def unpacked(self) -> Result | None:
        """Return the result itself; None for a run that was ended from outside and left none.

        Raises `InputError` if it is damaged, too large, or no result.
        """
        if not self.result:
            return None
        name = f"run {self.key[:12]}"
        content = loads_any(inflated(self.result, MAX_BYTES), name)
        if not isinstance(content, Result):
            raise InputError("an oas-result is needed", field="format", file=name)
        return content


COLUMNS = tuple(one.name for one in fields(Record))
# Columns that may differ between two runs of the same order; others only if a clock stopped one of them.
CIRCUMSTANCES = frozenset({"seconds", "stages", "progress", "peak_memory", "checkout", "host", "recorded", "result"})


def mapping(text: str) -> dict[str, Any] | None:
    """Return the JSON object that a column such as `Record.parameters` holds; None if it holds none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def pack(result: Result) -> bytes:
    """Return a result as `Record.result` holds it."""
    return zlib.compress(dumps(result, compact=True), 1)


def text_of(value: Fraction | None) -> str | None:
    """Return an exact number as text."""
    return None if value is None else str(value)


def circumstantial(record: Record) -> dict[str, Any]:
    """Return a record's columns without what time and place put into them."""
    return {name: getattr(record, name) for name in COLUMNS if name not in CIRCUMSTANCES}


MAX_SECONDS = 1e10
"""The longest time that a row may state; a few of them can still be added up."""
MAX_LABEL = 1000
"""Characters of a method's label: a label can hold names of functions, which hold names of modules."""
# A number as `oas.core.numbers.exact` allows one: no sign, for neither makespans nor bounds are negative.
_EXACT = re.compile(rf"[0-9]{{1,{2 * MAX_DIGITS}}}(/0*[1-9][0-9]{{0,{2 * MAX_DIGITS - 1}}})?")


class _Host(msgspec.Struct):
    """Facts of a machine, as far as reports show them."""

    node: str = ""
    system: str = ""
    cores: int | None = None
    memory: Annotated[int, msgspec.Meta(ge=0)] | None = None


_HOST = msgspec.json.Decoder(_Host)
_VERSIONS = msgspec.json.Decoder(dict[str, str])
_STAGES = msgspec.json.Decoder(dict[str, float])
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=MAX_SECONDS)]
_Exact = Annotated[str, msgspec.Meta(pattern=rf"\A(?:{_EXACT.pattern})\Z")]
_PROGRESS = msgspec.json.Decoder(list[tuple[_Seconds, _Exact | None, _Exact | None]])


def record_of(row: Sequence[object]) -> Record:
    """Return the record in a row, whose values stand in the order of `COLUMNS`.

    Raises `InputError` naming run and column, if a value is not of the type that this package writes, no finite number,
    a word of none of its lists, or holds control characters.
    """
    values: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
    for name, value in values.items():
        try:
            values[name] = _READERS[name](value, name)
        except InputError as error:
            error.field = f"run {shorten(values['key'], 20)}: {name}"
            raise
    return Record(**values)


def name_of(value: object, field: str) -> str:
    """Return the name of an instance, which may be empty; errors as `oas.core.numbers.identifier`."""
    return "" if value == "" else identifier(value, field)


def _label(value: object, field: str) -> str:
    found = _plain(value, field)
    if not found.isprintable() or not 1 <= len(found) <= MAX_LABEL:
        raise InputError(f"must be 1 to {MAX_LABEL} printable characters", field=field, value=value)
    return found


def _string(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise InputError("must be text", field=field, value=value)
    return value


def _plain(value: object, field: str) -> str:
    return text(_string(value, field), field)


def _message(value: object, field: str) -> str:
    return clean(_string(value, field), field)


def _one_of(*words: str) -> Callable[[object, str], str]:
    def read(value: object, field: str) -> str:
        if value not in words:
            raise InputError(f"must be one of {', '.join(map(repr, words))}", field=field, value=value)
        return str(value)

    return read


def _json(decoder: msgspec.json.Decoder[Any]) -> Callable[[object, str], str]:
    def read(value: object, field: str) -> str:
        found = _plain(value, field)
        try:
            decoder.decode(found)
        except (msgspec.DecodeError, RecursionError) as error:
            raise InputError(f"not the JSON that belongs there: {error}", field=field, value=value) from error
        return found

    return read


def _whole(value: object, field: str) -> int:
    if type(value) is not int or value < 0:
        raise InputError("must be an integer of at least 0", field=field, value=value)
    return value


def _truth(value: object, field: str) -> bool:
    if value not in (0, 1):  # SQLite has no truth values
        raise InputError("must be 0 or 1", field=field, value=value)
    return bool(value)


def _finite(value: object, field: str) -> float:
    if not isinstance(value, int | float) or not isfinite(value):
        raise InputError("must be a finite number", field=field, value=value)
    return value


def _seconds(value: object, field: str) -> float:
    if not 0 <= (found := _finite(value, field)) <= MAX_SECONDS:
        raise InputError(f"must be 0 to {MAX_SECONDS:.0f} seconds", field=field, value=value)
    return found


def _exact(value: object, field: str) -> str:
    if not _EXACT.fullmatch(found := _string(value, field)):
        raise InputError('must be an integer or a ratio such as "37/30", as text', field=field, value=value)
    return found


def _bytes(value: object, field: str) -> bytes:
    if not isinstance(value, bytes):
        raise InputError("must be bytes", field=field, value=value)
    return value


def _optional(read: Callable[[object, str], object]) -> Callable[[object, str], object]:
    return lambda value, field: None if value is None else read(value, field)


_READERS: dict[str, Callable[[object, str], object]] = dict.fromkeys(COLUMNS, _plain) | {
    "instance": name_of,
    "method": _label,
    "kind": _one_of("exact", "heuristic"),
    "seed": _whole,
    "repetition": _whole,
    "status": _one_of(*(one.value for one in Status)),
    "termination": _one_of(*(one.value for one in Termination)),
    "objective": _optional(_exact),
    "lower_bound": _optional(_exact),
    "certified_bound": _optional(_exact),
    "gap": _optional(_finite),
    "proof": _one_of("", *(one.value for one in ProofKind)),
    "message": _message,
    "keeps_locality": _truth,
    "seconds": _seconds,
    "stages": _json(_STAGES),
    "progress": _json(_PROGRESS),
    "peak_memory": _optional(_whole),
    "versions": _json(_VERSIONS),
    "threads": _whole,
    "host": _json(_HOST),
    "result": _bytes,
}
