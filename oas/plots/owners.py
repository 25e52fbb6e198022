"""Organizations in Gantt charts: the owner's colour at each lane, names and sizes, and legend entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.patches import Patch, Rectangle
from matplotlib.transforms import ScaledTranslation

from oas.plots.labels import NAME_LENGTH, drawable
from oas.plots.palette import job_colour

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from oas.plots.lanes import Lanes
    from oas.problems.rigid import Organization

MOST_OWNERS = 12  # in the legend; each lane bears its owner's colour at any number
_STRIP = 4.0  # points: width of the owner's colour at a lane
STRIP_MARGIN = _STRIP + 3.5


def draw_strips(ax: Axes, lanes: Lanes) -> None:
    """Draw the colour of each cluster's owner at the left of its lanes."""
    for index, size in enumerate(lanes.sizes):
        shift = ScaledTranslation(-(_STRIP + 2.0) / 72, 0, ax.figure.dpi_scale_trans)
        place: dict[str, Any] = {"transform": ax.get_yaxis_transform() + shift, "clip_on": False}
        width = _STRIP / 72 * ax.figure.dpi / ax.get_window_extent().width
        ax.add_patch(Rectangle((0, lanes.top(index)), width, size, facecolor=job_colour(index), linewidth=0, **place))


def owner_label(organization: Organization, points: float) -> str:
    """Return the name and m of an organization's cluster whose band is `points` high."""
    name, size = drawable(organization.id, NAME_LENGTH), f"m = {organization.processors:,}"
    return f"{name}\n{size}" if points >= 22 else name


def owner_legend(organizations: Sequence[Organization]) -> list[Artist]:
    """Return an entry for each organization that has jobs, where they are few."""
    if len(organizations) > MOST_OWNERS:
        return []
    return [
        Patch(facecolor=job_colour(index), label=f"jobs of {drawable(one.id, NAME_LENGTH)}")
        for index, one in enumerate(organizations)
        if one.jobs
    ]
