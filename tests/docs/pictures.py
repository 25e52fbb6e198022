"""Whether a picture in the documentation shows what its code draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from pathlib import Path

WIDTH = 160  # pixels to which both pictures are reduced
# Largest mean and largest single difference of the reduced pictures, of 255. Fonts come with matplotlib, so one version
# draws alike on all machines; other versions move text and hatches by a few pixels (3.9 against 3.11: 6.2 and 163).
SAME_VERSION, OTHER_VERSION = (0.3, 30.0), (9.0, 255.0)
# Boxes that depend on the seconds something took, as labels on a time axis move what is above it: left, top, right and
# bottom, as shares of the picture.
TIMED = {"slots.png": (0.0, 0.6, 1.0, 1.0), "slot-size.png": (0.0, 0.6, 1.0, 1.0), "trace.png": (0.03, 0.0, 1.0, 1.0)}


def check_picture(drawn: Path, stored: Path) -> None:
    """Compare a picture that was just drawn with the one that a page shows."""
    (first, version), (second, stored_version) = _reduced(drawn), _reduced(stored)
    assert abs(len(first) - len(second)) <= 0.05 * len(second), f"{stored.name} has another shape"
    rows = min(len(first), len(second))
    apart = np.abs(first[:rows] - second[:rows])
    if stored.name in TIMED:
        left, top, right, bottom = TIMED[stored.name]
        apart[int(top * rows) : int(bottom * rows), int(left * WIDTH) : int(right * WIDTH)] = 0
    mean, block = SAME_VERSION if version == stored_version else OTHER_VERSION
    assert apart.mean() <= mean and apart.max() <= block, (
        f"{stored.name} is not what its code draws: apart by {apart.mean():.2f} of 255 on average, at most "
        f"{apart.max():.0f}"
    )


def _reduced(path: Path) -> tuple[np.ndarray, str]:
    """Return the pixels on white, reduced, and the version of matplotlib that drew them."""
    with Image.open(path) as picture:
        coloured, version = picture.convert("RGBA"), picture.info["Software"]
    flat = Image.new("RGB", coloured.size, "white")
    flat.paste(coloured, mask=coloured.getchannel("A"))
    height = round(WIDTH * flat.height / flat.width)
    return np.asarray(flat.resize((WIDTH, height), Image.Resampling.BOX), dtype=float), version
