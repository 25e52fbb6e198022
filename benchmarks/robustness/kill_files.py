"""Results and libraries that are being written, under fire: their writers are killed at random moments.

    python -m benchmarks.robustness.kill_files --kills 300

Half of the kills go to ``oas solve -o FILE``: after each the file is absent or as it was, or a whole new result that
holds. Half go to ``oas library solve``, which is started again until it has solved every entry: after each kill
everything that was in the library is there, and all of it holds; in the end each entry has its result, once. Half of
the drivers are killed as soon as something is seen to change where they write. Within five seconds of a driver's death
no process and no temporary file of it is left. The exit code is 1 if any of this fails.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from benchmarks.robustness.remains import Remains
from oas.core.errors import OasError
from oas.exact.recheck import recheck_result
from oas.io import load_result, save
from oas.io.library_index import read_index
from oas.library import Library, check_entries, create

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from oas.io.library_index import Entry
    from oas.library import Library as OpenLibrary

INSTANCE = "oas-8-3x4-tight-50-s1"  # solved at once: what is aimed at is the writing
ENTRIES = ("oas-8-3x4-*", "wc-*")
WORD = "kill_files"


class Range(Remains):
    """Where writers are shot at.

    Attributes
    ----------
    rounds
        How often a library was brought to its end, and a result written.
    litter
        Files that were left beside those that were written.
    """

    def __init__(self, folder: Path, seed: int, entries: int) -> None:
        super().__init__(folder)
        self.random = random.Random(seed)
        self.entries = entries
        self.rounds = self.written = self.litter = 0

    # One driver

    def shoot(self, driver: subprocess.Popen[bytes], longest: float, looked: Callable[[], object]) -> bool:
        """Kill a driver or what it has started, once; return whether the driver ended by itself.

        Parameters
        ----------
        longest
            Seconds until the kill, at most.
        looked
            What it returns changes while the driver writes; half of the drivers are killed then.
        """
        end = time.monotonic() + self.random.uniform(0.0, longest)
        aimed, before = self.random.random() < 0.5, looked()
        while time.monotonic() < end or aimed:
            if driver.poll() is not None:
                return True
            if aimed and looked() != before:
                break
            time.sleep(0.0002 if aimed else 0.01)
        others = self.others(driver.pid) if self.random.random() < 0.25 else []
        if others:  # without its worker it goes on, and ends by itself
            self.kill(self.random.choice(others))
            driver.wait()
            self.expect(driver.returncode in (0, 4), f"a driver ended with exit code {driver.returncode}")
            self.await_nothing("a driver that ended")
            return True
        self.kill_driver(driver)
        return False

    # Results

    def results(self, kills: int) -> None:
        """Have results written until so many kills are done."""
        instance = Library().instance(INSTANCE)
        given, folder = self.folder / "instance.json", self.folder / "results"
        save(instance, given)
        folder.mkdir()
        target = folder / "result.json"
        began = time.monotonic()
        self.start("solve", str(given), "-o", str(target), "-q", "--time-limit", "20").wait()
        longest = time.monotonic() - began
        target.unlink()
        while self.kills.total() < kills:
            if self.random.random() < 0.3:
                target.unlink(missing_ok=True)
            before = target.read_bytes() if target.exists() else None
            driver = self.start("solve", str(given), "-o", str(target), "-q", "--time-limit", "20")
            by_itself = self.shoot(driver, longest, lambda: _listed(folder))
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
            print(self.summary(), flush=True)

    def _tidy(self, folder: Path, known: set[str]) -> None:
        """Take away what is beside the files that belong there; each must be whole."""
        for path in list(folder.iterdir()):
            if path.name in known:
                continue
            self.litter += 1
            try:
                read_index(path) if "index" in path.name else load_result(path)
            except OasError as error:
                self.expect(False, f"half a file was left over: {error}")
            path.unlink()

    # Libraries

    def libraries(self, kills: int) -> None:
        """Solve libraries until so many kills are done and the last is complete."""
        while self.kills.total() < kills:
            self._library(self.folder / f"library-{self.rounds}", kills)

    def _library(self, folder: Path, kills: int) -> None:
        whole = Library()
        chosen = [one for one in whole.select(ENTRIES) if one.jobs <= 12][: self.entries]
        folder.mkdir()
        empty = [structs.replace(one, result=None, order=None, records=[]) for one in chosen]
        create(folder, structs.replace(whole.index, entries=empty))
        began = time.monotonic()
        self._solve(folder, chosen[0].name).wait()
        longest = 2 * (time.monotonic() - began)  # half of it is the start of the command
        seen: dict[str, Entry] = {}
        while any(not one.records for one in self._look(folder, seen).entries):
            driver = self._solve(folder)
            if self.kills.total() < kills:
                self.shoot(driver, longest, lambda: _listed(folder))
                print(self.summary(), flush=True)
            else:
                self.expect(driver.wait() == 0, f"a driver ended with exit code {driver.returncode}")
        self._end(folder)
        self.rounds += 1

    def _solve(self, folder: Path, *names: str) -> subprocess.Popen[bytes]:
        given = ("--library", str(folder), "--by", WORD, "-q", "--time-limit", "20")
        return self.start("library", "solve", *names, *given)

    def _look(self, folder: Path, seen: dict[str, Entry]) -> OpenLibrary:
        """What was there is there, and what is new holds."""
        library = Library(folder)
        for name, one in seen.items():
            now = library[name].records[: len(one.records)]
            self.expect(now == one.records, f"{name}: what was known of it is lost or changed")
        new = [one for one in library.entries if one.records and one != seen.get(one.name)]
        for found in check_entries(library, new):
            self.expect(not found.fault and not found.unchecked, f"{found.entry.name}: {found.fault}{found.unchecked}")
        seen |= {one.name: one for one in new}
        return library

    def _end(self, folder: Path) -> None:
        library = Library(folder)
        for found in check_entries(library, library.entries):
            self.expect(not found.fault, f"{found.entry.name}: {found.fault}")
        twice = [one.name for one in library.entries if len(one.records) != 1]
        self.expect(not twice, f"not exactly one record: {twice}")
        self._tidy(folder / "results", {one.file for one in library.entries})
        self._tidy(folder, {"index.json", "results"})

    def summary(self) -> str:
        """Say what was done and found."""
        return (
            f"{self.told()}; {self.written} results written, {self.rounds} libraries of {self.entries} entries solved; "
            f"{self.litter} whole files left over; {self.rest()}"
        )


def _listed(folder: Path) -> set[tuple[str, int]]:
    """What is in a folder and its folders, with the files' inodes."""
    found = set()
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                found.add((name, os.stat(os.path.join(place, name)).st_ino))
            except FileNotFoundError:
                continue
    return found


def main() -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("results", "libraries"), help="one half alone")
    parser.add_argument("--entries", type=int, default=20, help="of each library")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="oas-fire-") as folder:
        fire = Range(Path(folder), given.seed, given.entries)
        if given.only != "libraries":
            fire.results(given.kills if given.only else given.kills // 2)
        if given.only != "results":
            fire.libraries(given.kills)
        if fire.violations:
            print((Path(folder) / "log").read_text()[-5000:])
    return 1 if fire.violations else 0


if __name__ == "__main__":
    sys.exit(main())
