"""The tables of `oas price --reservations` and `oas place-reservation`."""

from __future__ import annotations

from heapq import nlargest
from typing import TYPE_CHECKING

from oas.cli.tables.fitted_table import FittedTable
from oas.core.formats import show_count
from oas.show.mosp.reservations import CURVE_HEADINGS, PRICE_HEADINGS, curve_cells, curve_remarks, price_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.studies.reservations.placement import PlacedReservation
    from oas.studies.reservations.prices import ReservationPrice, ReservationPrices

MOST_PRICES = 100
MOST_PIECES = 200


def price_table(study: ReservationPrices) -> FittedTable:
    """Return what each reservation costs; of very many the costliest."""
    prices: Sequence[ReservationPrice] = study.prices
    if len(prices) > MOST_PRICES:
        prices = nlargest(MOST_PRICES, prices, key=lambda one: -1 if one.price is None else one.price.high)
    first, *figures, last = PRICE_HEADINGS
    table = FittedTable(first, side=("proof", "status", "lower bound"))
    table.add_figures(*(heading.replace(" ", "\n") for heading in figures))
    table.add_texts(last)
    for cells in price_cells(study, prices):
        table.add_row(*cells)
    return table


def price_notes(study: ReservationPrices) -> list[str]:
    """Return what the table could not show."""
    left = len(study.prices) - MOST_PRICES
    return [f"{show_count(left, 'reservation')} that cost no more: see --json"] if left > 0 else []


def curve_table(found: PlacedReservation) -> FittedTable:
    """Return the optimum at every start, a row where it goes on in a line."""
    first, *figures = CURVE_HEADINGS
    table = FittedTable(first, side=("delay at last", "delay at first", "optimum at last"))
    table.add_figures(*(heading.replace(" ", "\n", 1) for heading in figures))
    for place, cells in enumerate(curve_cells(found)):
        if place < MOST_PIECES:
            table.add_row(*cells)
    return table


def curve_notes(found: PlacedReservation) -> list[str]:
    """Return remarks for below the table: rows and starts that are missing, and starts that are open."""
    left = len(found.curve) - MOST_PIECES
    more = [f"{show_count(left, 'row')} more: see --json or --plot"] if left > 0 else []
    return [*more, *curve_remarks(found)]
