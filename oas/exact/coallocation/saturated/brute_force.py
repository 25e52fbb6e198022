"""The optimum of a tiny instance by brute force where saturated links slow jobs down.

It shares no code with models, bounds or searches. How fast jobs run is that of `oas.problems.coallocation.rates`; the
verifier, which shares none of it, has the last word on the schedule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError
from oas.core.verifier import check
from oas.exact.coallocation.saturated.brute_choices import Choices
from oas.exact.coallocation.saturated.brute_phases import PhaseSearch
from oas.exact.coallocation.saturated.brute_steps import StepSearch

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.core.schedule import Schedule
    from oas.exact.coallocation.saturated.brute_choices import Placements
    from oas.problems.coallocation.instance import CoallocationInstance

MAX_JOBS = 4
MAX_CLUSTERS = 4
MAX_NODES = 12
MAX_STEPS = 2_000_000


def brute_force(
    instance: CoallocationInstance, limit: int = MAX_STEPS, *, placements: Placements | None = None
) -> tuple[Fraction, Schedule]:
    """Return the least makespan of `instance` and a verified schedule that has it.

    With slots every start is looked at, see `StepSearch`; in continuous time every sequence of phases, see
    `PhaseSearch`, after all schedules that start jobs at 0 or at ends only.

    Parameters
    ----------
    instance
        Under any saturation policy; at most 4 jobs, 4 clusters and 12 nodes.
    limit
        How many steps to take at most: phases tried.
    placements
        By job id the nodes that each job is to take, as in `Placement.nodes`; only starts are chosen then.

    Raises
    ------
    TooLargeError
        If the instance is beyond these sizes, or the search beyond `limit`.
    InfeasibleError
        If a job has no allocation even on an empty grid, or cannot run on the nodes that it is given.
    """
    size = len(instance.jobs), len(instance.clusters), instance.node_count
    if any(own > most for own, most in zip(size, (MAX_JOBS, MAX_CLUSTERS, MAX_NODES), strict=True)):
        most = f"{MAX_JOBS} jobs, {MAX_CLUSTERS} clusters and {MAX_NODES} nodes"
        raise TooLargeError(
            f"brute force takes at most {most}, not {size[0]:,} jobs on {size[1]:,} clusters and {size[2]:,} nodes"
        )
    choices = Choices(instance, placements, limit)
    search: StepSearch | PhaseSearch = StepSearch(choices)
    search.run()
    if instance.slot == 0:
        search = PhaseSearch(choices, search.best, search.runs)
        search.run()
    schedule = check(instance, choices.schedule(search.runs), "the brute-force schedule")
    return search.best, schedule
