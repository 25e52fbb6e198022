"""Schedules of one instance above one another, on one time axis."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.patches import ConnectionPatch

from oas.core.errors import InputError
from oas.core.rational import Exact, exact
from oas.core.verifier import verify
from oas.plots.axes import format_number, new_figure
from oas.plots.gantt_chart import coallocated_key, gantt, gantt_height
from oas.plots.palette import BOUND

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

    from oas.core.coallocation import CoallocationInstance
    from oas.core.schedule import Schedule

_LINE: dict[str, Any] = {"color": BOUND, "linewidth": 1.6, "linestyle": (0, (3, 2))}


def comparison_figure(
    instance: CoallocationInstance,
    schedules: Mapping[str, Schedule],
    *,
    lower_bound: Exact | None = None,
    unit: str = "",
) -> Figure:
    """Draw schedules of one instance above one another: one time axis, one scale, one colour a job.

    Parameters
    ----------
    schedules
        By name, from the top down.
    lower_bound
        A proven lower bound on the makespan, in the instance's time unit: a line through all charts; each makespan is
        then said with its distance from it, and is called optimal where they meet. A schedule that the verifier
        rejects is called not feasible, whatever its makespan.
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
    notes = [_note(instance, name, schedule, bound) for name, schedule in schedules.items()]
    height = gantt_height(instance, most=max(1.2, 9.0 / len(schedules)), lane=0.2)
    figure = new_figure(len(schedules) * (height + 0.5) + 0.8)
    charts = figure.subplots(len(schedules), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (name, schedule), note in zip(charts, schedules.items(), notes, strict=True):
        gantt(instance, schedule, ax, title=name, unit=unit, horizon=horizon, note=note, key=False)
    for ax in charts[:-1]:
        ax.set_xlabel("")
        ax.tick_params(axis="x", labelbottom=False)
    keys: list[Artist] = []
    if any(len(placement.nodes) > 1 for schedule in schedules.values() for placement in schedule.placements):
        keys.append(coallocated_key())
    if bound is not None:
        bottom, top = charts[-1].get_xaxis_transform(), charts[0].get_xaxis_transform()
        for ax in charts:
            ax.axvline(float(bound), zorder=3.6, **_LINE)
        # Under the charts, to be seen between them and to leave their labels free.
        figure.add_artist(ConnectionPatch((float(bound), 0), (float(bound), 1), bottom, top, zorder=-1, **_LINE))
        keys.append(Line2D([], [], **_LINE, label=f"lower bound {format_number(bound)}"))
    if keys:
        figure.legend(handles=keys, loc="outside upper right", ncols=len(keys), fontsize=8.5, frameon=False)
    return figure


def _note(instance: CoallocationInstance, name: str, schedule: Schedule, bound: Fraction | None) -> str:
    """What the verifier and the bound say of a schedule."""
    if verify(instance, schedule):
        return "  (not feasible)"
    if bound is None:
        return ""
    if schedule.makespan < bound:
        reason = f"its makespan {schedule.makespan} is below the lower bound {bound}"
        raise InputError(reason, field=f"schedules[{name}]")
    if schedule.makespan == bound:
        return "  (optimal)"
    if bound <= 0:
        return ""
    percent = float(schedule.makespan / bound - 1) * 100
    return f"  (+{percent:,.1f} %)" if percent >= 0.05 else "  (+ less than 0.05 %)"
