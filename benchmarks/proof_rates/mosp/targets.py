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


def _uni_with(jobs: int) -> Callable[[Cell], bool]:
    return lambda cell: cell.workload == "uni" and cell.jobs == jobs


def _swf_with(jobs: int) -> Callable[[Cell], bool]:
    return lambda cell: cell.workload == "swf" and cell.jobs == jobs


def _uni_up_to_100(cell: Cell) -> bool:
    return cell.workload == "uni" and cell.jobs <= 100


_share = proven(Fraction(0))
"""Ask for nothing but the share proven."""


def certified_gap(most: Fraction) -> Callable[[Sequence[BaseRow]], TargetFinding]:
    """Ask for a gap of at most `most` on every instance; only bounds that the re-check confirmed count."""

    def judge(rows: Sequence[BaseRow]) -> TargetFinding:
        gaps = [row.certified_gap for row in rows if isinstance(row, CertifiedRow)]
        above = sum(gap is None or gap > most for gap in gaps)
        largest = None if None in gaps else max(gap for gap in gaps if gap is not None)
        return TargetFinding(f"{percent(largest)}; above in {above}", not above)

    return judge


def mean_certified_gap(most: Fraction) -> Callable[[Sequence[BaseRow]], TargetFinding]:
    """Ask for a mean gap of at most `most`; only bounds that the re-check confirmed count."""

    def judge(rows: Sequence[BaseRow]) -> TargetFinding:
        gaps = [row.certified_gap for row in rows if isinstance(row, CertifiedRow)]
        known = [gap for gap in gaps if gap is not None]
        mean = sum(known, Fraction(0)) / len(known) if known and len(known) == len(gaps) else None
        return TargetFinding(percent(mean), mean is not None and mean <= most)

    return judge


def _uni(plan: str) -> tuple[Target, ...]:
    """What is asked of the uniform workload, of any sample of it."""
    return (
        Target(plan, "n = 50: at least 92 % proven", proven(Fraction(23, 25)), _uni_with(50)),
        Target(plan, "n = 50: never more than 2 units open", open_ticks(2), _uni_with(50)),
        Target(plan, "n = 100: at least 70 % proven", proven(Fraction(7, 10)), _uni_with(100)),
        Target(plan, "n = 100: never more than 3 units open", open_ticks(3), _uni_with(100)),
        Target(plan, "n = 500: at least 35 % proven", proven(Fraction(7, 20)), _uni_with(500)),
        Target(
            plan,
            "n = 500: certified gap at most 0.8 % on every instance",
            certified_gap(Fraction(1, 125)),
            _uni_with(500),
        ),
        Target(
            plan, "n = 500: mean certified gap at most 0.3 %", mean_certified_gap(Fraction(3, 1000)), _uni_with(500)
        ),
    )


def _swf(plan: str) -> tuple[Target, ...]:
    """What is asked of the realistic workload at 500 jobs, of any sample of it."""
    return (
        Target(plan, "swf, n = 500: at least 90 % proven", proven(Fraction(9, 10)), _swf_with(500)),
        Target(
            plan,
            "swf, n = 500: certified gap at most 1.5 % on every instance",
            certified_gap(Fraction(3, 200)),
            _swf_with(500),
        ),
    )


def _largest_certified_gap(rows: Sequence[BaseRow]) -> TargetFinding:
    """Ask for nothing but the largest gap."""
    return TargetFinding(certified_gap(Fraction(0))(rows).figure.partition(";")[0], True)


TARGETS = (
    Target("uni", "n = 10: 100 % proven", proven(Fraction(1)), _uni_with(10)),
    *_uni("uni"),
    *_uni("uni-old"),
    *_uni("uni-former"),
    *_uni("held-out"),
    *_swf("swf"),
    *_swf("held-out"),
    Target("swf", "at least 98 % proven", proven(Fraction(49, 50))),
    Target("pareto", "uni, n ≤ 100: at least 60 % proven", proven(Fraction(3, 5)), _uni_up_to_100),
    Target("pareto", "uni, n ≤ 100: certified gap, whatever it is", _largest_certified_gap, _uni_up_to_100),
    Target("pareto", "share proven, whatever it is", _share),
)


def verdicts(rows: Sequence[MospRow]) -> list[str]:
    """Return the table of targets: what was asked, what was found, of how many instances."""
    return verdict_table(rows, TARGETS, PLANS)
