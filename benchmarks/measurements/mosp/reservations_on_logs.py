"""Reservations on real logs: what back-filling loses to the optimum, and the cost of a weekly maintenance window.

    python -m benchmarks.measurements.mosp.reservations_on_logs LOG … --output reservations_on_logs.md

Windows of a log are so many jobs in the order of their submission, busy ones only (`oas.io.logs.windows`).

- *Back-filling*: all other jobs keep their processors, as reservations. The heuristics know all running times, like the
  optimum. A loss is makespan / optimum − 1; where no optimum is proven, it lies between makespan / best − 1 and
  makespan / lower bound − 1.
- *Maintenance*: the jobs of the first window, alone on the cluster, and a reservation of all processors that may start
  at every full hour of a week. Costs are optimum with it − optimum without it.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from benchmarks.measurements.machine import cpu_model
from oas.core.errors import InputError
from oas.exact.versions import versions
from oas.io.logs.logs import read_log
from oas.io.logs.windows import choose, cluster_size, window_of
from oas.solvers.discovery import usable
from oas.studies.appraisal import appraise
from oas.studies.reservations.placement import place_reservation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.io.logs.logged import JobLog
    from oas.problems.mosp.instance import MospInstance
    from oas.studies.appraisal import Appraisal
    from oas.studies.reservations.placement import CurvePiece, PlacedReservation

METHODS = ("FCFS-strict", "EASY", "conservative", "FCFS")
HOUR, WEEK = 3600, 7 * 24 * 3600
LOSS_HEAD = ("log", "windows", "reservations", "proven", *METHODS)
COST_HEAD = (
    "log",
    "jobs",
    "without, h",
    "at once",
    "worst start",
    "best start, h",
    "there",
    "free starts",
    "proven",
    "solves",
)


def loss_cells(appraisal: Appraisal) -> list[str]:
    """Return how many windows there are, with how many reservations, how many are proven, and each method's loss."""
    rows = [row for row in appraisal.rows if row.result is not None]
    held = [len(row.window.instance.reserved) for row in rows if row.window.instance is not None]
    cells = [str(len(rows)), f"{min(held, default=0)} to {max(held, default=0)}", str(sum(row.proven for row in rows))]
    for method in METHODS:
        pairs = [
            (row.at_least(one), row.at_most(one)) for row in rows for one in row.heuristics if one.method == method
        ]
        known = [(low, high) for low, high in pairs if low is not None and high is not None]
        cells.append(losses(known))
    return cells


def losses(pairs: Sequence[tuple[Fraction, Fraction]]) -> str:
    """Return mean and greatest loss, each as a range where optima are open."""
    if not pairs:
        return "–"
    lows, highs = zip(*pairs, strict=True)
    return f"{_percents(mean(lows), mean(highs))}, most {_percents(max(lows), max(highs))}"


def _percents(low: Fraction, high: Fraction) -> str:
    return f"{100 * float(low):.1f} %" if low == high else f"{100 * float(low):.1f} to {100 * float(high):.1f} %"


def alone(instance: MospInstance) -> MospInstance:
    """Return the jobs of a window alone on the cluster, without what other jobs held."""
    return replace(
        instance, organizations=tuple(replace(one, reservations=()) for one in instance.organizations), local=None
    )


def cost_cells(found: PlacedReservation) -> list[str]:
    """Return the optimum without the maintenance, and its cost at once, at the worst start and at the best."""
    low, high = found.without.lower_bound, found.without.makespan or Fraction(0)
    costs = [cost for piece in found.curve for cost in _costs(piece, low, high)]
    worst = max(least for least, _ in costs), max(most for _, most in costs)
    free = sum(most == 0 for _, most in costs)
    return [
        str(len(found.instance.jobs)),
        _hours(low, high),
        _hours(*costs[0]),
        _hours(*worst),
        _hours(found.reservation.start, found.reservation.start) + ("" if found.proven else " ?"),
        _hours(found.delay.low, found.delay.high),
        f"{free} of {len(costs)}",
        str(sum(least == most for least, most in costs)),
        str(len(found.steps)),
    ]


def _costs(piece: CurvePiece, low: Fraction, high: Fraction) -> Iterable[tuple[Fraction, Fraction]]:
    """Yield the least and the greatest cost at every start of a piece."""
    count = int((piece.last - piece.first) / HOUR)
    for number in range(count + 1):
        part = Fraction(number, count or 1)
        bound = piece.low_first + part * (piece.low_last - piece.low_first)
        makespan = piece.high_first + part * (piece.high_last - piece.high_first)
        yield max(Fraction(0), bound - high), makespan - low


def _hours(low: Fraction, high: Fraction) -> str:
    ends = [f"{float(value / HOUR):.1f}" for value in dict.fromkeys((low, high))]
    return " to ".join(ends)


def busy_windows(log: JobLog, options: argparse.Namespace) -> list[range]:
    """Return the windows that both tables are of."""
    return choose(log, jobs=options.jobs, windows=options.windows, busy=options.busy)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print both tables, or write them to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", type=Path, nargs="+", help="SWF, Batsim or sacct")
    parser.add_argument("--windows", type=int, default=3, help="of each log, at most")
    parser.add_argument("--jobs", type=int, default=12, help="in each window")
    parser.add_argument("--busy", default="1.2", help="least load of a window")
    parser.add_argument("--hours", type=int, default=8, help="length of the maintenance")
    parser.add_argument("--seconds", type=float, default=20.0, help="limit for the optimum of each window")
    parser.add_argument("--curve-seconds", type=float, default=60.0, help="limit for all starts of the maintenance")
    parser.add_argument("--output", type=Path, help="Markdown file to write; stdout if not given")
    options = parser.parse_args(arguments)
    load = os.getloadavg()[0]
    loss_rows, cost_rows, thanks, refused = [], [], [], []
    for path in options.logs:
        try:
            log = read_log(path)
        except InputError as error:
            refused.append(f"{path.name}: {error.reason}")
            continue
        thanks.append(f"{log.name}: {log.acknowledgement}")
        print(log.name, file=sys.stderr)
        loss_rows.append([log.name, *loss_cells(_appraised(log, options))])
        cost_rows.append([log.name, *_maintained(log, options)])
        print(f"| {' | '.join(loss_rows[-1])} |\n| {' | '.join(cost_rows[-1])} |", file=sys.stderr)
    text = _report(options, load, loss_rows, cost_rows, thanks, refused)
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        print(text)
    return 0


def _appraised(log: JobLog, options: argparse.Namespace) -> Appraisal:
    return appraise(
        log,
        jobs=options.jobs,
        windows=options.windows,
        busy=options.busy,
        heuristics=METHODS,
        time_limit=options.seconds,
    )


def _maintained(log: JobLog, options: argparse.Namespace) -> list[str]:
    """Return the cells on the first window that keeps all rules."""
    for places in busy_windows(log, options):
        instance = window_of(log, places).instance
        if instance is not None:
            return cost_cells(
                place_reservation(
                    alone(instance),
                    length=options.hours * HOUR,
                    processors=cluster_size(log, None),
                    between=(0, WEEK),
                    every=HOUR,
                    curve=True,
                    time_limit=options.curve_seconds,
                    solver="cpsat" if usable("cpsat") else "auto",
                )
            )
    return ["–"] * (len(COST_HEAD) - 1)


def _report(
    options: argparse.Namespace,
    load: float,
    loss_rows: Iterable[Sequence[str]],
    cost_rows: Iterable[Sequence[str]],
    thanks: Iterable[str],
    refused: Iterable[str],
) -> str:
    command = (
        f"--windows {options.windows} --jobs {options.jobs} --busy {options.busy} --hours {options.hours}"
        f" --seconds {options.seconds:g} --curve-seconds {options.curve_seconds:g}"
    )
    software = ", ".join(f"{name} {text}" for name, text in versions({}).items())
    return "\n".join(
        [
            "# Reservations on real logs",
            "",
            *(__doc__ or "").split("\n\n", 2)[2].strip().splitlines(),
            "",
            f"    python -m benchmarks.measurements.mosp.reservations_on_logs LOG … {command}",
            "",
            f"One thread, seed 0. {software}, CP-SAT {'used' if usable('cpsat') else 'not installed'}.",
            f"{cpu_model()}, {os.cpu_count()} CPUs, load {load:.1f} when it began, shared with other work.",
            "",
            "## What back-filling loses to the optimum",
            "",
            "Mean and greatest loss over the windows of a log. FCFS is list scheduling, in which jobs overtake.",
            "",
            *_table(LOSS_HEAD, loss_rows),
            "",
            f"## The cost of {options.hours} hours of maintenance in a week",
            "",
            "In hours. *At once*: it starts with the first submission. *Free starts*: those at which it is proven to",
            "cost nothing. *Proven*: starts at which the cost is known exactly. A ? where another start may be better,",
            "or as good and earlier.",
            "",
            *_table(COST_HEAD, cost_rows),
            "",
            "The logs are of the Parallel Workloads Archive; whom their headers thank:",
            "",
            *(f"- {line}" for line in thanks),
            "",
            *(f"Left out: {line}.\n" for line in refused),
        ]
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


if __name__ == "__main__":
    sys.exit(main())
