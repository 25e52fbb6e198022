"""Mutation testing of the exact core: each change of the source must make a test fail.

    python -m benchmarks.mutation --seed 0 --minutes 60

`mutation.toml` maps packages to tests and numbers of mutants, which cosmic-ray generates. `faults.toml` lists former
faults that no operator generates. Tests run in a copy of the source, where kernels are plain Python. Results are
appended to a file; the same command continues where the last one stopped. The exit code is 1 if a fault survives.
Surviving mutants need a review: many are equivalent to the original.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
import tempfile
import time
from collections import Counter
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.common import Journal
from benchmarks.mutation.mutants import FAULTS, ROOT, faults, mutants_of, read_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.mutation.mutants import Mutant

LEFT_OUT = (".*", "build", "dist", "__pycache__")
PYTEST = (sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider")
QUICK = ("-m", "not slow")
OTHERS_SECONDS = 900  # of processor time, for tests that are not the nearest
KILLED, SURVIVED, TIMEOUT = "killed", "survived", "timeout"


def outcome_of(tests: Sequence[str], seconds: int) -> str:
    """Run pytest with these arguments; return whether a test failed, all passed, or they were killed.

    They are killed after `seconds` of processor time, which other work does not affect, or ten times that of wall time.
    """
    from cosmic_ray.testing import run_tests

    left_out = [f"--deselect={test}" for test in read_toml("mutation.toml")["deselected"]]
    limited = f"ulimit -t {seconds}; exec {shlex.join([*PYTEST, *left_out, *tests])}"
    found, output = run_tests(shlex.join(["sh", "-c", limited]), 10 * seconds)
    ended = " passed" in output or " failed" in output or " error" in output
    return str(found.value) if ended else TIMEOUT


def run(mutants: Sequence[Mutant], known: dict[str, str], minutes: float) -> Iterator[Mutant]:
    """Test mutants in the current folder and yield them; new outcomes are added to `known`, which has them by key.

    Raises RuntimeError if tests fail on the unchanged source.
    """
    ends = time.monotonic() + 60 * minutes
    sound: set[str] = set()
    for mutant in mutants:
        if mutant.key in known or time.monotonic() > ends:
            continue
        original = mutant.file.read_text(encoding="utf-8")
        mutant.file.write_text(mutant.text, encoding="utf-8")
        outcome = outcome_of([*QUICK, *mutant.tests], mutant.seconds)
        if outcome == SURVIVED and mutant.others:
            outcome = outcome_of(mutant.others, OTHERS_SECONDS)
        mutant.file.write_text(original, encoding="utf-8")
        fresh = [test for test in mutant.tests if test not in sound]
        if outcome != SURVIVED and fresh and outcome_of([*QUICK, *fresh], mutant.seconds) != SURVIVED:
            raise RuntimeError(f"without any change these do not pass in {mutant.seconds} s: {' '.join(fresh)}")
        sound |= set(fresh)
        known[mutant.key] = outcome
        yield mutant


def report(mutants: Sequence[Mutant], known: dict[str, str]) -> str:
    """Return a table of scores by package, and the survivors."""
    lines = ["| package | drawn | tried | killed | of these by time | survived | score |", "|---" * 7 + "|"]
    for package in dict.fromkeys(one.package for one in mutants):
        keys = [one.key for one in mutants if one.package == package]
        count = Counter(known[key] for key in keys if key in known)
        killed = count[KILLED] + count[TIMEOUT]
        score = f"{killed / count.total():.0%}" if count else "–"
        cells = (package, len(keys), count.total(), killed, count[TIMEOUT], count[SURVIVED], score)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    left = [one for one in mutants if known.get(one.key) == SURVIVED]
    return "\n".join([*lines, "", "Survivors:", "", *(f"- {one.file}:{one.line}: `{one.change}`" for one in left)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit code."""
    packages = {one["name"]: one for one in read_toml("mutation.toml")["package"]}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", action="append", choices=[FAULTS, *packages], help="only this; repeatable")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--minutes", type=float, default=60, help="time limit")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "mutation.jsonl", help="file of results")
    options = parser.parse_args(arguments)
    samples = [
        faults() if name == FAULTS else mutants_of(packages[name], options.seed)
        for name in options.package or [FAULTS, *packages]
    ]
    in_turn = [one for row in zip_longest(*samples) for one in row if one is not None]
    mutants = list(chain(*samples))
    with tempfile.TemporaryDirectory() as folder, Journal(options.output.resolve()) as journal:
        known: dict[str, str] = dict(journal.rows)
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT), dirs_exist_ok=True)
        os.environ |= {"PYTHONPATH": folder, "NUMBA_DISABLE_JIT": "1", "OAS_DRAWS": "all"}
        os.chdir(folder)
        try:
            for mutant in run(in_turn, known, options.minutes):
                journal.add([mutant.key, known[mutant.key]])
        finally:
            os.chdir(ROOT)
    print(report(mutants, known))
    return int(any(one.package == FAULTS and known.get(one.key) == SURVIVED for one in mutants))


if __name__ == "__main__":
    sys.exit(main())
