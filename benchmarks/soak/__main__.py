"""Soak test: all methods are compared with brute force on tiny instances of unusual shapes.

    python -m benchmarks.soak --minutes 60

Successive seeds cycle through problems and shapes (`benchmarks/soak/shapes.toml`). Each instance is solved by brute
force, all heuristics with their guarantees, all bounds with their re-check, `oas.solve`, the toolkit's search from a
poor schedule, and one random run of a solver; both results and false variants of them are re-checked. A random one in
`--every` instances is also solved by every formulation with HiGHS (presolve on and off, three seeds), CBC and CP-SAT,
with the stand-alone checker on all results; otherwise this checker runs on one in six results.

Other checks have separate instances: `guarantees` (MOSP's heuristics, up to 500 jobs), `list-orders` (theorems of the
reservations paper, 100 orders an instance), `strategies` (gains of organizations that split, merge, delay or pad their
jobs) and `library` (the stand-alone checker on the result of each entry).

A crashed run of a solver is counted and repeated. An instance with a difference is written to a file. A run continues
where an earlier one in the same folder stopped; Ctrl-C ends it with a report. Exit code 1 if there are differences.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from benchmarks.common import Journal
from benchmarks.soak.checks import CHECKS
from benchmarks.soak.findings import AGREED, EVERY, MISMATCH, SEARCH_SECONDS, SECONDS, Asked, examined
from benchmarks.soak.rows import NAME, SUMMARY, check_draw, differs, report, row_of
from oas.core.errors import InputError
from oas.core.processors import processors
from oas.io import load, save

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.soak.drawing import Drawn
    from benchmarks.soak.rows import Row

FOLDER = Path("build/soak")


def main(arguments: Sequence[str] | None = None) -> int:
    """Examine instances until their number or the time limit is reached, or Ctrl-C; print and write the report."""
    options = _parser().parse_args(arguments)
    if find_spec("ortools") is None:
        print("CP-SAT is missing here (ortools is not installed); the others go on without it", file=sys.stderr)
    try:
        if options.file is not None:
            return _examine_file(options)
        with Journal(options.output / NAME) as journal:
            check_draw(journal.rows, str(options.output / NAME))
            return _soak(options, journal)
    except InputError as error:
        print(f"soak: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", choices=CHECKS, default="optima", help="which check")
    parser.add_argument("--minutes", type=float, help="time limit")
    parser.add_argument("--instances", type=int, help="number of instances in the folder, of the seeds from --seed on")
    parser.add_argument("--seed", type=int, default=0, help="of the first instance; the others follow")
    parser.add_argument("--problem", choices=("coallocation", "mosp", "fair"), help="only this one")
    parser.add_argument("--every", type=int, default=EVERY, help="one in so many is given to every run of every solver")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit for each run of a solver")
    parser.add_argument("--search-seconds", type=float, default=SEARCH_SECONDS, help="limit for each solve and search")
    parser.add_argument("--without", action="append", default=[], metavar="TEXT", help="leave out these participants")
    parser.add_argument("--output", type=Path, default=FOLDER, help="folder of rows, report and differences")
    parser.add_argument("--file", type=Path, help="compare everything on the instance in this file, and nothing else")
    return parser


def _soak(options: argparse.Namespace, journal: Journal) -> int:
    began, load_before = time.monotonic(), os.getloadavg()[0]
    ended = "all instances are done"
    try:
        for drawn in _instances(options, journal.rows):
            minutes = (time.monotonic() - began) / 60
            if options.minutes is not None and minutes >= options.minutes:
                ended = "the time is up"
                break
            journal.add(_examine(drawn, options))
            if len(journal.rows) % 100 == 0 or differs(journal.rows[-1]):
                different = sum(map(differs, journal.rows))
                print(f"{len(journal.rows)} instances, {minutes:.1f} min, {different} differences", file=sys.stderr)
    except KeyboardInterrupt:
        ended = "interrupted"
    loads = f"load {load_before:.1f} at the beginning, {os.getloadavg()[0]:.1f} at the end of the last run"
    text = f"{report(journal.rows)}\n{processors()} CPUs, {loads}; {ended}.\n"
    (options.output / SUMMARY).write_text(text, encoding="utf-8")
    print(f"\n{text}", end="")
    return int(any(map(differs, journal.rows)))


def _instances(options: argparse.Namespace, rows: Sequence[Row]) -> Iterator[Drawn]:
    """Yield instances of the chosen problem that have no row, until `--instances` have been drawn or have rows."""
    done = {row["seed"] for row in rows if row["check"] == options.check}
    number = 0
    for seed in count(options.seed):
        if number == options.instances:
            return
        if seed in done:
            number += 1
            continue
        drawn = CHECKS[options.check].draw(seed)
        if drawn is not None and options.problem in (None, drawn.problem):
            number += 1
            yield drawn


def _asked(number: int, every: int, options: argparse.Namespace) -> Asked:
    full = Random(f"full {number}").random() * every < 1
    return Asked(number, full, options.seconds, options.search_seconds, tuple(options.without))


def _examine(drawn: Drawn, options: argparse.Namespace) -> Row:
    """Return the row of an instance; one with a difference is written to a file."""
    asked, began = _asked(drawn.seed, options.every, options), time.monotonic()
    findings = examined(CHECKS[options.check].examine, drawn.instance, asked)
    row = row_of(options.check, drawn, asked, findings, time.monotonic() - began)
    if differs(row):
        row["files"] = [f"difference-{options.check}-{drawn.seed}.json"]
        save(drawn.instance, options.output / row["files"][0])
    return row


def _examine_file(options: argparse.Namespace) -> int:
    """Compare all methods on one instance; print the differences and the number of agreements."""
    findings = examined(CHECKS[options.check].examine, load(options.file), _asked(0, 1, options))
    for one in findings:
        if one.verdict != AGREED:
            print(f"{one.participant}: {one.verdict}: {one.detail}")
    print(f"{sum(one.verdict == AGREED for one in findings)} of {len(findings)} findings agree")
    return int(any(one.verdict == MISMATCH for one in findings))


if __name__ == "__main__":
    sys.exit(main())
