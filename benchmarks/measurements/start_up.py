"""How long short commands take, with compiled code and without: ``python -m benchmarks.measurements.start_up``.

Wall seconds of whole processes, the median of five. "Cold" means an empty folder for compiled code. Then 40 instances
of 6 to 12 jobs of all problems are solved with a limit of 5 s, cold and warm: the status must be the same. Exit code 1
if one differs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.measurements.limits import solved
from benchmarks.measurements.machine import circumstances
from oas import generate
from oas.io import save

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.core.instances import Instance

RUNS = 5
LIMIT = 5.0  # seconds for an instance
OAS = [sys.executable, "-m", "oas"]
FIRST_MOSP = "import oas; oas.solve(oas.generate.uni(seed=2, jobs=20, organizations=3, processors=16))"
COMMANDS = {
    "`oas --help`": [*OAS, "--help"],
    "`oas solve --help`": [*OAS, "solve", "--help"],
    '`python -c "import oas"`': [sys.executable, "-c", "import oas"],
    "`oas solve grid.json`": [*OAS, "solve", "grid.json"],
    "`oas solve grid.json --time-limit 10`": [*OAS, "solve", "grid.json", "--time-limit", "10"],
    "`oas compare grid.json`": [*OAS, "compare", "grid.json"],
    "`oas.solve` of 20 jobs of MOSP in Python": [sys.executable, "-c", FIRST_MOSP],
}


def seconds(command: Sequence[str], folder: Path, code: Path) -> float:
    """Return how long a command takes, with compiled code in the folder `code`."""
    began = time.monotonic()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(code)}
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    return time.monotonic() - began


def instances(count: int) -> Iterator[Instance]:
    """Yield small instances of all problems and variants in turn."""
    for seed in range(-(-count // 5)):
        jobs = 6 + seed % 7
        yield generate.section4(seed=seed, jobs=jobs, nodes=12, bandwidth="tight", slot_percent="10")
        yield generate.section4(seed=seed, jobs=6, nodes=12, slot_percent="50").with_saturation("slowdown")
        yield generate.uni(seed=seed, jobs=jobs, organizations=3, processors=16)
        yield generate.uni(seed=seed, jobs=jobs, organizations=1, processors=16)
        yield generate.reservations(seed=seed, jobs=jobs)


def main() -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--instances", type=int, default=40, help="solved cold and warm")
    given = parser.parse_args()
    print(f"{circumstances()}\n")
    with TemporaryDirectory() as name:
        folder = Path(name)
        warm = folder / "warm"
        seconds([*OAS, "warm-up", "--quiet"], folder, warm)
        seconds([*OAS, "example", "grid.json"], folder, warm)
        print("| command | warm | cold |\n|---|---|---|")
        for label, command in COMMANDS.items():
            times = [
                median(seconds(command, folder, code(run)) for run in range(RUNS))
                for code in (lambda _: warm, lambda run, label=label: folder / f"cold-{label[:12]}-{run}")
            ]
            print(f"| {label} | {times[0]:.2f} s | {times[1]:.2f} s |", flush=True)
        differ = []
        for number, instance in enumerate(instances(given.instances)):
            file = folder / f"{number}.json"
            save(instance, file)
            found = [solved(file, LIMIT, code).status for code in (warm, folder / f"cold-{number}")]
            if found[0] != found[1]:
                differ.append(f"instance {number}: {found[0]} warm, {found[1]} cold")
    print(f"\n{given.instances} instances of 6 to 12 jobs, limit {LIMIT:g} s: {len(differ)} with another status cold")
    print("\n".join(differ))
    return int(bool(differ))


if __name__ == "__main__":
    sys.exit(main())
