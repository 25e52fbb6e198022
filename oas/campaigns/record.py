"""One finished run as the ledger keeps it. A stranger may have written the ledger: reading checks each column."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field, fields
from sys import float_info
from typing import TYPE_CHECKING, Annotated, Any, Literal

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


def columns_of(result: Result) -> dict[str, Any]:
    """Return the columns that repeat what a result says."""
    proof = result.proof
    return {
        "status": result.status.value,
        "termination": result.termination.value,
        "objective": text_of(result.objective),
        "lower_bound": text_of(result.lower_bound),
        "certified_bound": text_of(proof.bound.value if proof and proof.bound else None),
        "gap": None if result.gap is None else float(result.gap),
        "proof": proof.kind.value if proof else "",
        "message": clean(result.message, "message"),
        "solver": result.solver,
        "formulation": result.formulation,
        "versions": json.dumps(result.versions),
        "threads": result.threads,
    }


def circumstantial(record: Record) -> dict[str, Any]:
    """Return a record's columns without what time and place put into them."""
    return {name: getattr(record, name) for name in COLUMNS if name not in CIRCUMSTANCES}


MAX_SECONDS = 1e10
"""The longest time that a row may state; a few of them can still be added up."""
MAX_LABEL = 1000
"""Characters of a method's label: a label can hold names of functions, which hold names of modules."""


class _Host(msgspec.Struct):
    """Facts of a machine, as far as reports show them."""

    node: str = ""
    system: str = ""
    cores: int | None = None
    memory: Annotated[int, msgspec.Meta(ge=0)] | None = None


_Seconds = Annotated[float, msgspec.Meta(ge=0, le=MAX_SECONDS)]
# A number as `oas.core.numbers.exact` allows one: no sign, for neither makespans nor bounds are negative.
_RATIO = rf"\A[0-9]{{1,{2 * MAX_DIGITS}}}(/0*[1-9][0-9]{{0,{2 * MAX_DIGITS - 1}}})?\Z"
_Exact = Annotated[str, msgspec.Meta(pattern=_RATIO)]
_Progress = list[tuple[_Seconds, _Exact | None, _Exact | None]]


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


def _plain(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise InputError("must be text", field=field, value=value)
    return text(value, field)


def _typed(kind: Any, words: str) -> Callable[[object, str], Any]:
    """Return a reader of values of a type as msgspec knows it, with the words of its error."""

    def read(value: object, field: str) -> Any:
        try:
            return msgspec.convert(value, kind, builtin_types=(bytes,))
        except msgspec.ValidationError:
            raise InputError(words, field=field, value=value) from None

    return read


def _one_of(*words: str) -> Callable[[object, str], str]:
    def read(value: object, field: str) -> str:
        if value not in words:
            raise InputError(f"must be one of {', '.join(map(repr, words))}", field=field, value=value)
        return str(value)

    return read


def _json(kind: Any) -> Callable[[object, str], str]:
    def read(value: object, field: str) -> str:
        found = _plain(value, field)
        try:
            msgspec.json.decode(found, type=kind)
        except (msgspec.DecodeError, RecursionError) as error:
            raise InputError(f"not the JSON that belongs there: {error}", field=field, value=value) from error
        return found

    return read


def _optional(read: Callable[[object, str], object]) -> Callable[[object, str], object]:
    return lambda value, field: None if value is None else read(value, field)


_count = _typed(Annotated[int, msgspec.Meta(ge=0)], "must be an integer of at least 0")
_truth = _typed(Literal[0, 1], "must be 0 or 1")  # SQLite has no truth values
_finite = _typed(Annotated[float, msgspec.Meta(ge=-float_info.max, le=float_info.max)], "must be a finite number")
_seconds = _typed(_Seconds, f"must be 0 to {MAX_SECONDS:.0f} seconds")
_exact = _typed(_Exact, 'must be an integer or a ratio such as "37/30", as text')
_bytes = _typed(bytes, "must be bytes")

_READERS: dict[str, Callable[[Any, str], object]] = dict.fromkeys(COLUMNS, _plain) | {
    "instance": name_of,
    "method": _label,
    "kind": _one_of("exact", "heuristic"),
    "seed": _count,
    "repetition": _count,
    "status": _one_of(*(one.value for one in Status)),
    "termination": _one_of(*(one.value for one in Termination)),
    "objective": _optional(_exact),
    "lower_bound": _optional(_exact),
    "certified_bound": _optional(_exact),
    "gap": _optional(_finite),
    "proof": _one_of("", *(one.value for one in ProofKind)),
    "message": clean,
    "keeps_locality": lambda value, field: bool(_truth(value, field)),
    "seconds": _seconds,
    "stages": _json(dict[str, float]),
    "progress": _json(_Progress),
    "peak_memory": _optional(_count),
    "versions": _json(dict[str, str]),
    "threads": _count,
    "host": _json(_Host),
    "result": _bytes,
}
