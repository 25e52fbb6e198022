"""Rates of progress of jobs that run together over links that may be saturated: equations (2) to (7)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.coallocation.allocations import slowest_level, used_links
from oas.core.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from oas.coallocation.allocations import Allocation, LinkLoad
    from oas.coallocation.instance import CoallocationInstance, Job

    Column = list[tuple[int, int]]  # the jobs that load a link, by their position, with their loads


def rates(instance: CoallocationInstance, running: Sequence[tuple[int, Allocation]]) -> list[Fraction]:
    """Return the progress of each running job in a unit of time; a job ends when its progress is 1.

    `running` are indices of jobs with their allocations, which respect the limits of the links.
    """
    scaled = instance.scaled()
    loads = [allocation.loads for _, allocation in running]
    factors = slowdowns(instance.saturation.sharing, scaled.link_bandwidth, loads)
    return [
        rate(instance.jobs[job], scaled.powers[slowest_level(scaled, allocation.counts)], factor)
        for (job, allocation), factor in zip(running, factors, strict=True)
    ]


def rate(job: Job, power: Fraction, slowdown: Fraction) -> Fraction:
    """Return 1 / (Tb·(σ/Γ + (1 − σ)·SC)): progress in a unit of time, equations (1) and (2).

    `power` is Γ of the slowest node, `slowdown` is SC, at least 1.
    """
    return 1 / (job.base_time * (job.sigma / power + (1 - job.sigma) * slowdown))


def slowdowns(sharing: str, bandwidth: Sequence[int], loads: Sequence[Sequence[int]]) -> list[Fraction]:
    """Return SC of each job.

    `sharing`: as in `Saturation`. ``paper``: SC is the greatest load / MBW of the links that the job loads, at least 1:
    equations (5) to (7), but the printed (7) takes all links. ``max-min``: 1 / f; the shares f of their demand that
    jobs get grow together from 0 to 1, but stop for jobs on a full link. `bandwidth`: MBW of each link. `loads`: load
    of each job on each link at nominal demand, in the same unit; 0 on a link of bandwidth 0.
    """
    return slowdowns_on_links(sharing, bandwidth, [used_links(row) for row in loads])


def slowdowns_on_links(sharing: str, bandwidth: Sequence[int], used: Sequence[Sequence[LinkLoad]]) -> list[Fraction]:
    """Return SC as `slowdowns`; `used`: for each job the links that it loads. Other links take no time."""
    if sharing == "max-min":
        columns: dict[int, Column] = defaultdict(list)
        for job, row in enumerate(used):
            for link, load in row:
                columns[link].append((job, load))
        return _max_min(bandwidth, columns, used)
    totals: dict[int, int] = defaultdict(int)
    for row in used:
        for link, load in row:
            totals[link] += load
    # 1 / SAT of each saturated link, above 1
    degrees = {link: Fraction(total, bandwidth[link]) for link, total in totals.items() if total > bandwidth[link]}
    return [max((degrees[link] for link, _ in row if link in degrees), default=Fraction(1)) for row in used]


def _max_min(
    bandwidth: Sequence[int], columns: Mapping[int, Column], used: Sequence[Sequence[LinkLoad]]
) -> list[Fraction]:
    """Return SC of each job by progressive filling: each round ends when the next link in use is full."""
    shares: list[Fraction | None] = [None] * len(used)
    while None in shares:
        full = {link: _full_at(bandwidth[link], column, shares) for link, column in columns.items()}
        level = min([Fraction(1), *(share for share in full.values() if share is not None)])
        for job, row in enumerate(used):
            if shares[job] is None and (level == 1 or any(full[link] == level for link, _ in row)):
                shares[job] = level
    return [1 / share for share in shares if share is not None]


def _full_at(bandwidth: int, column: Column, shares: Sequence[Fraction | None]) -> Fraction | None:
    """Return the growing share at which a link is full; None if no job with a growing share uses it."""
    settled, growing = Fraction(0), 0
    for job, load in column:
        share = shares[job]
        if share is None:
            growing += load
        else:
            settled += share * load
    return (bandwidth - settled) / growing if growing else None


Member = tuple[int, int]
"""A job, and the index of one of its allocations."""


@dataclass(frozen=True)
class Configuration:
    """A set of jobs with allocations that run at the same time."""

    members: tuple[Member, ...]  # jobs in ascending order, each with the index of its allocation; at least one
    rates: tuple[Fraction, ...]  # exact progress of each in a unit of time


def configurations(
    instance: CoallocationInstance,
    choices: Sequence[Sequence[Allocation]],
    *,
    cap: int,
    formulation: str,
    apart: Collection[frozenset[int]] = (),
) -> tuple[Configuration, ...]:
    """Return every set of jobs, with at most one allocation each, that can run at the same time on nodes and links.

    Sets are extended job by job, since every subset of a feasible set is feasible.

    `choices`: the allocations of each job to consider. `cap`: maximum number of configurations; more raise
    `TooLargeError`, which names the `formulation` that needs them. `apart`: pairs of jobs that never run at the same
    time, whatever their allocations.
    """
    result: list[Configuration] = []
    for members in _sets(instance, choices, apart):
        if len(result) == cap:
            reason = f"the {formulation} model would have more than {cap:,} configurations of jobs that run together"
            raise TooLargeError(reason)
        running = [(job, choices[job][index]) for job, index in members]
        result.append(Configuration(members, tuple(rates(instance, running))))
    return tuple(result)


def _sets(
    instance: CoallocationInstance, choices: Sequence[Sequence[Allocation]], apart: Collection[frozenset[int]]
) -> Iterator[tuple[Member, ...]]:
    """Yield the members of each feasible set, in lexicographic order of the jobs."""
    scaled = instance.scaled()
    sizes = tuple(len(node_class.nodes) for node_class in scaled.classes)

    def extend(members: tuple[Member, ...], nodes: Sequence[int], links: Sequence[int]) -> Iterator[tuple[Member, ...]]:
        for job in range(members[-1][0] + 1 if members else 0, len(choices)):
            if any(frozenset((job, member)) in apart for member, _ in members):
                continue
            for index, choice in enumerate(choices[job]):
                free_nodes = [free - count for free, count in zip(nodes, choice.counts, strict=True)]
                free_links = [free - load for free, load in zip(links, choice.loads, strict=True)]
                if min(free_nodes) >= 0 and min(free_links) >= 0:
                    extended = (*members, (job, index))
                    yield extended
                    yield from extend(extended, free_nodes, free_links)

    yield from extend((), sizes, scaled.link_capacity)
