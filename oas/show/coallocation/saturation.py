"""Display of what forbidding saturation costs: cells of tables, text, notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import MISSING, show_factor, show_time
from oas.show.html import fragment, remark, short_name, table
from oas.show.texts import MAX_METHODS, first_lines, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.studies.saturation.points import SaturationPoint
    from oas.studies.saturation.price import SaturationPrice

PRICE_HEADINGS = (
    "policy",
    "makespan",
    "lower bound",
    "status",
    "forbid / this",
    "best heuristic",
    "its makespan",
    "proof",
)


def price_cells(study: SaturationPrice) -> Iterator[tuple[str, ...]]:
    """Yield the cells of `PRICE_HEADINGS`: under forbid, then at each threshold."""
    for one in (study.forbid, *study.points):
        yield (
            _name(one),
            show_time(one.makespan),
            show_time(one.lower_bound) if one.lower_bound else MISSING,
            one.status.value.replace("_", " "),
            _ratio(one),
            one.heuristic or MISSING,
            show_time(one.heuristic_makespan),
            one.proof or MISSING,
        )


def _name(point: SaturationPoint) -> str:
    if not point.saturation.slows:
        return point.saturation.policy
    return f"threshold {'none' if point.threshold is None else point.threshold}"


def _ratio(point: SaturationPoint) -> str:
    """Return a ratio, or the two that it lies between where they can be told apart."""
    if point.ratio is None:
        return MISSING
    low, high = show_factor(point.ratio.low), show_factor(point.ratio.high)
    return low if low == high else f"{low} to {high}"


def price_notes(study: SaturationPrice) -> list[str]:
    """Return what stands beneath the table: the sharing, and what is open."""
    lines = [f"sharing: {study.points[0].saturation.sharing}"]
    if study.forbid.status.value == "infeasible":
        lines.append("under forbid some job can never run: there is no ratio")
    elif not study.forbid.optimum.proven or not all(one.optimum.proven for one in study):
        lines.append("a range is given where an optimum is not proven; more time may settle it")
    return lines


def price_text(study: SaturationPrice) -> str:
    """Return a line a threshold."""
    lines = (
        f"{name}: makespan {end}, {status}, forbid / this {ratio}"
        for name, end, _, status, ratio, *_ in list(price_cells(study))[1:]
    )
    forbid = study.forbid
    heading = f"SaturationPrice of {short_name(study.instance)}: forbid {show_time(forbid.makespan)}"
    return text(f"{heading}, {forbid.status.value.replace('_', ' ')}", first_lines(lines, len(study), MAX_METHODS))


def price_html(study: SaturationPrice) -> str:
    """Return a table of the points."""
    rows = list(price_cells(study))
    title = f"{short_name(study.instance)}: what forbidding saturation costs"
    return fragment(title, table(PRICE_HEADINGS, rows, len(rows)), *map(remark, price_notes(study)))
