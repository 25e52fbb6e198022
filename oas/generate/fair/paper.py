"""The small instances that the fair scheduling paper prints, as arrays: an organization may be without jobs there.

Source: Skowron, Rzadca, *Non-monetary Fair Scheduling: a Cooperative Game Theory Approach*, SPAA 2013.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.problems.fair.ticks import FairTicks


def fair_ticks(machines: Sequence[int], jobs: Iterable[tuple[int, int, int]], horizon: int) -> FairTicks:
    """Return arrays of jobs of one processor, each given by organization, release and time.

    Parameters
    ----------
    machines
        Processors of each organization.
    jobs
        Those of each organization in its order.
    horizon
        t_end.
    """
    import numpy as np

    from oas.problems.fair.ticks import FairTicks

    owner, release, time = np.array(sorted(jobs, key=lambda job: (job[1], job[0])), dtype=np.int64).T
    return FairTicks(np.array(machines), owner, release, time, np.ones_like(time), horizon)


FIGURE_1_STARTS = (0, 0, 0, 3, 3, 4, 6, 9, 10, 9)
"""Of the jobs of `figure_1`: J1 to J9 of the first organization, then the second one's."""


def figure_1(horizon: int = 14) -> FairTicks:
    """Return figure 1: nine jobs of one organization and one of another on three processors, all released at 0."""
    jobs = [*((0, 0, time) for time in (3, 4, 3, 6, 3, 6, 3, 3, 4)), (1, 0, 5)]
    return fair_ticks([2, 1], jobs, horizon)


def not_supermodular() -> FairTicks:
    """Return proposition 5.5's instance: a and b release two unit jobs each at 0, c has none; one machine each."""
    return fair_ticks([1, 1, 1], [(0, 0, 1), (0, 0, 1), (1, 0, 1), (1, 0, 1)], 2)


def last_batch(organizations: int, each: int, time: int) -> FairTicks:
    """Return the last batch of theorem 5.3: as many machines as each organization has jobs, all of one length.

    With one job each it is the family of the remark before the theorem. The horizon is when all have run. The machines
    are the first organization's; for the others one each that stands apart is added, as an organization needs one.
    """
    jobs = [(own, 0, time) for own in range(organizations) for _ in range(each)]
    return fair_ticks([each, *[1] * (organizations - 1)], jobs, organizations * time)
