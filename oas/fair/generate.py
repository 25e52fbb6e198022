"""Instances of fair sharing: random ones, and those printed in the fair scheduling paper.

*Arrivals.* Organizations pool their processors. The paper uses logs only. Choices made here: arrivals are a Poisson
process, rounded down; running times are exponential, rounded up; the organization of each job is drawn uniformly, but
each of the k organizations receives one of the first k jobs. Logarithms are floats, but only rounded values are
returned.

*Tiny.* Small enough for step-by-step simulation: organizations of equal or unequal size, one or several; jobs of one or
several processors; unit jobs; releases at time 0, in bursts and after the horizon; horizons before, within and after
the work.

*The paper's*, as arrays. Source: Skowron, Rzadca, *Non-monetary Fair Scheduling: a Cooperative Game Theory Approach*,
SPAA 2013. Here an organization may have no jobs.

SUBSET SUM by contributions is theorem 5.1, as printed and repaired. One organization for each number, one machine each,
and two more: *a* without jobs, *b* with a job so large that it dominates. From the contribution of *a* the paper
derives the number of orderings of the organizations in which exactly *b* and numbers with a sum below x precede *a*.

As printed the reduction fails: it assumes that *b* goes first whenever it competes, for which the two unit jobs of each
number are too small. In the repair these have length H = 20·x_tot each, everything else is shifted by 2H − 2, and the
large job is longer: (k + 2)! times the square of all other work, which bounds the other gains of *a*.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import ceil, expm1, factorial, floor
from random import Random
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.formats import show_count
from oas.core.instances import Generator, provenance
from oas.core.numbers import Exact, exact, integer
from oas.core.rigid import Organization, RigidJob, Split, split_processors
from oas.fair.instance import FairInstance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from oas.fair.ticks import FairTicks


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
        The number of processors of a job is uniform from 1 to this value, limited by those of its organization.

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
        provenance(
            "arrivals",
            seed=seed,
            organizations=len(sizes),
            processors=sum(sizes),
            machines=machines,
            horizon=horizon,
            load=wanted,
            time=time,
            widest=widest,
        ),
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
    """Draw an instance with up to `max_jobs` jobs of each organization. A feature of None occurs at random."""
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


def random_instance(seed: int, **limits: Any) -> FairInstance:
    """Return the instance that `draw_tiny` makes from this seed."""
    return draw_tiny(Random(seed), name=f"random, seed {seed}", **limits)


def fair_ticks(machines: Sequence[int], jobs: Iterable[tuple[int, int, int]], horizon: int) -> FairTicks:
    """Return arrays of jobs of one processor, each given by organization, release and time, up to the horizon t_end.

    `machines`: number of processors of each organization. Its jobs must be in their order.
    """
    import numpy as np

    from oas.fair.ticks import FairTicks

    owner, release, time = np.array(sorted(jobs, key=lambda job: (job[1], job[0])), dtype=np.int64).T
    return FairTicks(np.array(machines), owner, release, time, np.ones_like(time), horizon)


FIGURE_1_STARTS = (0, 0, 0, 3, 3, 4, 6, 9, 10, 9)
"""Starts of the jobs of `figure_1`: J1 to J9 of the first organization, then the job of the second."""


def figure_1(horizon: int = 14) -> FairTicks:
    """Return figure 1: nine jobs of one organization and one of another on three processors, all released at 0."""
    jobs = [*((0, 0, time) for time in (3, 4, 3, 6, 3, 6, 3, 3, 4)), (1, 0, 5)]
    return fair_ticks([2, 1], jobs, horizon)


def not_supermodular() -> FairTicks:
    """Return proposition 5.5's instance: a and b release two unit jobs each at 0, c has none; one machine each."""
    return fair_ticks([1, 1, 1], [(0, 0, 1), (0, 0, 1), (1, 0, 1), (1, 0, 1)], 2)


def last_batch(organizations: int, each: int, time: int) -> FairTicks:
    """Return the last batch of theorem 5.3: as many machines as each organization has jobs, all of one length.

    With one job each it is the family of the remark before the theorem. The horizon is the end of all jobs on these
    machines, which belong to the first organization. Each other one has one more, as it needs one.
    """
    jobs = [(owner, 0, time) for owner in range(organizations) for _ in range(each)]
    return fair_ticks([each, *[1] * (organizations - 1)], jobs, organizations * time)


LONG = 20  # H over x_tot


def subset_sum_ticks(numbers: Sequence[int], bound: int, *, repaired: bool = True) -> tuple[FairTicks, int]:
    """Return the instance for the `numbers` of S and the `bound` x, each at least 1; and L, the large job's length.

    The organizations of the numbers come first, then a, then b. The horizon is late enough for all jobs to end in every
    coalition. The reduction is the repaired or the printed one.
    """
    count, total = len(numbers), sum(numbers) + 2
    early = LONG * total if repaired else 1
    shift = 2 * early - 2
    jobs = [  # organization, release, time
        job
        for owner, number in enumerate(numbers)
        for job in (
            (owner, 0, early),
            (owner, 0, early),
            (owner, 3 + shift, 2 * total),
            (owner, 4 + shift, 2 * number),
        )
    ]
    jobs.append((count + 1, 2 + shift, 2 * bound + 2))
    other = sum(time for _, _, time in jobs)
    gain = other**2 if repaired else 4 * count * total**2
    large = gain * factorial(count + 2) + 1
    jobs.append((count + 1, 2 * bound + 3 + shift, large))
    return fair_ticks([1] * (count + 2), jobs, shift + 2 * bound + 4 + other + large), large


def orderings_below(numbers: Sequence[int], bound: int) -> int:
    """Return n of theorem 5.1: Σ (|S'| + 1)! (|S| − |S'|)! over the subsets S' whose sum is below `bound`."""
    count = len(numbers)
    return sum(
        factorial(size + 1) * factorial(count - size)
        for size in range(count + 1)
        for part in combinations(numbers, size)
        if sum(part) < bound
    )


def orderings_read(contribution: Fraction, numbers: Sequence[int], large: int) -> int:
    """Return n as the paper derives it from the contribution φ of *a*: ⌊(k + 2)! φ / L⌋."""
    return int(factorial(len(numbers) + 2) * contribution // large)


GENERATORS = (
    Generator("arrivals", arrivals, "jobs that arrive over time at organizations that pool their processors", rank=70),
)
