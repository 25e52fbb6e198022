"""Instances of fair sharing drawn by seed: jobs that arrive over time, and tiny ones with every feature.

*Arrivals.* Organizations pool their processors. The paper draws on logs alone. Chosen here: jobs arrive in a Poisson
process, at moments rounded down; running times are exponential, rounded up; each job's organization is drawn evenly,
but the first k jobs are of k organizations, so that each has one. Logarithms are floats; only what is rounded leaves
this file.

*Tiny.* Small enough to be stepped through: organizations of equal or unequal size, one or several; jobs of one or
several processors; unit jobs; releases at once, in bursts and after the horizon; horizons before, within and after the
work.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, expm1, floor
from random import Random
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.formats import show_count
from oas.core.numbers import Exact, exact, integer
from oas.generate.registry import Generator
from oas.problems.fair.instance import FairInstance
from oas.problems.rigid import Organization, RigidJob, Split, split_processors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def arrivals(
    *,
    seed: int = 0,
    organizations: int = 3,
    processors: int = 12,
    machines: Split = "zipf",
    horizon: int = 100,
    load: Exact = Fraction(9, 10),
    time: int = 10,
    widest: int = 1,
) -> FairInstance:
    """Draw organizations that pool their processors, and the jobs that they present until the horizon.

    Parameters
    ----------
    seed
        At least 0.
    organizations
        k, at least 1.
    processors
        Of all organizations, at least one for each.
    machines
        How they are divided: ``uniform``, or ``zipf``, where organization u gets a share in proportion to 1/u.
    horizon
        t_end, at least 1; jobs are released until then, and later only where an organization would have none.
    load
        Above 0: the work that is released until the horizon over what the processors can do until then, on the average.
    time
        Mean running time before it is rounded up, at least 1.
    widest
        A job needs from 1 to so many processors, but no more than its own organization has; drawn evenly.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    seed = integer(seed, "seed", least=0)
    sizes = split_processors(processors, organizations, machines)
    horizon = integer(horizon, "horizon", least=1)
    time = integer(time, "time", least=1)
    widest = integer(widest, "widest", least=1)
    wanted = exact(load, "load")
    if wanted <= 0:
        raise InputError("must be above 0", field="load", value=str(wanted))
    rng = Random(f"{seed} {sizes} {horizon} {wanted} {time} {widest}")
    owned: list[list[RigidJob]] = [[] for _ in sizes]
    widths = [min(size, widest) for size in sizes]
    between = _mean_work(time, widths) / float(wanted * sum(sizes))
    for number, (release, owner) in enumerate(_presented(rng, len(sizes), horizon, between), start=1):
        length = max(1, ceil(rng.expovariate(1 / time)))
        owned[owner].append(RigidJob(f"J{number}", length, rng.randint(1, widths[owner]), release))
    count = sum(map(len, owned))
    jobs, members = show_count(count, "job"), show_count(len(sizes), "organization")
    return FairInstance(
        [Organization(f"O{k}", size, own) for k, (size, own) in enumerate(zip(sizes, owned, strict=True), start=1)],
        horizon,
        f"arrivals, {jobs} of {members} with {show_count(sum(sizes), 'processor')}, seed {seed}",
        {
            "generator": "arrivals",
            "version": "1",
            "seed": str(seed),
            "organizations": str(len(sizes)),
            "processors": str(sum(sizes)),
            "machines": machines,
            "horizon": str(horizon),
            "load": str(wanted),
            "time": str(time),
            "widest": str(widest),
        },
    )


def _presented(rng: Random, organizations: int, horizon: int, between: float) -> Iterator[tuple[int, int]]:
    """Yield release and organization of each job, until the horizon and until each organization has one."""
    first = rng.sample(range(organizations), organizations)
    moment = rng.random() * min(between, horizon)
    while moment < horizon or first:
        yield floor(moment), first.pop() if first else rng.randrange(organizations)
        moment += rng.expovariate(1 / between)


def _mean_work(time: int, widths: Sequence[int]) -> float:
    """Return the mean of p·q: the mean of an exponential rounded up is 1/(1 − e^(−1/mean))."""
    return -1 / expm1(-1 / time) * sum((1 + width) / 2 for width in widths) / len(widths)


def draw_tiny(
    rng: Random,
    *,
    max_organizations: int = 4,
    max_jobs: int = 5,
    max_processors: int = 3,
    max_time: int = 6,
    wide: bool | None = None,
    unit: bool | None = None,
    name: str = "",
) -> FairInstance:
    """Draw an instance; `max_jobs` of each organization. A feature left None is there or not by chance."""
    wide = rng.random() < 0.4 if wide is None else wide
    unit = rng.random() < 0.2 if unit is None else unit
    longest = 1 if unit else max_time
    gaps = rng.choice(((0,), (0, 0, 1), (0, 1, 3), (0, 0, 0, 8)))
    organizations = []
    for k in range(rng.randint(1, max_organizations)):
        size = rng.randint(1, max_processors)
        release = rng.choice((0, 0, rng.randint(0, 6)))
        jobs = []
        for number in range(rng.randint(1, max_jobs)):
            release += rng.choice(gaps) if number else 0
            jobs.append(
                RigidJob(f"J{k}.{number}", rng.randint(1, longest), rng.randint(1, size) if wide else 1, release)
            )
        organizations.append(Organization(f"O{k}", size, jobs))
    earliest = min(int(organization.jobs[0].release) for organization in organizations)
    return FairInstance(organizations, earliest + rng.randint(1, rng.choice((5, 15, 30))), name)


def random_instance(seed: int, **limits: object) -> FairInstance:
    """Return the instance that `draw_tiny` makes from this seed."""
    return draw_tiny(Random(seed), name=f"random, seed {seed}", **limits)  # type: ignore[arg-type]


GENERATORS = (
    Generator("arrivals", arrivals, "jobs that arrive over time at organizations that pool their processors", rank=70),
)
