"""Whether time limits hold: large and odd instances, and few jobs, with everything compiled and with nothing.

    python -m benchmarks.measurements.limits --busy 3

Each solve is an `oas solve --time-limit` in a process of its own. With nothing compiled means an empty folder for
compiled code: the searches are compiled in the background meanwhile. ``--busy N`` runs N busy loops in parallel. The
solve's own clock must stay within a second of the limit. What lies outside of it is start-up, the schedule's execution
without slots, the file and the table. Exit code 1 if a clock is more than a second late, or a status of the instances
with 8 jobs differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.measurements.limit_instances import FEW, INSTANCES
from benchmarks.measurements.machine import circumstances
from oas.io import save

if TYPE_CHECKING:
    from collections.abc import Iterator


LATE = 1.0  # seconds beyond the limit that are allowed


@dataclass(frozen=True)
class Solved:
    """A status, the seconds of the solve's clock, those of the whole command, and the load afterwards."""

    status: str
    clock: float
    call: float
    load: float


def solved(file: Path, limit: float, code: Path) -> Solved:
    """Solve the instance in a file, compiled code being kept in the folder `code`."""
    out = file.with_suffix(".result.json")
    began = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "oas", "solve", str(file), "--time-limit", str(limit), "-q", "-o", str(out)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(code)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    call = time.monotonic() - began
    result = json.loads(out.read_bytes())  # some are larger than `oas` reads
    return Solved(result["status"], float(result["seconds"]["total"]), call, os.getloadavg()[0])


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Run busy loops while the block is executed."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def main() -> int:
    """Measure and print a table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=5.0, help="seconds")
    parser.add_argument("--busy", type=int, default=0, help="so many busy loops beside")
    parser.add_argument("--only", default="", help="instances with this in their name")
    given = parser.parse_args()
    bad = 0
    print(f"{circumstances()}; {given.busy} busy loops in addition\n")
    print(f"| instance, limit {given.limit:g} s | compiled | status | clock s | command s | load |")
    print("|---|---|---|---|---|---|")
    with TemporaryDirectory() as name:
        folder = Path(name)
        warm = folder / "warm"
        subprocess.run(
            [sys.executable, "-m", "oas", "warm-up", "-q"], env={**os.environ, "NUMBA_CACHE_DIR": str(warm)}, check=True
        )
        with busy(given.busy):
            for number, (title, make) in enumerate(INSTANCES.items()):
                if given.only not in title:
                    continue
                file = folder / f"{number}.json"
                save(make(), file)
                rows = {"nothing": solved(file, given.limit, folder / f"cold-{number}")}
                rows["everything"] = solved(file, given.limit, warm)
                for what, one in rows.items():
                    print(
                        f"| {title} | {what} | {one.status} | {one.clock:.2f} | {one.call:.1f} | {one.load:.1f} |",
                        flush=True,
                    )
                late = any(one.clock > given.limit + LATE for one in rows.values())
                differ = FEW in title and len({one.status for one in rows.values()}) > 1
                bad += late or differ
    print(f"\n{bad} late or with different statuses")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
