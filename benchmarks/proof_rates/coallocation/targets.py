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


def _of_the_samples(old: str) -> tuple[Target, ...]:
    """What is asked at 16, 32 and 64 jobs, of the sample in use or of the old one."""
    return (
        Target(f"sixteen{old}", "at least 96 % proven in 60 s", proven(Fraction(24, 25))),
        Target(f"sixteen{old}", "never more than 1 slot open", open_ticks(1)),
        Target(f"thirtytwo{old}", "at least 94 % proven in 60 s", proven(Fraction(47, 50))),
        Target(f"thirtytwo{old}", "never more than 1 slot open", open_ticks(1)),
        Target(f"sixtyfour{old}", "std: at least 75 % proven in 60 s", proven(Fraction(3, 4)), _is("std")),
        Target(
            f"sixtyfour{old}", "std: gap at most 0.5 % on every instance", largest_gap(Fraction(1, 200)), _is("std")
        ),
        Target(f"sixtyfour{old}", "tight: mean gap at most 1.5 %", mean_gap_at_most(Fraction(3, 200)), _is("tight")),
    )


TARGETS = (
    Target("eight", "100 % proven", proven(Fraction(1))),
    Target("eight", "each under 5 s", within(5.0)),
    Target("eight", "total time at or below CP-SAT's", total_time),
    *(target for old in ("", "-old") for target in _of_the_samples(old)),
    Target("twofiftysix", "share proven, whatever it is", proven(Fraction(0))),
    Target("twofiftysix", "gap at most 1 % on every instance", largest_gap(Fraction(1, 100))),
)


def verdicts(rows: Sequence[CoallocationRow]) -> list[str]:
    """Return the table of targets: what was asked, what was found, of how many instances."""
    return verdict_table(rows, TARGETS, PLANS)
