"""Figures, and how they are written to files. matplotlib is loaded when the first figure is drawn or written."""

from __future__ import annotations

import os
from importlib import import_module
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from oas.core.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from oas.plots.charts import gap_chart as gap_chart
    from oas.plots.charts import load_figure as load_figure
    from oas.plots.charts import queue_chart as queue_chart
    from oas.plots.charts import trace_chart as trace_chart
    from oas.plots.charts import utilisation_chart as utilisation_chart
    from oas.plots.coallocation.link_chart import execution_figure as execution_figure
    from oas.plots.coallocation.link_chart import link_load as link_load
    from oas.plots.coallocation.study_charts import saturation_price_chart as saturation_price_chart
    from oas.plots.coallocation.study_charts import slot_size_figure as slot_size_figure
    from oas.plots.fair.charts import ledger_chart as ledger_chart
    from oas.plots.fair.charts import ledger_figure as ledger_figure
    from oas.plots.gantt_chart import gantt as gantt
    from oas.plots.mosp.study_charts import list_ratio_chart as list_ratio_chart
    from oas.plots.mosp.study_charts import placement_figure as placement_figure
    from oas.plots.mosp.study_charts import price_figure as price_figure
    from oas.plots.schedule_chart import comparison_figure as comparison_figure
    from oas.plots.schedule_chart import schedule_figure as schedule_figure

_NAMES = {
    "coallocation.link_chart": ("execution_figure", "link_load"),
    "coallocation.study_charts": ("saturation_price_chart", "slot_size_figure"),
    "fair.charts": ("ledger_chart", "ledger_figure"),
    "gantt_chart": ("gantt",),
    "mosp.study_charts": ("list_ratio_chart", "placement_figure", "price_figure"),
    "schedule_chart": ("comparison_figure", "schedule_figure"),
    "charts": ("gap_chart", "load_figure", "queue_chart", "trace_chart", "utilisation_chart"),
}
_HOME = {name: f"oas.plots.{module}" for module, names in _NAMES.items() for name in names}

__all__ = sorted([*_HOME, "save_figure"])


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'oas.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)


SUFFIXES = (".png", ".svg", ".pdf")

# Nothing that differs from one run to the next: no date, no random id. TrueType fonts, as publishers ask for in PDF.
_SETTINGS = {"svg.hashsalt": "oas", "svg.fonttype": "path", "pdf.fonttype": 42, "savefig.bbox": "standard"}
_METADATA = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write `figure` as PNG, SVG or PDF, by the suffix of `path`.

    The folder is made if it is missing. The file appears whole or not at all. Figures newly made from the same data
    give the same bytes, also in another process: no date, no random ids.

    Parameters
    ----------
    figure
        Of any size.
    path
        Ends in .png, .svg or .pdf.

    Raises
    ------
    InputError
        If the suffix is another.
    OSError
        If the file cannot be written.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(f"figures are written as {' or '.join(SUFFIXES)}", field="path", value=str(target))
    from matplotlib import rc_context

    content = BytesIO()
    with rc_context(_SETTINGS):
        figure.savefig(content, format=suffix[1:], metadata=_METADATA.get(suffix))
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.parent / f".oas-{os.getpid()}-{token_hex(4)}.tmp"
    try:
        draft.write_bytes(content.getvalue())
        os.replace(draft, target)
    except OSError as error:
        if error.errno:
            error.filename, error.filename2 = str(target), None  # otherwise the draft's name, or none
        raise
    finally:
        draft.unlink(missing_ok=True)
