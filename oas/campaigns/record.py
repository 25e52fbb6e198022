"""Record of a finished run in the ledger. Ledgers may come from untrusted sources, so each column is checked."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field, fields
from sys import float_info
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from oas.core.errors import InputError, shorten
from oas.core.numbers import MAX_DIGITS, identifier
from oas.core.result import ProofKind, Result, Status, Termination, check_seconds
from oas.io.decoding import MAX_BYTES
from oas.io.files import clean, inflated, text
from oas.io.reading import loads_any
from oas.io.writing import dumps

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction


Step = tuple[float, str | None, str | None]
"""Seconds since the solve began, lower bound, makespan; the values are unverified claims of a running solver."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """Record of a run: parameters, outcome, machine and versions.

    Status, termination, makespan, bound, gap, proof and message are those of `oas.Result`; exact numbers are texts.
    """

    key: str  # hash of all parameters (see `oas.campaigns.plan`)
    digest: str  # of the instance
    instance: str  # its name
    method: str  # label
    kind: str  # ``exact`` or ``heuristic``
    parameters: str  # JSON
    limits: str  # JSON
    seed: int
    repetition: int
    source: str  # hash of the source code
    package: str  # version of this package
    status: str
    termination: str
    objective: str | None = None
    lower_bound: str | None = None
    certified_bound: str | None = None  # the best lower bound with a certificate; None if there is none
    gap: float | None = None
    proof: str = ""
    message: str = ""
    keeps_locality: bool = True  # False for a heuristic that may violate locality; its schedule was checked without it
    seconds: float = 0.0  # wall time of the run, including second opinions; reports use `solve_seconds`
    stages: str = "{}"  # JSON of the wall time of each stage
    progress: str = "[]"  # JSON list of every `Step` of an exact method
    peak_memory: int | None = None  # bytes of the run's process and its child processes, including Python and libraries
    solver: str = ""
    formulation: str = ""
    versions: str = "{}"
    threads: int = 1
    checkout: str = ""  # commit of the checkout that ran
    host: str = "{}"  # JSON description of the machine
    recorded: str = ""  # time in UTC
    result: bytes = field(default=b"", repr=False)  # the result with schedule and certificate, compressed

    @property
    def check_seconds(self) -> float:
        """Wall time of second opinions; 0 if there were none."""
        return check_seconds(json.loads(self.stages))

    @property
    def solve_seconds(self) -> float:
        """Wall time of the run without second opinions."""
        return max(0.0, self.seconds - self.check_seconds)

    def unpacked(self) -> Result | None:
        """Return the result; None for a run that was killed. Raises `InputError` if it is damaged or too large."""
        if not self.result:
            return None
        name = f"run {self.key[:12]}"
        content = loads_any(inflated(self.result, MAX_BYTES), name)
        if not isinstance(content, Result):
            raise InputError("an oas-result is needed", field="format", file=name)
        return content


COLUMNS = tuple(column.name for column in fields(Record))
# Columns that may differ between two runs of the same order; the others differ only if a time limit ended one of them.
CIRCUMSTANCES = frozenset({"seconds", "stages", "progress", "peak_memory", "checkout", "host", "recorded", "result"})


def mapping(text: str) -> dict[str, Any] | None:
    """Return the JSON object in a column such as `Record.parameters`; None if there is none."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def pack(result: Result) -> bytes:
    """Return the compressed bytes of a result for `Record.result`."""
    return zlib.compress(dumps(result, compact=True), 1)


def text_of(value: Fraction | None) -> str | None:
    """Return an exact number as text."""
    return None if value is None else str(value)


def columns_of(result: Result) -> dict[str, Any]:
    """Return the columns that repeat values of the result."""
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


def reproducible_columns(record: Record) -> dict[str, Any]:
    """Return the columns of a record that do not depend on time and machine."""
    return {name: getattr(record, name) for name in COLUMNS if name not in CIRCUMSTANCES}


MAX_SECONDS = 1e10
"""The longest valid time, so that sums of times stay finite."""
MAX_LABEL = 1000
"""Maximum length of a method's label, which can be the full name of a function."""


class _Host(msgspec.Struct):
    """Description of a machine, as shown in reports."""

    node: str = ""
    system: str = ""
    cores: int | None = None
    memory: Annotated[int, msgspec.Meta(ge=0)] | None = None


_Seconds = Annotated[float, msgspec.Meta(ge=0, le=MAX_SECONDS)]
# An exact number (see `oas.core.numbers.exact`) without a sign, because makespans and bounds are not negative.
_RATIO = rf"\A[0-9]{{1,{2 * MAX_DIGITS}}}(/0*[1-9][0-9]{{0,{2 * MAX_DIGITS - 1}}})?\Z"
_Exact = Annotated[str, msgspec.Meta(pattern=_RATIO)]
_Progress = list[tuple[_Seconds, _Exact | None, _Exact | None]]


def record_of(row: Sequence[object]) -> Record:
    """Return the record in a row of values in the order of `COLUMNS`.

    Raises `InputError` that names run and column if a value has another type than this package writes, is not finite,
    is not in its list of words, or contains control characters.
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
    """Check the name of an instance, which may be empty; errors as in `oas.core.numbers.identifier`."""
    return "" if value == "" else identifier(value, field)


def _label(value: object, field: str) -> str:
    label = _plain(value, field)
    if not label.isprintable() or not 1 <= len(label) <= MAX_LABEL:
        raise InputError(f"must be 1 to {MAX_LABEL} printable characters", field=field, value=value)
    return label


def _plain(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise InputError("must be text", field=field, value=value)
    return text(value, field)


def _typed(kind: Any, words: str) -> Callable[[object, str], Any]:
    """Return a reader of values of a msgspec type; `words` are its error message."""

    def read(value: object, field: str) -> Any:
        try:
            return msgspec.convert(value, kind, builtin_types=(bytes,))
        except msgspec.ValidationError:
            raise InputError(words, field=field, value=value) from None

    return read


def _one_of(*words: str) -> Callable[[object, str], str]:
    return _typed(Literal[words], f"must be one of {', '.join(map(repr, words))}")


def _json(kind: Any) -> Callable[[object, str], str]:
    def read(value: object, field: str) -> str:
        content = _plain(value, field)
        try:
            msgspec.json.decode(content, type=kind)
        except (msgspec.DecodeError, RecursionError) as error:
            raise InputError(f"not valid JSON for this column: {error}", field=field, value=value) from error
        return content

    return read


_Count = Annotated[int, msgspec.Meta(ge=0)]
_Finite = Annotated[float, msgspec.Meta(ge=-float_info.max, le=float_info.max)]
_count = _typed(_Count, "must be an integer of at least 0")
_truth = _typed(Literal[0, 1], "must be 0 or 1")  # SQLite has no Boolean type
_finite = _typed(_Finite | None, "must be a finite number")
_exact = _typed(_Exact | None, 'must be an integer or a ratio such as "37/30", as text')

_READERS: dict[str, Callable[[Any, str], object]] = dict.fromkeys(COLUMNS, _plain) | {
    "instance": name_of,
    "method": _label,
    "kind": _one_of("exact", "heuristic"),
    "seed": _count,
    "repetition": _count,
    "status": _one_of(*(status.value for status in Status)),
    "termination": _one_of(*(termination.value for termination in Termination)),
    "objective": _exact,
    "lower_bound": _exact,
    "certified_bound": _exact,
    "gap": _finite,
    "proof": _one_of("", *(kind.value for kind in ProofKind)),
    "message": clean,
    "keeps_locality": lambda value, field: bool(_truth(value, field)),
    "seconds": _typed(_Seconds, f"must be 0 to {MAX_SECONDS:.0f} seconds"),
    "stages": _json(dict[str, float]),
    "progress": _json(_Progress),
    "peak_memory": _typed(_Count | None, "must be an integer of at least 0"),
    "versions": _json(dict[str, str]),
    "threads": _count,
    "host": _json(_Host),
    "result": _typed(bytes, "must be bytes"),
}
