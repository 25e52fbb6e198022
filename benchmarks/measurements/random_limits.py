"""Whether random instances of all sizes end at their time limit, or at Ctrl-C, and write their best result.

    python -m benchmarks.measurements.random_limits --count 200
    python -m benchmarks.measurements.random_limits --count 100 --interrupt

Each instance (co-allocation, links forbidden or slowed; MOSP with releases, locality and reservations; up to 2,000 jobs
and 5,000 nodes) is solved by an `oas solve` in a separate process. With ``--interrupt`` there is no limit, and SIGINT
comes at a random moment after start-up. A row is late if the solve's own clock is more than a second past the limit, or
if the process ends more than a second after SIGINT. Exit code 1 if a row is late or nothing is written; instances
whose exact times get too long are refused.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.measurements.limit_instances import draw
from benchmarks.measurements.machine import circumstances
from oas.io import save

LATE = 1.0  # seconds that are allowed
START_UP = 1.5  # seconds after which SIGINT comes at the earliest: before, there is no result to write


def run(file: Path, limit: float, interrupt: float | None) -> dict[str, Any]:
    """Solve the instance in a file; return status, seconds of the solve's clock, of the command, and since SIGINT."""
    out = file.with_suffix(".result.json")
    limits = ["--time-limit", str(limit)] if interrupt is None else []
    began = time.monotonic()
    command = [sys.executable, "-m", "oas", "solve", str(file), "-q", "-o", str(out), *limits]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    asked = None
    if interrupt is not None:
        try:
            process.wait(interrupt)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            asked = time.monotonic()
    process.wait()
    ended = time.monotonic()
    refused = process.returncode == 2  # without slots, exact times may get too long for files
    nothing: Any = {"status": "refused" if refused else "nothing written", "seconds": {}}
    result = json.loads(out.read_bytes()) if out.exists() else nothing
    return {
        "status": result["status"],
        "clock": float(result["seconds"].get("total", 0)),
        "command": ended - began,
        "after": None if asked is None else ended - asked,
    }


def main() -> int:
    """Measure, print late rows and a summary; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="instances")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--limit", type=float, default=4.0, help="seconds")
    parser.add_argument("--interrupt", action="store_true", help="SIGINT at a random moment instead of a limit")
    given = parser.parse_args()
    print(f"{circumstances()}\n")
    print("| seed | jobs | status | clock s | command s | after SIGINT s | load |\n|---|---|---|---|---|---|---|")
    bad, most, interrupted = 0, 0.0, 0
    with TemporaryDirectory() as folder:
        for seed in range(given.first, given.first + given.count):
            instance = draw(seed)
            file = Path(folder) / f"{seed}.json"
            save(instance, file)
            moment = Random(seed).uniform(START_UP, START_UP + 6) if given.interrupt else None
            row = run(file, given.limit, moment)
            over = row["after"] if given.interrupt else float(row["clock"]) - given.limit
            interrupted += row["after"] is not None
            most = max(most, float(over or 0.0))
            if float(over or 0.0) > LATE or row["status"] not in ("optimal", "feasible", "infeasible", "refused"):
                bad += 1
                times = [f"{row[name]:.2f}" if row[name] is not None else "" for name in ("clock", "command", "after")]
                cells = [seed, len(instance.jobs), row["status"], *times, f"{os.getloadavg()[0]:.1f}"]
                print(f"| {' | '.join(map(str, cells))} |", flush=True)
    how = f"{interrupted} interrupted" if given.interrupt else f"limit {given.limit:g} s"
    print(f"\n{given.count} instances, {how}: {bad} late or without a schedule; at most {most:.2f} s late")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
