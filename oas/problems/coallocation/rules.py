"""The verifier's rules for co-allocation.

They restate durations, equation (4) and capacity on purpose and share no code with models, heuristics or scaling: a
mistake there must not be repeated here.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from heapq import heappop, heappush
from itertools import groupby
from typing import TYPE_CHECKING

from oas.core.errors import shorten
from oas.core.numbers import comparable
from oas.core.problem import check_variant
from oas.core.verifier import Violation, placement_violations
from oas.problems.coallocation.slowdown_rules import slowdown_violations
from oas.problems.registry import FORBID, MAX_MIN, SLOWDOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.core.schedule import Placement, Schedule
    from oas.problems.coallocation.instance import CoallocationInstance, Job


def coallocation_violations(instance: CoallocationInstance, schedule: Schedule) -> list[Violation]:
    """Return every violation.

    Rules: each job runs exactly once; on τ distinct existing nodes, all for its whole run; from a start at or after 0,
    on the slot grid if there is one; for exactly Tb·(σ/Γ + 1 − σ) with the Γ of the slowest node used, rounded up to
    whole slots if there are slots; no node serves two jobs at once; no link ever carries more than its bandwidth
    (equations 4, 21 and 22 of the OAS paper). Where saturated links slow jobs down, the rules on durations and links
    are those of `slowdown_violations` instead.

    Raises `InputError` if the instance's saturation policy is none that these rules know.
    """
    check_variant(instance, "the verifier", (FORBID, SLOWDOWN, MAX_MIN))
    jobs = {job.id: job for job in instance.jobs}
    violations, placements = placement_violations(jobs, schedule, partial(_one_placement, instance))
    sound = [(jobs[placement.job], placement) for placement in placements]
    if instance.variant != FORBID:
        return violations + slowdown_violations(instance, sound)
    return [*violations, *_links(instance, sound)]


def _one_placement(instance: CoallocationInstance, job: Job, placement: Placement) -> Iterator[Violation]:
    clusters = {cluster.id: cluster for cluster in instance.clusters}
    powers: list[Fraction] = []
    nodes: list[tuple[str, int]] = []
    for name, numbers in placement.nodes.items():
        if name not in clusters:
            yield Violation("unknown_cluster", (job.id,), f"job {job.id} uses cluster {name}, which does not exist")
            continue
        own = clusters[name].node_powers
        for number in numbers:
            nodes.append((name, number))
            if 0 <= number < len(own):
                powers.append(own[number])
            else:
                message = f"job {job.id} uses node {number} of cluster {name}, which has nodes 0 to {len(own) - 1}"
                yield Violation("unknown_node", (job.id,), message)
    if len(set(nodes)) != job.tasks or len(nodes) != len(set(nodes)):
        message = f"job {job.id} has {job.tasks} tasks but holds {len(set(nodes))} distinct nodes ({len(nodes)} named)"
        yield Violation("tasks", (job.id,), message)
    if placement.start < 0:
        yield Violation("start", (job.id,), f"job {job.id} starts at {placement.start}, before 0")
    if instance.slot and placement.start % instance.slot:
        message = f"job {job.id} starts at {placement.start}, not a multiple of the slot {instance.slot}"
        yield Violation("grid", (job.id,), message)
    if powers and instance.variant == FORBID:
        needed = job.base_time * (job.sigma / min(powers) + (1 - job.sigma))
        if instance.slot:
            slots, rest = divmod(needed, instance.slot)
            needed = (slots + (1 if rest else 0)) * instance.slot
        if placement.end - placement.start != needed:
            took = placement.end - placement.start
            yield Violation("duration", (job.id,), f"job {job.id} runs for {took} but needs exactly {needed}")


def _links(instance: CoallocationInstance, sound: list[tuple[Job, Placement]]) -> Iterator[Violation]:
    for cluster in instance.clusters:
        loads: list[tuple[Job, Placement, Fraction]] = []
        for job, placement in sound:
            here = len(set(placement.nodes.get(cluster.id, ())))
            if 0 < here < job.tasks:
                share = Fraction(job.tasks - here, job.tasks - 1)
                loads.append((job, placement, here * job.bandwidth * share))
        for moment, total, running in _loaded(loads):
            if total > cluster.bandwidth:
                names = tuple(loads[place][0].id for place in sorted(running))
                message = (
                    f"the link of cluster {cluster.id} carries {shorten(total)} at {moment}, "
                    f"above its {cluster.bandwidth} (jobs {', '.join(names)})"
                )
                yield Violation("link", names, message)


def _loaded(loads: Sequence[tuple[Job, Placement, Fraction]]) -> Iterator[tuple[Fraction, Fraction, set[int]]]:
    """Yield each moment at which a run starts, in time, with the load then and the places of the runs that cause it.

    A load only rises where a job starts, so these are the only moments to look at.
    """
    moments = comparable([moment for _, one, _ in loads for moment in (one.start, one.end)])
    starts, ends = moments[::2], moments[1::2]
    over: list[tuple[int, int]] = []  # heap of ends
    running: set[int] = set()
    total = Fraction(0)
    for start, group in groupby(sorted(range(len(loads)), key=starts.__getitem__), key=starts.__getitem__):
        own = list(group)
        for place in own:
            if start < ends[place]:
                heappush(over, (ends[place], place))
                running.add(place)
                total += loads[place][2]
        while over and over[0][0] <= start:
            place = heappop(over)[1]
            running.remove(place)
            total -= loads[place][2]
        yield loads[own[0]][1].start, total, running
