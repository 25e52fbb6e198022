"""The first minutes of a newcomer: ``python -m benchmarks.measurements.first_minutes [--notebook]``.

In an empty home, with nothing compiled: a new environment, the wheel of this tree installed, an example, the first and
the second comparison, a heuristic of one's own and, if asked for, the first notebook; wall seconds of each.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measurements.machine import cpu_model
from oas._version import __version__

ROOT = Path(__file__).parents[2]
OWN = """from heuristics.coallocation.list_engine import list_schedule


def as_given(instance, *, seed=0):
    return list_schedule(instance, range(len(instance.jobs)), overtaking=True)
"""


class Newcomer:
    """An empty home with an environment of its own; `run` prints how long a command took."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.bin = home / "venv" / "bin"
        kept = {name: os.environ[name] for name in ("LANG", "PIP_INDEX_URL", "PIP_CACHE_DIR") if name in os.environ}
        self.environment = {"HOME": str(home), "PATH": f"{self.bin}:/usr/bin:/bin", "COLUMNS": "100", **kept}

    def run(self, label: str, *command: str, **more: str) -> str:
        began = time.monotonic()
        done = subprocess.run(
            command, cwd=self.home, env=self.environment | more, capture_output=True, text=True, check=False
        )
        seconds = time.monotonic() - began
        if label:
            print(f"| {label} | {seconds:.1f} |", flush=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout

    def oas(self, label: str, *arguments: str, **more: str) -> str:
        return self.run(label, str(self.bin / "oas"), *arguments, **more)


def first_minutes(newcomer: Newcomer, wheel: str, notebook: bool) -> None:
    """Time what a newcomer does first."""
    print("| step | seconds |\n| --- | --- |")
    newcomer.run("a new environment", sys.executable, "-m", "venv", str(newcomer.home / "venv"))
    newcomer.run("`pip install`", str(newcomer.bin / "pip"), "install", "--quiet", wheel)
    newcomer.oas("`oas example grid`", "example", "grid")
    newcomer.oas("`oas compare`, first", "compare", "grid.json", "-q")
    newcomer.oas("`oas compare`, second", "compare", "grid.json", "-q")
    (newcomer.home / "own.py").write_text(OWN, encoding="utf-8")
    newcomer.oas("`oas compare --heuristic`", "compare", "grid.json", "-q", "--heuristic", "own:as_given")
    if notebook:
        newcomer.run("`pip install [notebooks]`", str(newcomer.bin / "pip"), "install", "-q", f"{wheel}[notebooks]")
        for name in ("notebooks/01-first-steps.ipynb", "examples/grid.json"):  # as they stand to each other here
            (newcomer.home / name).parent.mkdir()
            shutil.copy(ROOT / name, newcomer.home / name)
        newcomer.run("notebook 01", str(newcomer.bin / "jupyter"), "execute", "notebooks/01-first-steps.ipynb")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notebook", action="store_true", help="execute the first notebook too")
    options = parser.parse_args()
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    print(
        f"oas {__version__}, Python {platform.python_version()}, {cpu_model()}, {os.cpu_count()} cores, load {load}\n"
    )
    with TemporaryDirectory() as folder:
        home = Path(folder)
        subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, str(ROOT)], check=True)
        (wheel,) = home.glob("*.whl")
        newcomer = Newcomer(home)
        first_minutes(newcomer, str(wheel), options.notebook)


if __name__ == "__main__":
    main()
