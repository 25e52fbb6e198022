"""A broken rule, and the rules that every problem has in common."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from oas.core.schedule import Placement, Schedule


@dataclass(frozen=True)
class Violation:
    """One broken rule.

    Attributes
    ----------
    rule
        ``unknown_job``, ``missing_job``, ``duplicate_job``, ``unknown_cluster``, ``unknown_node``, ``tasks``,
        ``start``, ``duration`` or ``capacity``; of co-allocation also ``grid`` and ``link``; of MOSP also
        ``one_cluster``, ``reservation`` and ``locality``.
    jobs
        Ids of the jobs involved.
    message
        What is wrong, with the figures.
    """

    rule: str
    jobs: tuple[str, ...]
    message: str

    def __str__(self) -> str:
        return f"[{self.rule}] {self.message}"


def each_job_once(jobs: Collection[str], schedule: Schedule) -> Iterator[Violation]:
    """Every job of the instance runs once, and nothing else runs."""
    runs: dict[str, int] = defaultdict(int)
    for placement in schedule.placements:
        runs[placement.job] += 1
    for name, count in runs.items():
        if name not in jobs:
            yield Violation("unknown_job", (name,), f"job {name} is not in the instance")
        elif count > 1:
            yield Violation("duplicate_job", (name,), f"job {name} runs {count} times")
    for name in jobs:
        if name not in runs:
            yield Violation("missing_job", (name,), f"job {name} does not run")


def node_conflicts(placements: Iterable[Placement]) -> Iterator[Violation]:
    """No node serves two jobs at once."""
    busy: dict[tuple[str, int], list[Placement]] = defaultdict(list)
    for placement in placements:
        for name, numbers in placement.nodes.items():
            for number in set(numbers):
                busy[name, number].append(placement)
    for (name, number), own in sorted(busy.items()):
        latest: Placement | None = None
        for placement in sorted(own, key=lambda one: (one.start, one.end)):
            if latest is not None and placement.start < latest.end:
                pair = (latest.job, placement.job)
                message = f"node {number} of cluster {name} serves {pair[0]} and {pair[1]} at {placement.start}"
                yield Violation("capacity", pair, message)
            if latest is None or placement.end > latest.end:
                latest = placement
