"""The ledger: one SQLite file that holds a campaign's instances and every finished run.

In WAL mode with synchronous=FULL, runs survive a crash of process or machine once `add` has returned. Each key occurs
once, even if the run is added repeatedly.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

from oas.campaigns.record import COLUMNS, record_of
from oas.core.errors import InputError
from oas.core.numbers import identifier
from oas.io.decoding import MAX_BYTES
from oas.io.files import FileLock, clean, inflated, naming_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from oas.campaigns.record import Record

APPLICATION = 0x6F61736C  # "oasl"
VERSION = 2
_SCHEMA = f"""
CREATE TABLE instances (digest TEXT PRIMARY KEY, name TEXT NOT NULL, problem TEXT NOT NULL, document BLOB NOT NULL);
CREATE TABLE sources (fingerprint TEXT PRIMARY KEY, digest TEXT NOT NULL REFERENCES instances);
CREATE TABLE runs ({", ".join(f"{name} PRIMARY KEY" if name == "key" else name for name in COLUMNS)}) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""
# Messages for SQLite's error codes that are clearer to users than SQLite's messages.
_REASONS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it cannot be written",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_NOTADB: "it is no ledger",
    sqlite3.SQLITE_BUSY: "another process holds it",
    sqlite3.SQLITE_CORRUPT: "it is damaged",
    sqlite3.SQLITE_IOERR: "reading or writing failed",
    sqlite3.SQLITE_TOOBIG: f"a value in it has more than {MAX_BYTES} bytes, the most that is read",
}


@dataclass(frozen=True)
class StoredInstance:
    """Description of an instance in the ledger that does not require decoding the instance."""

    digest: str
    name: str
    problem: str


class Ledger:
    """An open ledger; use it as a context manager.

    With `write`, for running a campaign, the file is created if necessary, and no other process may write at the same
    time. Otherwise it must exist and is only read. Raises `InputError` naming the file: missing, not a ledger, of
    another version, not writable, or locked by another run.
    """

    def __init__(self, path: str | Path, *, write: bool = False) -> None:
        self.path = Path(path)
        self._write = write
        if not write and not self.path.exists():
            raise InputError("there is no such ledger; run the campaign first", file=str(path))
        with ExitStack() as stack, self._explained():
            if write:
                lock = FileLock(self._beside("lock"))
                stack.callback(lock.release)
                if not lock.held:
                    raise InputError("another run of a campaign is writing it", file=str(path))
            self._connection = self._connect()
            stack.callback(self._connection.close)
            self._prepare()
            self._resources = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _beside(self, suffix: str) -> Path:
        """Return the path of an auxiliary file, named as SQLite names them."""
        path = self.path.resolve()
        return path.with_name(f"{path.name}-{suffix}")

    def _connect(self) -> sqlite3.Connection:
        if self._write:
            return sqlite3.connect(self.path, isolation_level=None, timeout=10)
        whole, log = self.path.resolve(), self._beside("wal")
        # SQLite creates files next to the one it reads; in a folder without write access the ledger cannot change
        # either.
        fixed = not os.access(whole.parent, os.W_OK)
        if fixed and log.exists() and log.stat().st_size and not self._beside("shm").exists():
            reason = f"its last run was cut off; copy it with {log.name} to a folder that can be written"
            raise InputError(reason, file=str(self.path))
        if fixed:
            mode = "mode=ro" if log.exists() and log.stat().st_size else "mode=ro&immutable=1"
        else:  # a read-only connection would leave SQLite's auxiliary files behind
            mode = "mode=rw" if os.access(whole, os.W_OK) else "mode=ro"
        connection = sqlite3.connect(f"file:{quote(str(whole))}?{mode}", uri=True, isolation_level=None, timeout=10)
        connection.execute("PRAGMA query_only = ON")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
        return connection

    def _prepare(self) -> None:
        (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        new = self._write and not tables
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if not new and application != APPLICATION:
            raise InputError("it is no ledger", file=str(self.path))
        if not new and version != VERSION:
            raise InputError(f"its version is {version}; this package reads {VERSION}", file=str(self.path))
        if self._write:
            self._make_durable()
        if new:
            self._connection.executescript(f"BEGIN;{_SCHEMA}COMMIT;")

    def _make_durable(self) -> None:
        """Let every commit return only when it is on the disk, and check that the file is writable."""
        (mode,) = self._connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise InputError("WAL mode cannot be had here (a network folder?)", file=str(self.path))
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA fullfsync = ON")  # macOS: fsync alone does not reach the disk
        with self._transaction() as connection:  # a change is the only reliable test
            connection.execute(f"PRAGMA application_id = {APPLICATION}")

    def close(self) -> None:
        """Close the file; all added runs are already on the disk."""
        self._resources.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn errors of SQLite and the system into `InputError`."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            reason = _REASONS.get(code, clean(str(error), ""))
            raise InputError(reason, file=str(self.path)) from error
        except OverflowError as error:
            raise InputError(f"a number is too large for it: {error}", file=str(self.path)) from error
        except OSError as error:
            raise InputError(f"it cannot be written: {error.strerror}", file=str(self.path)) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    # Instances

    def instance_from(self, fingerprint: str) -> StoredInstance | None:
        """Return the stored instance of a source with this fingerprint; None if there is none."""
        query = "SELECT digest, name, problem FROM sources JOIN instances USING (digest) WHERE fingerprint = ?"
        with self._explained():
            row = self._connection.execute(query, (fingerprint,)).fetchone()
        if row is None:
            return None
        digest, name, problem = row
        with naming_file(self.path):
            name = name and identifier(name, "name")  # it may be empty
            return StoredInstance(identifier(digest, "digest"), name, identifier(problem, "problem"))

    def add_instance(self, fingerprint: str, digest: str, name: str, problem: str, document: bytes) -> StoredInstance:
        """Store an instance unless an equal one is stored; return the stored one.

        A read-only ledger returns it without storing it.
        """
        if not self._write:
            return StoredInstance(digest, name, problem)
        with self._transaction() as connection:
            row = (digest, name, problem, zlib.compress(document, 6))
            connection.execute("INSERT OR IGNORE INTO instances VALUES (?, ?, ?, ?)", row)
            connection.execute("INSERT OR REPLACE INTO sources VALUES (?, ?)", (fingerprint, digest))
        stored = self.instance_from(fingerprint)
        assert stored is not None
        return stored

    def document(self, digest: str) -> bytes:
        """Return an instance in its file format; raises `InputError` if it is missing, damaged or too large."""
        with self._explained():
            row = self._connection.execute("SELECT document FROM instances WHERE digest = ?", (digest,)).fetchone()
        if row is None:
            raise InputError("no such instance in the ledger", file=str(self.path), value=digest)
        with naming_file(self.path):
            if not isinstance(row[0], bytes):
                raise InputError("must be bytes", field="document", value=row[0])
            return inflated(row[0], MAX_BYTES)

    # Runs

    def add(self, records: Iterable[Record]) -> int:
        """Add finished runs in one transaction; return the number of new ones. They are then on the disk."""
        rows = [tuple(getattr(record, name) for name in COLUMNS) for record in records]
        with self._transaction() as connection:
            before = connection.total_changes
            places = ", ".join("?" * len(COLUMNS))
            connection.executemany(f"INSERT OR IGNORE INTO runs VALUES ({places})", rows)
            return connection.total_changes - before

    def keys(self) -> set[str]:
        """Return the keys of all runs."""
        with self._explained():
            return {key for (key,) in self._connection.execute("SELECT key FROM runs")}

    def records(self, keys: Collection[str] | None = None, *, with_results: bool = False) -> Iterator[Record]:
        """Yield the runs with these keys (by default all) in the order of their keys.

        Raises `InputError` that names file, run and column if a row is malformed.
        """
        names = [name if name != "result" or with_results else "x'' AS result" for name in COLUMNS]
        with self._explained():
            query = f"SELECT {', '.join(names)} FROM runs"  # nosec B608 # our own names of columns
            chosen = [] if keys is None else [json.dumps(list(keys))]
            if chosen:
                query += " WHERE key IN (SELECT value FROM json_each(?))"
            for row in self._connection.execute(f"{query} ORDER BY key", chosen):
                with naming_file(self.path):
                    record = record_of(row)
                yield record
