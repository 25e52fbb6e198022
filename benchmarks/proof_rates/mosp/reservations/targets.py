"""The targets of the benchmark on reservations, and how far the rows reach them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from benchmarks.proof_rates.mosp.reservations.plans import PLANS
from benchmarks.proof_rates.mosp.targets import certified_gap
from benchmarks.proof_rates.shared.intervals import interval_text
from benchmarks.proof_rates.shared.targets import Target, TargetFinding, percent, proven, verdict_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.proof_rates.mosp.reservations.plans import Cell
    from benchmarks.proof_rates.mosp.reservations.rows import ReservationRow
    from benchmarks.proof_rates.shared.rows import BaseRow


def _certified(least: Fraction) -> Callable[[Sequence[BaseRow]], TargetFinding]:
    """Ask for a share proven by certificate of at least `least`."""

    def judge(rows: Sequence[BaseRow]) -> TargetFinding:
        done = sum(row.certified for row in rows)
        share = Fraction(done, len(rows))
        return TargetFinding(percent(share, 1), share >= least, interval_text(done, len(rows)))

    return judge


def _of_the_rest(judge: Callable[[Sequence[BaseRow]], TargetFinding]) -> Callable[[Sequence[BaseRow]], TargetFinding]:
    """Ask the same of the rows that are not proven."""

    def judge_rest(rows: Sequence[BaseRow]) -> TargetFinding:
        rest = [row for row in rows if not row.own.proven]
        return judge(rest) if rest else TargetFinding("none is open", True)

    return judge_rest


def _with(jobs: int) -> Callable[[Cell], bool]:
    return lambda cell: cell.jobs == jobs


def _at_most_20(cell: Cell) -> bool:
    return cell.jobs <= 20


TARGETS = (
    Target("random", "n ≤ 20: 100 % proven", proven(Fraction(1)), _at_most_20),
    Target("random", "n ≤ 20: at least 95 % by certificate", _certified(Fraction(19, 20)), _at_most_20),
    Target("random", "n = 50: at least 80 % proven", proven(Fraction(4, 5)), _with(50)),
    Target("random", "n = 100: at least 60 % proven", proven(Fraction(3, 5)), _with(100)),
    Target("random", "certified gap at most 1 % elsewhere", _of_the_rest(certified_gap(Fraction(1, 100)))),
    Target("three-partition", "refuted by certificate", _certified(Fraction(1))),
)


def verdicts(rows: Sequence[ReservationRow]) -> list[str]:
    """Return the table of targets: what was asked, what was found, of how many instances."""
    return verdict_table(rows, TARGETS, PLANS)
