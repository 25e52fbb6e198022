"""The table of the papers' claims in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from oas.cli.tables.fitted_table import FittedTable
from oas.studies.claims.table import shown_now

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.studies.claims.table import Checked, PaperClaim

SIDE = ("remark", "place", "printed", "now", "found", "statement")


def claim_tables(claims: Sequence[PaperClaim], checked: Sequence[Checked] | None = None) -> list[FittedTable | str]:
    """Return the paper's name and a table for each paper; parameters as `oas.studies.claims.table.table`."""
    now = None if checked is None else {one.claim.id: one for one in checked}
    shown: list[FittedTable | str] = []
    for paper in dict.fromkeys(claim.paper for claim in claims):
        table = FittedTable("id", SIDE)
        table.add_texts(
            "place", "statement", "printed", "found", "verdict", "remark", *([] if now is None else ["now"])
        )
        for claim in claims:
            if claim.paper == paper:
                cells = (claim.place, claim.statement, claim.printed, claim.found, claim.verdict, claim.remark)
                last = [] if now is None else [shown_now(now.get(claim.id))]
                table.add_row(*(Text(cell) for cell in (claim.id, *cells, *last)))
        shown += [*([""] if shown else []), f"{paper} paper", table]
    return shown
