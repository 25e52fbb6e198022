"""Colours of jobs and of everything around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.colors import to_hex, to_rgb

if TYPE_CHECKING:
    from fractions import Fraction

# Paul Tol's "muted" scheme, safe for the common colour-vision deficiencies, ordered so that neighbours differ most.
_HUES = ("#88CCEE", "#CC6677", "#DDCC77", "#117733", "#332288", "#AA4499", "#44AA99", "#999933", "#882255")
# How far each further round through the hues moves towards white (positive) or black (negative).
_SHIFTS = (0.0, 0.5, -0.35, 0.25, -0.18, 0.62, -0.5, 0.12)

HATCH = "////"
INK = "#1a1a1a"
FAINT = "#d0d0d0"
SEPARATOR = "#a8a8a8"
BANDS = ("#f1f1f1", "#e7e7e7")
LIMIT = "#c1272d"
BOUND = "#d55e00"


def job_colour(index: int) -> str:
    """Return the colour of the job with this index in its instance: the same in every figure, distinct up to 72."""
    tier, hue = divmod(index, len(_HUES))
    return _shift(_HUES[hue], _SHIFTS[tier % len(_SHIFTS)])


def accent(colour: str) -> str:
    """Return the shade for outlines and hatching on `colour`: darker, or lighter on a dark colour."""
    return _shift(colour, -0.5 if luminance(colour) > 0.09 else 0.45)


def dark(colour: str) -> str:
    """Return a shade of `colour` that stands out on a light ground."""
    return _shift(colour, -0.35) if luminance(colour) > 0.09 else colour


def slowed_shade(colour: str, slowdown: Fraction) -> str:
    """Return `colour` as it is for a job that runs at full speed, light, or is slowed down: the more the darker.

    Parameters
    ----------
    slowdown
        SC, at least 1. The shade depends on nothing else, so it means the same in every figure.
    """
    return _shift(colour, 0.55) if slowdown <= 1 else _shift(colour, 0.2 - 0.7 * (1 - 1 / float(slowdown)))


def text_colour(background: str) -> str:
    """Return black or white, whichever has the greater contrast (WCAG) on `background`."""
    light = luminance(background)
    return "#000000" if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) else "#ffffff"


def luminance(colour: str) -> float:
    """Return the relative luminance of `colour`, 0 (black) to 1 (white), as WCAG defines it."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _shift(colour: str, amount: float) -> str:
    target = 1.0 if amount > 0 else 0.0
    return to_hex([part + (target - part) * abs(amount) for part in to_rgb(colour)])
