"""MOSP instances that tests share: random ones, the optima of those of one cluster, and some by hand."""

from fractions import Fraction as F
from functools import cache
from itertools import count
from random import Random

from hypothesis import strategies as st

from oas.core.rigid import Organization, Reservation, RigidJob
from oas.core.verifier import verify
from oas.mosp.generate.tiny import alone, draw_tiny, random_instance
from oas.mosp.instance import MospInstance
from oas.mosp.runs import ClusterRun, schedule_from_cluster_runs
from oas.mosp.ticks import coarsened
from oas.solving.brute_force import brute_force

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


def random_grid(seed, *, jobs=None, static=True, equal=None, local=None):
    """Draw an instance with 1 to 6 clusters, 1 to 60 jobs and one organization that may own most of them."""
    rng = Random(seed)
    clusters, most = rng.randint(1, 6), rng.randint(1, 9)
    equal = rng.random() < 0.6 if equal is None else equal
    sizes = [most if equal else rng.randint(1, most) for _ in range(clusters)]
    widest = rng.choice([1, most // 2 or 1, min(sizes), most])
    share, high = rng.choice([0.0, 0.5, 0.9]), rng.random() < 0.15
    own = [[] for _ in sizes]
    for number in range(rng.choice([1, 2, 4, 8, 15, 30, 60]) if jobs is None else jobs):
        k = 0 if rng.random() < share else rng.randrange(clusters)
        time = rng.choice([rng.randint(1, 6), rng.randint(1, 6), rng.randint(1, 40)])
        width = rng.randint(sizes[k] // 2 + 1 if high else 1, sizes[k] if high else min(widest, sizes[k]))
        own[k].append(RigidJob(f"J{number}", time, width, 0 if static else rng.choice([0, rng.randint(0, 30)])))
    organizations = []
    for k, size in enumerate(sizes):
        held, moment = [], 0
        for _ in range(0 if static else rng.randint(0, 4)):
            moment += rng.randint(0, 8)
            held.append(Reservation(moment, moment + rng.randint(1, 6), rng.randint(1, size)))
            moment = int(held[-1].end)
        organizations.append(Organization(f"O{k}", size, own[k], held))
    return MospInstance(organizations, local=local or rng.choice(["HF", "HF", "LPT", "SPT", "RND"]), seed=seed)


def grid(*organizations, local="HF"):
    """Build an instance from (processors, [(p, q), …]) of each organization; job i of organization k is ``Jk.i``."""
    return MospInstance(
        [
            Organization(f"O{k}", size, [RigidJob(f"J{k}.{i}", time, width) for i, (time, width) in enumerate(jobs)])
            for k, (size, jobs) in enumerate(organizations)
        ],
        local=local,
    )


def unequal():
    """Clusters of three and two processors, a job that only the first can take, times in halves, locality."""
    first = Organization("A", 3, [RigidJob("a0", 2, 3), RigidJob("a1", F(1, 2), 1)])
    second = Organization("B", 2, [RigidJob("b0", F(3, 2), 2), RigidJob("b1", 1, 1)])
    return MospInstance([first, second])


def reserved():
    """One cluster with a reservation, a job released within it, starts given for the local schedule."""
    jobs = [RigidJob("a", 2, 2), RigidJob("b", 1, 1, 2), RigidJob("c", 2, 1)]
    organization = Organization("A", 2, jobs, [Reservation(1, 3, 1)])
    return MospInstance([organization], F(3, 2), {"a": 3, "b": 5, "c": 0})


def alike():
    """Three clusters alike, two jobs alike with one deadline, one like them of another organization without it."""
    first = Organization("A", 2, [RigidJob("a0", 1, 1), RigidJob("a1", 1, 1)])
    second = Organization("B", 2, [RigidJob("b0", 1, 1), RigidJob("b1", 2, 2)])
    return MospInstance([first, second, Organization("C", 2)])
