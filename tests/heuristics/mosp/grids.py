"""Makers of MOSP instances larger than those of `tests.problems.mosp.instances`, and instances worked out by hand."""

from __future__ import annotations

from random import Random

from oas.problems.mosp.instance import MospInstance, Organization, Reservation, RigidJob


def random_grid(
    seed: int, *, jobs: int | None = None, static: bool = True, equal: bool | None = None, local: str | None = None
) -> MospInstance:
    """Draw an instance with 1 to 6 clusters, 1 to 60 jobs and one organization that may own most of them."""
    rng = Random(seed)
    clusters, most = rng.randint(1, 6), rng.randint(1, 9)
    equal = rng.random() < 0.6 if equal is None else equal
    sizes = [most if equal else rng.randint(1, most) for _ in range(clusters)]
    widest = rng.choice([1, most // 2 or 1, min(sizes), most])
    share, high = rng.choice([0.0, 0.5, 0.9]), rng.random() < 0.15
    own: list[list[RigidJob]] = [[] for _ in sizes]
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


def grid(*organizations: tuple[int, list[tuple[int, int]]], local: str = "HF") -> MospInstance:
    """Build an instance from (processors, [(p, q), …]) of each organization; job i of organization k is ``Jk.i``."""
    return MospInstance(
        [
            Organization(f"O{k}", size, [RigidJob(f"J{k}.{i}", time, width) for i, (time, width) in enumerate(jobs)])
            for k, (size, jobs) in enumerate(organizations)
        ],
        local=local,
    )


def unbalanced_for_ilba(x: int) -> MospInstance:
    """The MOCCA paper's Proposition 13, with m as repaired: as many processors as its last step needs."""
    n = x * x - x + 2
    groups: list[list[tuple[int, str, int]]] = []  # (how many, "L" or "1", width; negative widths count down from m)
    for i in range(1, x + 1):
        groups.append([(i, "L", 0), (n + 3 * i - 2, "1", 0), (n + 2 * i - 1, "1", -x + i - 1)])
        groups.append([(i, "L", 0), (i, "1", 0), (1, "1", -x + i - 1), (n + 2 * i, "L", x - i + 1)])
    long = n + sum(sum(count for count, kind, _ in group if kind == "1") for group in groups)
    thin = sum((n + 2 * i) * (x - i + 1) for i in range(1, x + 1))
    size = thin + n * (1 + x)
    organizations = [(size, [(long, 1 + x), (1, size - x - 1)]) for _ in range(n)]
    for group in groups:
        jobs = []
        for count, kind, width in group:
            jobs += [(long if kind == "L" else 1, width if width > 0 else size + width)] * count
        organizations.append((size, jobs))
    return grid(*organizations)
