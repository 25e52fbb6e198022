"""Six workloads WL-1 … WL-6 with the intent of the OAS paper's section 4.2.

The paper's own workloads are unpublished; these are ours, made for the same purposes on the same grid: 8 jobs, 3
clusters of 4 nodes, slots of half the mean base time (67·10⁴ s). WL-1 suits what fits the free resources first, WL-2
suits small jobs first, WL-3 to WL-6 are drawn by seeds 3 to 6 of `section4`, std bandwidth, taken for their numbers
and for nothing seen in them.
"""

from __future__ import annotations

from oas.core.errors import InputError
from oas.core.numbers import Exact, exact, integer
from oas.generate.coallocation.section4 import MEAN_TIME, SIGMA, TIME_STEP, paper_grid, section4
from oas.generate.registry import Generator
from oas.problems.coallocation.instance import CoallocationInstance, Job

# Rows: tasks, base time in 10⁴ s, kbit/s between each two tasks. No task needs more than its node's share of the
# link, so links never bind.
# The sizes pair up to 12 nodes (8+4, 7+5, 9+3, 6+6), but in the queue, and sorted by any rule, most pairs stand apart:
# who waits for the next in line leaves holes that a later job would fill exactly.
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
# The smaller a job, the shorter it nearly always is, so small ones first fill the grid evenly and the job that needs
# all nodes comes last; in any other order it or the long jobs cut the small ones apart. Chosen among drawn workloads
# of this shape for the lead that SJF and SPT have.
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
        provenance={"generator": "workload", "version": "1", "number": str(number), "slot_percent": str(percent)},
    )


GENERATOR = Generator("workload", workload, "WL-1 … WL-6, with the intent of the OAS paper's section 4.2", rank=20)
