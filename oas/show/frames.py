"""Data frames. The methods that return them say what their columns mean; pandas is imported when one is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.numbers import as_float

if TYPE_CHECKING:
    import pandas

    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.core.trace import Trace
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.mosp.instance import MospInstance


def jobs_frame(instance: CoallocationInstance) -> pandas.DataFrame:
    """See `CoallocationInstance.to_frame`."""
    import pandas

    rows = [(job.id, job.tasks, float(job.base_time), float(job.bandwidth), float(job.sigma)) for job in instance.jobs]
    return pandas.DataFrame(rows, columns=["job", "tasks", "base_time", "bandwidth", "sigma"])


def clusters_frame(instance: CoallocationInstance) -> pandas.DataFrame:
    """See `CoallocationInstance.clusters_frame`."""
    import pandas

    rows = [
        (cluster.id, float(cluster.bandwidth), group.count, float(group.power))
        for cluster in instance.clusters
        for group in cluster.groups
    ]
    return pandas.DataFrame(rows, columns=["cluster", "bandwidth", "nodes", "power"])


def rigid_jobs_frame(instance: MospInstance) -> pandas.DataFrame:
    """See `MospInstance.to_frame`."""
    import pandas

    rows = [
        (job.id, one.id, float(job.time), job.processors, float(job.release))
        for one in instance.organizations
        for job in one.jobs
    ]
    frame = pandas.DataFrame(rows, columns=["job", "organization", "time", "processors", "release"])
    local = instance.local
    return frame if local is None else frame.assign(local_start=[float(local[job.id]) for job in instance.jobs])


def organizations_frame(instance: MospInstance) -> pandas.DataFrame:
    """See `MospInstance.clusters_frame`."""
    import pandas

    rows = [
        (one.id, one.processors, len(one.jobs), as_float(alone), as_float(deadline))
        for one, alone, deadline in zip(
            instance.organizations, instance.local_makespans, instance.deadlines, strict=True
        )
    ]
    return pandas.DataFrame(rows, columns=["organization", "processors", "jobs", "local_makespan", "deadline"])


def placements_frame(schedule: Schedule) -> pandas.DataFrame:
    """See `Schedule.to_frame`."""
    import pandas

    rows = [(one.job, float(one.start), float(one.end), one.tasks, dict(one.nodes)) for one in schedule.placements]
    return pandas.DataFrame(rows, columns=["job", "start", "end", "tasks", "nodes"])


def result_frame(result: Result) -> pandas.DataFrame:
    """See `Result.to_frame`."""
    import pandas

    row = {
        "instance": result.instance_digest,
        "method": "" if result.schedule is None else result.schedule.method,
        "status": result.status.value,
        "termination": result.termination.value,
        "makespan": as_float(result.objective),
        "lower_bound": as_float(result.lower_bound),
        "gap": as_float(result.gap),
        "proof": "" if result.proof is None else str(result.proof),
        "solver": result.solver,
        "formulation": result.formulation,
        "seconds": result.seconds.get("total", float("nan")),
        "seed": result.seed,
        "threads": result.threads,
        "message": result.message,
    }
    return pandas.DataFrame([row])


def trace_frame(trace: Trace) -> pandas.DataFrame:
    """See `Trace.to_frame`."""
    import pandas

    rows = [(one.seconds, as_float(one.lower_bound), as_float(one.objective)) for one in trace.points]
    return pandas.DataFrame(rows, columns=["seconds", "lower_bound", "makespan"])
