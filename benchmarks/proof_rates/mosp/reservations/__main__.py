"""The command: measure plans, write the report."""

from __future__ import annotations

import sys
from functools import partial

import benchmarks.proof_rates.mosp.reservations as package
from benchmarks.proof_rates.mosp.reservations.measure import RIVAL, measure, warm_up
from benchmarks.proof_rates.mosp.reservations.plans import PLANS, plans
from benchmarks.proof_rates.mosp.reservations.report import report
from benchmarks.proof_rates.mosp.reservations.rows import ReservationRow
from benchmarks.proof_rates.shared.command import arguments_of, exit_code, mismatches, run
from benchmarks.proof_rates.shared.plans import round_robin
from benchmarks.proof_rates.shared.rows import latest, read_rows
from oas.core.errors import InputError, SolverMissingError
from oas.solvers.discovery import usable


def main(arguments: list[str] | None = None) -> int:
    """Measure and report; 1 if any row has a mismatch, 2 for bad input, 130 after Ctrl-C."""
    parser = arguments_of("benchmarks.proof_rates.mosp.reservations", package.__doc__, PLANS)
    parser.add_argument("--jobs", type=int, nargs="+", help="cells with so many jobs only")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of each solve; a row for each limit")
    parser.add_argument("--no-rival", action="store_true", help="leave CP-SAT alone out")
    options = parser.parse_args(arguments)

    def work() -> list[str]:
        if not options.seconds > 0:
            raise InputError("must be above 0", field="--seconds", value=options.seconds)
        if options.plan:
            rival = not options.no_rival
            if rival and not usable(RIVAL):
                raise SolverMissingError("CP-SAT is not installed here; --no-rival leaves it out")
            chosen = plans(options.jobs, options.seconds, rival)
            wanted = list(round_robin(chosen, options.plan, options.seeds))
            run(options.rows, wanted, ReservationRow, measure, partial(warm_up, rival))
        rows = latest(read_rows(options.rows, ReservationRow))
        if options.report is not None:
            options.report.write_text(report(rows), encoding="utf-8")
        return mismatches(rows)

    return exit_code(work)


if __name__ == "__main__":
    sys.exit(main())
