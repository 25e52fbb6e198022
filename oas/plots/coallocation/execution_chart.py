"""A plan beside its execution: two schedules of the same jobs, each with the load of its links, on one time axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.instances import check_problem, check_schedule
from oas.plots.axes import format_number, legend_columns, legend_rows, new_figure, time_axis
from oas.plots.coallocation.link_chart import NAME_PAD, draw_link
from oas.plots.coallocation.style import SlowedLook
from oas.plots.gantt_chart import draw_gantt, gantt_height
from oas.plots.labels import literal
from oas.plots.lanes import frame_of
from oas.plots.palette import INK
from oas.plots.schedule_chart import verdict
from oas.problems.coallocation.problem import COALLOCATION

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance

_PLANNED: dict[str, Any] = {"color": "#555555", "linewidth": 1.2, "linestyle": (0, (1, 1.5)), "zorder": 3.6}


@literal
def execution_figure(
    planned: CoallocationInstance,
    plan: Schedule,
    instance: CoallocationInstance,
    executed: Schedule,
    *,
    unit: str = "",
) -> Figure:
    """Draw a plan above, its execution below, each with the load of its links in percent of MBW, on one time axis.

    Bars are shaded by slowdown in both; a dotted line goes from the end of the plan through the execution.

    Parameters
    ----------
    planned
        What the plan is of, with the saturation policy and bandwidths that it was made under.
    plan
        A schedule of `planned`; it need not be feasible.
    instance
        The same clusters and jobs under the policy and bandwidths of the execution.
    executed
        A schedule of `instance`.
    unit
        Name of the time unit, for the axis.

    Raises
    ------
    InputError
        If one of the instances is of another problem, they have not the same clusters and jobs, or a schedule names
        what they do not have.
    """
    for own, schedule in ((planned, plan), (instance, executed)):
        check_problem(own, COALLOCATION, "only instances of co-allocation have links")
        check_schedule(schedule)
    if planned.cluster_sizes != instance.cluster_sizes or frame_of(planned).jobs != frame_of(instance).jobs:
        raise InputError("must have the clusters and jobs of the plan", field="instance")
    horizon = max(plan.makespan, executed.makespan)
    notes = [verdict(planned, plan, None, "plan"), verdict(instance, executed, None, "executed")]
    notes[1] += _beside(plan.makespan, executed.makespan)
    looks = (SlowedLook(planned), SlowedLook(instance))
    words = (f"planned: {planned.saturation}", f"executed: {instance.saturation}")
    entries = looks[1].legend([executed]) if len(looks[1].legend([plan])) <= 1 else looks[1].legend([plan, executed])
    links = len(instance.clusters)
    chart, panel = gantt_height(instance, most=4.5, lane=0.2), max(0.22, min(0.5, 2.6 / links))
    one = [chart] + [panel] * links
    figure = new_figure(2 * sum(one) + 1.6 + 0.2 * legend_rows(entries) + 0.12 * links)
    axes = figure.subplots(2 * (1 + links), 1, sharex=True, gridspec_kw={"height_ratios": one + one})
    blocks = (axes[: 1 + links], axes[1 + links :])
    drawn = zip(blocks, (planned, instance), looks, (plan, executed), words, notes, strict=True)
    for (top, *rest), own, look, schedule, text, note in drawn:
        draw_gantt(frame_of(own), look, schedule, top, text, unit, horizon, note, legend=False)
        top.tick_params(axis="y", which="major", pad=NAME_PAD)
        for index, ax in enumerate(rest):
            time_axis(ax, own.slot, horizon, unit)
            draw_link(own, schedule, index, ax, in_percent=True)
        rest[0].set_title("load of each cluster's link", loc="left", fontsize=8.5, pad=3, color=INK)
    for ax in blocks[1]:
        ax.axvline(float(plan.makespan), **_PLANNED)
    _only_last(axes)
    figure.legend(
        handles=entries, loc="outside upper right", ncols=legend_columns(entries), fontsize=8.5, frameon=False
    )
    return figure


def _beside(plan: Fraction, executed: Fraction) -> str:
    """Return how far the execution ends from the plan, as words."""
    if not plan or executed == plan:
        return "  (as planned)" if plan else ""
    return f"  ({100 * float(executed / plan - 1):+.1f} % to the plan, {format_number(plan)})"


def _only_last(axes: Sequence[Axes]) -> None:
    for ax in axes[:-1]:
        ax.set_xlabel("")
        ax.tick_params(axis="x", labelbottom=False)
