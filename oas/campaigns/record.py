"""Record of a finished run in the ledger. Ledgers may come from untrusted sources, so the types of columns are checked.

`oas bench verify` checks what they say.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field, fields
from sys import float_info
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from oas.core.errors import InputError, shorten
from oas.core.numbers import MAX_DIGITS
from oas.core.result import ProofKind, Result, Status, Termination, check_seconds
from oas.io.decoding import MAX_BYTES
from oas.io.files import clean, inflated, text
from oas.io.reading import loads_any
from oas.io.writing import dumps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction


def _words(words: Iterable[str]) -> msgspec.Meta:
    return msgspec.Meta(pattern=rf"\A({'|'.join(words)})\Z")


_Count = Annotated[int, msgspec.Meta(ge=0)]
_Finite = Annotated[float, msgspec.Meta(ge=-float_info.max, le=float_info.max)]
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e10)]  # so that sums of times stay finite
# An exact number (see `oas.core.numbers.exact`) without a sign, because makespans and bounds are not negative.
_RATIO = rf"\A[0-9]{{1,{2 * MAX_DIGITS}}}(/0*[1-9][0-9]{{0,{2 * MAX_DIGITS - 1}}})?\Z"
_Exact = Annotated[str, msgspec.Meta(pattern=_RATIO)]

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
    kind: Annotated[str, _words(("exact", "heuristic"))]
    parameters: str  # JSON
    limits: str  # JSON
    seed: _Count
    repetition: _Count
    source: str  # hash of the source code
    package: str  # version of this package
    status: Annotated[str, _words(Status)]
    termination: Annotated[str, _words(Termination)]
    objective: _Exact | None = None
    lower_bound: _Exact | None = None
    certified_bound: _Exact | None = None  # the best lower bound with a certificate; None if there is none
    gap: _Finite | None = None
    proof: Annotated[str, _words(("", *ProofKind))] = ""
    message: str = ""
    keeps_locality: bool = True  # False for a heuristic that may violate locality; its schedule was checked without it
    seconds: _Seconds = 0.0  # wall time of the run, including second opinions; reports use `solve_seconds`
    stages: str = "{}"  # JSON of the wall time of each stage
    progress: str = "[]"  # JSON list of every `Step` of an exact method
    peak_memory: _Count | None = None  # bytes of the run's processes, including Python and libraries
    solver: str = ""
    formulation: str = ""
    versions: str = "{}"
    threads: _Count = 1
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


class _Host(msgspec.Struct):
    """Description of a machine, as shown in reports."""

    node: str = ""
    system: str = ""
    cores: int | None = None
    memory: _Count | None = None


# Content of the columns of JSON that reports read.
_JSON = {
    "stages": dict[str, float],
    "progress": list[tuple[_Seconds, _Exact | None, _Exact | None]],
    "versions": dict[str, str],
    "host": _Host,
}


def record_of(row: Sequence[object]) -> Record:
    """Return the record in a row of values in the order of `COLUMNS`.

    Raises `InputError` that names run and column if a value is not of the column's type, or contains control
    characters.
    """
    values: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
    try:
        return _checked(values)
    except InputError as error:
        error.field = f"run {shorten(values['key'], 20)}: {error.field}"
        raise


def _checked(values: dict[str, Any]) -> Record:
    try:
        record = msgspec.convert(values, Record, strict=False, builtin_types=(bytes,))  # SQLite has no Boolean type
    except msgspec.ValidationError as error:
        reason, _, column = str(error).partition(" - at `$.")
        raise InputError(reason, field=column.rstrip("`")) from error
    for name, value in values.items():
        if isinstance(value, str):
            text(value, name)
    for name, kind in _JSON.items():
        try:
            msgspec.json.decode(values[name], type=kind)
        except (msgspec.DecodeError, RecursionError) as error:
            raise InputError(f"not valid JSON for this column: {error}", field=name, value=values[name]) from error
    return record
