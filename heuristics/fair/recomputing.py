"""Sets up REF's second algorithm and runs it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import factorial, lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from heuristics.fair import recomputing_kernels as kernels
from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.problems.fair.ticks import FairTicks

COMPILED_FROM = 3_000  # visits; below, Python integers are as fast
PLAIN_MOST = 2_000_000  # starts in all coalitions, with Python integers
ROWS_MOST = 2**31  # bytes
MOMENTS = 2**18  # visits between two looks at Ctrl-C, about


@dataclass(frozen=True)
class Recomputed:
    """What the second algorithm finds.

    Attributes
    ----------
    starts
        When each job starts, -1 for not before the horizon.
    values
        v of each coalition at the horizon.
    notes
        Job, organization chosen, the best of the others, and by how much φ − ψ leads, of each noted decision.
    """

    starts: list[int]
    values: list[int]
    notes: list[tuple[int, int, int, Fraction]]


def recompute(
    ticks: FairTicks,
    stride: int,
    *,
    compiled: bool | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Recomputed:
    """Run REF by its second algorithm; each `stride`-th contended decision of all together is noted.

    Raises
    ------
    TooLargeError
        If numbers may pass 64 bits and there are too many starts for Python integers; or for want of memory.
    """
    k, horizon = ticks.organization_count, ticks.horizon
    starts = 2 ** (k - 1) * ticks.job_count
    scale = lcm(*range(1, k + 1))
    # |P| and scale·ψ are at most that each, and one is subtracted from the other.
    most = scale * ticks.total * (horizon + 1) * (horizon + 2) // 2
    narrow = most < 2**62
    if not narrow and starts > PLAIN_MOST:
        raise TooLargeError(f"to check REF, numbers may reach {most:.1e}, and {starts:,} starts are too many for those")
    quick = narrow and (starts >= COMPILED_FROM if compiled is None else compiled)
    bytes_ = 8 * ((1 << k) * (11 + 6 * k) + 4 * (1 << k) * ticks.total)
    if bytes_ > ROWS_MOST:
        raise TooLargeError(f"to check REF takes {bytes_:,} bytes; the limit is {ROWS_MOST:,}")
    proceed = kernels.proceed if quick else kernels.proceed.for_lists
    found = _arrays(ticks, stride, scale, np.int64 if quick else object)
    at_once = max(1, MOMENTS >> k)
    while proceed(found, horizon, stride, scale, kernels.proceed.at_once(at_once)):
        if on_progress is not None:
            on_progress(int(max(found.value[:, kernels.SINCE])))
    values = [int(kernels.ahead(found.value.astype(object), row, horizon)) for row in range(1 << k)]
    noted = found.notes[: -(-int(found.counts[kernels.MADE]) // stride)].tolist()
    notes = [(job, chosen, rival, Fraction(margin, scale)) for job, chosen, rival, margin in noted]
    return Recomputed(found.starts.tolist(), values, notes)


def _arrays(ticks: FairTicks, stride: int, scale: int, kind: Any) -> kernels.Coalitions:
    k, count = ticks.organization_count, 1 << ticks.organization_count
    sizes = [coalition.bit_count() for coalition in range(count)]
    machines = [int(one) for one in ticks.machines]
    idle = [sum(own for u, own in enumerate(machines) if coalition >> u & 1) for coalition in range(count)]
    queues = [np.flatnonzero(ticks.owner == u).tolist() for u in range(k)]
    begins = [sum(map(len, queues[:u])) for u in range(k)]
    weight = [[0] * (k + 1) for _ in range(k + 1)]
    for c in range(1, k + 1):
        for s in range(1, c + 1):
            weight[c][s] = scale * factorial(s - 1) * factorial(c - s) // factorial(c)
    columns = (ticks.owner, ticks.release, ticks.time, ticks.width)

    def made(values: Any) -> Any:
        return np.array(values, dtype=kind)

    def quadratics(rows: int) -> Any:
        return np.zeros((rows, 4), dtype=kind)

    return kernels.Coalitions(
        jobs=made([column.tolist() for column in columns]).T.copy(),
        queue=made([job for queue in queues for job in queue]),
        head=made([begins] * count),
        tail=made(begins),
        by_rank=made(sorted(range(1, count), key=sizes.__getitem__)),
        size=made(sizes),
        idle=made(idle),
        potential=quadratics(count),
        value=quadratics(count),
        utility=quadratics(count * k),
        weight=made(weight),
        ends=quadratics(sum(min(own, ticks.job_count) for own in idle) + 1),
        starts=made([-1] * ticks.job_count),
        notes=quadratics(ticks.job_count // stride + 1),
        counts=made([0] * 4),
    )
