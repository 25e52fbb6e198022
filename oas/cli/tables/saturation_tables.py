"""The table, the JSON document and the CSV of `oas price --saturation`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from oas.cli.tables.fitted_table import FittedTable
from oas.show.coallocation.saturation import PRICE_HEADINGS, price_cells

if TYPE_CHECKING:
    import pandas

    from oas.studies.saturation.points import SaturationPoint
    from oas.studies.saturation.price import SaturationPrice


def saturation_table(study: SaturationPrice) -> FittedTable:
    """Return the optimum under forbid and at each threshold."""
    first, *figures, method, its, last = PRICE_HEADINGS
    table = FittedTable(first, side=("proof", "its makespan", "best heuristic", "lower bound"))
    table.add_figures(*(heading.replace(" ", "\n", 1) if "/" not in heading else heading for heading in figures))
    table.add_names(method.replace(" ", "\n"))
    table.add_figures(its.replace(" ", "\n"))
    table.add_texts(last)
    for cells in price_cells(study):
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
