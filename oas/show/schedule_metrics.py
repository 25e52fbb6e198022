"""Display of the metrics of a schedule: data frames and text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.formats import show_count, show_percent, show_ratio, show_time
from oas.show.texts import text

if TYPE_CHECKING:
    import pandas

    from oas.core.schedule_metrics import ScheduleMetrics

_TIMES = ("release", "start", "end")
_MEASURES = ("wait", "run_time", "flow", "slowdown", "bounded_slowdown")


def jobs_frame(metrics: ScheduleMetrics) -> pandas.DataFrame:
    """See `ScheduleMetrics.to_frame`."""
    import pandas

    rows = [
        (
            one.job,
            *(float(getattr(one, name)) for name in _TIMES),
            one.nodes,
            *(float(getattr(one, name)) for name in _MEASURES),
        )
        for one in metrics.jobs
    ]
    return pandas.DataFrame(rows, columns=["job", *_TIMES, "nodes", *_MEASURES])


def summary_frame(metrics: ScheduleMetrics) -> pandas.DataFrame:
    """See `ScheduleMetrics.summary`."""
    import pandas

    rows = [
        (float(metrics.mean(one)), float(metrics.median(one)), float(metrics.largest(one))) for one in metrics.MEASURES
    ]
    return pandas.DataFrame(rows, index=list(metrics.MEASURES), columns=["mean", "median", "max"])


def load_frame(metrics: ScheduleMetrics) -> pandas.DataFrame:
    """See `ScheduleMetrics.load_frame`."""
    import pandas

    rows = [(float(one.time), one.queue, one.running, one.nodes, float(one.utilisation)) for one in metrics.load]
    return pandas.DataFrame(rows, columns=["time", "queue", "running", "nodes", "utilisation"])


def metrics_text(metrics: ScheduleMetrics) -> str:
    """Return the makespan, the utilisation, and mean and largest of each measure."""
    method = f" by {metrics.method}" if metrics.method else ""
    times = (
        f"{name}: mean {show_time(metrics.mean(name))}, largest {show_time(metrics.largest(name))}"
        for name in ("wait", "flow")
    )
    ratios = (
        f"{name.replace('_', ' ')}: mean {show_ratio(metrics.mean(name))}, largest {show_ratio(metrics.largest(name))}"
        for name in ("slowdown", "bounded_slowdown")
    )
    heading = (
        f"Metrics of a schedule{method}: {show_count(len(metrics.jobs), 'job')},"
        f" makespan {show_time(metrics.makespan)}, utilisation {show_percent(metrics.utilisation)}"
    )
    return text(heading, [*times, *ratios])
