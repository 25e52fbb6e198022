"""Chart of the optimum at every start of a reservation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from oas.core.errors import InputError
from oas.plots.axes import axis_power, bare, format_number, new_figure, raised, scaled_formatter, title
from oas.plots.labels import literal
from oas.plots.palette import BOUND, FAINT, INK, job_colour

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OPEN: dict[str, Any] = {"facecolor": "none", "edgecolor": BOUND, "hatch": "///", "lw": 0, "alpha": 0.55, "zorder": 2}
_WITHOUT: dict[str, Any] = {"color": INK, "lw": 1.2, "linestyle": (0, (4, 2)), "zorder": 2}
_EXCLUDED: dict[str, Any] = {"color": FAINT, "lw": 2, "zorder": 0}  # the edge shows a single start
_LINE = job_colour(4)


class CurvePoint(Protocol):
    """Neighbouring starts that the chart draws; `oas.studies.reservations.placement.CurvePiece` provides them."""

    @property
    def first(self) -> Fraction:
        """The first start."""

    @property
    def last(self) -> Fraction:
        """The last start."""

    @property
    def low_first(self) -> Fraction:
        """Proven lower bound on the optimum at the first."""

    @property
    def low_last(self) -> Fraction:
        """The same at the last."""

    @property
    def high_first(self) -> Fraction:
        """Makespan at the first."""

    @property
    def high_last(self) -> Fraction:
        """Makespan at the last."""

    @property
    def proven(self) -> bool:
        """Whether bound and makespan are the same at all of these starts."""


@literal
def placement_figure(
    curve: Iterable[CurvePoint],
    *,
    best: tuple[Fraction, Fraction] | None = None,
    without: Fraction | None = None,
    excluded: Sequence[tuple[Fraction, Fraction]] = (),
    heading: str = "",
    unit: str = "",
) -> Figure:
    """Draw the optimum at every start of a reservation.

    Parameters
    ----------
    curve
        At least one piece; hatched from the lower bound to the makespan where the optimum is open.
    best
        The best start and the makespan there, which are marked.
    without
        The optimum without the reservation: a dashed line.
    excluded
        Ranges of starts at which the reservation does not fit: grey.
    heading
        Above the figure.
    unit
        Name of the time unit, for the axes.

    Raises
    ------
    InputError
        If there is no piece.
    """
    pieces = list(curve)
    if not pieces:
        raise InputError("at least one piece is needed", field="curve")
    figure = new_figure(3.6)
    ax = figure.subplots()
    _draw_pieces(ax, pieces)
    if without is not None:
        ax.axhline(float(without), **_WITHOUT)
    for first, last in excluded:
        ax.axvspan(float(first), float(last), **_EXCLUDED)
    if best is not None:
        _mark(ax, *best)
    _label(ax, pieces, unit)
    entries = [Line2D([], [], color=_LINE, lw=2.2, label="optimum with the reservation")]
    if not all(one.proven for one in pieces):
        entries[0].set_label("shortest schedule known")
        entries.append(Patch(**_OPEN, label="down to the proven bound"))  # type: ignore[arg-type]
    if without is not None:
        entries.append(Line2D([], [], label="without it", **_WITHOUT))
    if excluded:
        entries.append(Patch(**_EXCLUDED, label="it does not fit"))  # type: ignore[arg-type]
    ax.legend(handles=entries, loc="center left", bbox_to_anchor=(1.005, 0.5), fontsize=8, frameon=False)
    title(ax, heading)
    return figure


def _draw_pieces(ax: Axes, pieces: Sequence[CurvePoint]) -> None:
    """Draw each piece as a line, or as a dot where it is one start; between them the optimum jumps, or nothing fits."""
    for one in pieces:
        span, tops = [float(one.first), float(one.last)], [float(one.high_first), float(one.high_last)]
        ax.plot(span, tops, color=_LINE, lw=2.2, marker="o", ms=3.2, solid_capstyle="butt", zorder=4)
        if not one.proven:
            ax.fill_between(span, [float(one.low_first), float(one.low_last)], tops, **_OPEN)
            ax.vlines(span, [float(one.low_first), float(one.low_last)], tops, color=BOUND, lw=0.7, zorder=2)


def _mark(ax: Axes, start: Fraction, makespan: Fraction) -> None:
    place = float(start), float(makespan)
    ax.plot(*place, marker="o", ms=7, mec=INK, mfc="none", mew=1.4, zorder=5)
    text = f"start {format_number(start)}: {format_number(makespan)}"
    ax.annotate(text, place, (0, -14), textcoords="offset points", ha="center", fontsize=8, zorder=5)


def _label(ax: Axes, pieces: Sequence[CurvePoint], unit: str) -> None:
    latest = float(pieces[-1].last)
    highest = float(max(max(one.high_first, one.high_last) for one in pieces))
    ax.xaxis.set_major_locator(MaxNLocator(10))
    ax.yaxis.set_major_locator(MaxNLocator(6))
    ax.xaxis.set_major_formatter(scaled_formatter(axis_power(latest)))
    ax.yaxis.set_major_formatter(scaled_formatter(axis_power(highest)))
    ax.set_xlabel(f"start of the reservation{_scale(latest, unit)}", fontsize=9, color=INK)
    ax.set_ylabel(f"makespan{_scale(highest, unit)}", fontsize=9, color=INK)
    ax.margins(y=0.14)
    ax.tick_params(labelsize=8, color=INK)
    ax.grid(axis="y", color=FAINT, lw=0.5)
    ax.set_axisbelow(True)
    bare(ax)


def _scale(largest: float, unit: str) -> str:
    power = axis_power(largest)
    words = " ".join(part for part in (f"10{raised(power)}" if power else "", unit) if part)
    return f" [{words}]" if words else ""
