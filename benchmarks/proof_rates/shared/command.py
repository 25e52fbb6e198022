"""The commands: measure plans, write the report, print every contradiction."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.proof_rates.shared.answers import source
from benchmarks.proof_rates.shared.rows import RowFile, latest
from oas.core.errors import OasError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from benchmarks.proof_rates.shared.answers import Answer
    from benchmarks.proof_rates.shared.plans import Case
    from benchmarks.proof_rates.shared.rows import BaseRow, R


def arguments_of(
    prog: str, description: str | None, plans: Iterable[str], *, plot: bool = False
) -> argparse.ArgumentParser:
    """Return the options that all commands take; with `plot`, the file of the chart of time too."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {prog}", description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=Path, required=True, help="file of rows, a line of JSON for each instance")
    parser.add_argument("--plan", nargs="+", default=[], choices=plans, help="what to measure; rows there are kept")
    parser.add_argument("--seeds", type=int, help="at most so many seeds of each cell")
    parser.add_argument("--report", type=Path, help="Markdown file to write from the rows")
    if plot:
        text = (
            "chart to draw from the rows, .svg, .png or .pdf: what is open after so many seconds, shares of the stages"
        )
        parser.add_argument("--plot", type=Path, metavar="FILE", help=text)
    return parser


def exit_code(work: Callable[[], Iterable[str]]) -> int:
    """Do the work of a command, which gives what contradicts; 1 if there is any, 2 for bad input, 130 after Ctrl-C."""
    try:
        wrong = list(work())
    except KeyboardInterrupt:
        print("interrupted; what is finished is kept, the same command goes on from there", file=sys.stderr)
        return 130
    except OasError as error:
        print(error, file=sys.stderr)
        return 2
    for text in wrong:
        print(f"MISMATCH: {text}", file=sys.stderr)
    return int(bool(wrong))


def mismatches(rows: Iterable[BaseRow]) -> list[str]:
    """Return what contradicts, row by row."""
    return [f"{row.case}: {row.mismatch}" for row in rows if row.mismatch]


def run(
    path: Path, wanted: Sequence[Case], kind: type[R], measure: Callable[[Case], R], warm_up: Callable[[], None]
) -> None:
    """Measure what the rows in `path` lack of these instances; rows made by another source are made again."""
    with RowFile(path, kind) as file:
        here = {row.case: row for row in latest(file.rows)}
        missing = [case for case in wanted if case not in here or here[case].source != source()]
        stale = sum(case in here for case in missing)
        again = f", {stale} of them again, for the source has changed" if stale else ""
        print(f"{len(missing)} of {len(wanted)} instances to solve{again}", file=sys.stderr)
        if missing:
            warm_up()
        proven = wrong = 0
        began = time.monotonic()
        for count, case in enumerate(missing, start=1):
            row = measure(case)
            file.add(row)
            proven += row.own.proven
            wrong += bool(row.mismatch)
            minutes = (time.monotonic() - began) / 60
            print(
                f"[{count} of {len(missing)}, {proven} proven, {wrong} mismatches, {minutes:.0f} min] {line(row)}",
                file=sys.stderr,
            )
            if row.mismatch:
                print(f"MISMATCH: {case}: {row.mismatch}", file=sys.stderr)


def line(row: BaseRow) -> str:
    """Print the outcome on an instance."""
    return f"{row.case}: {_said(row.own, row.closed_by)}; CP-SAT {_said(row.rival)}"


def _said(answer: Answer, how: str = "") -> str:
    left = "proven" if answer.proven else f"{'?' if answer.open is None else answer.open} open"
    by = f" by {how}" if how else ""
    return f"{answer.upper} {left}{by} in {answer.seconds:.1f} s"
