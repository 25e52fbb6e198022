"""Figures, one module each. Names are imported lazily: matplotlib is loaded when the first of them is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.plots.coallocation.execution_chart import execution_figure
    from oas.plots.coallocation.link_chart import link_load
    from oas.plots.coallocation.saturation_price_chart import saturation_price_chart
    from oas.plots.coallocation.slot_size_chart import slot_size_figure
    from oas.plots.fair.ledger_chart import ledger_chart, ledger_figure
    from oas.plots.files import save_figure
    from oas.plots.gantt_chart import gantt
    from oas.plots.gaps import gap_chart
    from oas.plots.mosp.list_ratio_chart import list_ratio_chart
    from oas.plots.mosp.study_charts import placement_figure, price_figure
    from oas.plots.schedule_chart import comparison_figure, schedule_figure
    from oas.plots.time_charts import load_figure, queue_chart, trace_chart, utilisation_chart

_HOME = {
    "comparison_figure": "oas.plots.schedule_chart",
    "execution_figure": "oas.plots.coallocation.execution_chart",
    "gantt": "oas.plots.gantt_chart",
    "gap_chart": "oas.plots.gaps",
    "ledger_chart": "oas.plots.fair.ledger_chart",
    "ledger_figure": "oas.plots.fair.ledger_chart",
    "link_load": "oas.plots.coallocation.link_chart",
    "list_ratio_chart": "oas.plots.mosp.list_ratio_chart",
    "load_figure": "oas.plots.time_charts",
    "placement_figure": "oas.plots.mosp.study_charts",
    "price_figure": "oas.plots.mosp.study_charts",
    "queue_chart": "oas.plots.time_charts",
    "saturation_price_chart": "oas.plots.coallocation.saturation_price_chart",
    "save_figure": "oas.plots.files",
    "schedule_figure": "oas.plots.schedule_chart",
    "slot_size_figure": "oas.plots.coallocation.slot_size_chart",
    "trace_chart": "oas.plots.time_charts",
    "utilisation_chart": "oas.plots.time_charts",
}

__all__ = [
    "comparison_figure",
    "execution_figure",
    "gantt",
    "gap_chart",
    "ledger_chart",
    "ledger_figure",
    "link_load",
    "list_ratio_chart",
    "load_figure",
    "placement_figure",
    "price_figure",
    "queue_chart",
    "saturation_price_chart",
    "save_figure",
    "schedule_figure",
    "slot_size_figure",
    "trace_chart",
    "utilisation_chart",
]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'oas.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_HOME)
