"""How fast jobs progress when they run together over links that may be saturated: equations (2) to (7)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.errors import TooLargeError
from oas.problems.coallocation.allocations import slowest_level

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance, Job


def rates(instance: CoallocationInstance, running: Sequence[tuple[int, Allocation]]) -> list[Fraction]:
    """Return the progress of each running job in a unit of time: a job ends when its progress is 1.

    `running` are indices of jobs with their allocations, which ask no link for more than it may be asked for.
    """
    scaled = instance.scaled()
    slowed = slowdowns(instance.saturation.sharing, scaled.link_bandwidth, [one.loads for _, one in running])
    return [
        rate(instance.jobs[job], scaled.powers[slowest_level(scaled, allocation.counts)], factor)
        for (job, allocation), factor in zip(running, slowed, strict=True)
    ]


def rate(job: Job, power: Fraction, slowdown: Fraction) -> Fraction:
    """Return 1 / (Tb·(σ/Γ + (1 − σ)·SC)): progress in a unit of time, equations (1) and (2).

    `power` is Γ of the slowest node, `slowdown` is SC, at least 1.
    """
    return 1 / (job.base_time * (job.sigma / power + (1 - job.sigma) * slowdown))


def slowdowns(sharing: str, bandwidth: Sequence[int], loads: Sequence[Sequence[int]]) -> list[Fraction]:
    """Return SC of each job.

    Parameters
    ----------
    sharing
        Of `Saturation`. ``paper``: SC is the greatest load / MBW of the links that the job loads, at least 1: equations
        (5) to (7), of which the last as printed ranges over all links. ``max-min``: 1 / f, where the shares f of their
        demand that jobs get grow together from 0 until a link is full or they are 1; jobs on a full link keep theirs.
    bandwidth
        MBW of each link.
    loads
        Of each job on each link, at nominal demand, same unit; none on a link of bandwidth 0.
    """
    if sharing == "max-min":
        return _max_min(bandwidth, loads)
    degrees = [_degree(own, sum(column)) for own, column in _columns(bandwidth, loads)]
    return [max([Fraction(1), *(degree for load, degree in zip(own, degrees, strict=True) if load)]) for own in loads]


def _degree(bandwidth: int, load: int) -> Fraction:
    """Return 1 / SAT of a link, at least 1; 1 where nothing is asked for, which is 0 / 0 in the print if MBW is 0."""
    return Fraction(load, bandwidth) if load > bandwidth else Fraction(1)


def _columns(bandwidth: Sequence[int], loads: Sequence[Sequence[int]]) -> list[tuple[int, list[int]]]:
    return [(own, [row[link] for row in loads]) for link, own in enumerate(bandwidth)]


def _max_min(bandwidth: Sequence[int], loads: Sequence[Sequence[int]]) -> list[Fraction]:
    """Progressive filling: each round ends where the fullest of the links that are still in use is full."""
    shares: list[Fraction | None] = [None] * len(loads)
    while None in shares:
        reached = [_reached(own, column, shares) for own, column in _columns(bandwidth, loads)]
        level = min([Fraction(1), *(one for one in reached if one is not None)])
        for job, row in enumerate(loads):
            held = any(load and one == level for load, one in zip(row, reached, strict=True))
            if shares[job] is None and (level == 1 or held):
                shares[job] = level
    return [1 / share for share in shares if share is not None]


def _reached(bandwidth: int, column: Sequence[int], shares: Sequence[Fraction | None]) -> Fraction | None:
    """Return the share at which a link is full, while those not settled yet grow; None if none of them uses it."""
    settled = sum((share * load for share, load in zip(shares, column, strict=True) if share is not None), Fraction(0))
    growing = sum(load for share, load in zip(shares, column, strict=True) if share is None)
    return (bandwidth - settled) / growing if growing else None


Member = tuple[int, int]
"""A job, and the index of one of its allocations."""


@dataclass(frozen=True)
class Configuration:
    """What runs together at some moment."""

    members: tuple[Member, ...]  # jobs in ascending order, each with the index of its allocation; at least one
    rates: tuple[Fraction, ...]  # progress of each in a unit of time, as the instance shares links out: exact


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

    Raises `TooLargeError` if there are more than `cap`, naming formulation and cap.

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
