"""Windows of a log: a few jobs as an instance, with the observed schedule.

*The jobs* of a window have consecutive submissions. *Time 0* is their first submission, and the *horizon* is their last
end. *All other jobs* that occupied processors in between keep them, as reservations. The jobs of the window are
rearranged only within the processors that the others left free, so any schedule of the instance would have been
possible without affecting another job. With `others="earlier"` only jobs submitted before the window keep their
processors; the window then has priority over later jobs.

There are no reservations beyond the horizon. This does not affect the optimum, which ends no later than the observed
schedule. The schedule of another method that ends later might end even later in reality.

*The load* of a window is Σ running time × processors of its jobs / (processors of the cluster × the time from the first
submission to the last end if no job had waited). It depends only on the jobs, not on the scheduler. If the load is
above 1, some job must wait even on an empty cluster.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, get_args

from oas.core.errors import InputError, unknown_name, within
from oas.core.formats import show_count
from oas.core.node_ranges import stretches
from oas.core.numbers import exact, integer
from oas.core.rigid import Organization, Reservation, RigidJob, usage_over_time
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import Violation, verify
from oas.mosp.instance import MospInstance
from oas.mosp.runs import ClusterRun, schedule_from_cluster_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.core.numbers import Exact
    from oas.logs.logged import JobLog, LoggedJob, Time

Others = Literal["all", "earlier"]
CLUSTER = "cluster"
OBSERVED = "observed"


@dataclass(frozen=True)
class Window:
    """Some jobs of a log, and the observed schedule.

    Attributes
    ----------
    name
        First and last job.
    jobs
        Number of jobs.
    origin
        Time 0 in the log's own time.
    makespan
        Makespan of the observed schedule.
    load
        Load of the jobs (`load_of`).
    instance
        The jobs, releases and reservations; the local schedule is the observed one. None if the log occupies more
        processors than there are.
    schedule
        The observed schedule, on the processors in the log or, if unknown, by first fit in time.
    violations
        Violations of the observed schedule, or the reason why there is no instance.
    advice
        Remedy if there is no instance.
    """

    name: str
    jobs: int
    origin: Time
    makespan: Time
    load: Fraction
    instance: MospInstance | None
    schedule: Schedule | None
    violations: tuple[Violation, ...] = ()
    advice: str = ""


def cluster_size(log: JobLog, processors: int | None) -> int:
    """Return the number of processors: the given one, otherwise that in the log.

    Raises `InputError` if neither is known.
    """
    if processors is None:
        if log.max_processors is None:
            raise InputError("must be given: the log does not say how many there are", field="processors")
        return log.max_processors
    return integer(processors, "processors", least=1)


def load_of(jobs: Iterable[tuple[Time, Time, int]], processors: int) -> Fraction:
    """Return the load of jobs, each given by submission, running time and number of processors.

    That is Σ running time × processors / (processors of the cluster × length), where the length is the time from the
    first submission to the last end if no job had waited.
    """
    known = list(jobs)
    work = sum(time * width for _, time, width in known)
    length = max(submit + time for submit, time, _ in known) - min(submit for submit, _, _ in known)
    return Fraction(work, processors * length)


def choose(
    log: JobLog,
    *,
    jobs: int,
    windows: int,
    skip: int = 0,
    since: Time | None = None,
    until: Time | None = None,
    busy: Exact | None = None,
    processors: int | None = None,
) -> list[range]:
    """Return the windows of a log as places in `JobLog.jobs`, by submission.

    Parameters and errors as `oas.logs.log.Log.windows`. A job that was still running when the log was written is
    skipped and ends a window early; the last window may have fewer jobs. A busy window may begin at any job: the first
    that is busy enough is chosen, then the first one after it, and so on; if there is none, the first busiest one.
    """
    jobs, windows = integer(jobs, "jobs", least=1), integer(windows, "windows", least=1)
    skip = integer(skip, "skip", least=0)
    places = [
        place
        for place, job in enumerate(log.jobs)
        if (since is None or job.submit >= since) and (until is None or job.submit < until)
    ][skip:]
    ended = list(stretches(place for place in places if log.jobs[place].end is not None))
    if not ended:
        raise InputError(f"no job is left of the log's {len(log.jobs)}", field="window")
    if busy is None:
        return [one[k : k + jobs] for one in ended for k in range(0, len(one), jobs)][:windows]
    candidates = [one[k : k + jobs] for one in ended for k in range(max(len(one) - jobs, 0) + 1)]
    return _busy(log, candidates, least_load(busy), cluster_size(log, processors))[:windows]


def least_load(busy: Exact) -> Fraction:
    """Return a required load as a Fraction; raises `InputError` if it is not a positive number."""
    least = exact(busy, "busy")
    if least <= 0:
        raise InputError("must be positive", field="busy", value=str(least))
    return least


def _busy(log: JobLog, candidates: Sequence[range], least: Fraction, size: int) -> list[range]:
    """Return disjoint windows of at least this load or, if there are none, only the busiest window."""
    needs = [None if job.end is None else _need(job) for job in log.jobs]
    loads = [load_of((need for need in needs[one.start : one.stop] if need), size) for one in candidates]
    chosen: list[range] = []
    for load, places in zip(loads, candidates, strict=True):
        if load >= least and (not chosen or places.start >= chosen[-1].stop):
            chosen.append(places)
    return chosen or [candidates[loads.index(max(loads))]]


def _need(job: LoggedJob) -> tuple[Time, Time, int]:
    """Return submission, running time and processors of a job, for `load_of`."""
    return job.submit, job.ended - job.start, job.processors


def window_of(log: JobLog, places: range, processors: int | None = None, others: Others = "all") -> Window:
    """Return the window of the jobs at these places of `JobLog.jobs`; processors and others as in `Log.windows`.

    Raises `InputError` if the number of processors is not known.
    """
    if others not in get_args(Others):
        raise unknown_name(others, get_args(Others), "others")
    size = cluster_size(log, processors)
    own = log.jobs[places.start : places.stop]
    origin, end = own[0].submit, max(job.ended for job in own)
    rest = log.jobs[: places.start] + (log.jobs[places.stop :] if others == "all" else ())
    others_held = [
        (job, until)
        for job in rest
        if job.start < end and (until := min(_held_until(job, end), end)) > max(job.start, origin)
    ]
    blocks = [(max(job.start, origin), until, job.processors) for job, until in others_held]
    name = f"{own[0].id} to {own[-1].id}" if len(own) > 1 else own[0].id
    load = load_of(map(_need, own), size)
    too_many = _overload([*blocks, *((job.start, job.ended, job.processors) for job in own)], size, log)
    if too_many:
        advice = _advice(log, size, [*others_held, *((job, job.ended) for job in own)])
        return Window(name, len(own), origin, end - origin, load, None, None, (too_many,), advice)
    reservations = [Reservation(start - origin, stop - origin, width) for start, stop, width in blocks]
    jobs = [RigidJob(job.id, job.ended - job.start, job.processors, job.submit - origin) for job in own]
    with within(name):
        instance = MospInstance(
            [Organization(CLUSTER, size, jobs, reservations)],
            locality=None,
            local={job.id: job.start - origin for job in own},
            name=f"{log.name[:100]}, {name}"[:200],
            provenance={
                "log": log.name,
                "log_sha256": log.sha256,
                "acknowledgement": log.acknowledgement,
                "origin": str(origin),
                "others": f"processors of {others} other jobs are reserved",
                "skipped": json.dumps(dict(log.skipped)),
                **({"remarks": "; ".join(log.remarks)} if log.remarks else {}),
                "local": OBSERVED,
            },
        )
    schedule = _schedule(instance, own)
    return Window(name, len(own), origin, end - origin, load, instance, schedule, tuple(verify(instance, schedule)))


def _held_until(job: LoggedJob, end: Time) -> Time:
    """Return the moment until which a job is known to hold its processors, at most `end` if it has none."""
    if job.end is not None:
        return job.end
    return end if job.known_until is None else job.known_until


def _advice(log: JobLog, size: int, jobs: Sequence[tuple[LoggedJob, Time]]) -> str:
    """Return a remedy if jobs, each with the end of its use, hold more processors than there are."""
    if not _excess([(job.start, until, job.processors) for job, until in jobs if job.end is not None], size):
        return "leave out the jobs whose end is unknown (for SLURM: sacctmgr show runawayjobs)"
    if log.shares_nodes:
        return "jobs seem to share nodes: count CPUs by --unit cpus"
    advice = "correct the number of processors by --processors"
    if log.unit == "nodes" and log.shares_nodes is None:
        return f"if jobs share nodes, count CPUs by --unit cpus (column AllocCPUS); otherwise {advice}"
    return advice


def _excess(blocks: Iterable[tuple[Time, Time, int]], size: int) -> list[tuple[Fraction, int]]:
    """Return the moments at which more processors are held than there are, and their number."""
    exact = ((Fraction(start), Fraction(end), width) for start, end, width in blocks)
    return [(moment, held) for moment, held in usage_over_time(exact) if held > size]


def _overload(blocks: Sequence[tuple[Time, Time, int]], size: int, log: JobLog) -> Violation | None:
    """Return a violation if the log has more processors in use than there are; else None."""
    excess = _excess(blocks, size)
    if not excess:
        return None
    moment, held = excess[0]
    shown = log.clock.show(moment.numerator if moment.denominator == 1 else moment)
    message = (
        f"the log holds {held} of {show_count(size, 'processor')} at {shown}, in its own time;"
        f" more than there are at {show_count(len(excess), 'moment')}, at most {max(held for _, held in excess)}"
    )
    return Violation("capacity", (), message)


def _schedule(instance: MospInstance, own: Sequence[LoggedJob]) -> Schedule:
    origin = own[0].submit
    if all(job.nodes is not None for job in own):
        placements = [
            Placement(job.id, job.start - origin, job.ended - origin, {CLUSTER: job.nodes or ()}) for job in own
        ]
        return Schedule(placements, OBSERVED)
    scaled = instance.scaled()
    runs = [ClusterRun(index, 0, start) for index, start in enumerate(scaled.local_starts)]
    return schedule_from_cluster_runs(instance, scaled, runs, OBSERVED)
