"""Long queues on one cluster, by the loops that serve streams of jobs on one machine.

`heuristics.stream` looks at blocks of steps at once and puts jobs aside until what keeps them from starting is over; so
queues of a hundred thousand jobs that are all released at one moment take a fraction of the time. The schedules are
the same: what is served, and when, follows from the rules of list scheduling and of back-filling alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heuristics.mosp.capacity.kernels import NEVER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heuristics.mosp.capacity.profile import Profiles
    from oas.problems.mosp.ticks import ScaledMosp

LONG = 10_000  # jobs in a queue, from which on these loops are worth their compilation
LIST, EASY, CONSERVATIVE = "FCFS", "EASY", "conservative"  # as `heuristics.stream.policies` names them


def serves(policy: str, profiles: Profiles, scaled: ScaledMosp, clusters: Sequence[int], queue: Sequence[int]) -> bool:
    """Whether `starts_on` can serve this queue: it is long, for one cluster alone, and its jobs fit there in the end.

    Back-filling is for queues by release only.
    """
    if len(clusters) != 1 or len(queue) < LONG:
        return False
    *_, (last, free) = profiles.steps(clusters[0])
    if last >= NEVER or max(scaled.widths[job] for job in queue) > free:
        return False
    releases = [scaled.releases[job] for job in queue]
    return policy == LIST or releases == sorted(releases)


def starts_on(
    profiles: Profiles,
    scaled: ScaledMosp,
    cluster: int,
    queue: Sequence[int],
    policy: str,
    *,
    compiled: bool | None = None,
) -> list[int]:
    """Return the start of each job of `queue`, in its order, and place the jobs on the cluster.

    Parameters
    ----------
    profiles
        With what the cluster holds already.
    scaled
        The jobs in ticks, which add up to less than 2^62.
    cluster, queue
        As `serves` takes them.
    policy
        `LIST`, `EASY` or `CONSERVATIVE`.
    compiled
        See `oas.core.compiling.chosen`.
    """
    import numpy as np  # for long queues alone

    from heuristics.stream.policies import served
    from oas.core.stream import UNKNOWN, JobStream

    jobs = np.array(queue, dtype=np.int64)
    releases, times, widths = (
        np.array(values, dtype=np.int64)[jobs] for values in (scaled.releases, scaled.times, scaled.widths)
    )
    arrivals = np.argsort(releases, kind="stable")
    moments, free = np.array(list(profiles.steps(cluster)), dtype=np.int64).T
    found = np.empty(len(jobs), dtype=np.int64)
    stream = JobStream(
        np.arange(len(jobs)), releases[arrivals], times[arrivals], widths[arrivals], np.full(len(jobs), UNKNOWN)
    )
    steps = np.ascontiguousarray(moments), np.ascontiguousarray(free)
    found[arrivals] = served(policy, steps, stream, arrivals, compiled)
    assert found.min() >= 0
    order = np.argsort(found, kind="stable")
    begun = found[order]
    blocks = (np.full(len(jobs), cluster), begun, begun + times[order], widths[order])
    profiles.occupy_ordered(*(profiles.numbers(column.tolist()) for column in blocks))
    return list(found.tolist())
