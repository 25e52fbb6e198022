"""Whether a picture in the documentation shows what its code draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from pathlib import Path

WIDTH = 160  # to which pictures are reduced: fonts and antialiasing differ between machines, contents must not
MOST_MEAN, MOST_BLOCK = 3.0, 60.0  # of 255: differences of the reduced pictures, on average and anywhere
# The part of a picture, from its top, that does not depend on the seconds that something took.
TIMELESS = {"slots.png": 0.6, "slot-size.png": 0.6, "trace.png": 0.0}


def check_picture(drawn: Path, stored: Path) -> None:
    """Compare a picture that was just drawn with the one that a page shows."""
    first, second = _reduced(drawn), _reduced(stored)
    assert abs(len(first) - len(second)) <= 0.05 * len(second), f"{stored.name} has another shape"
    rows = int(min(len(first), len(second)) * TIMELESS.get(stored.name, 1.0))
    if rows:
        apart = np.abs(first[:rows] - second[:rows])
        mean, block = apart.mean(), apart.max()
        assert mean <= MOST_MEAN, f"{stored.name} is not what its code draws: {mean:.1f} of 255 on average"
        assert block <= MOST_BLOCK, f"{stored.name} is not what its code draws: {block:.0f} of 255 at some point"


def _reduced(path: Path) -> np.ndarray:
    with Image.open(path) as picture:
        coloured = picture.convert("RGBA")
    flat = Image.new("RGB", coloured.size, "white")
    flat.paste(coloured, mask=coloured.getchannel("A"))
    height = round(WIDTH * flat.height / flat.width)
    return np.asarray(flat.resize((WIDTH, height), Image.Resampling.BOX), dtype=float)
