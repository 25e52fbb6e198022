"""Duration of short commands with and without compiled code: ``python -m benchmarks.measurements.start_up``.

Wall seconds of whole processes, the median of five. "Cold" means an empty cache of compiled code. `limits` tests that
the status is the same cold and warm.
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

from benchmarks.common import circumstances

if TYPE_CHECKING:
    from collections.abc import Sequence

RUNS = 5
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
    """Return the duration of a command in seconds, with compiled code in the folder `code`."""
    began = time.monotonic()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(code)}
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
    return time.monotonic() - began


def main() -> None:
    """Measure and print."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
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


if __name__ == "__main__":
    main()
