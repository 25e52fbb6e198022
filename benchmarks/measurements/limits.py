"""Test of time limits and Ctrl-C on large, unusual and small instances, and on random instances of all sizes.

    python -m benchmarks.measurements.limits --busy 3
    python -m benchmarks.measurements.limits --random 200 --limit 4
    python -m benchmarks.measurements.limits --random 100 --interrupt

Each solve is an `oas solve` in a separate process. Its reported time must exceed the limit by less than a second; this
time excludes start-up, execution without slots, and output. ``--busy N`` runs N busy loops in parallel. Fixed
instances are solved with and without compiled kernels (an empty cache, while the kernels are compiled in the
background); those with 8 jobs must end with the same status.

``--random N`` draws co-allocation instances with forbidden or slowed links, and MOSP instances with locality or with
one cluster, reservations and release dates, of up to 2,000 jobs and 5,000 nodes. ``--interrupt`` removes the limit:
SIGINT comes at a random moment after start-up, and the process must end within a second with its incumbent. Exit code 1
if a solve is late, writes no result or differs.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks.common import busy, circumstances
from benchmarks.measurements.limit_instances import FEW, INSTANCES, draw
from oas.io import save

LATE = 1.0  # seconds beyond the limit, or after SIGINT, that are allowed
START_UP = 1.5  # seconds after which SIGINT comes at the earliest: before, there is no result to write


@dataclass(frozen=True)
class Solved:
    """Status, seconds of the solve, of the whole command and since SIGINT, and the load afterwards."""

    status: str
    clock: float
    call: float
    after: float | None
    load: float


def solved(file: Path, limit: float | None = None, code: Path | None = None, interrupt: float | None = None) -> Solved:
    """Solve the instance in a file within a limit, or until SIGINT after `interrupt` seconds.

    Compiled code is cached in the folder `code`, by default in the usual one. ``refused``: exact times get too long.
    """
    out = file.with_suffix(".result.json")
    out.unlink(missing_ok=True)
    limits = [] if limit is None else ["--time-limit", str(limit)]
    command = [sys.executable, "-m", "oas", "solve", str(file), "-q", "-o", str(out), *limits]
    environment = os.environ if code is None else {**os.environ, "NUMBA_CACHE_DIR": str(code)}
    began = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    sent = None
    if interrupt is not None:
        try:
            process.wait(interrupt)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            sent = time.monotonic()
    process.wait()
    ended = time.monotonic()
    status, clock = "refused" if process.returncode == 2 else "nothing written", 0.0
    if out.exists():
        result = json.loads(out.read_bytes())  # some results are larger than `oas` accepts
        status, clock = result["status"], float(result["seconds"]["total"])
    return Solved(status, clock, ended - began, None if sent is None else ended - sent, os.getloadavg()[0])


def fixed(folder: Path, limit: float, only: str) -> int:
    """Solve the fixed instances with and without compiled kernels; print rows and return the number of faults."""
    faults = 0
    warm = folder / "warm"
    command = [sys.executable, "-m", "oas", "warm-up", "-q"]
    subprocess.run(command, env={**os.environ, "NUMBA_CACHE_DIR": str(warm)}, check=True)
    print(
        f"| instance, limit {limit:g} s | compiled | status | clock s | command s | load |\n|---|---|---|---|---|---|"
    )
    for number, (title, make) in enumerate(INSTANCES.items()):
        if only not in title:
            continue
        file = folder / f"{number}.json"
        save(make(), file)
        rows = {"nothing": solved(file, limit, folder / f"cold-{number}"), "everything": solved(file, limit, warm)}
        for compiled, one in rows.items():
            cells = [title, compiled, one.status, f"{one.clock:.2f}", f"{one.call:.1f}", f"{one.load:.1f}"]
            print(f"| {' | '.join(cells)} |", flush=True)
        late = any(one.clock > limit + LATE or one.status == "nothing written" for one in rows.values())
        differ = FEW in title and len({one.status for one in rows.values()}) > 1
        faults += late or differ
    print(f"\n{faults} late, without a result or with different statuses")
    return faults


def drawn(folder: Path, count: int, limit: float | None) -> int:
    """Solve random instances until the limit, or SIGINT if there is none; print late rows, return their number."""
    faults, interrupted, latest = 0, 0, 0.0
    print("| seed | jobs | status | clock s | command s | after SIGINT s | load |\n|---|---|---|---|---|---|---|")
    for seed in range(count):
        instance = draw(seed)
        file = folder / f"{seed}.json"
        save(instance, file)
        moment = Random(seed).uniform(START_UP, START_UP + 6) if limit is None else None
        one = solved(file, limit, interrupt=moment)
        over = one.clock - limit if limit is not None else one.after or 0.0
        interrupted += one.after is not None
        latest = max(latest, over)
        if over > LATE or one.status not in ("optimal", "feasible", "infeasible", "refused"):
            faults += 1
            after = "" if one.after is None else f"{one.after:.2f}"
            cells = [seed, len(instance.jobs), one.status, f"{one.clock:.2f}", f"{one.call:.2f}", after]
            print(f"| {' | '.join(map(str, cells))} | {one.load:.1f} |", flush=True)
    how = f"{interrupted} interrupted" if limit is None else f"limit {limit:g} s"
    print(f"\n{count} instances, {how}: {faults} late or without a schedule; at most {latest:.2f} s late")
    return faults


def main() -> int:
    """Measure and print a table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=float, default=5.0, help="seconds")
    parser.add_argument("--busy", type=int, default=0, metavar="N", help="number of busy loops")
    parser.add_argument("--only", default="", help="fixed instances with this in their name")
    parser.add_argument(
        "--random", type=int, default=0, metavar="N", help="number of random instances, of seeds 0, 1, …"
    )
    parser.add_argument("--interrupt", action="store_true", help="SIGINT at a random moment instead of a limit")
    given = parser.parse_args()
    if given.interrupt and not given.random:
        parser.error("--interrupt needs --random")
    print(f"{circumstances()}; {given.busy} busy loops in addition\n")
    with TemporaryDirectory() as name, busy(given.busy):
        if given.random:
            faults = drawn(Path(name), given.random, None if given.interrupt else given.limit)
        else:
            faults = fixed(Path(name), given.limit, given.only)
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
