"""FCFS, SJF, BJF, FPFS, SPT and LPT (OAS paper, section 4.2): queues that differ in order and in overtaking.

They know every saturation policy: a split job asks each link for no more than is left of what it may be asked for.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from heuristics.coallocation.list_engine import list_schedule
from heuristics.method import Method
from oas.problems.coallocation.problem import COALLOCATION

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance, Job


class Queue(NamedTuple):
    """A queue discipline.

    Attributes
    ----------
    order
        Jobs are sorted by this, ties by index.
    overtaking
        Whether a job may start before one ahead of it in the queue.
    rank, summary
        As `Method` has them.
    """

    order: Callable[[Job], int | Fraction]
    overtaking: bool
    rank: int
    summary: str


QUEUES = {
    "FCFS": Queue(lambda job: 0, False, 10, "first come, first served; the queue blocks"),
    "SJF": Queue(lambda job: job.tasks, False, 20, "short jobs first: fewest tasks first; the queue blocks"),
    "BJF": Queue(lambda job: -job.tasks, False, 30, "big jobs first: most tasks first; the queue blocks"),
    "FPFS": Queue(
        lambda job: 0, True, 40, "fit processors first served: whatever in the queue fits starts, overtaking"
    ),
    "SPT": Queue(
        lambda job: job.base_time, False, 50, "short processing time: least base time first; the queue blocks"
    ),
    "LPT": Queue(
        lambda job: -job.base_time, False, 60, "long processing time: greatest base time first; the queue blocks"
    ),
}


def schedule(name: str, instance: CoallocationInstance, *, seed: int = 0) -> Schedule:
    """Schedule by one of `QUEUES`; deterministic, `seed` is not used."""
    rule = QUEUES[name]
    queue = sorted(range(len(instance.jobs)), key=lambda index: rule.order(instance.jobs[index]))
    return list_schedule(instance, queue, overtaking=rule.overtaking, method=name)


METHODS = tuple(
    Method(
        name,
        partial(schedule, name),
        rule.summary,
        rank=rule.rank,
        problem=COALLOCATION,
        variants=COALLOCATION.variants,
    )
    for name, rule in QUEUES.items()
)
