"""What is asked of proofs under slowdown, and how far the rows reach it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from benchmarks.proof_rates.shared.targets import percent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.proof_rates.coallocation.saturation.rows import SaturationRow

    Judge = Callable[[Sequence[SaturationRow]], tuple[str, bool]]


@dataclass(frozen=True)
class Requirement:
    """A requirement on the rows of a plan, with a function that gives the figure found and whether it is as asked."""

    plan: str
    asked: str
    judge: Judge


def proven(least: Fraction, by_certificate: bool = False) -> Judge:
    """Ask for a share of instances proven, or proven by certificate, of at least `least`."""

    def judge(rows: Sequence[SaturationRow]) -> tuple[str, bool]:
        count = sum(row.certified if by_certificate else row.own.proven for row in rows)
        share = Fraction(count, len(rows))
        return percent(share, 1), share >= least

    return judge


def certified_gap(most: Fraction) -> Judge:
    """Ask for a makespan of at most 1 + `most` times the confirmed bound, on every instance."""

    def judge(rows: Sequence[SaturationRow]) -> tuple[str, bool]:
        gaps = [row.certified_gap for row in rows]
        above = sum(gap is None or gap > most for gap in gaps)
        largest = max((gap for gap in gaps if gap is not None), default=None)
        without = f", {gaps.count(None)} without" if None in gaps else ""
        return f"{percent(largest)}{without}; above in {above}", not above

    return judge


REQUIREMENTS = (
    Requirement("six", "100 % proven", proven(Fraction(1))),
    Requirement("six", "at least 95 % by certificate", proven(Fraction(19, 20), by_certificate=True)),
    Requirement("eight", "at least 80 % proven", proven(Fraction(4, 5))),
    Requirement("sixteen", "certified gap at most 5 % on every instance", certified_gap(Fraction(1, 20))),
)


def verdicts(rows: Sequence[SaturationRow]) -> list[str]:
    """Return the table of requirements: what was asked, what was found, of how many instances."""
    table = ["| plan | asked | found | met | instances |", "|---|---|---|---|---|"]
    for one in REQUIREMENTS:
        own = [row for row in rows if row.plan == one.plan]
        if own:
            figure, met = one.judge(own)
            table.append(f"| {one.plan} | {one.asked} | {figure} | {'yes' if met else '**no**'} | {len(own)} |")
    wrong = sum(bool(row.mismatch) for row in rows)
    table.append(f"| all | every bound and schedule holds | {wrong} mismatches | {'**no**' if wrong else 'yes'} | ")
    table[-1] += f"{len(rows)} |"
    return table
