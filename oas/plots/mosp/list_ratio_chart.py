"""Chart of the bounds on the ratio of list scheduling under reservations: figure 4 of the reservations paper."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import MaxNLocator

from oas.core.errors import InputError
from oas.core.numbers import Exact, exact
from oas.plots.axes import new_figure, title, value_grid
from oas.plots.labels import literal
from oas.plots.palette import BOUND, INK, dark, job_colour
from oas.problems.mosp.availability import attained, attained_at_least, proved, share

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes

LEAST = Fraction(1, 5)  # the curves begin here, unless a point stands before it
STEPS = 1000  # of a unit of α


@literal
def list_ratio_chart(points: Mapping[Exact, Exact], ax: Axes | None = None, *, heading: str = "") -> Axes:
    """Draw what is proved of list scheduling where αm processors are always free, and what it is seen to attain.

    The curves are 2/α, which no list schedule exceeds (Proposition 3), and the bounds from below B₁ and B₂, which meet
    where 2/α is an integer.

    Parameters
    ----------
    points
        By α, above 0 and at most 1, a ratio that some list schedule attains.
    ax
        Where to draw; a new figure (``ax.figure``) if None.
    heading
        Above the chart.

    Returns
    -------
    Axes
        Those drawn on.

    Raises
    ------
    InputError
        If an α is none, or a ratio is not exact or below 1.
    """
    ratios = {share(alpha): exact(ratio, "points") for alpha, ratio in points.items()}
    for ratio in ratios.values():
        if ratio < 1:
            raise InputError("a ratio is at least 1", field="points", value=str(ratio))
    ax = ax or new_figure(4.2).subplots()
    first = min([LEAST, *ratios])
    places = [Fraction(step, STEPS) for step in range(int(first * STEPS) or 1, STEPS + 1)]
    own = dark(job_colour(0))
    curves: tuple[tuple[Callable[[Fraction], Fraction], str, dict[str, Any]], ...] = (
        (proved, "2/α: no list schedule exceeds it (Proposition 3)", {"color": BOUND, "lw": 1.6}),
        (attained, "B₁: attained", {"color": own, "lw": 1.6}),
        (attained_at_least, "B₂, at most B₁", {"color": own, "lw": 1.0, "linestyle": (0, (4, 2))}),
    )
    for curve, label, look in curves:
        ax.plot([float(place) for place in places], [float(curve(place)) for place in places], label=label, **look)
    if ratios:
        pairs = [(float(alpha), float(ratio)) for alpha, ratio in sorted(ratios.items())]
        ax.plot(*zip(*pairs, strict=True), "o", color=INK, ms=4.5, label="attained by an instance", zorder=4)
    ax.set_xlim(float(first) - 0.02, 1.02)
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_locator(MaxNLocator(8))
    ax.set_xlabel("α: share of the processors that is always free, and that no job exceeds", fontsize=9, color=INK)
    ax.set_ylabel("makespan / optimum", fontsize=9, color=INK)
    value_grid(ax, width=0.5)
    ax.legend(fontsize=8, frameon=False, labelcolor=INK)
    title(ax, heading)
    return ax
