"""The row kept for each instance: a line of JSON, written to disk as soon as it is known."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import msgspec

from benchmarks.proof_rates.shared.answers import Answer
from benchmarks.proof_rates.shared.plans import Case
from oas.core.errors import InputError
from oas.core.file_lock import FileLock
from oas.core.result import ProofKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class BaseRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An instance, what `oas.solve` and CP-SAT made of it, and on what; each problem adds to it.

    Attributes
    ----------
    plan, cell, seed, digest
        Which instance, and for which plan.
    own, rival
        What `oas.solve` and CP-SAT found.
    proof, bound, claims
        What the bound of `oas.solve` rests on: the kind of proof, the name of the certified bound, and solver and
        formulation of each claim.
    closed_by
        What the proof rests on, in a word or two; empty if it is open.
    combinatorial
        The best of all combinatorial bounds, in ticks.
    rechecked, recheck_seconds
        Whether exact arithmetic confirmed the certified bound again, afterwards, and how long that took.
    stages
        Seconds of `oas.solve` by stage; one named ``a: b`` is part of ``a``.
    steps
        (seconds, bound, makespan) at each improvement.
    mismatch
        What contradicts what; empty if all agree.
    load
        The machine's one-minute load average when this was finished.
    versions, machine, commit, source, recorded
        Software, processor, checkout, hash of the source, and when, in UTC.
    """

    plan: str
    cell: Any
    seed: int
    digest: str
    own: Answer
    rival: Answer
    proof: str
    bound: str
    claims: list[str]
    closed_by: str
    combinatorial: int
    rechecked: bool
    recheck_seconds: float
    stages: dict[str, float]
    steps: list[tuple[float, int | None, int | None]]
    mismatch: str
    load: float
    versions: dict[str, str]
    machine: str
    commit: str
    source: str
    recorded: str

    @property
    def case(self) -> Case:
        """The case that was measured."""
        return Case(self.plan, self.cell, self.seed)

    @property
    def certified(self) -> bool:
        """Whether the optimum is proven by a certificate."""
        return self.own.proven and self.proof == ProofKind.CERTIFICATE

    @property
    def rival_in_time(self) -> bool:
        """Whether CP-SAT had its proof within the wall time of `oas.solve`."""
        return self.rival.proven and self.rival.seconds <= self.own.seconds


R = TypeVar("R", bound=BaseRow)
S = TypeVar("S", bound=msgspec.Struct)


class RowFile(Generic[S]):
    """A file of rows, open to be added to; use it as a context manager.

    `kind` is the type of its rows, a msgspec Struct. A last line that was cut off is dropped.

    Raises
    ------
    InputError
        If another process is adding to it, or a line is no row.
    """

    def __init__(self, path: Path, kind: type[S]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(path.with_name(f"{path.name}-lock"))
        if not self._lock.held:
            raise InputError("another process is adding rows to it", file=str(path))
        try:
            self._drop_partial(path)
            self.rows: list[S] = read_rows(path, kind) if path.exists() else []
            self._file = path.open("ab")
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._lock.release()

    def add(self, row: S) -> None:
        """Append a row; when this returns, it is on the disk."""
        self._file.write(msgspec.json.encode(row) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.rows.append(row)

    @staticmethod
    def _drop_partial(path: Path) -> None:
        if path.exists():
            content = path.read_bytes()
            if not content.endswith(b"\n"):
                os.truncate(path, content.rfind(b"\n") + 1)


def read_rows(path: Path, kind: type[S]) -> list[S]:
    """Read all rows that are there in full.

    Raises
    ------
    InputError
        If there is no such file, or naming the line that is no row.
    """
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}", file=str(path)) from error
    return list(_decoded(lines, path, kind))


def _decoded(lines: list[bytes], path: Path, kind: type[S]) -> Iterator[S]:
    for number, line in enumerate(lines, start=1):
        try:
            yield msgspec.json.decode(line, type=kind)
        except msgspec.MsgspecError as error:
            raise InputError(f"is no row: {error}", field=f"line {number}", file=str(path)) from error


def latest(rows: list[R]) -> list[R]:
    """Return the last row of each instance, in the order of the first."""
    return list({row.case: row for row in rows}.values())
