"""How fast jobs progress when they run together over links that may be saturated: equations (2) to (7)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.problems.coallocation.allocations import Allocation
    from oas.problems.coallocation.instance import CoallocationInstance, Job


def rates(instance: CoallocationInstance, running: Sequence[tuple[int, Allocation]]) -> list[Fraction]:
    """Return the progress of each running job in a unit of time: a job ends when its progress is 1.

    Parameters
    ----------
    instance
        Whose jobs run, under any saturation policy.
    running
        Indices of jobs, and their allocations. They ask no link for more than it may be asked for.
    """
    scaled = instance.scaled()
    slowed = slowdowns(instance.saturation.sharing, scaled.link_bandwidth, [one.loads for _, one in running])
    return [
        rate(instance.jobs[job], min(_powers(instance, allocation)), factor)
        for (job, allocation), factor in zip(running, slowed, strict=True)
    ]


def rate(job: Job, power: Fraction, slowdown: Fraction) -> Fraction:
    """Return 1 / (Tb·(σ/Γ + (1 − σ)·SC)): progress in a unit of time, equations (1) and (2).

    Parameters
    ----------
    power
        Γ of the slowest node.
    slowdown
        SC, at least 1.
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


def _powers(instance: CoallocationInstance, allocation: Allocation) -> list[Fraction]:
    scaled = instance.scaled()
    pairs = zip(scaled.classes, allocation.counts, strict=True)
    return [scaled.powers[node_class.level] for node_class, count in pairs if count]
