"""Odd instances without end: brute force = every formulation by every solver = pipeline = what the checkers confirm.

    python -m benchmarks.agreement.soak --minutes 60

Successive seeds go through the problems and their odd shapes (`benchmarks.agreement.soak.drawing`). Of each instance
are asked: brute force, all heuristics, all bounds with their re-check, `oas.solve` and the toolkit's own search from a
poor schedule, the re-check of both results and of false ones made of them, and one run of one solver by lot. Of one in
`--every`, by lot, also every formulation by HiGHS (presolve on and off, three seeds), CBC and CP-SAT, and the
stand-alone checker on all of these results; else it is shown one in six of them.

A solver that dies is asked again, and counted. What differs is made smaller and written out. A run goes on where an
earlier one in the same folder ended; Ctrl-C ends it with what is there. Exit code 1 if anything differs.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.agreement.participants import MISMATCH, cpsat_installed
from benchmarks.agreement.soak.asked import EVERY, SEARCH_SECONDS, SECONDS, Asked
from benchmarks.agreement.soak.differences import write_difference
from benchmarks.agreement.soak.drawing import DRAW, PROBLEMS, drawn, problem_of_seed
from benchmarks.agreement.soak.examining import examined, row_of
from benchmarks.agreement.soak.journal import Journal
from benchmarks.agreement.soak.report import report
from oas.core.errors import InputError
from oas.exact.versions import versions
from oas.io import load
from oas.solvers.discovery import installed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER = Path("build/soak")
SUMMARY = "summary.md"
SHRUNK = 3  # differences of one participant that are made smaller; further ones are written out as drawn


def main(arguments: list[str] | None = None) -> int:
    """Examine instances until there are enough, the time is up, or Ctrl-C; print the tables and write them."""
    options = _parser().parse_args(arguments)
    cpsat_installed()  # says so if it is not
    try:
        if options.file is not None:
            return _one_file(options)
        with Journal(options.out) as journal:
            return _soak(options, journal)
    except InputError as error:
        print(f"soak: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, help="end after so long")
    parser.add_argument("--instances", type=int, help="end with so many in the folder, of the seeds from --seed on")
    parser.add_argument("--seed", type=int, default=0, help="of the first instance; the others follow")
    parser.add_argument("--problem", action="append", choices=PROBLEMS, help="only this one; may be given again")
    parser.add_argument("--every", type=int, default=EVERY, help="one in so many is given to every run of every solver")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="limit for each run of a solver")
    parser.add_argument("--search-seconds", type=float, default=SEARCH_SECONDS, help="limit for each solve and search")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="TEXT",
        help="leave out who has this in its name; again for more",
    )
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder of the rows, the summary and differences")
    parser.add_argument("--file", type=Path, help="ask everyone of the instance in this file, and nothing else")
    return parser


def _soak(options: argparse.Namespace, journal: Journal) -> int:
    other = {row["draw"] for row in journal.rows} - {DRAW}
    if other:
        reason = f"rows of another way of drawing, {DRAW} is this one; take another folder"
        raise InputError(reason, field="draw", value=min(other), file=str(journal.path))
    began, load = time.monotonic(), os.getloadavg()[0]
    made_by = used_versions()
    ended = "all instances are done"
    try:
        for seed in seeds(options, journal.rows):
            minutes = (time.monotonic() - began) / 60
            if options.minutes is not None and minutes >= options.minutes:
                ended = "the time is up"
                break
            row = examine_seed(seed, options, journal.rows, made_by)
            journal.add(row)
            _progress(journal.rows, row, minutes)
    except KeyboardInterrupt:
        ended = "interrupted"
    loads = f"load {load:.1f} at the beginning, {os.getloadavg()[0]:.1f} at the end of the last run"
    text = f"{report(journal.rows, made_by)}\n{os.cpu_count()} CPUs, {loads}; {ended}.\n"
    (options.out / SUMMARY).write_text(text, encoding="utf-8")
    print(f"\n{text}", end="")
    return int(any(MISMATCH in row["verdicts"] for row in journal.rows))


def seeds(options: argparse.Namespace, rows: list[dict[str, Any]]) -> Iterator[int]:
    """Yield the seeds that are left, those of the problems asked for that no row has, up to `--instances`."""
    done = {row["seed"] for row in rows}
    wanted = options.problem or PROBLEMS
    every = (seed for seed in count(options.seed) if problem_of_seed(seed) in wanted)
    for number, seed in enumerate(every):
        if options.instances is not None and number >= options.instances:
            return
        if seed not in done:
            yield seed


def examine_seed(
    seed: int, options: argparse.Namespace, rows: list[dict[str, Any]], made_by: Mapping[str, str]
) -> dict[str, Any]:
    """Return the row of a seed; what differs on it is written out."""
    one = drawn(seed)
    asked = asked_of(seed, options)
    asked = replace(asked, full=asked.rng("full").random() * options.every < 1)
    found = examined(one.instance, asked)
    row = row_of(one, asked, found)
    if found.differing:
        known = Counter(who for own in rows for who, verdict, _ in own["details"] if verdict == MISMATCH)
        enough = {who for who, times in known.items() if times >= SHRUNK}
        row["files"] = write_difference(options.out, one, asked, found, made_by, enough)
    return row


def asked_of(number: int, options: argparse.Namespace) -> Asked:
    """Return who is asked of an instance as the options say it."""
    return Asked(number, seconds=options.seconds, search_seconds=options.search_seconds, without=tuple(options.without))


def used_versions() -> dict[str, str]:
    """Return the versions of this package, Python and the solvers."""
    return versions({one.name: one.version for one in installed() if one.usable})


def _progress(rows: list[dict[str, Any]], row: dict[str, Any], minutes: float) -> None:
    """Say on stderr how far it is: on a terminal in one line, elsewhere for every hundredth row and each difference."""
    differ = sum(MISMATCH in one["verdicts"] for one in rows)
    said = f"{len(rows)} instances, {minutes:.1f} min, {differ} differences; {row['problem']}, {row['shape']}"
    if sys.stderr.isatty():
        print(f"\r\x1b[K{said}", end="", file=sys.stderr, flush=True)
    elif len(rows) % 100 == 0 or row.get("files"):
        print(said, file=sys.stderr, flush=True)


def _one_file(options: argparse.Namespace) -> int:
    """Ask everyone of one instance; print who does not agree, and how many do."""
    found = examined(load(options.file), replace(asked_of(0, options), full=True))
    agreed = [one for one in found.findings if one.verdict == "agreed"]
    for one in found.findings:
        if one not in agreed:
            print(f"{one.participant}: {one.verdict}: {one.detail}")
    print(f"{len(agreed)} of {len(found.findings)} findings agree")
    return int(bool(found.differing))
