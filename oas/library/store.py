"""An instance library in a folder: an index, and a compressed result file for each entry."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, unknown_name, within
from oas.core.numbers import as_float
from oas.io.files import display_path, naming_file, read_bytes
from oas.io.library_index import Entry, read_index
from oas.io.reading import MAX_PACKED_BYTES, unpack_result
from oas.library.origins import make, schedule_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.io.files import Source
    from oas.logs.swf import SwfLog

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


def _bytes(path: Path, limit: int) -> bytes:
    with naming_file(path):
        return read_bytes(path, limit)
