"""The OAS paper's experimental set-up (section 4) at any size, drawn by seed.

The paper states: 3 clusters of 4 nodes on a gigabit network, Γ of 1, 0.75 and 0.5, 8 jobs of σ = 0.7, a mean base time
of 67·10⁴ s, tasks from 1 to 12, slots in percent of the mean base time. The jobs themselves are unpublished. Chosen
here:

- base times: uniform over 20, 21, …, 114 times 10⁴ s (mean 67), then moved by single steps of 10⁴ s, each of a
  random job within that range, until their mean is 67·10⁴ s exactly;
- tasks: uniform over 1, …, all nodes;
- per-task bandwidth: (τ−1) times a whole number of kbit/s between each two tasks, so that every link load of
  equation (4) is a whole number of kbit/s at any size; its range is the `bandwidth` setting of `section4`;
- more clusters than three: Γ repeats: 1, 3/4, 1/2, 1, ….

The workloads WL-1 to WL-6 have the intent of section 4.2. The paper's own are unpublished; these are ours, made for the
same purposes on the same grid: 8 jobs, 3 clusters of 4 nodes, slots of half the mean base time (67·10⁴ s). WL-1 suits
jobs that fit the free resources first, WL-2 suits small jobs first, WL-3 to WL-6 are drawn by seeds 3 to 6 of
`section4`, std bandwidth; these seeds were not selected by any property of the instances.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from math import ceil, floor
from random import Random
from typing import TYPE_CHECKING, Literal, get_args

from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.errors import InputError, unknown_name
from oas.core.formats import plural
from oas.core.instances import Generator, provenance
from oas.core.numbers import Exact, exact, integer

if TYPE_CHECKING:
    from collections.abc import Sequence

Bandwidth = Literal["std", "tight"]

LINK = 1_000_000
"""Bandwidth of a gigabit link, kbit/s."""
POWERS = (Fraction(1), Fraction(3, 4), Fraction(1, 2))
SIGMA = Fraction(7, 10)
TIME_STEP = 10_000
"""Step of the base times, s."""
MEAN_STEPS, LEAST_STEPS, MOST_STEPS = 67, 20, 114
MEAN_TIME = MEAN_STEPS * TIME_STEP


def section4(
    *,
    seed: int = 0,
    jobs: int = 8,
    clusters: int = 3,
    nodes: int = 4,
    bandwidth: Bandwidth = "std",
    slot_percent: Exact = 100,
) -> CoallocationInstance:
    """Draw an instance of the paper's section 4.

    Parameters
    ----------
    seed
        At least 0. The same seed gives the same jobs under either `bandwidth` and any `slot_percent`.
    jobs
        How many jobs.
    clusters
        How many clusters.
    nodes
        How many nodes each cluster has.
    bandwidth
        ``std``: per-task bandwidth uniform over 20 to 150 % of a node's share of its link (link / nodes): links hardly
        ever matter. ``tight``: uniform over 70 to 100 % of the most at which the job has an allocation on an empty
        grid: few jobs can be split side by side, and a split must be a good one. Either way every job keeps an
        allocation; a job that fits into one cluster is held to the link's bandwidth, a job of one task needs none.
    slot_percent
        η in percent of the mean base time of 67·10⁴ s, exact; 0 for continuous time.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    seed = integer(seed, "seed", least=0)
    jobs, clusters = integer(jobs, "jobs", least=1), integer(clusters, "clusters", least=1)
    nodes = integer(nodes, "nodes", least=1)
    rng = Random(seed)
    percent = exact(slot_percent, "slot_percent")
    times = _base_times(rng, jobs)
    tasks = [rng.randint(1, clusters * nodes) for _ in range(jobs)]
    needs = [_task_bandwidth(rng, count, clusters, nodes, bandwidth) for count in tasks]
    return CoallocationInstance(
        paper_grid(clusters, nodes),
        [
            Job(f"J{index + 1}", size, time, need, SIGMA)
            for index, (size, time, need) in enumerate(zip(tasks, times, needs, strict=True))
        ],
        slot=percent * MEAN_TIME / 100,
        name=f"section4 {bandwidth}, {jobs} {plural(jobs, 'job')} on {clusters}x{nodes}, seed {seed}",
        provenance=provenance(
            "section4", seed=seed, jobs=jobs, clusters=clusters, nodes=nodes, bandwidth=bandwidth, slot_percent=percent
        ),
    )


def paper_grid(clusters: int = 3, nodes: int = 4) -> list[Cluster]:
    """Return the paper's clusters: Γ of 1, 3/4, 1/2 in turn, gigabit links (kbit/s)."""
    return [
        Cluster(f"C{index + 1}", [NodeGroup(nodes, POWERS[index % len(POWERS)])], LINK) for index in range(clusters)
    ]


def _base_times(rng: Random, jobs: int) -> list[int]:
    steps = [rng.randint(LEAST_STEPS, MOST_STEPS) for _ in range(jobs)]
    while missing := MEAN_STEPS * jobs - sum(steps):
        index = rng.randrange(jobs)
        moved = steps[index] + (1 if missing > 0 else -1)
        if LEAST_STEPS <= moved <= MOST_STEPS:
            steps[index] = moved
    return [step * TIME_STEP for step in steps]


def _task_bandwidth(rng: Random, tasks: int, clusters: int, nodes: int, setting: Bandwidth) -> int:
    if tasks == 1:
        return 0
    allowed = most_task_bandwidth(tasks, clusters, nodes)
    if setting == "std":
        low, high = Fraction(LINK, 5 * nodes), min(allowed, Fraction(3 * LINK, 2 * nodes))
    elif setting == "tight":
        low, high = allowed * 7 / 10, allowed
    else:
        raise unknown_name(setting, get_args(Bandwidth), "bandwidth")
    least_pair, most_pair = ceil(low / (tasks - 1)), floor(high / (tasks - 1))
    if least_pair > most_pair:
        raise InputError(
            "too large for gigabit links: no whole kbit/s is left for two tasks", field="nodes", value=nodes
        )
    return rng.randint(least_pair, most_pair) * (tasks - 1)


def most_task_bandwidth(tasks: int, clusters: int, nodes: int) -> Fraction:
    """Return the most per-task bandwidth at which a job has an allocation on the empty paper grid, kbit/s.

    Equation (4) on clusters of equal size: the best split has the least peak of c·(τ−c)/(τ−1) over its counts c. For a
    job that fits into one cluster, the result is the link's bandwidth.
    """
    if tasks > clusters * nodes:
        raise InputError(f"more than {clusters} clusters of {nodes} nodes hold", field="tasks", value=tasks)
    loads = [count * (tasks - count) for count in range(min(tasks, nodes) + 1)]
    peaks = sorted(set(loads))
    peak = peaks[bisect_left(peaks, True, key=lambda most: _splits(tasks, clusters, loads, most))]
    return min(Fraction(LINK), Fraction(LINK * (tasks - 1), peak)) if peak else Fraction(LINK)


def _splits(tasks: int, clusters: int, loads: Sequence[int], most: int) -> bool:
    """Whether counts with loads of at most `most` on `clusters` clusters sum to `tasks`."""
    sums = 1  # bit s: the clusters so far can hold s tasks
    for _ in range(clusters):
        reached = 0
        for count, load in enumerate(loads):
            if load <= most:
                reached |= sums << count
        sums = reached
    return bool(sums >> tasks & 1)


# Rows: tasks, base time in 10⁴ s, kbit/s between each two tasks. No task needs more than its node's share of the
# link, so links never bind.
# The sizes pair up to 12 nodes (8+4, 7+5, 9+3, 6+6), but in the queue, and sorted by any rule, most pairs are apart:
# waiting for the next job in line leaves holes that a later job would fill exactly.
FITS_FIRST = (
    (8, 36, 10_000),
    (7, 84, 20_000),
    (9, 57, 5_000),
    (4, 110, 20_000),
    (5, 41, 10_000),
    (3, 40, 15_000),
    (6, 88, 5_000),
    (6, 80, 10_000),
)
# The smaller a job, the shorter it nearly always is, so small jobs first fill the grid evenly, and the job that needs
# all nodes comes last; in any other order it or the long jobs separate the small ones. Chosen among drawn workloads
# of this shape for the advantage of SJF and SPT.
SMALL_FIRST = (
    (3, 43, 10_000),
    (1, 31, 0),
    (5, 95, 20_000),
    (5, 102, 15_000),
    (5, 64, 10_000),
    (5, 49, 5_000),
    (12, 104, 20_000),
    (4, 48, 15_000),
)
DESIGNED = {1: FITS_FIRST, 2: SMALL_FIRST}


def workload(number: int, *, slot_percent: Exact = 50) -> CoallocationInstance:
    """Return workload WL-`number`.

    Parameters
    ----------
    number
        1 to 6.
    slot_percent
        η in percent of the mean base time, exact; 0 for continuous time.

    Raises
    ------
    InputError
        Naming the parameter.
    """
    number = integer(number, "number", least=1)
    if number > 6:
        raise InputError("must be at most 6", field="number", value=number)
    percent = exact(slot_percent, "slot_percent")
    if number in DESIGNED:
        clusters = paper_grid()
        jobs = [
            Job(f"J{index + 1}", tasks, steps * TIME_STEP, pair * (tasks - 1), SIGMA)
            for index, (tasks, steps, pair) in enumerate(DESIGNED[number])
        ]
    else:
        drawn = section4(seed=number)
        clusters, jobs = list(drawn.clusters), list(drawn.jobs)
    return CoallocationInstance(
        clusters,
        jobs,
        slot=percent * MEAN_TIME / 100,
        name=f"WL-{number}",
        provenance=provenance("workload", number=number, slot_percent=percent),
    )


GENERATORS = (
    Generator("section4", section4, "the OAS paper's section 4 set-up, at any size", rank=10),
    Generator("workload", workload, "WL-1 … WL-6, with the intent of the OAS paper's section 4.2", rank=20),
)
