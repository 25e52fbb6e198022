"""Repeat table 1 and figures 4 and 5 of the fair scheduling paper on job logs.

    python -m benchmarks.papers.fair_logs LPC-EGEE-2004-1.2-cln.swf.gz:70 KTH-SP2-1996-2.1-cln.swf.gz --windows 100

Each log is a file, optionally with a colon and the number of shared processors (default: those of the machine). Table 1
has random disjoint windows of each log and five organizations, to which users are assigned at random in each window.
Processors are divided evenly and by Zipf's law; a job of several processors becomes copies of a job of one. Figures 4
and 5 have the beginning of the first log, 2 to 10 organizations, 17 and 30 processors, and 170 and 300 processors with
releases ten times as fast.

Each run is a line of the file ``--rows``; after Ctrl-C the same command continues. Every schedule is verified.
"""

from __future__ import annotations

import argparse
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.common import cpu_model, write_page
from benchmarks.papers.fair_log_cases import FIGURE_4, LENGTH, PERIOD, TABLE, Log, figure_cases, table_cases
from benchmarks.papers.fair_log_report import figures, judged, paired_tests, table_1, unfairness
from benchmarks.papers.fair_log_runs import HALF_LIFE, make_rows
from oas.core.errors import OasError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.papers.fair_log_runs import Row


def work_over(log: Log, period: int) -> float:
    """Return Σ running time × processors of the jobs submitted in the log's first `period` seconds, over the period."""
    jobs = log.jobs
    chosen = jobs.submit < jobs.submit[0] + period * jobs.second
    return float(np.dot(jobs.time[chosen].astype(float), jobs.processors[chosen])) / (period * jobs.second)


def document(logs: Sequence[Log], rows: Sequence[Row], options: argparse.Namespace) -> str:
    """Return the report in Markdown."""
    found = unfairness(rows)
    cases = sum(case.of == TABLE for case in found)
    periods = "; ".join(
        f"{log.name}: {log.span:,} s, {log.span // options.length} windows of {options.length:,} s that do not overlap,"
        f" {log.machine} processors shared out"
        for log in logs
    )
    acknowledged = " ".join(dict.fromkeys(log.jobs.acknowledgement for log in logs if log.jobs.acknowledgement))
    parts = [
        "# Fairness on job logs: table 1 and figures 4 and 5",
        f"    python -m benchmarks.papers.fair_logs {options.given}",
        f"{cpu_model()}. {len(rows):,} runs, each verified, {sum(row.seconds for row in rows):,.0f} s in all.",
        f"Δψ/p_tot in seconds against REF, exact; k = {options.organizations}; FAIRSHARE with a half-life of"
        f" {HALF_LIFE:,} s. {periods}. Work released in the first {PERIOD:,} s of {logs[0].name}:"
        f" {work_over(logs[0], PERIOD):.1f} times that period (section 6.3.1: about 16). {acknowledged}",
        f"## Table 1\n\n{cases} cases; asked were {options.windows} windows a log. Mean ± half of the 95 % interval by"
        " Student's t, and standard deviation.",
        table_1(found),
        "## Paired tests\n\nOn the same windows; two-sided sign test, exact.",
        paired_tests(found),
        f"## The printed order\n\nBy the sign test at 5 %, log by log:\n\n{judged(found)}",
        f"## Figures 4 and 5\n\n{FIGURE_4.capitalize()}: t_end = {PERIOD:,} s. Figure 5: the same jobs, releases"
        f" divided by 10, t_end = {PERIOD // 10:,} s. One case each. Section 6.3.1, of all of them:"
        " ROUNDROBIN 42,120 on the average, DIRECTCONTR 480, RAND 91 (N = 15) and 79 (N = 75).",
        figures(found),
    ]
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Make the missing runs and write the report. Exit code 2 if a file cannot be read or written."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.papers.fair_logs",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("logs", nargs="+", metavar="LOG[:PROCESSORS]", help="log files, such as of the archive")
    parser.add_argument("--windows", type=int, default=100, help="of each log at most")
    parser.add_argument("--length", type=int, default=LENGTH, help="of a window, in seconds")
    parser.add_argument("--organizations", type=int, default=5, help="k")
    parser.add_argument(
        "--figures", type=int, default=10, metavar="K", help="figures for 2 to K organizations; 0: none"
    )
    parser.add_argument("--seed", type=int, default=0, help="of windows, dealing and lots")
    parser.add_argument("--rows", type=Path, default=Path("fair_logs.jsonl"), help="file of rows, which grows")
    parser.add_argument("--output", type=Path, help="Markdown file to write; stdout if not given")
    options = parser.parse_args(given)
    if min(options.windows, options.length, options.organizations) < 1:
        parser.error("--windows, --length and --organizations must be at least 1")
    try:
        logs = [Log.read(text) for text in options.logs]
        # No folder of this machine in the report.
        names = [f"{log.path.name}:{log.machine}" for log in logs]
        options.given = f"{' '.join(names)} --windows {options.windows} --seed {options.seed}"
        cases = chain(
            table_cases(logs, options.windows, options.length, options.organizations, options.seed),
            figure_cases(logs[0], PERIOD, options.figures, options.seed),
        )
        rows = make_rows(cases, options.rows, lambda text: print(text, file=sys.stderr))
        text = document(logs, rows, options)
        write_page(text, options.output)
    except (OasError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
