"""Tables of `oas price` and `oas place-reservation`, and the document of `oas price --saturation`."""

from __future__ import annotations

import json
from heapq import nlargest
from typing import TYPE_CHECKING, Any

from oas.cli.tables.fitted_table import FittedTable
from oas.core.formats import show_count
from oas.show import coallocation
from oas.show.mosp import reservations

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas

    from oas.studies.reservations.placement import PlacedReservation
    from oas.studies.reservations.prices import ReservationPrice, ReservationPrices
    from oas.studies.saturation_points import SaturationPoint
    from oas.studies.saturation_price import SaturationPrice

MOST_PRICES = 100
MOST_PIECES = 200


def price_table(study: ReservationPrices) -> FittedTable:
    """Return what each reservation costs; of very many the costliest."""
    prices: Sequence[ReservationPrice] = study.prices
    if len(prices) > MOST_PRICES:
        prices = nlargest(MOST_PRICES, prices, key=lambda one: -1 if one.price is None else one.price.high)
    first, *figures, last = reservations.PRICE_HEADINGS
    table = FittedTable(first, side=("proof", "status", "lower bound"))
    table.add_figures(*(heading.replace(" ", "\n") for heading in figures))
    table.add_texts(last)
    for cells in reservations.price_cells(study, prices):
        table.add_row(*cells)
    return table


def price_notes(study: ReservationPrices) -> list[str]:
    """Return what the table could not show."""
    left = len(study.prices) - MOST_PRICES
    return [f"{show_count(left, 'reservation')} that cost no more: see --json"] if left > 0 else []


def curve_table(found: PlacedReservation) -> FittedTable:
    """Return the optimum at every start, a row where it goes on in a line."""
    first, *figures = reservations.CURVE_HEADINGS
    table = FittedTable(first, side=("delay at last", "delay at first", "optimum at last"))
    table.add_figures(*(heading.replace(" ", "\n", 1) for heading in figures))
    for place, cells in enumerate(reservations.curve_cells(found)):
        if place < MOST_PIECES:
            table.add_row(*cells)
    return table


def curve_notes(found: PlacedReservation) -> list[str]:
    """Return remarks for below the table: rows and starts that are missing, and starts that are open."""
    left = len(found.curve) - MOST_PIECES
    more = [f"{show_count(left, 'row')} more: see --json or --plot"] if left > 0 else []
    return [*more, *reservations.curve_remarks(found)]


def saturation_table(study: SaturationPrice) -> FittedTable:
    """Return the optimum under forbid and at each threshold."""
    first, *figures, method, its, last = coallocation.PRICE_HEADINGS
    table = FittedTable(first, side=("proof", "its makespan", "best heuristic", "lower bound"))
    table.add_figures(*(heading.replace(" ", "\n", 1) if "/" not in heading else heading for heading in figures))
    table.add_names(method.replace(" ", "\n"))
    table.add_figures(its.replace(" ", "\n"))
    table.add_texts(last)
    for cells in coallocation.price_cells(study):
        table.add_row(*cells)
    return table


def saturation_document(study: SaturationPrice) -> dict[str, Any]:
    """Return the study as JSON holds it: exact numbers as text."""
    return {
        "instance": study.instance.digest,
        "sharing": study.points[0].saturation.sharing,
        "interrupted": study.interrupted,
        "forbid": _point(study.forbid),
        "slowdown": [_point(one) for one in study],
    }


def _point(point: SaturationPoint) -> dict[str, Any]:
    from oas.io import dumps

    own = {"threshold": _text(point.threshold)} if point.saturation.slows else {}
    ratio = point.ratio
    return {
        **own,
        "status": point.status.value,
        "makespan": _text(point.makespan),
        "lower_bound": str(point.lower_bound),
        "proof": point.proof or None,
        "ratio": None if ratio is None else [str(ratio.low), str(ratio.high)],
        "heuristic": point.heuristic or None,
        "heuristic_makespan": _text(point.heuristic_makespan),
        "seconds": 0.0 if point.result is None else point.result.seconds.get("total", 0.0),
        "schedule": None if point.schedule is None else json.loads(dumps(point.schedule)),
    }


def saturation_frame(study: SaturationPrice) -> pandas.DataFrame:
    """Return a row a policy, ``forbid`` first: exact numbers as text, None for none."""
    import pandas

    rows = [
        {
            "policy": one.saturation.policy,
            "threshold": _text(one.threshold),
            "sharing": one.saturation.sharing,
            "status": one.status.value,
            "makespan": _text(one.makespan),
            "lower_bound": str(one.lower_bound),
            "ratio_low": None if one.ratio is None else str(one.ratio.low),
            "ratio_high": None if one.ratio is None else str(one.ratio.high),
            "heuristic": one.heuristic,
            "heuristic_makespan": _text(one.heuristic_makespan),
            "proof": str(one.proof or ""),
        }
        for one in (study.forbid, *study.points)
    ]
    return pandas.DataFrame(rows, dtype=object)


def _text(value: object) -> str | None:
    return None if value is None else str(value)
