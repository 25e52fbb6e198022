"""The targets of the MOSP benchmark, and how far the rows reach them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from benchmarks.proof_rates.mosp.plans import PLANS
from benchmarks.proof_rates.mosp.rows import CertifiedRow
from benchmarks.proof_rates.shared.targets import (
    Target,
    TargetFinding,
    open_ticks,
    percent,
    proven,
    verdict_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.proof_rates.mosp.plans import Cell
    from benchmarks.proof_rates.mosp.rows import MospRow
    from benchmarks.proof_rates.shared.rows import BaseRow


def _with(jobs: int) -> Callable[[Cell], bool]:
    return lambda cell: cell.jobs == jobs


def _share(rows: Sequence[BaseRow]) -> TargetFinding:
    """Ask for nothing but the share proven."""
    return TargetFinding(percent(Fraction(sum(row.own.proven for row in rows), len(rows)), 1), True)


def certified_gap(most: Fraction) -> Callable[[Sequence[BaseRow]], TargetFinding]:
    """Ask for a gap of at most `most` on every instance; only bounds that the re-check confirmed count."""

    def judge(rows: Sequence[BaseRow]) -> TargetFinding:
        gaps = [row.certified_gap for row in rows if isinstance(row, CertifiedRow)]
        above = sum(gap is None or gap > most for gap in gaps)
        largest = None if None in gaps else max(gap for gap in gaps if gap is not None)
        return TargetFinding(f"{percent(largest)}; above in {above}", not above)

    return judge


TARGETS = (
    Target("uni", "n = 10: 100 % proven", proven(Fraction(1)), _with(10)),
    Target("uni", "n = 50: at least 90 % proven", proven(Fraction(9, 10)), _with(50)),
    Target("uni", "n = 50: never more than 2 units open", open_ticks(2), _with(50)),
    Target("uni", "n = 100: at least 75 % proven", proven(Fraction(3, 4)), _with(100)),
    Target("uni", "n = 100: never more than 2 units open", open_ticks(2), _with(100)),
    Target(
        "uni", "n = 500: certified gap at most 0.5 % on every instance", certified_gap(Fraction(1, 200)), _with(500)
    ),
    Target("uni", "n = 500: share proven, whatever it is", _share, _with(500)),
    Target("swf", "at least 98 % proven", proven(Fraction(49, 50))),
    Target("pareto", "share proven, whatever it is", _share),
)


def verdicts(rows: Sequence[MospRow]) -> list[str]:
    """Return the table of targets: what was asked, what was found, of how many instances."""
    return verdict_table(rows, TARGETS, PLANS)
