"""The command: measure plans, write the report, draw the charts."""

from __future__ import annotations

import sys
from pathlib import Path

import benchmarks.proof_rates.coallocation as package
from benchmarks.proof_rates.coallocation.charts import draw_growth
from benchmarks.proof_rates.coallocation.measure import measure, warm_up
from benchmarks.proof_rates.coallocation.plans import PLANS, cases
from benchmarks.proof_rates.coallocation.report import groups, report
from benchmarks.proof_rates.coallocation.rows import CoallocationRow
from benchmarks.proof_rates.shared.anytime_chart import draw_anytime
from benchmarks.proof_rates.shared.command import arguments_of, exit_code, mismatches, run
from benchmarks.proof_rates.shared.rows import latest, read_rows
from oas.plots.files import save_figure

GROWTH_CHART = "proof-rate-growth.png"


def main(arguments: list[str] | None = None) -> int:
    """Measure and report; 1 if any row has a mismatch, 2 for bad input, 130 after Ctrl-C."""
    parser = arguments_of("benchmarks.proof_rates.coallocation", package.__doc__, PLANS, plot=True)
    parser.add_argument("--charts", type=Path, help=f"folder to draw {GROWTH_CHART} in, from the rows of growth")
    options = parser.parse_args(arguments)

    def work() -> list[str]:
        if options.plan:
            run(options.rows, list(cases(options.plan, options.seeds)), CoallocationRow, measure, warm_up)
        rows = latest(read_rows(options.rows, CoallocationRow))
        if options.report is not None:
            options.report.write_text(report(rows), encoding="utf-8")
        if options.charts is not None:
            save_figure(draw_growth(rows), options.charts / GROWTH_CHART)
        if options.plot is not None:
            save_figure(draw_anytime(groups(rows)), options.plot)
        return mismatches(rows)

    return exit_code(work)


if __name__ == "__main__":
    sys.exit(main())
