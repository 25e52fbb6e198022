"""Commands that are killed, and what is left of them: processes that they have started, and temporary files."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from oas.campaigns.child import is_in_use

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

PATIENCE = 60.0
"""Seconds in which everything that a killed driver started must be gone; on an idle machine it takes less than five."""
MARK = "OAS_KILL_MARK"
KINDS = {"oas.campaigns.child": "worker", "oas.solvers.isolation.worker": "solver's worker", "cbc": "solver"}
DRIVERS = 0.5  # of the kills are of drivers, the others of processes that they have started


class KillTest:
    """Starts commands that differ from all other processes by a mark, kills them, and looks for what is left."""

    codes: tuple[int, ...] = (0,)  # of drivers that end by themselves

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.scratch = folder, folder / "tmp"  # scratch: the folder of their temporary files
        self.scratch.mkdir()
        self.random = random.Random(seed)
        self.mark = uuid.uuid4().hex
        self.limit = 0  # number of kills after which drivers are left alone
        self.kills: Counter[str] = Counter()  # of each kind
        self.orphans = 0  # processes that drivers left behind when they were killed
        self.abandoned: set[str] = set()  # temporary folders of killed workers; a driver removes them unless killed
        self.slowest = 0.0  # longest time that the remains of a driver took to vanish
        self.violations: list[str] = []  # what should not have happened

    def run(self, kills: int) -> None:
        """Run commands until so many kills are done, and to their end once more."""
        raise NotImplementedError

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start `oas` with these arguments; its output goes to the file ``log``."""
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "oas", *arguments],
                env={**os.environ, MARK: self.mark, "TMPDIR": str(self.scratch)},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def processes(self) -> Iterator[psutil.Process]:
        """Yield all that were started and live."""
        for process in psutil.process_iter():
            try:
                if process.environ().get(MARK) == self.mark and process.status() != psutil.STATUS_ZOMBIE:
                    yield process
            except psutil.Error:
                continue

    def others(self, driver: int) -> list[psutil.Process]:
        """Return those that the driver of this process id has started."""
        return [process for process in self.processes() if process.pid != driver]

    def interrupt(
        self,
        driver: subprocess.Popen[bytes],
        longest: float,
        victims: int,
        look: Callable[[], object] = lambda: None,
        watched: Path | None = None,
    ) -> bool:
        """Kill a driver, after up to `victims` processes that it has started; return whether it ended by itself.

        A kill comes within `longest` seconds or, half of the time, as soon as a file of the folder `watched` changes.
        `look` is called before and after.
        """
        while self.kills.total() < self.limit and self._lives(driver, longest, watched):
            others = self.others(driver.pid) if victims else []
            look()
            if not others or self.random.random() < DRIVERS:
                self.kill_driver(driver)
                return False
            victims -= 1
            self.kill(self.random.choice(others))
            look()
        code = driver.wait()
        self.expect(code in self.codes, f"a driver ended with exit code {code}")
        self.await_nothing("a driver that ended")
        return True

    def _lives(self, driver: subprocess.Popen[bytes], longest: float, watched: Path | None) -> bool:
        """Wait until a moment for a kill; return whether the driver still lives then."""
        end = time.monotonic() + self.random.uniform(0.0, longest)
        aimed = watched if self.random.random() < 0.5 else None
        before = _files(aimed)
        while (time.monotonic() < end or aimed) and driver.poll() is None:
            if aimed and _files(aimed) != before:
                break
            time.sleep(0.0002 if aimed else 0.01)
        return driver.poll() is None

    def kill(self, victim: psutil.Process) -> None:
        """Kill a process that a driver has started."""
        try:
            command = " ".join(victim.cmdline())
            victim.kill()
            victim.wait(PATIENCE)
        except psutil.NoSuchProcess:
            return
        self.abandoned |= {name for name in os.listdir(self.scratch) if not is_in_use(self.scratch / name)}
        self.kills[next((kind for part, kind in KINDS.items() if part in command), "other")] += 1

    def kill_driver(self, driver: subprocess.Popen[bytes]) -> None:
        """Kill a driver; all that it has started must end too."""
        self.orphans += len(self.others(driver.pid))
        driver.kill()
        driver.wait()
        self.kills["driver"] += 1
        self.await_nothing("a killed driver", except_for=self.abandoned)

    def await_nothing(self, after: str, except_for: Collection[str] = ()) -> None:
        """Wait until no process is left, and no temporary file except these."""
        began = time.monotonic()
        while True:
            left = [f"process {process.pid}" for process in self.processes()]
            left += [name for name in os.listdir(self.scratch) if name not in except_for]
            waited = time.monotonic() - began
            if not left or waited > PATIENCE:
                break
            time.sleep(0.02)
        self.slowest = max(self.slowest, waited)
        self.expect(not left, f"{after} left {left}")

    def expect(self, fact: bool, otherwise: str) -> None:
        """Note and print a violation unless `fact` is true."""
        if not fact:
            self.violations.append(otherwise)
            print(f"VIOLATION after {self.kills.total()} kills: {otherwise}", flush=True)

    def summary(self, figures: str) -> str:
        """Return how many were killed, what else was counted, and what was left."""
        kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(self.kills.items()))
        return (
            f"{self.kills.total()} kills ({kinds}); {figures}; killed drivers left {self.orphans} processes, "
            f"all gone and tidied up within {self.slowest:.2f} s; {len(self.violations)} violations"
        )


def _files(folder: Path | None) -> set[tuple[str, int]]:
    """Return the files in a folder and its folders, with their inodes; none without a folder."""
    found = set()
    for place, _, names in os.walk(folder) if folder else ():
        for name in names:
            try:
                found.add((name, os.stat(os.path.join(place, name)).st_ino))
            except FileNotFoundError:
                continue
    return found


def run_command(description: str | None, make: Callable[[Path, int], KillTest]) -> int:
    """Run a kill test from the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=300, help="number of kills")
    parser.add_argument("--seed", type=int, default=0, help="of moments and victims")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="oas-kills-") as folder:
        test = make(Path(folder), options.seed)
        test.run(options.kills)
        if test.violations:
            print((Path(folder) / "log").read_text()[-5000:])
    return int(bool(test.violations))
