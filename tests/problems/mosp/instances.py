"""Random instances of MOSP, and the optima of those of one cluster."""

from fractions import Fraction as F
from functools import cache
from itertools import count
from random import Random

from hypothesis import strategies as st

from oas.core.verifier import verify
from oas.exact.mosp.brute_force import brute_force
from oas.generate.mosp.tiny import alone, draw_tiny, random_instance
from oas.problems.mosp.instance import MospInstance
from oas.problems.mosp.runs import ClusterRun, schedule_from_cluster_runs
from oas.problems.mosp.ticks import coarsened
from oas.problems.rigid import Organization, Reservation, RigidJob

__all__ = ["draw_tiny", "random_instance"]


def random_cluster_runs(scaled, seed):
    """Return runs that fit releases, clusters and reservations but heed no deadline, some of them later than needed."""
    rng = Random(seed)
    runs = []
    for job in rng.sample(range(scaled.job_count), scaled.job_count):
        fitting = [k for k, size in enumerate(scaled.processors) if size >= scaled.widths[job]]
        cluster, idle = rng.choice(fitting), rng.choice((0, 0, 1, 3))
        start = next(
            t for t in count(scaled.releases[job] + idle) if fits(scaled, [*runs, ClusterRun(job, cluster, t)], cluster)
        )
        runs.append(ClusterRun(job, cluster, start))
    return sorted(runs, key=lambda run: run.job)


def fits(scaled, runs, cluster):
    """Whether runs and reservations together never ask for more processors than the cluster has, tick by tick."""
    blocks = [
        (run.start, run.start + scaled.times[run.job], scaled.widths[run.job]) for run in runs if run.cluster == cluster
    ]
    if not blocks:
        return True
    first, last = min(start for start, _, _ in blocks), max(end for _, end, _ in blocks)
    blocks += [(start, end, processors) for k, start, end, processors in scaled.reservations if k == cluster]
    return all(
        sum(width for start, end, width in blocks if start <= tick < end) <= scaled.processors[cluster]
        for tick in range(first, last)
    )


def random_schedule(instance, seed):
    """Return a schedule that keeps every rule but perhaps locality."""
    scaled = instance.scaled()
    return schedule_from_cluster_runs(instance, scaled, random_cluster_runs(scaled, seed))


def feasible(seed):
    """Return an instance and a feasible schedule; where the schedule needs it, locality is given up."""
    instance = random_instance(seed)
    schedule = random_schedule(instance, seed)
    return (instance.with_locality(None) if verify(instance, schedule) else instance), schedule


@st.composite
def lone_instances(draw):
    """One organization: up to four jobs, and up to three reservations side by side, in halves of a time unit."""
    widths = draw(st.lists(st.integers(1, 3), max_size=3).filter(lambda found: sum(found) <= 3))
    held = [
        Reservation(F(start, 2), F(start + draw(st.integers(1, 9)), 2), width)
        for width in widths
        for start in [draw(st.integers(0, 9))]
    ]
    jobs = [
        RigidJob(f"J{n}", F(draw(st.integers(1, 7)), 2), draw(st.integers(1, 3)), F(draw(st.integers(0, 9)), 2))
        for n in range(draw(st.integers(1, 4)))
    ]
    return MospInstance([Organization("A", 3, jobs, held)], locality=None)


@cache
def optimum(seed):
    """In units."""
    found = brute_force(alone(seed))[0] / unit(seed)
    assert found.denominator == 1
    return int(found)


def unit(seed):
    return coarsened(alone(seed).scaled())[0].tick
