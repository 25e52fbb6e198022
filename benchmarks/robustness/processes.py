"""Kills of commands, and checks for leftovers: processes that they have started, and temporary files."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

PATIENCE = 60.0  # seconds in which everything that a killed driver started must be gone; mostly less than five
MARK = "OAS_KILL_MARK"


class KillTest:
    """Runner that starts commands marked by an environment variable, kills them, and looks for leftovers."""

    codes: tuple[int, ...] = (0,)  # exit codes accepted from drivers that are not killed

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.scratch = folder, folder / "tmp"  # scratch: the folder of their temporary files
        self.scratch.mkdir()
        self.random = random.Random(seed)
        self.limit = 0  # number of kills after which drivers are left alone
        self.kills: Counter[str] = Counter()  # of drivers, and of processes that they have started
        # Temporary folders at the time of kills: that of a killed worker stays if its driver is killed soon after it
        self.abandoned: set[str] = set()
        self.violations: list[str] = []

    def start(self, *arguments: str, module: str = "oas") -> subprocess.Popen[bytes]:
        """Start `oas`, or another module, with these arguments; its output goes to the file ``log``."""
        command = [sys.executable, "-m", module, *arguments]
        environment = {**os.environ, MARK: str(self.folder), "TMPDIR": str(self.scratch)}
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)

    def processes(self) -> Iterator[psutil.Process]:
        """Yield the running processes that this test has started."""
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if process.environ().get(MARK) == str(self.folder) and process.status() != psutil.STATUS_ZOMBIE:
                    yield process

    def interrupt(
        self,
        driver: subprocess.Popen[bytes],
        longest: float,
        victims: int,
        look: Callable[[], object] = lambda: None,
        watched: Path | None = None,
    ) -> bool:
        """Kill up to `victims` child processes of a driver and then the driver; return whether it ended before that.

        A kill comes within `longest` seconds or, half of the time, when a file in `watched` changes; `look` is called
        before and after.
        """
        while self.kills.total() < self.limit and self._lives(driver, longest, watched):
            others = [one for one in self.processes() if one.pid != driver.pid] if victims else []
            look()
            if not others or self.random.random() < 0.5:
                driver.kill()
                driver.wait()
                self.kills["driver"] += 1
                self.await_nothing("a killed driver", except_for=self.abandoned)
                self._remove_abandoned()
                return False
            victims -= 1
            self.kill(self.random.choice(others))
            look()
        code = driver.wait()
        self.expect(code in self.codes, f"a driver ended with exit code {code}")
        self.await_nothing("a driver that ended")
        return True

    def _lives(self, driver: subprocess.Popen[bytes], longest: float, watched: Path | None) -> bool:
        """Wait until a moment for a kill; return whether the driver is still running."""
        end = time.monotonic() + self.random.uniform(0.0, longest)
        aimed = watched if self.random.random() < 0.5 else None
        before = _files(aimed)
        while (_files(aimed) == before if aimed else time.monotonic() < end) and driver.poll() is None:
            time.sleep(0.0002 if aimed else 0.01)
        return driver.poll() is None

    def kill(self, victim: psutil.Process) -> None:
        """Kill a process that a driver has started."""
        try:
            victim.kill()
            victim.wait(PATIENCE)
        except psutil.NoSuchProcess:
            return
        self.abandoned |= set(os.listdir(self.scratch))
        self.kills["process"] += 1

    def await_nothing(self, after: str, except_for: Collection[str] = ()) -> None:
        """Wait until no process is left, and no temporary file except these."""
        end = time.monotonic() + PATIENCE
        while left := [
            *(f"process {process.pid}" for process in self.processes()),
            *(name for name in os.listdir(self.scratch) if name not in except_for),
        ]:
            if time.monotonic() > end:
                break
            time.sleep(0.02)
        self.expect(not left, f"{after} left {left}")

    def _remove_abandoned(self) -> None:
        """Remove the folders of killed workers that no driver can remove any more."""
        while self.abandoned:
            shutil.rmtree(self.scratch / self.abandoned.pop(), ignore_errors=True)

    def expect(self, fact: bool, otherwise: str) -> None:
        """Record and print a violation unless `fact` is true."""
        if not fact:
            self.violations.append(otherwise)
            print(f"VIOLATION after {self.kills.total()} kills: {otherwise}", flush=True)

    def summary(self, figures: str) -> str:
        """Return the numbers of kills, the given counts, and the number of violations."""
        kills = f"{self.kills.total()} kills, {self.kills['driver']} of drivers"
        return f"{kills}; {figures}; {len(self.violations)} violations"


def _files(folder: Path | None) -> set[tuple[str, int]]:
    """Return the files in a folder and its folders, with their inodes; none without a folder."""
    found = set()
    for place, _, names in os.walk(folder) if folder else ():
        for name in names:
            with suppress(FileNotFoundError):
                found.add((name, os.stat(os.path.join(place, name)).st_ino))
    return found


def run_command(description: str | None, make: Callable[[Path, int], Any]) -> int:
    """Run a kill test, a `KillTest` with a function ``run(kills)``, from the command line; return the exit code."""
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
