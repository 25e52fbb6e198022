"""Figures of whole schedules: one schedule, or several of one instance above one another.

For co-allocation, the figure of one schedule has the load of each link below the Gantt chart.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from matplotlib.patches import Patch

from oas.core.errors import InputError
from oas.core.numbers import Exact, exact
from oas.core.problem import import_object
from oas.core.verifier import verify
from oas.plots.axes import bound_entry, label_last_only, legend_above, legend_rows, new_figure
from oas.plots.gantt_chart import OUTLINE, Caption, build_look, draw_gantt, frame_height
from oas.plots.labels import drawable, literal
from oas.plots.lanes import chart_style, cropped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule

LEGEND_LENGTH = 110  # maximum length of the description of an outlined job, and of the heading


def verdict(instance: Instance, schedule: Schedule, bound: Fraction | None, field: str, claimed: bool = False) -> str:
    """Return a remark on a makespan: breaks locality, not feasible, optimal, or its distance from `bound`; or nothing.

    Raises `InputError` for `field` if the schedule is feasible and ends before the bound.
    """
    broken = {violation.rule for violation in verify(instance, schedule)}
    if broken:
        return "  (breaks locality)" if broken == {"locality"} else "  (not feasible)"
    if bound is None:
        return ""
    if schedule.makespan < bound:
        raise InputError(f"its makespan {schedule.makespan} is below the lower bound {bound}", field=field)
    if schedule.makespan == bound:
        return "  (optimal as claimed)" if claimed else "  (optimal)"
    if bound <= 0:
        return ""
    percent = float(schedule.makespan / bound - 1) * 100
    return f"  (+{percent:,.1f} %)" if percent >= 0.05 else "  (+ less than 0.05 %)"


@literal
def schedule_figure(
    instance: Instance,
    schedule: Schedule,
    *,
    title: str | None = None,
    unit: str = "",
    lower_bound: Exact | None = None,
    claimed: bool = False,
) -> Figure:
    """Draw `schedule` as a Gantt chart; for co-allocation also the load of each cluster's link below it.

    Parameters
    ----------
    instance
        The instance of the schedule.
    schedule
        The schedule to draw; it need not be feasible.
    title
        Title of the chart; by default the name of the instance or, without a name, the method of the schedule.
    unit
        Name of the time unit, for the axis.
    lower_bound
        A proven lower bound on the makespan, in the time unit of the instance: a dashed line. The makespan is labelled
        with its distance from the bound, or as optimal if they are equal.
    claimed
        Whether solvers claim this bound without a certificate, which the labels then say.

    Raises
    ------
    InputError
        If the schedule names a job, cluster or node that the instance does not have, or is feasible and ends before
        the bound.
    """
    bound = None if lower_bound is None else exact(lower_bound, "lower_bound")
    caption = Caption(title, unit, verdict(instance, schedule, bound, "schedule", claimed), claimed)
    look, place = build_look(instance), chart_style(instance).figure
    if place:
        drawn: Figure = import_object(place)(look, schedule, caption, bound)
        return drawn
    figure = new_figure(frame_height(look.frame, most=8.0) + 1.3)
    draw_gantt(look, schedule, figure.subplots(), caption, bound=bound)
    return figure


@literal
def comparison_figure(
    instance: Instance,
    schedules: Mapping[str, Schedule],
    *,
    lower_bound: Exact | None = None,
    claimed: bool = False,
    unit: str = "",
    outlined: Mapping[str, str] | None = None,
    crop: bool = False,
) -> Figure:
    """Draw schedules of one instance above one another: one time axis, one scale, the same colours.

    Parameters
    ----------
    instance
        The instance of the schedules.
    schedules
        Schedules by name, in order from top to bottom.
    lower_bound
        A proven lower bound on the makespan, in the time unit of the instance: a line through all charts. Each makespan
        is labelled with its distance from the bound, or as optimal if they are equal. A schedule that the verifier
        rejects is labelled as not feasible, or as violating locality if this is the only violation.
    claimed
        Whether solvers claim this bound without a certificate, which the labels then say.
    unit
        Name of the time unit, for the axis.
    outlined
        Jobs to outline in each chart, and their descriptions in the legend.
    crop
        Whether to omit the last nodes of each cluster if no schedule uses them; the axis then states this.

    Raises
    ------
    InputError
        If there is no schedule, one does not fit the instance, or a feasible one ends before the bound.
    """
    if not schedules:
        raise InputError("at least one schedule is needed", field="schedules")
    bound = None if lower_bound is None else exact(lower_bound, "lower_bound")
    horizon = max(schedule.makespan for schedule in schedules.values())
    horizon = max(horizon, bound or Fraction(0))
    notes = [verdict(instance, one, bound, f"schedules[{name}]", claimed) for name, one in schedules.items()]
    look, marked = build_look(instance), outlined or {}
    whole = look.frame
    frame = look.frame = cropped(whole, schedules.values()) if crop else whole
    most, cluster = max(1.2, 9.0 / len(schedules)), max(1.2, 2.4 / len(frame.clusters))
    height = frame_height(frame, most, lane=0.2, cluster=cluster)
    entries = [
        *look.legend(schedules.values()),
        *([] if bound is None else [bound_entry(bound, claimed)]),
        *(Patch(**OUTLINE, label=drawable(text, LEGEND_LENGTH)) for text in marked.values()),
    ]
    figure = new_figure(len(schedules) * (height + 0.5) + 0.8 + 0.2 * legend_rows(entries))
    charts = figure.subplots(len(schedules), 1, sharex=True, squeeze=False)[:, 0]
    for ax, (name, schedule), note in zip(charts, schedules.items(), notes, strict=True):
        caption = Caption(name, unit, note)
        draw_gantt(look, schedule, ax, caption, horizon=horizon, legend=False, bound=bound, outlined=marked)
    nodes, shown = (sum(size for _, size in one.clusters) for one in (whole, frame))
    if shown < nodes:
        cropping = f"  ·  {shown:,} of {nodes:,} {instance.problem.nodes} shown, the others run none of these jobs"
        charts[-1].set_xlabel(f"{charts[-1].get_xlabel()}{cropping}")
    label_last_only(list(charts))
    legend_above(figure, entries, drawable(instance.name, LEGEND_LENGTH))
    return figure
