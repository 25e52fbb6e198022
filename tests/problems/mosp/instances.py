"""Random MOSP instances and schedules, shared by all tests: seeded, tiny, with every feature."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import TYPE_CHECKING

from oas.generate.mosp.tiny import draw_tiny, random_instance
from oas.problems.mosp.runs import ClusterRun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.mosp.ticks import ScaledMosp

__all__ = ["draw_tiny", "fits", "random_cluster_runs", "random_instance"]


def random_cluster_runs(scaled: ScaledMosp, seed: int) -> list[ClusterRun]:
    """Return runs that fit releases, clusters and reservations but heed no deadline, some of them later than needed."""
    rng = Random(seed)
    runs: list[ClusterRun] = []
    for job in rng.sample(range(scaled.job_count), scaled.job_count):
        fitting = [k for k, size in enumerate(scaled.processors) if size >= scaled.widths[job]]
        cluster, idle = rng.choice(fitting), rng.choice((0, 0, 1, 3))
        start = next(
            t for t in count(scaled.releases[job] + idle) if fits(scaled, [*runs, ClusterRun(job, cluster, t)], cluster)
        )
        runs.append(ClusterRun(job, cluster, start))
    return sorted(runs, key=lambda run: run.job)


def fits(scaled: ScaledMosp, runs: Sequence[ClusterRun], cluster: int) -> bool:
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
