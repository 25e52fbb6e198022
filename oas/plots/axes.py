"""Common parts of charts: colours, new figures, numbers, the time axis, grids, marks and legends."""

from __future__ import annotations

from fractions import Fraction
from io import BytesIO
from itertools import pairwise
from math import floor, log10
from typing import TYPE_CHECKING, Any, Literal

from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

# Paul Tol's "muted" scheme, safe for the common colour-vision deficiencies, ordered so that neighbours differ most.
_HUES = ("#88CCEE", "#CC6677", "#DDCC77", "#117733", "#332288", "#AA4499", "#44AA99", "#999933", "#882255")
# Shift of each round through the hues towards white (positive) or black (negative).
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
    """Return a shade of `colour` that stands out on a light background."""
    return _shift(colour, -0.35) if luminance(colour) > 0.09 else colour


def slowed_shade(colour: str, slowdown: Fraction) -> str:
    """Return a shade of `colour`: light at full speed, SC = 1, darker for greater SC; the same in every figure."""
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


WIDTH = 8.25  # inches; printed 180 mm wide, text of 7 points shrinks to 6 points
DPI = 170
MAX_GRID_LINES = 100
STEPS = (1, 2, 2.5, 5, 10)  # steps between the numbers on an axis, times a power of ten
FULL_EDGE = 6.0  # points: smaller boxes have thinner edges

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class ToolkitFigure(Figure):
    """A figure that a notebook displays although it is not registered with pyplot."""

    def _repr_png_(self) -> bytes:
        content = BytesIO()
        self.savefig(content, format="png")
        return content.getvalue()


def new_figure(height: float) -> Figure:
    """Return an empty figure of standard width that is not registered in pyplot, so it needs no closing."""
    return ToolkitFigure(figsize=(WIDTH, height), dpi=DPI, layout="constrained")


def format_number(value: Fraction) -> str:
    """Format a number for display: thousands grouped, integers below 10^12 in full, others to six digits or more.

    Numbers from 10^12 or below 1/1000 get a power of ten whose exponent is a multiple of three.
    """
    if value <= 0:
        return f"−{format_number(-value)}" if value else "0"
    magnitude = floor(log10(value))
    if -3 <= magnitude < 12:
        return _decimal(value, magnitude)
    power = 3 * (magnitude // 3)
    return f"{_decimal(value / Fraction(10) ** power, magnitude - power)}·10{raised(power)}"


def _decimal(value: Fraction, magnitude: int) -> str:
    if value.denominator == 1:
        return f"{value.numerator:,}"
    return f"{float(value):,.{max(1, 5 - magnitude)}f}".rstrip("0").rstrip(".")


def raised(power: int) -> str:
    """Return an exponent in superscript digits."""
    return str(power).translate(_SUPERSCRIPT)


def axis_power(largest: float) -> int:
    """Return the exponent, a multiple of three, of the power of ten in which an axis up to `largest` counts."""
    if largest == 0 or 1e-2 <= largest < 1e6:
        return 0
    return 3 * floor(log10(largest) / 3)


def bracketed(power: int, unit: str) -> str:
    """Return 10^power and unit in brackets, for the label of an axis; empty if there is neither."""
    words = " ".join(part for part in (f"10{raised(power)}" if power else "", unit) if part)
    return f" [{words}]" if words else ""


def time_axis(ax: Axes, slot: Fraction, horizon: Fraction, unit: str) -> None:
    """Set up the time axis of `ax` from 0 to slightly past `horizon`, with its label and the slot grid.

    The grid is left out if it would be too dense to read, or if the slot size `slot` is 0.
    """
    end = float(horizon) * 1.02 or 1.0
    power = axis_power(end)
    ax.set_xlim(0, end)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=10, steps=STEPS, integer=True))
    ax.xaxis.set_major_formatter(scaled_formatter(power))
    ax.tick_params(axis="x", labelsize=8, color=INK)
    slots = f"  ·  slot {format_number(slot)}" if slot else ""
    ax.set_xlabel(f"time{bracketed(power, unit)}{slots}", fontsize=9)
    if slot and end / float(slot) <= MAX_GRID_LINES:
        moments = [float(slot) * count for count in range(1, int(end / float(slot)) + 1)]
        ax.vlines(moments, 0, 1, transform=ax.get_xaxis_transform(), color=FAINT, linewidth=0.5, zorder=0.6)


def edge_share(ax: Axes, duration: float, points: float) -> float:
    """Return the width of a box's edge as a share of the full width; small boxes have thinner edges to stay visible."""
    inches = ax.get_window_extent().width / ax.figure.dpi
    return min(1.0, points / FULL_EDGE, 72 * inches * abs(duration / ax.get_xlim()[1]) / FULL_EDGE)


def scaled_formatter(power: int, suffix: str = "") -> FuncFormatter:
    """Return a tick formatter that counts in 10^power and groups thousands; `suffix` follows every number but 0."""
    return tick_formatter(lambda value: f"{value / 10.0**power:,.6g}{suffix if value else ''}")


def tick_formatter(write: Callable[[float], str]) -> FuncFormatter:
    """Return a tick formatter from a function that formats a number; it replaces hyphens by minus signs."""
    return FuncFormatter(lambda value, _: write(value).replace("-", "−"))


def layered_width(index: int, count: int) -> float:
    """Return the additional width in points of line `index` of `count`, so that coinciding lines stay visible."""
    return min(0.8, 4.0 / count) * (count - 1 - index)


def number_axis(axis: Any, power: int, label: str, unit: str) -> None:
    """Number an axis in multiples of 10^power, and add power and unit to its label."""
    axis.set_major_formatter(scaled_formatter(power))
    axis.set_label_text(f"{label}{bracketed(power, unit)}", fontsize=9, color=INK)


def value_range(ax: Axes, values: Sequence[float], below: float, above: float) -> None:
    """Fit the y axis of `ax` to `values`; `below` and `above` are margins as shares of their range."""
    low, high = min(values), max(values)
    spread = high - low or high or 1.0
    ax.set_ylim(low - below * spread, high + above * spread)


def title(ax: Axes, text: str) -> None:
    """Write the title of `ax` above it."""
    ax.set_title(text, loc="left", fontsize=10.5, color=INK)


def bare(ax: Axes) -> None:
    """Remove the frame of `ax` except the x axis."""
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.spines["bottom"].set_color(INK)


def value_grid(ax: Axes, axis: Literal["x", "y"] = "y", width: float = 0.6) -> None:
    """Draw a grid for the values of one axis behind everything else, instead of a frame; make numbers small."""
    ax.tick_params(labelsize=8, color=INK, labelcolor=INK)
    ax.grid(axis=axis, color=FAINT, linewidth=width)
    ax.set_axisbelow(True)
    bare(ax)


def share_categories(upper: Axes, lower: Axes, names: Sequence[str], label: str) -> None:
    """Give two charts, one above the other, the same categories on the x axis, and a grid of values."""
    lower.set_xticks(range(len(names)), names)
    lower.set_xlim(-0.4, len(names) - 0.6)
    lower.set_xlabel(label, fontsize=9, color=INK)
    for ax in (upper, lower):
        value_grid(ax, width=0.5)
    upper.tick_params(axis="x", length=0)


def label_last_only(axes: Sequence[Axes]) -> None:
    """Show label and numbers of the shared time axis only below the last of several charts in a column."""
    for ax in axes[:-1]:
        ax.set_xlabel("")
        ax.tick_params(axis="x", labelbottom=False)


def draw_marks(
    ax: Axes, places: Sequence[float], heights: Sequence[float], proven: Sequence[bool], colour: str, **look: Any
) -> None:
    """Draw round marks: filled if proven, otherwise hollow."""
    for place, height, closed in zip(places, heights, proven, strict=True):
        ax.plot(place, height, marker="o", mec=colour, mfc=colour if closed else "white", **look)


def at_right(ax: Axes) -> dict[str, Any]:
    """Return arguments of `annotate` for a text at a value of the y axis, some points from the right edge."""
    return {"xycoords": ax.get_yaxis_transform(), "textcoords": "offset points", "annotation_clip": False}


BOUND_LINE: dict[str, Any] = {"color": BOUND, "linewidth": 1.6, "linestyle": (0, (3, 2))}
REFERENCE: dict[str, Any] = {"color": INK, "lw": 1.2, "linestyle": (0, (4, 2)), "zorder": 2}
OPEN: dict[str, Any] = {"facecolor": "none", "edgecolor": BOUND, "hatch": "///", "lw": 0, "alpha": 0.55, "zorder": 2}
_LETTER, _HANDLE = 4.6, 37.0  # mean width of a letter, and of the line sample with its gaps, in points
_ROOM = 545.0  # maximum width of a legend in points


def bound_entry(bound: Fraction, claimed: bool = False) -> Line2D:
    """Return the legend's entry for the line of a lower bound; `claimed`: by solvers, without a certificate."""
    return Line2D([], [], **BOUND_LINE, label=f"{'claimed ' if claimed else ''}lower bound {format_number(bound)}")


def legend_width(entries: Sequence[Artist], columns: int) -> float:
    """Estimate the width in points of a legend whose entries fill `columns` columns one after another."""
    widths = [_HANDLE + _LETTER * len(str(entry.get_label())) for entry in entries]
    rows, longer = divmod(len(widths), columns)
    firsts = [column * rows + min(column, longer) for column in range(columns + 1)]
    return sum(max(widths[first:last]) for first, last in pairwise(firsts))


def legend_columns(entries: Sequence[Artist]) -> int:
    """Return the number of columns, at least 1, in which `entries` fit a figure's width in rows as even as possible."""
    most = next((count for count in range(len(entries), 1, -1) if legend_width(entries, count) <= _ROOM), 1)
    rows = max(1, -(-len(entries) // most))
    return max(1, -(-len(entries) // rows))


def legend_rows(entries: Sequence[Artist]) -> int:
    """Return the number of rows that `entries` need in `legend_columns` columns."""
    return -(-len(entries) // legend_columns(entries))


def legend_above(figure: Figure, entries: list[Any], heading: str) -> None:
    """Draw the heading and the legend of a figure above its charts."""
    heads: dict[str, Any] = {"title": heading, "title_fontsize": 10, "alignment": "left"}
    columns = legend_columns(entries) if entries else 1
    figure.legend(handles=entries, loc="outside upper left", ncols=columns, fontsize=8.5, frameon=False, **heads)
