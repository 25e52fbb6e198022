"""Schedules of one cluster written as the logs that are read: for tests, and for the examples beside the project."""

from datetime import datetime, timedelta
from fractions import Fraction as F
from random import Random

from oas.core.rigid import Organization, RigidJob
from oas.mosp.instance import MospInstance
from oas.solving.methods import find_method

HEADING = (
    "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
    "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
    "consumed_energy,metadata"
)


def busy_cluster(seed, jobs, processors, unit=F(1)):
    """Return a random instance of one cluster whose jobs come faster than they can be run."""
    rng = Random(seed)
    release = F(0)
    made = []
    for number in range(jobs):
        width = rng.choice([one for one in (1, 1, 2, 3, 4, 6, 8, 12, processors) if one <= processors])
        made.append(RigidJob(str(number + 1), rng.randint(20, 600) * unit, width, release))
        release += rng.randint(0, 60) * unit
    return MospInstance([Organization("cluster", processors, made)], locality=None)


def scheduled(instance, method):
    """Return what a heuristic makes of it."""
    return find_method(method, MospInstance)(instance)


def decimal(value):
    """Write a time with six decimals, as Batsim does; tests use no finer ones."""
    assert (value * 10**6).denominator == 1
    return f"{int(value)}.{int(value * 10**6) % 10**6:06d}"


def intervals(nodes):
    """Write numbers as an interval set such as ``0-3 7``."""
    parts = []
    for node in nodes:
        if parts and node == parts[-1][1] + 1:
            parts[-1][1] = node
        else:
            parts.append([node, node])
    return " ".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)


def batsim(instance, schedule, begin=F(0)):
    """Return the schedule as Batsim's jobs.csv, its time 0 at `begin`."""
    lines = [HEADING]
    for job in instance.jobs:
        run = schedule[job.id]
        wait, turnaround = run.start - job.release, run.end - job.release
        (nodes,) = run.nodes.values()
        times = [decimal(one) for one in (run.start + begin, job.time, run.end + begin, wait, turnaround)]
        lines.append(
            f"{job.id},w0,p{job.id},{decimal(job.release + begin)},{job.processors},{decimal(job.time + 60)},1,"
            f"COMPLETED_SUCCESSFULLY,{','.join(times)},{float(turnaround / job.time):.6f},{intervals(nodes)},0.000000,"
        )
    return "\n".join(lines) + "\n"


def swf(instance, schedule, begin=F(0)):
    """Return the schedule as SWF."""
    lines = [f"; MaxProcs: {instance.node_count}"]
    for job in instance.jobs:
        times = [decimal(one) for one in (job.release + begin, schedule[job.id].start - job.release, job.time)]
        lines.append(f"{job.id} {' '.join(times)} {job.processors}" + " -1" * 5 + " 1" + " -1" * 7)
    return "\n".join(lines) + "\n"


def sacct(instance, schedule, begin=datetime(2026, 3, 2, 8)):
    """Return the schedule, of whole seconds, as sacct --parsable2 prints it, with a step of each job."""
    lines = ["JobID|Submit|Start|End|Elapsed|NNodes|State|NodeList"]
    for job in instance.jobs:
        run = schedule[job.id]
        assert job.time.denominator == run.start.denominator == job.release.denominator == 1
        times = [(begin + timedelta(seconds=int(one))).isoformat() for one in (job.release, run.start, run.end)]
        minutes, seconds = divmod(int(job.time), 60)
        elapsed = f"{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}"
        (nodes,) = run.nodes.values()
        where = f"n[{intervals(nodes).replace(' ', ',')}]"
        lines.append(f"{job.id}|{'|'.join(times)}|{elapsed}|{job.processors}|COMPLETED|{where}")
        lines.append(f"{job.id}.batch|{'|'.join([times[1], *times[1:]])}|{elapsed}|1|COMPLETED|{where}")
    return "\n".join(lines) + "\n"
