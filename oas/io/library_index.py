"""The index of an instance library (``oas-library``): origin, best known results and history of each instance.

The index is one JSON file. Compressed results are in separate files, named by entry and checksum, so that an update is
atomic: it only replaces the index.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta

from oas.core.errors import InputError, within
from oas.core.numbers import exact
from oas.core.result import ProofKind
from oas.io.decoding import read_tree
from oas.io.files import naming_file, read_bytes, text, texts, write_bytes
from oas.io.writing import lay_out, plain_number

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 16 << 20
_RATIO = re.compile(r"-?[0-9]{1,80}/0*[1-9][0-9]{0,79}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,99}")

Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Date = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
Gain = Literal["schedule", "bound", "proof"]
Standing = Literal["open", "claimed", "certified"]


class _Part(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, frozen=True, kw_only=True):
    pass


class Origin(_Part, frozen=True, kw_only=True):
    """The origin of an instance: exactly one of generator, worst case and recipe."""

    generator: str | None = None  # name as `oas generate` has it
    worst_case: str | None = None  # name as `oas generate` has it
    parameters: dict[str, int | str | bool] = {}  # for either; those left out have their defaults
    recipe: dict[str, Any] | None = None  # an ``oas-recipe``: a slice of a job log, which is not in the library
    locality: str | None = None  # the locality to set instead of the instance's own; ``none`` for no locality


class Record(_Part, frozen=True, kw_only=True):
    """A record of progress: the best values known after it, and how and by whom it was made."""

    date: Date  # day of the update, UTC
    by: str  # who is responsible for it
    gains: list[Gain]  # the improvement: schedule, lower bound, or proof of the same bound
    makespan: Fraction  # after it, in the instance's time unit
    lower_bound: Fraction  # after it, in the instance's time unit
    proof: ProofKind  # kind of proof of the lower bound
    schedule_by: str  # method behind the schedule, of this record or an earlier one
    bound_by: str  # method behind the lower bound, of this record or an earlier one
    seconds: float = 0.0  # wall time of the solve that led to the record
    seed: int = 0  # of that solve
    versions: dict[str, str] = {}  # of the software of that solve

    @property
    def proven(self) -> bool:
        """Whether schedule and bound meet."""
        return self.makespan == self.lower_bound

    @property
    def gap(self) -> Fraction | None:
        """Relative optimality gap, as `Result.gap`; None if the lower bound is 0."""
        return self.makespan / self.lower_bound - 1 if self.lower_bound else None


class Entry(_Part, frozen=True, kw_only=True):
    """An instance of the library and its best known results."""

    name: str  # unique and permanent, for citations
    problem: str  # ``coallocation`` or ``mosp``
    group: str  # its group, such as a paper's experiment
    about: str = ""  # where it comes from, in words
    origin: Origin  # how to make it
    digest: Sha256  # of the instance
    jobs: int  # number of jobs
    clusters: list[int]  # nodes or processors of each cluster
    result: Sha256 | None = None  # SHA-256 of the packed result; none before the first
    # for a slice of a log: the jobs on each cluster in the order of their starts, instead of the schedule, whose times
    # would reveal the log's data
    order: dict[str, list[str]] | None = None
    records: list[Record] = []  # oldest first; the last one contains the best known results

    @property
    def record(self) -> Record | None:
        """The latest record; None if there is none."""
        return self.records[-1] if self.records else None

    @property
    def standing(self) -> Standing:
        """Whether the optimum is open, claimed (by a solver, without a certificate) or certified."""
        if self.record is None or not self.record.proven:
            return "open"
        return "claimed" if self.record.proof is ProofKind.SOLVER else "certified"

    @property
    def log_sha256(self) -> str | None:
        """Checksum of the job log from which the instance is cut; None for other instances."""
        return None if self.origin.recipe is None else str(self.origin.recipe.get("sha256"))

    @property
    def file(self) -> str:
        """Name of the packed result's file."""
        return f"{self.name}.{(self.result or '')[:12]}.json.gz"


class Index(_Part, frozen=True, kw_only=True, tag_field="format", tag="oas-library"):
    """A library's index."""

    version: Literal[1]  # of this format
    edition: int  # of the set of instances: within an edition none is added, changed or removed
    title: str  # of the library
    entries: list[Entry] = []  # by unique name


def read_index(path: Path) -> tuple[Index, bytes]:
    """Read an index; return it and the bytes it was read from.

    Raises `InputError` naming file and field.
    """
    with naming_file(path):
        data = read_bytes(path, MAX_BYTES)
        return _parse(data), data


def write_index(index: Index, path: Path) -> None:
    """Write an index, whole or not at all; raises `InputError` if it cannot be written, or could not be read again."""
    data = lay_out(msgspec.to_builtins(index, enc_hook=plain_number))
    _parse(data)
    write_bytes(path, data)


def plain_entry(entry: Entry) -> dict[str, Any]:
    """Return an entry as the index has it, for JSON."""
    plain: dict[str, Any] = msgspec.to_builtins(entry, enc_hook=plain_number)
    return plain


def _parse(data: bytes) -> Index:
    try:
        index = msgspec.convert(read_tree(data), Index, dec_hook=_fraction)
    except (msgspec.ValidationError, RecursionError) as error:
        raise InputError(f"not the index of a library: {error}") from error
    text(index.title, "title")
    seen: set[str] = set()
    for number, entry in enumerate(index.entries):
        with within(f"entries[{number}]"):
            _check(entry)
            if entry.name.lower() in seen:  # names become file names, and some file systems ignore case
                raise InputError("the name is taken", field="name", value=entry.name)
            seen.add(entry.name.lower())
    return index


def _check(entry: Entry) -> None:
    if not _NAME.fullmatch(entry.name):
        raise InputError("must be 1 to 100 letters, digits, dots and hyphens", field="name", value=entry.name)
    origin = entry.origin
    if sum(one is not None for one in (origin.generator, origin.worst_case, origin.recipe)) != 1:
        raise InputError("must be one of generator, worst_case and recipe", field="origin")
    if (entry.result is None) != (not entry.records):
        raise InputError("a result needs a record, and a record a result", field="result")
    if (entry.order is None) == (origin.recipe is not None and bool(entry.records)):
        raise InputError("belongs to slices of job logs with a result, and to each of them", field="order")
    for field, value in (("group", entry.group), ("about", entry.about)):
        text(value, field)
    for number, record in enumerate(entry.records):
        with within(f"records[{number}]"):
            for field in ("by", "schedule_by", "bound_by"):
                text(getattr(record, field), field)
            texts(record.versions, "versions")


def _fraction(kind: type, value: object) -> Fraction:
    if kind is not Fraction:
        raise NotImplementedError
    if isinstance(value, int) and not isinstance(value, bool):
        return exact(value, "")
    if isinstance(value, str) and _RATIO.fullmatch(value):
        return exact(Fraction(value), "")
    raise InputError('must be an integer or a text such as "37/30"', value=value)
