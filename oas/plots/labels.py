"""Text in figures: ids drawn literally, and labels that are left out if they do not fit their boxes."""

from __future__ import annotations

import logging
from functools import cache, lru_cache, wraps
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from matplotlib import rcParams
from matplotlib.artist import Artist
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.text import Text

from oas.plots.axes import text_colour

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.patches import Rectangle

LOGGER = logging.getLogger("oas")

_LITERAL: dict[str, Any] = {"parse_math": False, "usetex": False}
NAME_LENGTH = 24  # maximum length of a displayed name
SIZES = (9.0, 8.0, 7.0)  # points
LEAST_BOX = 3.0  # points: no label fits a box of less height

MOST_APART = 80  # number of labels up to which each is fitted separately
NEARLY_ALL = 0.9  # share of the possible labels that justifies a larger size or horizontal text

_P = ParamSpec("_P")
_Chart = TypeVar("_Chart", bound=Artist)
_Room = tuple[float, float]  # width and height in points
_Line = tuple[float, float, float]


def literal(draw: Callable[_P, _Chart]) -> Callable[_P, _Chart]:
    """Decorate a function that returns a chart: all texts are drawn literally, and "$" starts no formula."""

    @wraps(draw)
    def draw_literally(*args: _P.args, **options: _P.kwargs) -> _Chart:
        chart = draw(*args, **options)
        for text in chart.findobj(Text):
            text.set(**_LITERAL)
        return chart

    return draw_literally


def legend_name(name: str) -> str:
    """Return a name as the label of a line; a blank is put before "_", which matplotlib would leave out of legends."""
    text = drawable(name, NAME_LENGTH)
    return f" {text}" if text.startswith("_") else text


def drawable(text: str, limit: int | None = None) -> str:
    """Return `text` with "?" for characters missing in the current font, shortened in the middle to `limit`."""
    known = _characters(tuple(findfont(FontProperties(family=[family])) for family in rcParams["font.family"]))
    shown = "".join(sign if ord(sign) in known else "?" for sign in text)
    if shown != text:
        _report_missing(tuple(rcParams["font.family"]))
    return shown if limit is None else shorten_middle(shown, limit)


@cache
def _report_missing(families: tuple[str, ...]) -> None:
    LOGGER.warning(
        "some names have characters that the font %s lacks; the chart shows ? for them. Set font.family in the file"
        " matplotlibrc to a font that has them",
        ", ".join(families),
    )


def shorten_middle(text: str, limit: int) -> str:
    """Cut `text` to `limit` characters, keeping its beginning and its end: ids often differ in their last digits."""
    if len(text) <= limit:
        return text
    tail = (limit - 1) // 2
    return text[: limit - 1 - tail] + "…" + text[len(text) - tail :]


@lru_cache(maxsize=8)
def _characters(fonts: tuple[str, ...]) -> frozenset[int]:
    return frozenset().union(*(get_font(font).get_charmap() for font in fonts))


class BoxLabels:
    """The labels of one chart's boxes, fitted together each time the chart is drawn.

    Up to `MOST_APART` labels are fitted separately: each has the largest of `SIZES` that fits, upright if its box is
    narrow and tall; otherwise it is shortened. More labels share one size and direction. A label that does not fit is
    left out (its text is empty); if most of many labels do not fit, all are left out. Vertical lines of the chart
    divide a box: its label is in the middle of the widest part.
    """

    def __init__(self, ax: Axes) -> None:
        self._ax = ax
        self.labels: list[BoxLabel] = []  # in the order in which they are drawn

    def add(self, box: Rectangle, text: str, *, backed: bool) -> None:
        """Label `box`; `backed` hides hatching behind the letters."""
        label = BoxLabel(self, box, text, backed=backed)
        self.labels.append(label)
        self._ax.add_artist(label)
        label.set_clip_path(self._ax.patch)

    def fit(self, renderer: Any) -> None:
        """Choose text, size and direction of all labels for the current size of the figure."""
        measure = _Measure(renderer)
        lines = self._vertical_lines()
        rooms = [label.place(measure, lines) for label in self.labels]
        if len(self.labels) <= MOST_APART:
            for label, room in zip(self.labels, rooms, strict=True):
                label.write(*label.choice(room, measure))
            return
        size, upright, fitting = self._alike(rooms, measure)
        for label, fits in zip(self.labels, fitting, strict=True):
            label.write(label.full if fits else "", size, upright)

    def _vertical_lines(self) -> list[_Line]:
        """Return x, lower end and upper end of each vertical line of the chart, in pixels."""
        ends = [line.get_transform().transform(line.get_xydata()) for line in self._ax.lines]
        return [
            (float(points[0][0]), float(points[:, 1].min()), float(points[:, 1].max()))
            for points in ends
            if len(points) == 2 and abs(points[0][0] - points[1][0]) < 0.5
        ]

    def _alike(self, rooms: Sequence[_Room], measure: _Measure) -> tuple[float, bool, list[bool]]:
        """Return a common size and direction (whether upright) with which most labels fit, and which of them fit."""
        choices = [(size, upright) for upright in (False, True) for size in SIZES]
        fitting = {
            (size, upright): [
                measure.fits(label.full, size, room[::-1] if upright else room)
                for label, room in zip(self.labels, rooms, strict=True)
            ]
            for size, upright in choices
        }
        most = max(sum(one) for one in fitting.values())
        size, upright = next(one for one in choices if sum(fitting[one]) >= NEARLY_ALL * most)
        enough = 2 * most >= len(self.labels)
        return size, upright, fitting[size, upright] if enough else [False] * len(self.labels)


class BoxLabel(Text):
    """A label in the middle of a rectangle; see `BoxLabels`."""

    def __init__(self, labels: BoxLabels, box: Rectangle, text: str, *, backed: bool) -> None:
        colour = box.get_facecolor()
        behind = {"facecolor": colour, "edgecolor": "none", "boxstyle": "square,pad=0.08"} if backed else None
        x, y = box.get_center()
        super().__init__(x, y, "", color=text_colour(colour), ha="center", va="center_baseline", zorder=4, **_LITERAL)
        self.set_bbox(behind)
        self._chart, self.box, self.full = labels, box, drawable(text)
        self.set_in_layout(False)

    def draw(self, renderer: Any) -> None:
        """Draw the label; the first label fits all of them beforehand."""
        if self is self._chart.labels[0]:
            self._chart.fit(renderer)
        super().draw(renderer)

    def place(self, measure: _Measure, lines: Sequence[_Line]) -> _Room:
        """Move the label to the middle of the widest part of its box between lines; return the size of this part."""
        extent = self.box.get_window_extent(measure.renderer)
        crossing = [x for x, low, high in lines if min(high, extent.y1) - max(low, extent.y0) > 1]
        inside = sorted(x for x in crossing if extent.x0 < x < extent.x1)
        left, right = max(pairwise([extent.x0, *inside, extent.x1]), key=lambda part: part[1] - part[0])
        share = ((left + right) / 2 - extent.x0) / (extent.width or 1.0)
        self.set_x(self.box.get_x() + share * self.box.get_width())
        return (right - left) / measure.point, extent.height / measure.point

    def write(self, text: str, size: float, upright: bool) -> None:
        """Set text, font size and direction."""
        self.set_text(text)
        self.set_fontsize(size)
        self.set_rotation(90 if upright else 0)
        self.set_verticalalignment("center" if upright else "center_baseline")

    def choice(self, room: _Room, measure: _Measure) -> tuple[str, float, bool]:
        """Return the best text, font size and direction for a box of this width and height."""
        wide, high = room
        upright = wide < high / 1.5
        share = (high if upright else wide) / measure.extent(self.full, SIZES[-1])[0]
        letters = min(len(self.full) - 1, int(1.3 * share * len(self.full)))
        choices = chain(
            ((self.full, size, False) for size in SIZES),
            ((self.full, size, True) for size in SIZES if wide < high),
            ((shorten_middle(self.full, count), SIZES[-1], upright) for count in range(letters, 2, -1)),
        )
        fitting = (one for one in choices if measure.fits(one[0], one[1], room[::-1] if one[2] else room))
        return next(fitting, ("", SIZES[-1], False))


class _Measure:
    """Sizes of text on one renderer, in points."""

    def __init__(self, renderer: Any) -> None:
        self.renderer, self.point = renderer, renderer.points_to_pixels(1.0)
        self.known: dict[tuple[str, float], _Room] = {}

    def extent(self, text: str, size: float) -> _Room:
        """Return width and height of `text` in points."""
        if (text, size) not in self.known:
            wide, high, _ = self.renderer.get_text_width_height_descent(text, FontProperties(size=size), False)
            self.known[text, size] = wide / self.point, max(high / self.point, 0.75 * size)
        return self.known[text, size]

    def fits(self, text: str, size: float, room: _Room) -> bool:
        """Return whether `text` fits in `room` with a margin in both directions."""
        wide, high = self.extent(text, size)
        return wide + 3.0 <= room[0] and high + 2.0 <= room[1]
