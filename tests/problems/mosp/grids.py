"""MOSP instances that tests of several rooms share: by hand, and drawn larger than `instances` does."""

from fractions import Fraction as F
from random import Random

from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob


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
