"""What is open after so many seconds: bound and makespan over time, and the share of each stage, by groups of rows."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.proof_rates.shared.stages import shares
from benchmarks.proof_rates.shared.targets import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.proof_rates.shared.rows import BaseRow

SECONDS = (1, 2, 5, 10, 20, 30, 60)
LEGEND = """\
The gap, schedule / bound - 1, after so many seconds of `oas.solve`, median and mean of the instances; *open*: mean
units of time between bound and schedule. In brackets, how many had no bound or no schedule yet: the mean and *open*
leave them out, the median counts them as the largest. A solve that has ended keeps what it had. What a solver states
while it runs counts only as far as the verified answer confirms it."""


class Stand(NamedTuple):
    """Bound and makespan in ticks; None where there is none yet."""

    lower: int | None
    upper: int | None

    @property
    def open(self) -> int | None:
        """Ticks between the two."""
        return None if self.lower is None or self.upper is None else self.upper - self.lower

    @property
    def gap(self) -> Fraction | None:
        """Makespan over bound, less 1; None also where the bound is 0."""
        return Fraction(self.upper, self.lower) - 1 if self.lower and self.upper is not None else None


class Figures(NamedTuple):
    """Figures of a group after so many seconds; infinite where there is nothing to tell.

    `without` counts instances that have no gap yet.
    """

    median_gap: float
    mean_gap: float
    mean_open: float
    without: int


def stand(row: BaseRow, seconds: float) -> Stand:
    """Return what was known of an instance after so many seconds.

    Bounds rise and makespans fall; neither is better than the verified answer, for steps hold what solvers state too.
    """
    lower = upper = None
    own = row.own
    known = [step for step in row.steps if step[0] <= seconds]
    if own.seconds <= seconds:
        known.append((own.seconds, own.lower, own.upper))
    for _, bound, makespan in known:
        if bound is not None and own.lower is not None:
            lower = max(lower or 0, min(bound, own.lower))
        if makespan is not None and own.upper is not None:
            held = max(makespan, own.upper)
            upper = held if upper is None else min(upper, held)
    return Stand(lower, upper)


def figures(rows: Sequence[BaseRow], seconds: float) -> Figures:
    """Return what was open of these rows after so many seconds."""
    stands = [stand(row, seconds) for row in rows]
    gaps = [one.gap for one in stands]
    known = [float(gap) for gap in gaps if gap is not None]
    still_open = [one.open for one in stands if one.open is not None]
    return Figures(
        median([inf if gap is None else float(gap) for gap in gaps]),
        fmean(known) if known else inf,
        fmean(still_open) if still_open else inf,
        len(gaps) - len(known),
    )


def section(groups: Mapping[str, Sequence[BaseRow]]) -> Iterator[str]:
    """Yield the tables: gap and open units after so many seconds, then the share of each stage, a line a group."""
    yield LEGEND
    yield ""
    yield from gap_table(groups)
    yield ""
    yield from stage_table(groups)


def gap_table(groups: Mapping[str, Sequence[BaseRow]]) -> Iterator[str]:
    """Yield a line for each group: median gap, mean gap and mean open units after each of `SECONDS`."""
    yield f"| group | instances | {' | '.join(f'{second} s' for second in SECONDS)} |"
    yield "|" + "---|" * (2 + len(SECONDS))
    for name, rows in groups.items():
        yield f"| {name} | {len(rows)} | {' | '.join(_text(figures(rows, second)) for second in SECONDS)} |"


def stage_table(groups: Mapping[str, Sequence[BaseRow]]) -> Iterator[str]:
    """Yield a line for each group: the share of each stage in the time of all its instances."""
    spent = {name: shares(rows) for name, rows in groups.items()}
    stages = stages_of(spent)
    yield f"| share of the time | {' | '.join(stages)} |"
    yield "|" + "---|" * (1 + len(stages))
    for name, of_group in spent.items():
        cells = [percent(Fraction(of_group[stage]), 1) if stage in of_group else "–" for stage in stages]
        yield f"| {name} | {' | '.join(cells)} |"


def stages_of(spent: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Return the stages of all groups in the order in which they come up; what no stage accounts for is the last."""
    names = dict.fromkeys(stage for of_group in spent.values() for stage in of_group if stage != "other")
    return [*names, "other"]


def _text(found: Figures) -> str:
    without = f" ({found.without})" if found.without else ""
    units = "–" if found.mean_open == inf else f"{found.mean_open:.1f} open"
    return f"{_percent(found.median_gap)}, {_percent(found.mean_gap)}, {units}{without}"


def _percent(value: float) -> str:
    return "–" if value == inf else f"{100 * value:.2f} %"
