"""The price of locality: the same instance with it and without, both proven."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.proof_rates.mosp.rows import MospRow

_STEPS = tuple(Fraction(step, 100) for step in (100, 105, 110, 120, 130, 150))


class Pair(NamedTuple):
    """An instance with locality and without."""

    kept: MospRow
    free: MospRow

    @property
    def ratio(self) -> Fraction | None:
        """OPT(1) / OPT(none); None where one of them is not proven."""
        if not (self.kept.own.proven and self.free.own.proven) or not self.free.own.upper:
            return None
        assert self.kept.own.upper is not None
        return Fraction(self.kept.own.upper, self.free.own.upper)


def pairs(rows: Sequence[MospRow]) -> list[Pair]:
    """Return the instances measured with locality 1 and without, whatever the plan."""
    free = {(row.plan, row.cell, row.seed): row for row in rows if row.cell.locality is None}
    found = []
    for row in rows:
        other = free.get((row.plan, msgspec.structs.replace(row.cell, locality=None), row.seed))
        if row.cell.locality == "1" and other is not None:
            found.append(Pair(row, other))
    return found


def contradictions(rows: Sequence[MospRow]) -> list[str]:
    """Return what cannot be true: a schedule that keeps locality is one without, too."""
    found = []
    for pair in pairs(rows):
        bounds = [answer.lower for answer in (pair.free.own, pair.free.rival) if answer.lower is not None]
        makespans = [answer.upper for answer in (pair.kept.own, pair.kept.rival) if answer.upper is not None]
        if bounds and makespans and max(bounds) > min(makespans):
            found.append(
                f"{pair.free.case}: proven to take at least {max(bounds)}, but with locality 1 there is a verified "
                f"schedule of {min(makespans)}"
            )
    return found


def distribution(rows: Sequence[MospRow]) -> Iterator[str]:
    """Yield the distribution of OPT(1) / OPT(none), and where it is largest."""
    every = pairs(rows)
    known = [(pair.ratio, pair) for pair in every if pair.ratio is not None]
    yield f"OPT(1) / OPT(none), both proven, on {len(known)} of {len(every)} instances:"
    yield ""
    if not known:
        return
    yield "| OPT(1) / OPT(none) | instances |"
    yield "|---|---|"
    counts = Counter(_class_of(ratio) for ratio, _ in known)
    for place in range(len(_STEPS) + 1):
        yield f"| {_class_name(place)} | {counts[place]} |"
    yield ""
    largest, pair = max(known, key=lambda one: one[0])
    mean = fmean(float(ratio) for ratio, _ in known)
    yield (
        f"Mean {mean:.4f}; largest {largest} = {float(largest):.4f} ({pair.kept.own.upper} against "
        f"{pair.free.own.upper}): {pair.kept.case}. The paper's worst case (section 2.3) has 3/2."
    )


def _class_of(ratio: Fraction) -> int:
    """Which class a ratio falls into: exactly 1, then half-open up to each step, then all above."""
    return next((place for place, step in enumerate(_STEPS) if ratio <= step), len(_STEPS))


def _class_name(place: int) -> str:
    if place == 0:
        return "1"
    if place == len(_STEPS):
        return f"above {float(_STEPS[-1]):g}"
    return f"above {float(_STEPS[place - 1]):g}, up to {float(_STEPS[place]):g}"
