"""The targets of the benchmarks, and how far the rows reach them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from benchmarks.proof_rates.shared.intervals import interval_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.proof_rates.shared.plans import Plan
    from benchmarks.proof_rates.shared.rows import BaseRow, R


@dataclass(frozen=True)
class TargetFinding:
    """A figure as text, whether it is as asked, and of a share its 95 % interval."""

    figure: str
    met: bool
    interval: str = "–"


@dataclass(frozen=True)
class Target:
    """A requirement on the rows of a plan: on all of them, or on those of the cells that it is about."""

    plan: str
    asked: str
    judge: Callable[[Sequence[BaseRow]], TargetFinding]
    about: Callable[[Any], bool] = lambda _: True

    def rows(self, rows: Sequence[R]) -> list[R]:
        """Return those that it is about."""
        return [row for row in rows if row.plan == self.plan and self.about(row.cell)]

    def instances(self, plans: Mapping[str, Plan]) -> int:
        """Number of rows that it is about when the plan is complete."""
        plan = plans[self.plan]
        return sum(plan.count(cell) for cell in plan.cells if self.about(cell))


def mean_gap(rows: Sequence[BaseRow]) -> Fraction | None:
    """Return the mean gap of `oas.solve`; None if an instance has no bound or no schedule."""
    gaps = [row.own.gap for row in rows]
    known = [gap for gap in gaps if gap is not None]
    return sum(known, Fraction(0)) / len(known) if known and len(known) == len(gaps) else None


def percent(share: Fraction | None, digits: int = 2) -> str:
    """Write a share as a percentage."""
    return "–" if share is None else f"{float(100 * share):.{digits}f} %"


def proven(least: Fraction) -> Callable[[Sequence[BaseRow]], TargetFinding]:
    """Ask for a share proven of at least `least`."""

    def judge(rows: Sequence[BaseRow]) -> TargetFinding:
        done = sum(row.own.proven for row in rows)
        share = Fraction(done, len(rows))
        return TargetFinding(percent(share, 1), share >= least, interval_text(done, len(rows)))

    return judge


def open_ticks(most: int) -> Callable[[Sequence[BaseRow]], TargetFinding]:
    """Ask for at most `most` ticks between bound and schedule, on every instance."""

    def judge(rows: Sequence[BaseRow]) -> TargetFinding:
        open_ticks = [row.own.open for row in rows]
        above = sum(one is None or one > most for one in open_ticks)
        largest = "no schedule or bound" if None in open_ticks else max(one for one in open_ticks if one is not None)
        return TargetFinding(f"{largest}; above in {above}", not above)

    return judge


def largest_gap(most: Fraction) -> Callable[[Sequence[BaseRow]], TargetFinding]:
    """Ask for a gap of at most `most` on every instance."""

    def judge(rows: Sequence[BaseRow]) -> TargetFinding:
        gaps = [row.own.gap for row in rows]
        above = sum(gap is None or gap > most for gap in gaps)
        largest = None if None in gaps else max(gap for gap in gaps if gap is not None)
        return TargetFinding(f"{percent(largest)}; above in {above}", not above)

    return judge


def mean_gap_at_most(most: Fraction) -> Callable[[Sequence[BaseRow]], TargetFinding]:
    """Ask for a mean gap of at most `most`."""

    def judge(rows: Sequence[BaseRow]) -> TargetFinding:
        mean = mean_gap(rows)
        return TargetFinding(percent(mean), mean is not None and mean <= most)

    return judge


def within(seconds: float) -> Callable[[Sequence[BaseRow]], TargetFinding]:
    """Ask for so many seconds at most, on every instance."""

    def judge(rows: Sequence[BaseRow]) -> TargetFinding:
        late = sum(row.own.seconds > seconds for row in rows)
        return TargetFinding(f"{max(row.own.seconds for row in rows):.1f} s; above in {late}", not late)

    return judge


def total_time(rows: Sequence[BaseRow]) -> TargetFinding:
    """Ask for a total time of no more than that of CP-SAT."""
    own, rival = sum(row.own.seconds for row in rows), sum(row.rival.seconds for row in rows)
    return TargetFinding(f"{own:.1f} s against {rival:.1f} s", own <= rival)


def verdict_table(rows: Sequence[BaseRow], targets: Sequence[Target], plans: Mapping[str, Plan]) -> list[str]:
    """Return the table of targets: what was asked, what was found, of how many instances."""
    table = ["| plan | asked | found | 95 % interval | met | instances |", "|---|---|---|---|---|---|"]
    for target in targets:
        own = target.rows(rows)
        if own:
            found = target.judge(own)
            met = "yes" if found.met else "**no**"
            counted = f"{len(own)} of {target.instances(plans)}"
            table.append(f"| {target.plan} | {target.asked} | {found.figure} | {found.interval} | {met} | {counted} |")
    wrong = sum(bool(row.mismatch) for row in rows)
    both = sum(row.own.proven and row.rival.proven for row in rows)
    text = f"{wrong} mismatches; {both} instances proven by both"
    table.append(f"| all | no mismatch with CP-SAT | {text} | – | {'**no**' if wrong else 'yes'} | {len(rows)} |")
    return table
