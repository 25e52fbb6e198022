"""Configurations: sets of jobs with their allocations that may run together, and how fast each of them then runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError
from oas.problems.coallocation.rates import rates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from fractions import Fraction

    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance

Member = tuple[int, int]
"""A job, and the index of one of its allocations."""


@dataclass(frozen=True)
class Configuration:
    """What runs together at some moment.

    Attributes
    ----------
    members
        Jobs in ascending order, each with the index of its allocation; at least one.
    rates
        Progress of each in a unit of time, as the instance shares links out: exact.
    """

    members: tuple[Member, ...]
    rates: tuple[Fraction, ...]


def configurations(
    instance: CoallocationInstance,
    choices: Sequence[Sequence[Allocation]],
    *,
    cap: int,
    formulation: str,
    apart: Collection[frozenset[int]] = (),
) -> tuple[Configuration, ...]:
    """Return every set of jobs, at most one allocation of each, that nodes and links allow to run together.

    Every subset of one is one too, so they are extended job by job.

    Parameters
    ----------
    choices
        choices[j]: the allocations of job j to consider.
    cap
        The most there may be.
    formulation
        Who asks, for the message.
    apart
        Pairs of jobs that never run together, whatever their allocations.

    Raises
    ------
    TooLargeError
        If there are more than `cap`, naming formulation and cap.
    """
    found: list[Configuration] = []
    for members in _sets(instance, choices, apart):
        if len(found) == cap:
            reason = f"the {formulation} model would have more than {cap:,} configurations of jobs that run together"
            raise TooLargeError(reason)
        running = [(job, choices[job][index]) for job, index in members]
        found.append(Configuration(members, tuple(rates(instance, running))))
    return tuple(found)


def _sets(
    instance: CoallocationInstance, choices: Sequence[Sequence[Allocation]], apart: Collection[frozenset[int]]
) -> Iterator[tuple[Member, ...]]:
    """Yield the members of each, in lexicographic order of the jobs."""
    scaled = instance.scaled()
    sizes = tuple(len(node_class.nodes) for node_class in scaled.classes)

    def extend(members: tuple[Member, ...], nodes: Sequence[int], links: Sequence[int]) -> Iterator[tuple[Member, ...]]:
        for job in range(members[-1][0] + 1 if members else 0, len(choices)):
            if any(frozenset((job, other)) in apart for other, _ in members):
                continue
            for index, choice in enumerate(choices[job]):
                free = [left - count for left, count in zip(nodes, choice.counts, strict=True)]
                room = [left - load for left, load in zip(links, choice.loads, strict=True)]
                if min(free) >= 0 and min(room) >= 0:
                    longer = (*members, (job, index))
                    yield longer
                    yield from extend(longer, free, room)

    yield from extend((), sizes, scaled.link_capacity)
