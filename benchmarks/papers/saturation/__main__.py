"""The command: measure plans, write the report."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import benchmarks.papers.saturation as package
from benchmarks.papers.saturation.cases import PLANS, plans
from benchmarks.papers.saturation.measure import measure
from benchmarks.papers.saturation.report import report
from benchmarks.papers.saturation.rows import SectionRow
from benchmarks.proof_rates.shared.answers import source
from benchmarks.proof_rates.shared.command import arguments_of, exit_code
from benchmarks.proof_rates.shared.plans import round_robin
from benchmarks.proof_rates.shared.rows import RowFile, read_rows
from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.proof_rates.shared.plans import Case


def main(arguments: list[str] | None = None) -> int:
    """Measure and report; 1 if any row has a mismatch, 2 for bad input, 130 after Ctrl-C."""
    parser = arguments_of("benchmarks.papers.saturation", package.__doc__, PLANS)
    parser.add_argument("--seconds", type=float, default=20.0, help="limit of each solve; a row for each limit")
    parser.add_argument("--jobs", type=int, default=8, help="of the instances of section 4.1")
    options = parser.parse_args(arguments)

    def work() -> list[str]:
        if not options.seconds > 0:
            raise InputError("must be above 0", field="--seconds", value=options.seconds)
        if options.plan:
            chosen = plans(options.seconds, options.jobs)
            _run(options.rows, list(round_robin(chosen, options.plan, options.seeds)))
        rows = list({row.case: row for row in read_rows(options.rows, SectionRow)}.values())
        if options.report is not None:
            options.report.write_text(report(rows), encoding="utf-8")
        return [f"{row.case}: {row.mismatch}" for row in rows if row.mismatch]

    return exit_code(work)


def _run(path: Path, wanted: Sequence[Case]) -> None:
    """Measure what the rows in `path` lack of these instances; rows made by another source are made again."""
    with RowFile(path, SectionRow) as file:
        here = {row.case: row.source for row in file.rows}
        missing = [case for case in wanted if here.get(case) != source()]
        print(f"{len(missing)} of {len(wanted)} instances to solve", file=sys.stderr)
        for count, case in enumerate(missing, start=1):
            row = measure(case)
            file.add(row)
            proven = sum(one.proven for one in row.policies)
            fault = f"; MISMATCH: {row.mismatch}" if row.mismatch else ""
            print(
                f"[{count} of {len(missing)}] {case}: {proven} of {len(row.policies)} proven in {row.seconds:.1f} s"
                + fault,
                file=sys.stderr,
            )


if __name__ == "__main__":
    sys.exit(main())
