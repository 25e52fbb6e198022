"""Test that kills of writers of results and libraries at random moments leave complete files.

    python -m benchmarks.robustness.kill_files --kills 300

Half of the kills end ``oas solve -o FILE``; the file must then be absent, unchanged, or a complete valid result. Half
end ``benchmarks.library_update solve``, which is started again until it has solved every entry; after each kill, all
earlier content of the library must exist and be valid, and at the end each entry must have one result. Half of the
kills come as soon as a written file changes. A killed driver must leave no process and no temporary file. The exit code
is 1 if any of this fails.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from msgspec import structs

from benchmarks.library_update import create
from benchmarks.robustness.processes import KillTest, run_command
from oas.core.errors import OasError
from oas.io import load_result, save
from oas.io.library_index import read_index
from oas.library import Library, check_entries
from oas.solving.recheck import recheck_result

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from oas.io.library_index import Entry

INSTANCE = "oas-8-3x4-tight-50-s1"  # solved immediately, so that kills interrupt the writing
PATTERNS = ("oas-8-3x4-*", "wc-*")
ENTRIES = 20
LIMIT = ("--time-limit", "20")


class FileKillTest(KillTest):
    """Kill test of the drivers that write results and libraries."""

    codes = (0, 4)  # 4: a solver's fault, such as a killed worker

    def __init__(self, folder: Path, seed: int, entries: int = ENTRIES) -> None:
        super().__init__(folder, seed)
        self.entries = entries
        self.rounds = self.written = 0  # numbers of completed libraries and of written results
        self.litter = 0  # leftover files next to the written ones

    def run(self, kills: int) -> None:
        """Interrupt the writing of results, then that of libraries, half of the kills each."""
        self.results(kills // 2)
        self.libraries(kills)

    def results(self, kills: int) -> None:
        """Write results until `kills` kills are done."""
        instance = Library().instance(INSTANCE)
        given, folder = self.folder / "instance.json", self.folder / "results"
        target = folder / "result.json"
        save(instance, given)
        folder.mkdir()
        command = ("solve", str(given), "-o", str(target), "-q", *LIMIT)
        began = time.monotonic()
        self.start(*command).wait()
        longest = time.monotonic() - began
        target.unlink()
        self.limit = kills
        while self.kills.total() < kills:
            if self.random.random() < 0.3:
                target.unlink(missing_ok=True)
            before = target.read_bytes() if target.exists() else None
            by_itself = self.interrupt(self.start(*command), longest, 1, watched=folder)
            after = target.read_bytes() if target.exists() else None
            self.expect(after is not None or before is None, "a result is gone")
            self.expect(not by_itself or after is not None, "a driver that ended has written nothing")
            if after is not None and after != before:
                self.written += 1
                try:
                    recheck_result(instance, load_result(target))
                except OasError as error:
                    self.expect(False, f"a result that does not hold: {error}")
            self._tidy(folder, {target.name})
            self._print_summary()

    def libraries(self, kills: int) -> None:
        """Solve libraries until `kills` kills are done and the last library is complete."""
        self.limit = kills
        whole = Library()
        chosen = [one for one in whole.select(PATTERNS) if one.jobs <= 12][: self.entries]
        empty = [structs.replace(one, result=None, order=None, records=[]) for one in chosen]
        while self.kills.total() < kills:
            folder = self.folder / f"library-{self.rounds}"
            folder.mkdir()
            create(folder, structs.replace(whole.index, entries=empty))
            began = time.monotonic()
            self._solve(folder, chosen[0].name).wait()
            longest = 2 * (time.monotonic() - began)  # half of it is the start of the command
            seen: dict[str, Entry] = {}
            while any(not one.records for one in self.look(folder, seen).entries):
                self.interrupt(self._solve(folder), longest, 1, watched=folder)
                self._print_summary()
            self.check_end(folder)
            self.rounds += 1

    def _solve(self, folder: Path, *names: str) -> subprocess.Popen[bytes]:
        arguments = ("solve", str(folder), *names, "--by", "kill_files", *LIMIT)
        return self.start(*arguments, module="benchmarks.library_update")

    def look(self, folder: Path, seen: dict[str, Entry]) -> Library:
        """Return the library after checking that earlier records remain and new ones are valid."""
        library = Library(folder)
        for name, one in seen.items():
            now = library[name].records[: len(one.records)]
            self.expect(now == one.records, f"{name}: what was known of it is lost or changed")
        new = [one for one in library.entries if one.records and one != seen.get(one.name)]
        for found in check_entries(library, new):
            self.expect(not found.fault and not found.unchecked, f"{found.entry.name}: {found.fault}{found.unchecked}")
        seen |= {one.name: one for one in new}
        return library

    def check_end(self, folder: Path) -> None:
        """Check a library at the end: one result for each entry, which holds, and no other file."""
        library = Library(folder)
        for found in check_entries(library, library.entries):
            self.expect(not found.fault, f"{found.entry.name}: {found.fault}")
        twice = [one.name for one in library.entries if len(one.records) != 1]
        self.expect(not twice, f"not exactly one record: {twice}")
        self._tidy(folder / "results", {one.file for one in library.entries})
        self._tidy(folder, {"index.json", "results"})

    def _tidy(self, folder: Path, known: set[str]) -> None:
        """Remove unexpected files; each of them must be complete."""
        for path in list(folder.iterdir()):
            if path.name in known:
                continue
            self.litter += 1
            try:
                read_index(path) if "index" in path.name else load_result(path)
            except OasError as error:
                self.expect(False, f"half a file was left over: {error}")
            path.unlink()

    def _print_summary(self) -> None:
        figures = f"{self.written} results written, {self.rounds} libraries of {self.entries} entries solved"
        print(self.summary(f"{figures}; {self.litter} whole files left over"), flush=True)


if __name__ == "__main__":
    sys.exit(run_command(__doc__, FileKillTest))
