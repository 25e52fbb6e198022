"""The table of the price of fairness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.cli.tables.fitted_table import FittedTable
from oas.show.fair.price import PRICE_HEADINGS, price_cells

if TYPE_CHECKING:
    from oas.studies.fair.price import FairnessPrice


def fairness_price_table(study: FairnessPrice) -> FittedTable:
    """Return a row an objective and class of schedules; `oas.show.fair.price.price_notes` says what it leaves open."""
    first, schedules, *figures, proof = PRICE_HEADINGS
    table = FittedTable(first, side=(proof, "status", "bound"))
    table.add_names(schedules)
    table.add_figures(*figures)
    table.add_texts(proof)
    for cells in price_cells(study):
        table.add_row(*cells)
    return table
