"""The command: measure plans, write the report, draw the charts."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import benchmarks.closing as package
from benchmarks.closing.charts import draw_growth
from benchmarks.closing.measure import measure, source, warm_up
from benchmarks.closing.plans import PLANS, cases
from benchmarks.closing.report import report
from benchmarks.closing.rows import RowFile, latest, read_rows
from oas.core.errors import OasError
from oas.plots.files import save_figure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.closing.rows import Answer, Row

GROWTH_CHART = "closing-growth.png"


def run(path: Path, plans: Iterable[str], seeds: int | None = None) -> None:
    """Measure what the rows in `path` lack of these plans; rows made by another source are made again."""
    wanted = list(cases(plans, seeds))
    with RowFile(path) as file:
        here = {row.case: row for row in latest(file.rows)}
        missing = [case for case in wanted if case not in here or here[case].source != source()]
        stale = sum(case in here for case in missing)
        again = f", {stale} of them again, for the source has changed" if stale else ""
        print(f"{len(missing)} of {len(wanted)} instances to solve{again}", file=sys.stderr)
        if missing:
            warm_up()
        proven = mismatches = 0
        began = time.monotonic()
        for count, case in enumerate(missing, start=1):
            row = measure(case)
            file.add(row)
            proven += row.own.proven
            mismatches += bool(row.mismatch)
            minutes = (time.monotonic() - began) / 60
            print(
                f"[{count} of {len(missing)}, {proven} proven, {mismatches} mismatches, {minutes:.0f} min] {line(row)}",
                file=sys.stderr,
            )
            if row.mismatch:
                print(f"MISMATCH: {case}: {row.mismatch}", file=sys.stderr)


def line(row: Row) -> str:
    """Say what came of an instance."""
    return f"{row.case}: {_said(row.own, row.closed_by)}; CP-SAT {_said(row.rival)}"


def _said(answer: Answer, how: str = "") -> str:
    left = "proven" if answer.proven else f"{'?' if answer.open is None else answer.open} open"
    by = f" by {how}" if how else ""
    return f"{answer.upper} {left}{by} in {answer.seconds:.1f} s"


def main(arguments: list[str] | None = None) -> int:
    """Measure and report; 1 if any row has a mismatch, 2 for bad input, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.closing",
        description=package.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=Path, required=True, help="file of rows, a line of JSON for each instance")
    parser.add_argument("--plan", nargs="+", default=[], choices=PLANS, help="what to measure; rows there are kept")
    parser.add_argument("--seeds", type=int, help="at most so many seeds of each cell")
    parser.add_argument("--report", type=Path, help="Markdown file to write from the rows")
    parser.add_argument("--charts", type=Path, help=f"folder to draw {GROWTH_CHART} in, from the rows of growth")
    options = parser.parse_args(arguments)
    try:
        if options.plan:
            run(options.rows, options.plan, options.seeds)
        rows = latest(read_rows(options.rows))
        if options.report is not None:
            options.report.write_text(report(rows), encoding="utf-8")
        if options.charts is not None:
            save_figure(draw_growth(rows), options.charts / GROWTH_CHART)
    except KeyboardInterrupt:
        print("interrupted; what is finished is kept, the same command goes on from there", file=sys.stderr)
        return 130
    except OasError as error:
        print(error, file=sys.stderr)
        return 2
    wrong = [row for row in rows if row.mismatch]
    for row in wrong:
        print(f"MISMATCH: {row.case}: {row.mismatch}", file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
