"""An instance library in a folder: an index, and a compressed result file for each entry."""

from __future__ import annotations

import fcntl
import hashlib
import os
from contextlib import contextmanager
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from oas.core.errors import InputError, VerificationError, unknown_name, within
from oas.core.numbers import as_float
from oas.core.result import Status
from oas.core.verifier import check
from oas.io.files import display_path, naming_file, read_bytes, write_bytes
from oas.io.library_index import MAX_BYTES as INDEX_BYTES
from oas.io.library_index import Entry, Index, read_index, write_index
from oas.io.reading import MAX_PACKED_BYTES, unpack_result
from oas.io.writing import pack
from oas.library.checking import NoGainError, merge, no_gain, record_of
from oas.library.origins import make, order_of, schedule_of
from oas.solving.evidence import without_claims
from oas.solving.recheck import recheck_result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pandas

    from oas.core.instances import Instance
    from oas.core.result import Claim, Result
    from oas.io.files import Source
    from oas.io.library_index import Record
    from oas.logs.swf import SwfLog
    from oas.mosp.instance import MospInstance

PACKAGED = Path(__file__).with_name("data")
"""The library that comes with this package."""
INDEX, RESULTS = "index.json", "results"


class Library:
    """A library of instances with their best known results, by default the one of this package.

    Its `state` is the SHA-256 of its index, which contains the checksums of all results; cite it together with the
    edition. Raises `InputError` if the index is missing or damaged.
    """

    def __init__(self, folder: Source | None = None) -> None:
        self.folder = PACKAGED if folder is None else Path(folder)
        self.reload()

    def reload(self) -> None:
        """Read the index again, because another process may have updated it; errors as on creation."""
        self.index, data = read_index(self.folder / INDEX)
        self.state = hashlib.sha256(data).hexdigest()
        self._entries = {entry.name: entry for entry in self.index.entries}

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, in the order of the index."""
        return tuple(self.index.entries)

    def __getitem__(self, name: str) -> Entry:
        if name not in self._entries:
            raise unknown_name(name, self._entries, reason="the library has no such entry", listed=False)
        return self._entries[name]

    def select(self, patterns: Iterable[str] = ()) -> tuple[Entry, ...]:
        """Return the entries with these names or patterns (``uni-n50-*``), by default all, in the order of the index.

        Raises `InputError` if there is no entry for one of them.
        """
        chosen: set[str] = set()
        for pattern in patterns:
            chosen.update([name for name in self._entries if fnmatchcase(name, pattern)] or [self[pattern].name])
        return tuple(entry for entry in self.entries if not chosen or entry.name in chosen)

    def to_frame(self, patterns: Iterable[str] = ()) -> pandas.DataFrame:
        """Return the best known results, one row per entry. Patterns and errors as for `select`.

        Columns: name, problem, group, jobs, clusters, nodes (of all clusters), makespan and lower_bound (floats, in the
        instance's time unit), gap (a ratio: 0 is optimal), standing (open, claimed or certified), by, date, digest.
        Unknown values are NaN or empty.
        """
        import pandas

        rows = []
        for entry in self.select(patterns):
            row = {name: getattr(entry, name) for name in ("name", "problem", "group", "jobs")}
            row |= {"clusters": len(entry.clusters), "nodes": sum(entry.clusters)}
            row |= {name: as_float(getattr(entry.record, name, None)) for name in ("makespan", "lower_bound", "gap")}
            row["standing"] = entry.standing
            row |= {name: getattr(entry.record, name, "") for name in ("by", "date")}
            rows.append(row | {"digest": entry.digest})
        return pandas.DataFrame(rows)

    def instance(self, name: str, logs: Mapping[str, SwfLog] | None = None) -> Instance:
        """Make an entry's instance, with job logs by their checksums for the slices of logs.

        Raises `LogMissingError` if it is a slice of a log that was not given; `InputError` if there is no such entry,
        or its origin gives another instance.
        """
        entry = self[name]
        with within(name):
            instance = make(entry.origin, logs or {})
            if instance.digest != entry.digest:
                raise InputError("what its origin makes is another instance", field="digest", value=instance.digest)
        return instance

    def result(self, name: str, logs: Mapping[str, SwfLog] | None = None) -> Result | None:
        """Return the best known result of an entry, as it is stored; None if there is none yet.

        It is not verified; use `oas.solving.recheck.recheck_result`. Errors as for `instance`, and `InputError` if the
        stored file is missing or has another checksum than the index states.
        """
        entry = self[name]
        result = self.stored(entry)
        if result is None or entry.order is None:
            return result
        instance: Any = self.instance(name, logs)  # only slices of logs have an order
        with within(name):
            return replace(result, schedule=schedule_of(instance, entry.order, entry.records[-1].schedule_by))

    def stored(self, entry: Entry) -> Result | None:
        """Return the content of the result file; for a slice of a log, without the schedule."""
        if entry.result is None:
            return None
        path = self.folder / RESULTS / entry.file
        data = _bytes(path, MAX_PACKED_BYTES)
        if hashlib.sha256(data).hexdigest() != entry.result:
            raise InputError("damaged: not the file whose checksum the index has", file=display_path(path))
        return unpack_result(data, display_path(path))

    def update(
        self,
        name: str,
        result: Result,
        *,
        by: str,
        accept_claims: bool = False,
        repair: bool = False,
        logs: Mapping[str, SwfLog] | None = None,
        date: str | None = None,
    ) -> tuple[Entry, tuple[Claim, ...]]:
        """Improve an entry by `result`: a shorter schedule, a higher bound, a stronger proof of the same bound.

        The result and the stored result are verified first. After an error the library is unchanged; concurrent updates
        are possible. The record contains the author, `by`, and the date in the form 2026-11-21, by default today.
        Return the new entry, and the solver claims that a schedule refutes.

        With `accept_claims`, bounds that a solver claims without a certificate are accepted; otherwise only bounds that
        can be checked without a solver. If the stored bound is not confirmed any more, for example after a change of
        certificates, `repair` removes it and keeps the schedule; otherwise this is an error. For `logs` see `instance`.

        Raises `NoGainError` if the result is no improvement, or if a first result lacks schedule or bound; `InputError`
        if it belongs to another instance, or the folder is not writable; `VerificationError` if the result or the
        stored result is wrong.
        """
        with _locked(self.folder):
            self.reload()
            entry, instance, stored = self[name], self.instance(name, logs), self.result(name, logs)
            if stored is not None:
                stored = _sound(instance, stored, repair)
            recheck_result(instance, result)
            if result.status is Status.INFEASIBLE:
                raise InputError("an instance without a schedule has no place in the library", field="status")
            accepted = result if accept_claims else without_claims(result)
            if entry.origin.recipe is not None and accepted.schedule is not None:
                slice_ = cast("MospInstance", instance)
                order = order_of(slice_, accepted.schedule)
                accepted = replace(accepted, schedule=schedule_of(slice_, order, accepted.schedule.method))
            merged, gains, refuted = merge(stored, accepted)
            if not gains:
                raise NoGainError(no_gain(entry, result, accepted))
            recheck_result(instance, merged)
            record = record_of(entry.record, merged, gains, by, date)
            return self._replace(entry, instance, merged, record), refuted

    def _replace(self, entry: Entry, instance: Instance, result: Result, record: Record) -> Entry:
        """Write the new result under a separate name, then the index that refers to it; then delete the old result."""
        order = None
        if entry.origin.recipe is not None:
            assert result.schedule is not None
            order = order_of(cast("MospInstance", instance), result.schedule)
            result = replace(result, schedule=None)
        data = pack(result)
        checksum, records = hashlib.sha256(data).hexdigest(), [*entry.records, record]
        new = msgspec.structs.replace(entry, result=checksum, order=order, records=records)
        entries = [new if other.name == entry.name else other for other in self.index.entries]
        (self.folder / RESULTS).mkdir(exist_ok=True)
        write_bytes(self.folder / RESULTS / new.file, data)
        write_index(msgspec.structs.replace(self.index, entries=entries), self.folder / INDEX)
        if entry.result is not None and entry.file != new.file:
            (self.folder / RESULTS / entry.file).unlink(missing_ok=True)
        self.reload()
        return new

    def copy_to(self, folder: Source) -> Library:
        """Copy the library, including damaged files, into a new or empty folder; return the copy.

        Raises `InputError` if the folder contains JSON files or results, or cannot be written.
        """
        target = Path(folder)
        try:
            (target / RESULTS).mkdir(parents=True, exist_ok=True)
            if any(target.glob("*.json")) or any((target / RESULTS).iterdir()):
                raise InputError("is not empty", file=display_path(folder))
        except OSError as error:
            raise InputError(f"cannot be made: {error.strerror}", file=display_path(folder)) from error
        for entry in self.entries:
            if entry.result is not None:
                write_bytes(target / RESULTS / entry.file, _bytes(self.folder / RESULTS / entry.file, MAX_PACKED_BYTES))
        write_bytes(target / INDEX, _bytes(self.folder / INDEX, INDEX_BYTES))
        return Library(target)


def create(folder: Source, index: Index) -> Library:
    """Write a library's index without any result into a folder; errors as `oas.io.save`."""
    write_index(index, Path(folder) / INDEX)
    return Library(folder)


def _sound(instance: Instance, stored: Result, repair: bool) -> Result:
    """Return the stored result if it is valid; for a repair, without an invalid bound. The schedule must be valid."""
    try:
        recheck_result(instance, stored)
    except VerificationError:
        if not repair or stored.schedule is None:
            raise
        check(instance, stored.schedule)
        return replace(stored, status=Status.FEASIBLE, lower_bound=None, proof=None)
    return stored


def _bytes(path: Path, limit: int) -> bytes:
    with naming_file(path):
        return read_bytes(path, limit)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process at a time change a library; the lock is on the folder and is released with the process."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise InputError(f"cannot be opened: {error.strerror}", file=display_path(folder)) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
