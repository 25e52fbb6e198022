"""What was set out to be shown of co-allocation, and what the rows show of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from benchmarks.closing.plans import PLANS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.closing.rows import Row


@dataclass(frozen=True)
class Finding:
    """A figure as text, and whether it is as asked."""

    figure: str
    met: bool


@dataclass(frozen=True)
class Target:
    """What is asked of the rows of a plan, all or those of one bandwidth setting."""

    plan: str
    asked: str
    judge: Callable[[Sequence[Row]], Finding]
    bandwidth: str = ""

    def rows(self, rows: Sequence[Row]) -> list[Row]:
        """Return those that it is about."""
        return [row for row in rows if row.plan == self.plan and self.bandwidth in ("", row.cell.bandwidth)]

    @property
    def instances(self) -> int:
        """How many it is about when the plan is complete."""
        plan = PLANS[self.plan]
        return plan.seeds * sum(self.bandwidth in ("", cell.bandwidth) for cell in plan.cells)


def mean_gap(rows: Sequence[Row]) -> Fraction | None:
    """Return the mean gap of `oas.solve`; None if an instance has no bound or no schedule."""
    gaps = [row.own.gap for row in rows]
    known = [gap for gap in gaps if gap is not None]
    return sum(known, Fraction(0)) / len(known) if known and len(known) == len(gaps) else None


def percent(share: Fraction | None, digits: int = 2) -> str:
    """Write a share as a percentage."""
    return "–" if share is None else f"{float(100 * share):.{digits}f} %"


def _proven(least: Fraction) -> Callable[[Sequence[Row]], Finding]:
    def judge(rows: Sequence[Row]) -> Finding:
        share = Fraction(sum(row.own.proven for row in rows), len(rows))
        return Finding(percent(share, 1), share >= least)

    return judge


def _open(most: int) -> Callable[[Sequence[Row]], Finding]:
    def judge(rows: Sequence[Row]) -> Finding:
        open_ticks = [row.own.open for row in rows]
        above = sum(one is None or one > most for one in open_ticks)
        largest = "no schedule or bound" if None in open_ticks else max(one for one in open_ticks if one is not None)
        return Finding(f"{largest}; above in {above}", not above)

    return judge


def _largest_gap(most: Fraction) -> Callable[[Sequence[Row]], Finding]:
    def judge(rows: Sequence[Row]) -> Finding:
        gaps = [row.own.gap for row in rows]
        above = sum(gap is None or gap > most for gap in gaps)
        largest = None if None in gaps else max(gap for gap in gaps if gap is not None)
        return Finding(f"{percent(largest)}; above in {above}", not above)

    return judge


def _mean_gap(most: Fraction) -> Callable[[Sequence[Row]], Finding]:
    def judge(rows: Sequence[Row]) -> Finding:
        mean = mean_gap(rows)
        return Finding(percent(mean), mean is not None and mean <= most)

    return judge


def _within(seconds: float) -> Callable[[Sequence[Row]], Finding]:
    def judge(rows: Sequence[Row]) -> Finding:
        late = sum(row.own.seconds > seconds for row in rows)
        return Finding(f"{max(row.own.seconds for row in rows):.1f} s; above in {late}", not late)

    return judge


def _in_all(rows: Sequence[Row]) -> Finding:
    own, rival = sum(row.own.seconds for row in rows), sum(row.rival.seconds for row in rows)
    return Finding(f"{own:.1f} s against {rival:.1f} s", own <= rival)


TARGETS = (
    Target("eight", "100 % proven", _proven(Fraction(1))),
    Target("eight", "each under 5 s", _within(5.0)),
    Target("eight", "total time at or below CP-SAT's", _in_all),
    Target("sixteen", "at least 90 % proven in 60 s", _proven(Fraction(9, 10))),
    Target("sixteen", "never more than 2 slots open", _open(2)),
    Target("thirtytwo", "at least 75 % proven in 60 s", _proven(Fraction(3, 4))),
    Target("thirtytwo", "never more than 3 slots open", _open(3)),
    Target("sixtyfour", "std: at least 40 % proven in 60 s", _proven(Fraction(2, 5)), "std"),
    Target("sixtyfour", "std: gap at most 0.5 % on every instance", _largest_gap(Fraction(1, 200)), "std"),
    Target("sixtyfour", "tight: mean gap at most 1.5 %", _mean_gap(Fraction(3, 200)), "tight"),
)


def verdicts(rows: Sequence[Row]) -> list[str]:
    """Return the table of targets: what was asked, what was found, of how many instances."""
    table = ["| plan | asked | found | met | instances |", "|---|---|---|---|---|"]
    for target in TARGETS:
        own = target.rows(rows)
        if own:
            found = target.judge(own)
            met = "yes" if found.met else "**no**"
            table.append(
                f"| {target.plan} | {target.asked} | {found.figure} | {met} | {len(own)} of {target.instances} |"
            )
    wrong = sum(bool(row.mismatch) for row in rows)
    both = sum(row.own.proven and row.rival.proven for row in rows)
    text = f"{wrong} mismatches; {both} instances proven by both"
    table.append(f"| all | no mismatch with CP-SAT | {text} | {'**no**' if wrong else 'yes'} | {len(rows)} |")
    return table
