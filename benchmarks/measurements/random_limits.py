"""Whether random instances of all sizes end at their time limit, or at Ctrl-C, and write their best result.

    python -m benchmarks.measurements.random_limits --count 200
    python -m benchmarks.measurements.random_limits --count 100 --interrupt

Each instance (co-allocation, links forbidden or slowed; MOSP with releases, locality and reservations; up to 2,000 jobs
and 5,000 nodes) is solved by an `oas solve` in a process of its own. With ``--interrupt`` there is no limit, and SIGINT
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
from typing import TYPE_CHECKING, Any

from benchmarks.measurements.machine import cpu_model
from oas.core.errors import InputError
from oas.exact.versions import versions
from oas.io import save
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.coallocation.saturation import Saturation
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob

if TYPE_CHECKING:
    from oas.core.instances import Instance

LATE = 1.0  # seconds that are allowed
START_UP = 1.5  # seconds after which SIGINT comes at the earliest: before, there is no result to write
JOBS, NODES = 2_000, 5_000


def draw(seed: int) -> Instance:
    """Draw an instance: co-allocation, the same with slowdown, and MOSP twice, in turn."""
    random = Random(f"limits {seed}")
    while True:
        try:
            instance = mosp(random) if seed % 4 > 1 else coallocation(random, slows=seed % 4 == 1)
            instance.scaled()
            return instance
        except InputError:  # too many ticks
            continue


def size(random: Random, most: int) -> int:
    """Draw a size up to `most`, small ones as often as large ones."""
    return max(1, int(most ** random.uniform(0.3, 1)))


def coallocation(random: Random, *, slows: bool) -> CoallocationInstance:
    """Draw clusters of one or two kinds of nodes, links from narrow to wide, and jobs of all widths."""
    count = random.randint(1, 5)
    clusters = []
    for index in range(count):
        nodes = size(random, NODES // count)
        cut = random.randint(0, nodes) if random.random() < 0.4 else nodes
        powers = random.choice(("1", "3/4", "2")), random.choice(("1/2", "7/5"))
        groups = [NodeGroup(part, power) for part, power in zip((cut, nodes - cut), powers, strict=True) if part]
        clusters.append(Cluster(f"C{index}", groups, int(10 ** random.uniform(1, 5))))
    widest = max(1, int(sum(one.size for one in clusters) * random.choice((0.02, 0.2, 0.5, 1))))
    jobs = [
        Job(
            f"J{index}",
            random.randint(1, widest),
            random.randint(1, 500),
            random.choice((0, 0, 1, 5, 20)),
            random.choice(("0", "1/2", "7/10", "1")),
        )
        for index in range(size(random, JOBS))
    ]
    policy = ("slowdown", random.choice((None, "1/4", "1/2")), random.choice(("paper", "max-min")))
    saturation = Saturation(*policy) if slows else Saturation("forbid")
    return CoallocationInstance(clusters, jobs, random.choice((0, 0, 1, 10, 100, 500)), saturation)


def mosp(random: Random) -> MospInstance:
    """Draw organizations of different sizes, and releases, locality and reservations each or not."""
    count = random.randint(1, 6)
    sizes = [size(random, NODES // count) for _ in range(count)]
    released, reserved = random.random() < 0.3, random.random() < 0.4
    jobs: list[list[RigidJob]] = [[] for _ in range(count)]
    for index in range(size(random, JOBS)):
        owner = random.randrange(count)
        width = random.randint(1, max(1, int(sizes[owner] * random.choice((0.1, 0.5, 1)))))
        release = random.randint(0, 1000) if released else 0
        jobs[owner].append(RigidJob(f"J{index}", random.randint(1, 500), width, release))
    reservations: list[list[Reservation]] = [[] for _ in range(count)]
    for rows, most in zip(reservations, sizes, strict=True):
        now = 0
        for _ in range(random.randint(0, 4) if reserved else 0):
            start, length = now + random.randint(0, 300), random.randint(1, 300)
            rows.append(Reservation(start, start + length, random.randint(1, most)))
            now = start + length
    organizations = [
        Organization(f"O{index}", *parts) for index, parts in enumerate(zip(sizes, jobs, reservations, strict=True))
    ]
    return MospInstance(organizations, random.choice((None, 1, 1, "3/2")))


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
    software = ", ".join(f"{name} {text}" for name, text in versions({}).items())
    print(f"{cpu_model()}, {os.cpu_count()} CPUs, {software}\n")
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
