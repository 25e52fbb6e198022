"""Jobs from a queue onto clusters: strictly in turn, list scheduling (Graham), conservative and EASY back-filling.

The engines are those for streams of jobs in `heuristics.stream`, which examine blocks of steps together and set jobs
aside until they may fit again. The scheduled jobs are stored in the profiles. For `compiled`, see
`oas.core.compiling.chosen`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from heuristics.method import NotPlacedError
from heuristics.mosp.profiles import Profiles
from heuristics.shared_kernels import NEVER
from oas.core.errors import TooLargeError
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.mosp.ticks import ScaledMosp


def empty_profiles(scaled: ScaledMosp) -> Profiles:
    """Return the clusters with nothing on them but their reservations."""
    return Profiles(scaled.processors, scaled.reservations)


def earliest_run(profiles: Profiles, scaled: ScaledMosp, job: int, clusters: Sequence[int]) -> ClusterRun:
    """Return the run of `job` at its earliest start, ties to the first of `clusters`; it is not placed yet.

    Raises `NotPlacedError` if it fits none of them, ever.
    """
    found = profiles.earliest(clusters, scaled.releases[job], scaled.times[job], scaled.widths[job])
    if found is None:
        raise NotPlacedError(f"job {job} fits none of its clusters")
    return ClusterRun(job, *found)


def queue_runs(
    engine: str,
    profiles: Profiles,
    scaled: ScaledMosp,
    clusters: Sequence[int],
    queue: Sequence[int],
    compiled: bool | None = None,
) -> list[ClusterRun]:
    """Place the jobs of `queue` on `profiles` by an engine of `heuristics.stream.policies`; return their runs.

    Of several clusters a job takes the first of `clusters` where it starts earliest. Raises `NotPlacedError` if some
    job fits nowhere, ever.
    """
    from heuristics.stream import policies  # loads numpy, which the list of methods does without

    if not queue:
        return []
    # A start is a release, an end, or an end of a reservation: none lies beyond this sum.
    ends = [end for _, _, end, _ in scaled.reservations]
    if sum(scaled.times) + max((*scaled.releases, *ends), default=0) >= NEVER:
        raise TooLargeError("times reach 2^62 ticks; coarser times are needed")
    columns = ([values[job] for job in queue] for values in (scaled.releases, scaled.times, scaled.widths))
    jobs = policies.jobs_in_queue(*columns)
    steps = [tuple(zip(*profiles.steps(cluster), strict=True)) for cluster in clusters]
    lost = policies.serve(getattr(policies, engine), jobs, steps, compiled)
    if lost:
        raise NotPlacedError(f"{lost} of {len(queue)} jobs found no place")
    found = zip(queue, jobs.cluster.tolist(), jobs.start.tolist(), strict=True)
    runs = [ClusterRun(job, clusters[place], start) for job, place, start in found]
    for run in sorted(runs, key=lambda run: run.start):
        profiles.occupy(run.cluster, run.start, scaled.times[run.job], scaled.widths[run.job])
    return runs


list_runs = partial(queue_runs, "LIST")
"""List scheduling, overtaking (Graham): at every moment at which something begins or ends or a job is released, the
queue is gone through and every job starts that fits for its whole run."""

easy_runs = partial(queue_runs, "EASY")
"""Like `list_runs`, but nothing may delay the first job of the queue that cannot start, which is promised the earliest
start there is (EASY back-filling)."""

conservative_runs = partial(queue_runs, "CONSERVATIVE")
"""Give each job in turn its earliest start, delaying none before it."""

strict_runs = partial(queue_runs, "STRICT")
"""Start the jobs in turn, each as soon as it fits for its whole run: none before one that precedes it. Those behind a
job that fits nowhere wait for ever too."""
