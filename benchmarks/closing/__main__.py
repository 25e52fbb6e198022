"""The command: measure plans, write the report, draw the charts."""

from __future__ import annotations

import sys
from pathlib import Path

import benchmarks.closing as package
from benchmarks.closing.charts import draw_growth
from benchmarks.closing.measure import measure, warm_up
from benchmarks.closing.plans import PLANS, cases
from benchmarks.closing.report import report
from benchmarks.closing.rows import Row
from benchmarks.closing_shared.command import arguments_of, run
from benchmarks.closing_shared.rows import latest, read_rows
from oas.core.errors import OasError
from oas.plots.files import save_figure

GROWTH_CHART = "closing-growth.png"


def main(arguments: list[str] | None = None) -> int:
    """Measure and report; 1 if any row has a mismatch, 2 for bad input, 130 after Ctrl-C."""
    parser = arguments_of("benchmarks.closing", package.__doc__, PLANS)
    parser.add_argument("--charts", type=Path, help=f"folder to draw {GROWTH_CHART} in, from the rows of growth")
    options = parser.parse_args(arguments)
    try:
        if options.plan:
            run(options.rows, list(cases(options.plan, options.seeds)), Row, measure, warm_up)
        rows = latest(read_rows(options.rows, Row))
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
