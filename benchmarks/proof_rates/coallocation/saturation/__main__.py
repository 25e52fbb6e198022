"""The command: measure plans, write the report."""

from __future__ import annotations

import sys

import benchmarks.proof_rates.coallocation.saturation as package
from benchmarks.proof_rates.coallocation.saturation.measure import measure, warm_up
from benchmarks.proof_rates.coallocation.saturation.plans import PLANS, plans
from benchmarks.proof_rates.coallocation.saturation.report import report
from benchmarks.proof_rates.coallocation.saturation.rows import SaturationRow
from benchmarks.proof_rates.shared.command import arguments_of, exit_code, mismatches, run
from benchmarks.proof_rates.shared.plans import round_robin
from benchmarks.proof_rates.shared.rows import latest, read_rows
from oas.core.errors import InputError


def main(arguments: list[str] | None = None) -> int:
    """Measure and report; 1 if any row has a mismatch, 2 for bad input, 130 after Ctrl-C."""
    parser = arguments_of("benchmarks.proof_rates.coallocation.saturation", package.__doc__, PLANS)
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of each solve; a row for each limit")
    options = parser.parse_args(arguments)

    def work() -> list[str]:
        if not options.seconds > 0:
            raise InputError("must be above 0", field="--seconds", value=options.seconds)
        if options.plan:
            wanted = list(round_robin(plans(options.seconds), options.plan, options.seeds))
            run(options.rows, wanted, SaturationRow, measure, warm_up)
        rows = latest(read_rows(options.rows, SaturationRow))
        if options.report is not None:
            options.report.write_text(report(rows), encoding="utf-8")
        return mismatches(rows)

    return exit_code(work)


if __name__ == "__main__":
    sys.exit(main())
