"""The targets of the co-allocation benchmark, and how far the rows reach them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from benchmarks.proof_rates.coallocation.plans import PLANS
from benchmarks.proof_rates.shared.targets import (
    Target,
    largest_gap,
    mean_gap_at_most,
    open_ticks,
    proven,
    total_time,
    verdict_table,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.proof_rates.coallocation.plans import Cell
    from benchmarks.proof_rates.coallocation.rows import CoallocationRow


def _is(bandwidth: str) -> Callable[[Cell], bool]:
    return lambda cell: cell.bandwidth == bandwidth


TARGETS = (
    Target("eight", "100 % proven", proven(Fraction(1))),
    Target("eight", "each under 5 s", within(5.0)),
    Target("eight", "total time at or below CP-SAT's", total_time),
    Target("sixteen", "at least 90 % proven in 60 s", proven(Fraction(9, 10))),
    Target("sixteen", "never more than 2 slots open", open_ticks(2)),
    Target("thirtytwo", "at least 75 % proven in 60 s", proven(Fraction(3, 4))),
    Target("thirtytwo", "never more than 3 slots open", open_ticks(3)),
    Target("sixtyfour", "std: at least 40 % proven in 60 s", proven(Fraction(2, 5)), _is("std")),
    Target("sixtyfour", "std: gap at most 0.5 % on every instance", largest_gap(Fraction(1, 200)), _is("std")),
    Target("sixtyfour", "tight: mean gap at most 1.5 %", mean_gap_at_most(Fraction(3, 200)), _is("tight")),
)


def verdicts(rows: Sequence[CoallocationRow]) -> list[str]:
    """Return the table of targets: what was asked, what was found, of how many instances."""
    return verdict_table(rows, TARGETS, PLANS)
