"""Pieces of the reports."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING, Protocol

from benchmarks.proof_rates.shared.targets import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from benchmarks.proof_rates.shared.rows import BaseRow


class Recorded(Protocol):
    """What every row tells of how it came about; see `BaseRow`."""

    @property
    def load(self) -> float: ...
    @property
    def versions(self) -> Mapping[str, str]: ...
    @property
    def machine(self) -> str: ...
    @property
    def commit(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def recorded(self) -> str: ...


def most_open(values: Iterable[int | None]) -> str:
    """Write the greatest, or a dash if one is missing."""
    known = list(values)
    return "–" if None in known else str(max(value for value in known if value is not None))


def worst_gap(rows: Sequence[BaseRow]) -> Fraction | None:
    """Return the largest gap of `oas.solve`; None if an instance has no bound or no schedule."""
    gaps = [row.own.gap for row in rows]
    return None if None in gaps else max(gap for gap in gaps if gap is not None)


def rival_gap(rows: Sequence[BaseRow]) -> str:
    """CP-SAT's mean gap where it has a bound, and where it has none."""
    gaps = [row.rival.gap for row in rows]
    known = [gap for gap in gaps if gap is not None]
    without = f", {len(gaps) - len(known)} without bound" if len(known) < len(gaps) else ""
    return (percent(sum(known, Fraction(0)) / len(known)) if known else "–") + without


def endings(rows: Sequence[BaseRow]) -> str:
    """Return text on how the proofs were reached, and how runs ended that neither finished nor ran out of time."""
    closed = Counter(row.closed_by for row in rows if row.own.proven)
    text = "Closed by: " + (", ".join(f"{name} {count}" for name, count in closed.most_common()) or "nothing")
    usual = ("finished", "time_limit")
    odd = Counter(
        f"{who} {answer.termination}"
        for row in rows
        for who, answer in (("oas.solve", row.own), ("CP-SAT", row.rival))
        if answer.termination not in usual
    )
    if odd:
        text += "; unusual endings: " + ", ".join(f"{name} {count}" for name, count in odd.most_common())
    return f"{text}."


def circumstances(rows: Sequence[Recorded]) -> Iterator[str]:
    """Software, machines, checkouts and dates: all that differ are named."""
    software: dict[str, set[str]] = {}
    for row in rows:
        for name, text in row.versions.items():
            software.setdefault(name, set()).add(text)
    yield ", ".join(f"{name} {' or '.join(sorted(texts))}" for name, texts in software.items())
    yield ""
    machines = Counter(row.machine for row in rows)
    dates = sorted(row.recorded for row in rows)
    load = load_range([row.load for row in rows])
    yield f"{'; '.join(machines)}; load {load}; {dates[0]} to {dates[-1]}"
    yield ""
    checkouts = Counter((row.commit, row.source) for row in rows)
    yield "Rows by checkout (hash of the source): " + ", ".join(
        f"{count} of {commit[:10] or 'none'}{'-dirty' if commit.endswith('-dirty') else ''} ({source[:8]})"
        for (commit, source), count in checkouts.items()
    )


def load_range(loads: Sequence[float]) -> str:
    """Write least, greatest and mean load."""
    return f"{min(loads):.1f} to {max(loads):.1f}, mean {fmean(loads):.1f}"
