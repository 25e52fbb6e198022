"""The command: measure plans, write the report."""

from __future__ import annotations

import sys

import benchmarks.proof_rates.mosp as package
from benchmarks.proof_rates.mosp.locality import contradictions
from benchmarks.proof_rates.mosp.measure import measure, warm_up
from benchmarks.proof_rates.mosp.plans import PLANS, cases
from benchmarks.proof_rates.mosp.report import report
from benchmarks.proof_rates.mosp.rows import MospRow
from benchmarks.proof_rates.mosp.samples import groups
from benchmarks.proof_rates.shared.anytime_chart import draw_anytime
from benchmarks.proof_rates.shared.command import arguments_of, exit_code, mismatches, run
from benchmarks.proof_rates.shared.rows import latest, read_rows
from oas.plots.files import save_figure


def main(arguments: list[str] | None = None) -> int:
    """Measure and report; 1 if any row has a mismatch, 2 for bad input, 130 after Ctrl-C."""
    options = arguments_of("benchmarks.proof_rates.mosp", package.__doc__, PLANS, plot=True).parse_args(arguments)

    def work() -> list[str]:
        if options.plan:
            run(options.rows, list(cases(options.plan, options.seeds)), MospRow, measure, warm_up)
        rows = latest(read_rows(options.rows, MospRow))
        if options.report is not None:
            options.report.write_text(report(rows), encoding="utf-8")
        if options.plot is not None:
            save_figure(draw_anytime(groups(rows)), options.plot)
        return mismatches(rows) + contradictions(rows)

    return exit_code(work)


if __name__ == "__main__":
    sys.exit(main())
