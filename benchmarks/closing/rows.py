"""What is kept of each instance: a line of JSON, on the disk as soon as it is known."""

from __future__ import annotations

import os
from fractions import Fraction
from typing import TYPE_CHECKING, Self

import msgspec

from benchmarks.campaign.file_lock import FileLock
from benchmarks.closing.plans import Case, Cell
from oas.core.errors import InputError
from oas.core.result import ProofKind, Termination

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What one party found.

    Attributes
    ----------
    termination
        Why it stopped, as `oas.core.result.Termination`.
    lower, upper
        Bound and verified makespan in ticks (slots where η > 0); None where there is none.
    seconds
        Wall time.
    message
        Its explanation, if it gave one.
    """

    termination: str
    lower: int | None
    upper: int | None
    seconds: float
    message: str = ""

    @property
    def proven(self) -> bool:
        """Whether bound and makespan meet, and nothing went wrong."""
        return self.lower is not None and self.lower == self.upper and self.termination != Termination.ERROR

    @property
    def open(self) -> int | None:
        """Ticks between bound and makespan; None if either is missing."""
        return None if self.lower is None or self.upper is None else self.upper - self.lower

    @property
    def gap(self) -> Fraction | None:
        """Makespan over bound, less 1; None if either is missing or the bound is 0."""
        return Fraction(self.upper, self.lower) - 1 if self.lower and self.upper is not None else None


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An instance, what `oas.solve` and CP-SAT made of it, and on what.

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
        ``trivial bound``; the name of another certified bound; ``search``; ``model``; ``brute force``; empty if it is
        open.
    trivial, combinatorial
        The better of area and longest job, and the best of all combinatorial bounds, in ticks.
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
    cell: Cell
    seed: int
    digest: str
    own: Answer
    rival: Answer
    proof: str
    bound: str
    claims: list[str]
    closed_by: str
    trivial: int
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
        """What was measured."""
        return Case(self.plan, self.cell, self.seed)

    @property
    def certified(self) -> bool:
        """Whether the optimum is proven by a certificate."""
        return self.own.proven and self.proof == ProofKind.CERTIFICATE

    @property
    def rival_in_time(self) -> bool:
        """Whether CP-SAT had its proof within the wall time of `oas.solve`."""
        return self.rival.proven and self.rival.seconds <= self.own.seconds


class RowFile:
    """A file of rows, open to be added to; use it as a context manager.

    A last line that was cut off is dropped.

    Raises
    ------
    InputError
        If another process is adding to it, or a line is no row.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(path.with_name(f"{path.name}-lock"))
        if not self._lock.held:
            raise InputError("another process is adding rows to it", file=str(path))
        try:
            self._drop_partial(path)
            self.rows = read_rows(path) if path.exists() else []
            self._file = path.open("ab")
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._lock.release()

    def add(self, row: Row) -> None:
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


def read_rows(path: Path) -> list[Row]:
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
    return list(_decoded(lines, path))


def _decoded(lines: list[bytes], path: Path) -> Iterator[Row]:
    for number, line in enumerate(lines, start=1):
        try:
            yield msgspec.json.decode(line, type=Row)
        except msgspec.MsgspecError as error:
            raise InputError(f"is no row: {error}", field=f"line {number}", file=str(path)) from error


def latest(rows: list[Row]) -> list[Row]:
    """Return the last row of each instance, in the order of the first."""
    return list({row.case: row for row in rows}.values())
