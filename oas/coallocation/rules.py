"""The verifier's rules for co-allocation.

They deliberately restate durations, equation (4) and capacity and share no code with models, heuristics or scaling: a
mistake there must not be repeated here.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from heapq import heappop, heappush
from itertools import groupby
from typing import TYPE_CHECKING

from oas.coallocation.slowdown_rules import slowdown_violations
from oas.core.errors import shorten
from oas.core.numbers import comparable
from oas.core.problem import check_variant
from oas.core.registry import FORBID, MAX_MIN, SLOWDOWN
from oas.core.verifier import Violation, distinct_nodes, placement_violations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from oas.coallocation.instance import Cluster, CoallocationInstance, Job
    from oas.core.schedule import Placement, Schedule


def coallocation_violations(instance: CoallocationInstance, schedule: Schedule) -> list[Violation]:
    """Return every violation.

    Rules: each job runs exactly once; on τ distinct existing nodes, all for its whole run; from a start at or after 0,
    on the slot grid if there is one; for exactly Tb·(σ/Γ + 1 − σ) with the Γ of the slowest node used, rounded up to
    whole slots if there are slots; no node serves two jobs at the same time; no link ever carries more than its
    bandwidth (equations 4, 21 and 22 of the OAS paper). If saturated links slow jobs down, `slowdown_violations` has
    the rules on durations and links.

    Raises `InputError` if these rules do not implement the instance's saturation policy.
    """
    check_variant(instance, "the verifier", (FORBID, SLOWDOWN, MAX_MIN))
    clusters = {cluster.id: cluster for cluster in instance.clusters}
    violations, placements = placement_violations(instance, schedule, partial(_one_placement, instance, clusters))
    jobs = {job.id: job for job in instance.jobs}
    sound = [(jobs[placement.job], placement) for placement in placements]
    if instance.variant != FORBID:
        return violations + slowdown_violations(instance, sound)
    return [*violations, *_links(instance, sound)]


def _one_placement(
    instance: CoallocationInstance,
    clusters: Mapping[str, Cluster],
    job: Job,
    placement: Placement,
    distinct: int,
) -> Iterator[Violation]:
    powers: dict[int, Fraction] = {}  # by identity: the nodes of a group share one object, and comparing is slow
    for name, numbers in placement.nodes.items():
        if name in clusters:
            node_powers = clusters[name].node_powers
            powers |= {id(node_powers[number]): node_powers[number] for number in numbers if number < len(node_powers)}
    if distinct != job.tasks or placement.tasks != distinct:
        message = f"job {job.id} has {job.tasks} tasks but holds {distinct} distinct nodes ({placement.tasks} named)"
        yield Violation("tasks", (job.id,), message)
    if placement.start < 0:
        yield Violation("start", (job.id,), f"job {job.id} starts at {placement.start}, before 0")
    if instance.slot and placement.start % instance.slot:
        message = f"job {job.id} starts at {placement.start}, not a multiple of the slot {instance.slot}"
        yield Violation("grid", (job.id,), message)
    if powers and instance.variant == FORBID:
        needed = job.base_time * (job.sigma / min(powers.values()) + (1 - job.sigma))
        if instance.slot:
            slots, rest = divmod(needed, instance.slot)
            needed = (slots + (1 if rest else 0)) * instance.slot
        if placement.end - placement.start != needed:
            took = placement.end - placement.start
            yield Violation("duration", (job.id,), f"job {job.id} runs for {took} but needs exactly {needed}")


def _links(instance: CoallocationInstance, sound: list[tuple[Job, Placement]]) -> Iterator[Violation]:
    by_cluster: dict[str, list[tuple[Job, Placement, Fraction]]] = {cluster.id: [] for cluster in instance.clusters}
    for job, placement in sound:
        by_count: dict[int, Fraction] = {}  # load by the number of tasks on a cluster: many clusters have the same
        for name in placement.nodes:
            here = distinct_nodes(placement, name)
            if 0 < here < job.tasks:
                if here not in by_count:
                    by_count[here] = here * job.bandwidth * Fraction(job.tasks - here, job.tasks - 1)
                by_cluster[name].append((job, placement, by_count[here]))
    for cluster in instance.clusters:
        loads = by_cluster[cluster.id]
        for moment, total, running in _loaded(loads):
            if total > cluster.bandwidth:
                names = tuple(loads[index][0].id for index in sorted(running))
                message = (
                    f"the link of cluster {cluster.id} carries {shorten(total)} at {moment}, "
                    f"above its {cluster.bandwidth} (jobs {', '.join(names)})"
                )
                yield Violation("link", names, message)


def _loaded(loads: Sequence[tuple[Job, Placement, Fraction]]) -> Iterator[tuple[Fraction, Fraction, set[int]]]:
    """Yield the moments at which runs start, ascending, each with the load and the indices of the runs that cause it.

    The load of a link rises only at starts, so that no other moments need a check.
    """
    moments = comparable([moment for _, one, _ in loads for moment in (one.start, one.end)])
    starts, ends = moments[::2], moments[1::2]
    next_ends: list[tuple[int, int]] = []  # a heap
    running: set[int] = set()
    total = Fraction(0)
    for start, group in groupby(sorted(range(len(loads)), key=starts.__getitem__), key=starts.__getitem__):
        starting = list(group)
        for index in starting:
            if start < ends[index]:
                heappush(next_ends, (ends[index], index))
                running.add(index)
                total += loads[index][2]
        while next_ends and next_ends[0][0] <= start:
            index = heappop(next_ends)[1]
            running.remove(index)
            total -= loads[index][2]
        yield loads[starting[0]][1].start, total, running
