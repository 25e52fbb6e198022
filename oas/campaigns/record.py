"""One finished run, as the ledger keeps it."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.result import Result
from oas.io.decoding import MAX_BYTES
from oas.io.files import inflated
from oas.io.reading import loads_any
from oas.io.writing import dumps

if TYPE_CHECKING:
    from fractions import Fraction


Step = tuple[float, str | None, str | None]
"""Seconds since the solve began, lower bound, makespan; what a solver states while it runs is not verified."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """The record of a run: what was asked for, its outcome, and the machine and versions that it ran on.

    Attributes
    ----------
    key
        Hash of everything that was asked for (see `oas.campaigns.plan`).
    digest, instance
        Of the instance, and its name.
    method, kind, parameters, limits, seed, repetition, source, package
        The run: label, ``exact`` or ``heuristic``, JSON of its parameters and of its limits, hash of its source,
        version of this package.
    status, termination, objective, lower_bound, gap, proof, message
        As `oas.Result` has them; exact numbers as texts.
    certified_bound
        The best lower bound with a certificate, as text; None if there is none.
    keeps_locality
        Whether the schedule was judged with the instance's locality; False for a heuristic that promises none.
    seconds, stages
        Wall time of the run, and JSON of that of each stage.
    progress
        JSON list of every `Step` of an exact method.
    peak_memory
        Peak memory in bytes of the run's process and its children, Python and libraries included.
    solver, formulation, versions, threads
        Of the run.
    checkout, host, recorded
        Commit of the checkout that ran; JSON of facts of the machine; when, in UTC.
    result
        The result with schedule and certificate, compressed.
    """

    key: str
    digest: str
    instance: str
    method: str
    kind: str
    parameters: str
    limits: str
    seed: int
    repetition: int
    source: str
    package: str
    status: str
    termination: str
    objective: str | None = None
    lower_bound: str | None = None
    certified_bound: str | None = None
    gap: float | None = None
    proof: str = ""
    message: str = ""
    keeps_locality: bool = True
    seconds: float = 0.0
    stages: str = "{}"
    progress: str = "[]"
    peak_memory: int | None = None
    solver: str = ""
    formulation: str = ""
    versions: str = "{}"
    threads: int = 1
    checkout: str = ""
    host: str = "{}"
    recorded: str = ""
    result: bytes = field(default=b"", repr=False)

    @property
    def names_code(self) -> bool:
        """Whether its parameters name a function, ``module:function``, to be imported."""
        return ":" in str((mapping(self.parameters) or {}).get("name", ""))

    def unpacked(self) -> Result | None:
        """Return the result itself; None for a run that was ended from outside and left none.

        Raises
        ------
        InputError
            If it is damaged, too large, or no result.
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
