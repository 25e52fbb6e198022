"""A statement of a paper, with the value found here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Statement:
    """One checkable statement.

    Attributes
    ----------
    place
        Section of the paper.
    says
        The quantity or property.
    printed, found
        The numbers, or what was seen, in the same words.
    agrees
        Whether the two agree: for numbers, within the tolerance given by whoever made the statement.
    remark
        Why they differ, as far as known.
    """

    place: str
    says: str
    printed: str
    found: str
    agrees: bool
    remark: str = ""


def near(found: float, printed: float, tolerance: float = 0.05) -> bool:
    """Whether `found` is within this share of `printed`."""
    return abs(found - printed) <= tolerance * abs(printed)


def table(statements: Iterable[Statement]) -> str:
    """Return the statements as a Markdown table."""
    lines = ["| section | what | printed | found | | remark |", "|---|---|---|---|---|---|"]
    for one in statements:
        verdict = "agrees" if one.agrees else "differs"
        lines.append(f"| {one.place} | {one.says} | {one.printed} | {one.found} | {verdict} | {one.remark} |")
    return "\n".join(lines)
