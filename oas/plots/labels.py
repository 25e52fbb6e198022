"""Text in figures: ids drawn literally, and labels that are left out where they do not fit their boxes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from matplotlib import rcParams
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.text import Text

from oas.plots.palette import text_colour

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.patches import Rectangle

# An id is not a formula: "$" means "$".
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}
NAME_LENGTH = 24  # letters shown of a cluster's id
SIZES = (9.0, 8.0, 7.0, 6.25, 5.5)  # points
LEAST_BOX = 3.0  # points: no label fits a box that is not as high

_Room = tuple[float, float]


def drawable(text: str, limit: int | None = None) -> str:
    """Return `text` with characters that the font in use lacks as "?", shortened in the middle to `limit`."""
    known = _characters(tuple(findfont(FontProperties(family=[family])) for family in rcParams["font.family"]))
    shown = "".join(sign if ord(sign) in known else "?" for sign in text)
    return shown if limit is None else shorten_middle(shown, limit)


def shorten_middle(text: str, limit: int) -> str:
    """Cut `text` to `limit` characters, keeping its beginning and its end: ids often differ in their last digits."""
    if len(text) <= limit:
        return text
    tail = (limit - 1) // 2
    return text[: limit - 1 - tail] + "…" + text[len(text) - tail :]


@lru_cache(maxsize=8)
def _characters(fonts: tuple[str, ...]) -> frozenset[int]:
    return frozenset().union(*(get_font(font).get_charmap() for font in fonts))


class BoxLabel(Text):
    """A label in the middle of a rectangle, fitted each time it is drawn.

    It takes the largest of `SIZES` at which it fits, upright if the box is narrow and tall; otherwise it is shortened;
    otherwise it is left out (its text is empty).
    """

    def __init__(self, box: Rectangle, text: str, *, backed: bool) -> None:
        colour = box.get_facecolor()
        behind = {"facecolor": colour, "edgecolor": "none", "boxstyle": "square,pad=0.08"} if backed else None
        x, y = box.get_center()
        super().__init__(x, y, "", color=text_colour(colour), ha="center", va="center_baseline", zorder=4, **PLAIN)
        self.set_bbox(behind)
        self._box = box
        self._full = drawable(text)
        self.set_in_layout(False)

    def draw(self, renderer: Any) -> None:
        """Fit the label to its box at the present size of the figure, then draw it."""
        self.fit(renderer)
        super().draw(renderer)

    def fit(self, renderer: Any) -> None:
        """Choose text, size and direction."""
        room = self._box.get_window_extent(renderer)
        point = renderer.points_to_pixels(1.0)
        level = (room.width / point, room.height / point)
        upright = level[::-1]
        measure = _Measure(renderer, point)
        fitting = (choice for choice in self._choices(level, upright, measure) if measure.fits(*choice))
        text, size, along = next(fitting, ("", SIZES[-1], level))
        self.set_text(text)
        self.set_fontsize(size)
        self.set_rotation(90 if along is upright else 0)
        self.set_verticalalignment("center" if along is upright else "center_baseline")

    def _choices(self, level: _Room, upright: _Room, measure: _Measure) -> Iterator[tuple[str, float, _Room]]:
        """Yield the labels to try, best first: text, font size and the room along and across it."""
        yield from ((self._full, size, level) for size in SIZES if size >= 7)
        yield from ((self._full, size, upright) for size in SIZES if level[0] < level[1])
        yield from ((self._full, size, level) for size in SIZES if size < 7)
        room = upright if level[0] < level[1] / 1.5 else level
        share = room[0] / measure.extent(self._full, SIZES[-2])[0]
        letters = min(len(self._full) - 1, int(1.3 * share * len(self._full)))
        yield from ((shorten_middle(self._full, count), SIZES[-2], room) for count in range(letters, 2, -1))


@dataclass(frozen=True)
class _Measure:
    """Sizes of text on one renderer, in points; `point` is a point in its pixels."""

    renderer: Any
    point: float

    def extent(self, text: str, size: float) -> _Room:
        """Width and height of `text`."""
        wide, high, _ = self.renderer.get_text_width_height_descent(text, FontProperties(size=size), False)
        return wide / self.point, max(high / self.point, 0.75 * size)

    def fits(self, text: str, size: float, room: _Room) -> bool:
        """Whether `text` leaves a margin in `room`, along and across it."""
        wide, high = self.extent(text, size)
        return wide + 3.0 <= room[0] and high + 2.0 <= room[1]


def add_box_label(ax: Axes, box: Rectangle, text: str, *, backed: bool) -> None:
    """Label `box` in `ax`; `backed` keeps hatching from behind the letters."""
    label = BoxLabel(box, text, backed=backed)
    ax.add_artist(label)
    label.set_clip_path(ax.patch)
