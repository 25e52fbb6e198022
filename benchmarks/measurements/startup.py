"""How long the command line and the import take before any work begins.

    python -m benchmarks.measurements.startup --runs 15

Wall clock of whole processes, each command in turn, so that a drift of the machine's speed falls on all of them.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import oas": ["-c", "import oas"],
    "import oas; oas.load, oas.solve": ["-c", "import oas; oas.load, oas.solve"],
    "oas --help": ["-m", "oas", "--help"],
    "oas solve --help": ["-m", "oas", "solve", "--help"],
}


def measure(runs: int) -> dict[str, list[float]]:
    """Return the seconds of each run of each command; a first run of each, to warm the caches, is not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for number in range(runs + 1):
        for name, arguments in COMMANDS.items():
            began = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
            if number:
                seconds[name].append(time.perf_counter() - began)
    return seconds


def main(arguments: list[str] | None = None) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15, help="counted runs of each command")
    options = parser.parse_args(arguments)
    print(f"{'':<34}{'least':>8}{'median':>8}{'most':>8}")
    for name, seconds in measure(options.runs).items():
        print(f"{name:<34}{min(seconds):8.3f}{statistics.median(seconds):8.3f}{max(seconds):8.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
