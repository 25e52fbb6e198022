"""Figures of schedules, results and traces: what their `plot` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas import plots
from oas.core.errors import InputError
from oas.core.instances import check_instance
from oas.show.html import short_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.core.trace import Trace


def schedule_figure(instance: Instance, schedule: Schedule, **options: Any) -> Figure:
    """See `Schedule.plot`."""
    return plots.schedule_figure(instance, schedule, **options)


def result_figure(result: Result, instance: Instance | None, **options: Any) -> Figure:
    """See `Result.plot`."""
    if result.schedule is None:
        raise InputError("the result holds no schedule to draw", field="schedule")
    shown = _instance_of(result, instance)
    return plots.schedule_figure(shown, result.schedule, lower_bound=result.lower_bound, **options)


def trace_figure(trace: Trace, **options: Any) -> Figure:
    """See `Trace.plot`."""
    from oas.plots.axes import new_figure
    from oas.plots.time_charts import HEIGHT

    figure = new_figure(HEIGHT)
    plots.trace_chart(trace, figure.subplots(), **options)
    return figure


def _instance_of(result: Result, given: Instance | None) -> Instance:
    """Return the instance that a result answers.

    Raises
    ------
    InputError
        If it is not known, or the one given is another.
    """
    instance = result.instance if given is None else given
    if instance is None:
        raise InputError("the result does not know its instance; give it: result.plot(instance)", field="instance")
    check_instance(instance)
    if instance.digest != result.instance_digest:
        reason = "is not what the result answers; result.schedule.plot(instance) draws its schedule on another instance"
        raise InputError(reason, field="instance", value=short_name(instance))
    return instance
