"""The rules for schedules of all problems, and those for MOSP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple

from oas.checker.mosp_instance import MospInstance
from oas.checker.reading import refused


class PlacedJob(NamedTuple):
    """A job's run [start, end) in the instance's time unit, and the numbers of the nodes used, by cluster id."""

    job: str
    start: Fraction
    end: Fraction
    nodes: dict[str, list[int]]


def on_nodes(
    jobs: Sequence[str],
    pools: Sequence[tuple[str, Sequence[int]]],
    runs: Sequence[tuple[int, Fraction, Fraction, Sequence[int]]],
) -> list[PlacedJob]:
    """Return the schedule of some runs (job, start, end, number of nodes of each pool), the first idle nodes for each.

    `jobs` are the ids, `pools` the cluster and the numbers of interchangeable nodes. No pool is ever exhausted.
    """
    free_from = [dict.fromkeys(numbers, Fraction(0)) for _, numbers in pools]
    placements = []
    for job, start, end, counts in sorted(runs, key=lambda run: run[1]):
        nodes: dict[str, list[int]] = {}
        for (cluster, _), moments, count in zip(pools, free_from, counts, strict=True):
            idle = [number for number, moment in moments.items() if moment <= start][:count]
            moments.update(dict.fromkeys(idle, end))
            if idle:
                nodes.setdefault(cluster, []).extend(idle)
        placements.append(PlacedJob(jobs[job], start, end, nodes))
    return placements


def check_runs(placements: Sequence[PlacedJob], counts: Mapping[str, int], sizes: Mapping[str, int]) -> None:
    """Refuse a schedule unless each job runs once on enough distinct nodes, and each node serves one job at a time.

    `counts` is the number of nodes that each job needs, `sizes` that of each cluster. Runs must end after their starts.
    """
    left = set(counts)
    free_from: dict[tuple[str, int], Fraction] = {}
    for one in sorted(placements, key=lambda one: one.start):
        if one.job not in counts:
            raise refused("schedule", f"job {one.job} is not in the instance")
        if one.job not in left:
            raise refused("schedule", f"job {one.job} runs twice")
        left.remove(one.job)
        for name, numbers in one.nodes.items():
            if name not in sizes:
                raise refused("schedule", f"job {one.job} uses cluster {name}, which does not exist")
            if max(numbers) >= sizes[name]:
                message = f"job {one.job} uses node {max(numbers)} of cluster {name}, which has {sizes[name]} nodes"
                raise refused("schedule", message)
            if len(set(numbers)) < len(numbers):
                raise refused("schedule", f"job {one.job} names a node of cluster {name} twice")
            for number in numbers:
                if free_from.get((name, number), one.start) > one.start:
                    message = f"node {number} of cluster {name} serves job {one.job} and another at {one.start}"
                    raise refused("schedule", message)
                free_from[name, number] = one.end
        held = sum(map(len, one.nodes.values()))
        if held != counts[one.job]:
            raise refused("schedule", f"job {one.job} needs {counts[one.job]} nodes but holds {held}")
    if left:
        raise refused("schedule", f"job {min(left)} does not run")


def loads_over_time(blocks: Sequence[tuple[Fraction, Fraction, Any]]) -> Iterator[tuple[Fraction, Any]]:
    """Yield each start of blocks (start, end, load), ascending, with the sum of the loads then."""
    events = [(start, True, load) for start, _, load in blocks] + [(end, False, -load) for _, end, load in blocks]
    events.sort(key=lambda event: event[0])
    total: Any = 0
    for moment, group in groupby(events, key=lambda event: event[0]):
        changes = list(group)
        total = sum((load for _, _, load in changes), total)
        if any(begins for _, begins, _ in changes):
            yield moment, total


def check_mosp_schedule(instance: MospInstance, placements: list[PlacedJob]) -> None:
    """Refuse a schedule that breaks a rule.

    Each job runs once, on its number of distinct processors of one cluster, for exactly its time, not before its
    release; no processor serves two jobs at the same time; jobs and reservations together never need more processors
    than a cluster has; no organization ends after locality times its local makespan.
    """
    jobs = {job.id: job for job in instance.jobs}
    sizes = {one.id: one.processors for one in instance.organizations}
    check_runs(placements, {job.id: job.processors for job in instance.jobs}, sizes)
    for one in placements:
        job = jobs[one.job]
        if len(one.nodes) > 1:
            raise refused("schedule", f"job {job.id} is spread over clusters {', '.join(sorted(one.nodes))}")
        if one.start < job.release:
            raise refused("schedule", f"job {job.id} starts at {one.start}, before {job.release}")
        if one.end - one.start != job.time:
            took = one.end - one.start
            raise refused("schedule", f"job {job.id} runs for {took} but needs exactly {job.time}")
    _check_reservations(instance, placements)
    _check_locality(instance, placements)


def _check_reservations(instance: MospInstance, placements: list[PlacedJob]) -> None:
    for organization in instance.organizations:
        if not organization.reservations:
            continue
        blocks: list[tuple[Fraction, Fraction, int]] = [*organization.reservations]
        for one in placements:
            if organization.id in one.nodes:
                blocks.append((one.start, one.end, len(one.nodes[organization.id])))
        for moment, usage in loads_over_time(blocks):
            if usage > organization.processors:
                reason = f"jobs and reservations need {usage} of {organization.processors} processors"
                raise refused("schedule", f"{reason} of cluster {organization.id} at {moment}")


def _check_locality(instance: MospInstance, placements: list[PlacedJob]) -> None:
    for one in placements:
        k = instance.owner[one.job]
        deadline = instance.deadlines[k]
        if deadline is not None and one.end > deadline:
            name = instance.organizations[k].id
            reason = f"above {deadline}, {instance.locality} times its local makespan"
            raise refused("schedule", f"organization {name} ends at {one.end} (job {one.job}), {reason}")
