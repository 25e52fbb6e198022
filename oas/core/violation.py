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
        ``one_cluster``, ``reservation`` and ``locality``; of fair sharing also ``horizon``, ``fifo`` and ``greedy``.
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
    own = list(placements)
    # Moments by rank: a node is looked at for each of its jobs, and fractions are slow to compare.
    ranks = {moment: rank for rank, moment in enumerate(sorted({m for one in own for m in (one.start, one.end)}))}
    latest: dict[tuple[str, int], tuple[int, Placement]] = {}
    found: dict[tuple[str, int], list[Violation]] = defaultdict(list)
    for placement in sorted(own, key=lambda one: (ranks[one.start], ranks[one.end])):
        start, end = ranks[placement.start], ranks[placement.end]
        for name, numbers in placement.nodes.items():
            for number in set(numbers):
                until, other = latest.get((name, number), (-1, placement))
                if start < until:
                    pair = (other.job, placement.job)
                    message = f"node {number} of cluster {name} serves {pair[0]} and {pair[1]} at {placement.start}"
                    found[name, number].append(Violation("capacity", pair, message))
                if end > until:
                    latest[name, number] = (end, placement)
    for node in sorted(found):
        yield from found[node]
