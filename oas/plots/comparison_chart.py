"""Schedules of one instance above one another, on one time axis."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from matplotlib.patches import ConnectionPatch

from oas.core.errors import InputError
from oas.core.numbers import Exact, exact
from oas.plots.axes import new_figure
from oas.plots.gantt_chart import gantt, gantt_height, look_of
from oas.plots.legend import BOUND_LINE, bound_entry, legend_columns, legend_rows
from oas.plots.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


def comparison_figure(
    instance: Instance,
    schedules: Mapping[str, Schedule],
    *,
    lower_bound: Exact | None = None,
    unit: str = "",
) -> Figure:
    """Draw schedules of one instance above one another: one time axis, one scale, the same colours.

    Parameters
    ----------
    instance
        What they are schedules of.
    schedules
        By name, from the top down.
    lower_bound
        A proven lower bound on the makespan, in the instance's time unit: a line through all charts; each makespan is
        then said with its distance from it, and is called optimal where they meet. A schedule that the verifier
        rejects is called not feasible, or said to break locality if that is all, whatever its makespan.
    unit
        Name of the time unit, for the axis.

    Raises
    ------
    InputError
        If there is no schedule, one names what the instance does not have, or a feasible one ends before the bound.
    """
    if not schedules:
        raise InputError("at least one schedule is needed", field="schedules")
    bound = None if lower_bound is None else exact(lower_bound, "lower_bound")
    horizon = max(schedule.makespan for schedule in schedules.values())
    horizon = max(horizon, bound or Fraction(0))
    notes = [verdict(instance, one, bound, f"schedules[{name}]") for name, one in schedules.items()]
    height = gantt_height(instance, most=max(1.2, 9.0 / len(schedules)), lane=0.2, cluster=1.2)
    entries = [*look_of(instance).legend(schedules.values()), *([] if bound is None else [bound_entry(bound)])]
    figure = new_figure(len(schedules) * (height + 0.5) + 0.8 + 0.2 * max(0, legend_rows(entries) - 1))
    charts = figure.subplots(len(schedules), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (name, schedule), note in zip(charts, schedules.items(), notes, strict=True):
        gantt(instance, schedule, ax, title=name, unit=unit, horizon=horizon, note=note, legend=False)
    for ax in charts[:-1]:
        ax.set_xlabel("")
        ax.tick_params(axis="x", labelbottom=False)
    if bound is not None:
        bottom, top = charts[-1].get_xaxis_transform(), charts[0].get_xaxis_transform()
        for ax in charts:
            ax.axvline(float(bound), zorder=3.6, **BOUND_LINE)
        # Under the charts, to be seen between them and to leave their labels free.
        figure.add_artist(ConnectionPatch((float(bound), 0), (float(bound), 1), bottom, top, zorder=-1, **BOUND_LINE))
    if entries:
        figure.legend(
            handles=entries, loc="outside upper right", ncols=legend_columns(entries), fontsize=8.5, frameon=False
        )
    return figure
