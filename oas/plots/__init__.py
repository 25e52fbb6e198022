"""Figures, and how they are written to files. matplotlib is loaded when the first figure is drawn or written."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.problem import import_object
from oas.core.registry import OWN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PLACES = (
    "oas.plots.charts:gap_chart",
    "oas.plots.charts:load_figure",
    "oas.plots.charts:queue_chart",
    "oas.plots.charts:relaxation_chart",
    "oas.plots.charts:trace_chart",
    "oas.plots.charts:utilisation_chart",
    "oas.plots.gantt_chart:gantt",
    "oas.plots.schedule_chart:comparison_figure",
    "oas.plots.schedule_chart:schedule_figure",
    *(place for problem in OWN for place in problem.plots),
)
_PLACE_OF = {place.partition(":")[2]: place for place in _PLACES}

__all__ = sorted([*_PLACE_OF, "save_figure"])


def __getattr__(name: str) -> Any:
    if name in _PLACE_OF:
        return import_object(_PLACE_OF[name])
    raise AttributeError(f"module 'oas.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)


SUFFIXES = (".png", ".svg", ".pdf")

# Files are reproducible: they contain neither dates nor random ids. Text in SVG files
# stays text, which can be searched and edited; PDFs use TrueType fonts, as publishers require.
_SETTINGS = {"svg.hashsalt": "oas", "svg.fonttype": "none", "pdf.fonttype": 42, "savefig.bbox": "standard"}
_METADATA = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write `figure` as PNG, SVG or PDF, by the suffix of `path`.

    A missing folder is created. The file is written completely or not at all. New figures of the same data give the
    same bytes, also in another process: there are no dates and no random ids.

    Parameters
    ----------
    figure
        The figure to write, of any size.
    path
        Path that ends in .png, .svg or .pdf.

    Raises
    ------
    InputError
        If the path ends in anything else.
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
    if target.exists() and not target.is_file():  # a pipe or a device is written to, never replaced
        target.write_bytes(content.getvalue())
        return
    draft = target.parent / f".oas-{os.getpid()}-{token_hex(4)}.tmp"
    try:
        draft.write_bytes(content.getvalue())
        os.replace(draft, target)
    except OSError as error:
        if error.errno:
            error.filename, error.filename2 = str(target), None  # otherwise the temporary file's name, or none
        raise
    finally:
        draft.unlink(missing_ok=True)
