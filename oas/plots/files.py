"""Figures into files."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from matplotlib import rc_context

from oas.core.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg")


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write `figure` as PNG or SVG, by the suffix of `path`.

    The folder is made if it is missing. The file appears whole or not at all. Figures newly made from the same data
    give the same bytes, also in another process: no date, no random ids.

    Parameters
    ----------
    figure
        Of any size.
    path
        Ends in .png or .svg.

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
    content = BytesIO()
    with rc_context({"svg.hashsalt": "oas", "svg.fonttype": "path", "savefig.bbox": "standard"}):
        figure.savefig(content, format=suffix[1:], metadata={"Date": None} if suffix == ".svg" else None)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.parent / f".oas-{os.getpid()}-{token_hex(4)}.tmp"
    try:
        draft.write_bytes(content.getvalue())
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
