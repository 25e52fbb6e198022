"""What a search log of co-allocation is walked by: the instance and what the certificate names, each thing confirmed.

Jobs are numbered by their place in the log's order; node classes go from the slowest level on, then by index.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from oas.checker.coallocation_heaviest import heaviest_together
from oas.checker.coallocation_instance import COALLOCATION_MAX_TICKS, CoallocationTicks
from oas.checker.coallocation_levels import LevelMode, fastest_levels
from oas.checker.coallocation_pairs import can_pair_run, pair_steps
from oas.checker.coallocation_together import Together
from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.reading import fields_of, integer_of, list_of

MOST_LOG_PAIRS = 2**18  # (job, level) twice
MOST_LOG_SETS = 50  # of weights
MOST_LOG_WEIGHT = 2**60  # of what can run together, over the whole schedule
MOST_LOG_CLASS = 2**15 - 1  # nodes
MOST_LOG_STATE_WORDS = 2**25  # of all states that are referred to
MOST_LOG_LOADS = 2**62


@dataclass(frozen=True)
class LogRules:
    """The rules of one log.

    Attributes
    ----------
    horizon
        C, the makespan that is to be refuted, in ticks.
    placed
        Whether nodes are decided.
    mirrored
        The job whose middle is in the first half.
    tasks, fastest, loads
        Of each job: τ, its least level, its loads on a link by tasks there.
    ticks
        ``ticks[job][level]``.
    room
        Of each level: nodes of it or faster ones.
    links
        Capacity of each link.
    class_level, class_cluster, class_nodes, class_last
        Of each node class, none if nodes are not decided: its level, cluster and nodes, and whether it is the last of
        its cluster.
    apart
        ``apart[job][level]``: bit (other·levels + level of the other) for what cannot run beside it.
    weights, extra
        ``[job][level]``: by each set of weights, what the job weighs at that level, and by how much that over its time
        is more than at its cheapest level.
    whole, budget
        Of each set of weights: M, and what a schedule of C ticks may waste.
    """

    horizon: int
    placed: bool
    mirrored: int
    tasks: list[int]
    fastest: list[int]
    loads: list[tuple[int, ...]]
    ticks: list[tuple[int, ...]]
    room: list[int]
    links: tuple[int, ...]
    class_level: list[int]
    class_cluster: list[int]
    class_nodes: tuple[int, ...]
    class_last: list[bool]
    apart: list[list[int]]
    weights: list[list[tuple[int, ...]]]
    extra: list[list[tuple[int, ...]]]
    whole: tuple[int, ...]
    budget: tuple[int, ...]


def read_log_rules(scaled: CoallocationTicks, fields: dict[str, Any], effort: Effort) -> LogRules:
    """Return the rules of a log, confirmed for the instance; raise `Refused` for what does not hold."""
    jobs, levels = scaled.job_count, len(scaled.powers)
    horizon = integer_of(fields["makespan"], "certificate.makespan", most=COALLOCATION_MAX_TICKS - 1)
    if type(fields["placed"]) is not bool:
        raise refused("certificate.placed", "must be true or false", fields["placed"])
    order = [
        integer_of(job, "certificate.order", most=jobs - 1)
        for job in list_of(fields["order"], "certificate.order", count=jobs)
    ]
    if len(set(order)) < jobs:
        raise refused("certificate.order", "must hold each job once")
    mirrored = integer_of(fields["mirrored"], "certificate.mirrored", most=jobs - 1)
    if (jobs * levels) ** 2 > MOST_LOG_PAIRS:
        raise refused("certificate", f"{jobs} jobs of {levels} levels are too many")
    if sum(map(max, scaled.link_loads)) + max(scaled.link_capacity) >= MOST_LOG_LOADS:
        raise refused("certificate", "link loads are too large")
    fastest = fastest_levels(scaled)
    together = Together(scaled, effort)
    whole, rows, least = read_log_weights(scaled, horizon, fastest, together, fields["weights"])
    classes = sorted(scaled.classes, key=lambda one: -one.level) if fields["placed"] else []
    if any(len(one.nodes) > MOST_LOG_CLASS for one in classes):
        raise refused("certificate", "a class has too many nodes")
    clusters = [one.cluster for one in classes]
    sets = range(len(whole))
    return LogRules(
        horizon=horizon,
        placed=fields["placed"],
        mirrored=order.index(mirrored),
        tasks=[scaled.tasks[job] for job in order],
        fastest=[fastest[job] for job in order],
        loads=[scaled.link_loads[job] for job in order],
        ticks=[scaled.durations[job] for job in order],
        room=together.capacity,
        links=scaled.link_capacity,
        class_level=[one.level for one in classes],
        class_cluster=clusters,
        class_nodes=tuple(len(one.nodes) for one in classes),
        class_last=[cluster not in clusters[place + 1 :] for place, cluster in enumerate(clusters)],
        apart=_log_apart(scaled, order, together, fields["apart"]),
        weights=[[tuple(rows[one][job][level] for one in sets) for level in range(levels)] for job in order],
        extra=[
            [
                tuple(scaled.durations[job][level] * rows[one][job][level] - least[one][job] for one in sets)
                for level in range(levels)
            ]
            for job in order
        ],
        whole=tuple(whole),
        budget=tuple(horizon * whole[one] - sum(least[one]) for one in sets),
    )


def read_log_weights(
    scaled: CoallocationTicks, horizon: int, fastest: Sequence[int], together: Together, value: Any
) -> tuple[list[int], list[Any], list[list[int]]]:
    """Return of each set of weights: M, the weights by job and level, and the least of each job over its time."""
    modes = [
        [LevelMode(level, ticks[level]) for level in range(first, len(ticks))]
        for ticks, first in zip(scaled.durations, fastest, strict=True)
    ]
    longest = max(horizon, sum(max(row) for row in scaled.durations))
    wholes, found, least = [], [], []
    for number, one in enumerate(list_of(value, "certificate.weights", most=MOST_LOG_SETS)):
        where = f"certificate.weights[{number}]"
        fields_of(one, where, "jobs", "whole")
        whole = integer_of(one["whole"], f"{where}.whole", most=MOST_LOG_WEIGHT // longest)
        rows = list_of(one["jobs"], f"{where}.jobs", count=scaled.job_count)
        cheapest = []
        for job, row in enumerate(rows):
            place = f"{where}.jobs[{job}]"
            for weight in list_of(row, place, count=len(scaled.powers)):
                integer_of(weight, place, most=whole)
            cheapest.append(min(mode.ticks * row[mode.level] for mode in modes[job]))
        possible = [row[first:] for row, first in zip(rows, fastest, strict=True)]
        if heaviest_together(together, modes, possible, floor=whole) > whole:
            raise refused(f"{where}.whole", "jobs that can run together may weigh more", whole)
        wholes.append(whole)
        found.append(rows)
        least.append(cheapest)
    return wholes, found, least


def _log_apart(scaled: CoallocationTicks, order: Sequence[int], together: Together, value: Any) -> list[list[int]]:
    """Return the pairs that cannot run together, each confirmed."""
    jobs, levels = scaled.job_count, len(scaled.powers)
    place = {job: at for at, job in enumerate(order)}
    apart = [[0] * levels for _ in order]
    for number, one in enumerate(list_of(value, "certificate.apart", most=MOST_LOG_PAIRS)):
        where = f"certificate.apart[{number}]"
        job, level, other, below = (
            integer_of(entry, where, most=most - 1)
            for entry, most in zip(list_of(one, where, count=4), (jobs, levels) * 2, strict=True)
        )
        if job == other:
            raise refused(where, "must be different jobs", one)
        together.effort.spend(pair_steps(scaled, job, other))
        if can_pair_run(scaled, together.nodes, (job, level), (other, below)):
            raise refused(where, "these can run together", one)
        apart[place[job]][level] |= 1 << place[other] * levels + below
        apart[place[other]][below] |= 1 << place[job] * levels + level
    return apart


def read_log_moments(data: bytes) -> array[int]:
    """Return ascending numbers, written as distances in numbers of seven bits a byte, lowest first, 128 added to go on.

    Raises
    ------
    Refused
        If they are no such numbers, or too many.
    """
    found = array("q")
    number = rest = shift = 0
    for byte in data:
        rest |= (byte & 127) << shift
        shift += 7
        if shift > 35:
            raise refused("certificate.seen", "must hold numbers below 2^35")
        if byte < 128:
            if len(found) == MOST_LOG_STATE_WORDS or (found and not rest):
                raise refused("certificate.seen", "must hold ascending numbers, and not too many")
            number += rest
            found.append(number)
            rest = shift = 0
    if shift:
        raise refused("certificate.seen", "the last number is not complete")
    return found


def check_log_states(rules: LogRules, seen: Sequence[int], codes: int) -> None:
    """Refuse a log that refers to moments beyond its end, or to more than are to be kept."""
    left, running = rules.room[-1], 0  # so many jobs run at a time at most
    for tasks in sorted(rules.tasks):
        left -= tasks
        running += left >= 0
    words = (len(rules.tasks) + 59) // 60 + running * (2 + (len(rules.class_nodes) + 3) // 4)
    if seen and (seen[-1] >= codes or len(seen) * words > MOST_LOG_STATE_WORDS):
        raise refused("certificate.seen", f"{len(seen):,} moments are too many, or are not in the log")
