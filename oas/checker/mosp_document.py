"""Reading of MOSP instances: the format ``oas-instance`` with ``"problem": "mosp"``.

A file may give the local schedules by a policy: list scheduling of an organization's jobs on its own cluster. Whenever
processors become free or a job is released, each job of the list, in the policy's order, starts if it is released and
enough processors are free for its whole run. Ties are broken by the position in the file.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import lcm
from random import Random
from typing import Any

from oas.checker.mosp_instance import MospInstance, MospJob, MospOrganization, MospReservation
from oas.checker.reading import check_different, fields_of, integer_of, name_of, number_of, refused, rows_of
from oas.checker.schedules import loads_over_time

MOSP_MAX_CLUSTERS = 10_000
MOSP_MAX_NODES = 1_000_000
MOSP_MAX_JOBS = 50_000
MOSP_MAX_RESERVATIONS = 100_000
MOSP_MAX_POLICY_STEPS = 10_000_000
# Sort key of each policy: index in `ListedJob`, and direction; RND shuffles by the seed instead.
SORTED_POLICIES = {"HF": (1, -1), "LPT": (0, -1), "SPT": (0, 1), "FCFS": (2, 1), "SJF": (1, 1), "BJF": (1, -1)}
LOCAL_POLICIES = (*SORTED_POLICIES, "RND")
LONGEST_UNIT = 10**80

# (time, processors, release) of a job, and (start, end, processors) of a reservation.
ListedJob = tuple[Fraction, int, Fraction]
HeldBlock = tuple[Fraction, Fraction, int]


def list_schedule(
    processors: int, jobs: list[ListedJob], held: Sequence[HeldBlock], policy: str, seed: int
) -> list[Fraction]:
    """Return the start of each job in the local schedule of a policy."""
    unit = 1
    for moment in [m for job in jobs for m in (job[0], job[2])] + [m for one in held for m in one[:2]]:
        unit = lcm(unit, moment.denominator)
        if unit > LONGEST_UNIT:
            raise refused("local", "the times have too long a common denominator for a policy; give the starts")
    whole = [(int(time * unit), width, int(release * unit)) for time, width, release in jobs]
    # Started jobs and reservations that have not ended: (start, end, processors).
    blocks = [(int(start * unit), int(end * unit), width) for start, end, width in held]
    begins = sorted({start for start, _, _ in blocks})  # moments at which the number of idle processors can decrease
    moments = [0, *(release for _, _, release in whole), *(end for _, end, _ in blocks)]
    heapify(moments)

    def idle(moment: int) -> int:
        return processors - sum(width for start, end, width in blocks if start <= moment < end)

    def drops(after: int, before: int) -> list[int]:
        return begins[bisect_right(begins, after) : bisect_left(begins, before)]

    starts = [0] * len(jobs)
    waiting = list(range(len(jobs)))
    if policy == "RND":
        Random(seed).shuffle(waiting)
    else:
        place, sign = SORTED_POLICIES[policy]
        waiting.sort(key=lambda index: sign * jobs[index][place])
    while waiting:
        now = heappop(moments)
        blocks = [one for one in blocks if one[1] > now]
        free, left = idle(now), []
        for index in waiting:
            time, width, release = whole[index]
            if release <= now and width <= free and all(width <= idle(moment) for moment in drops(now, now + time)):
                blocks.append((now, now + time, width))
                free -= width
                starts[index] = now
                heappush(moments, now + time)
            else:
                left.append(index)
        waiting = left
    return [Fraction(start, unit) for start in starts]


def read_mosp(document: dict[str, Any]) -> MospInstance:
    """Return the instance that a document of the problem ``mosp`` describes."""
    optional = ("name", "locality", "local", "seed", "provenance")
    fields_of(document, "", "format", "version", "problem", "organizations", optional=optional)
    locality = document.get("locality", 1)
    if locality is not None:
        locality = number_of(locality, "locality", least=1)
    rows = rows_of(document["organizations"], "organizations", MOSP_MAX_CLUSTERS)
    organizations = tuple(_read_organization(row, where) for row, where in rows)
    jobs = [job.id for one in organizations for job in one.jobs]
    if not jobs:
        raise refused("organizations", "at least one job is needed")
    check_different([one.id for one in organizations], "organizations", "two organizations have this id")
    check_different(jobs, "organizations", "two jobs have this id")
    for noun, limit, count in (
        ("jobs", MOSP_MAX_JOBS, len(jobs)),
        ("processors", MOSP_MAX_NODES, sum(one.processors for one in organizations)),
        ("reservations", MOSP_MAX_RESERVATIONS, sum(len(one.reservations) for one in organizations)),
    ):
        if count > limit:
            raise refused("organizations", f"more than {limit} {noun} in all", count)
    return MospInstance(organizations, locality, _read_local(document, organizations, locality))


def _read_organization(row: Any, where: str) -> MospOrganization:
    fields_of(row, where, "id", "processors", "jobs", optional=("reservations",))
    processors = integer_of(row["processors"], f"{where}.processors", 1)
    jobs = []
    for one, place in rows_of(row["jobs"], f"{where}.jobs", MOSP_MAX_JOBS):
        fields_of(one, place, "id", "time", "processors", optional=("release",))
        job = MospJob(
            name_of(one["id"], f"{place}.id"),
            number_of(one["time"], f"{place}.time", above=0),
            integer_of(one["processors"], f"{place}.processors", 1, processors),
            number_of(one.get("release", 0), f"{place}.release", least=0),
        )
        jobs.append(job)
    held = []
    for one, place in rows_of(row.get("reservations", []), f"{where}.reservations", MOSP_MAX_RESERVATIONS):
        fields_of(one, place, "start", "end", "processors")
        start, end = number_of(one["start"], f"{place}.start", least=0), number_of(one["end"], f"{place}.end")
        if end <= start:
            raise refused(f"{place}.end", f"must be after the start, {start}", end)
        held.append(MospReservation(start, end, integer_of(one["processors"], f"{place}.processors", 1)))
    if most_in_use(held) > processors:
        raise refused(f"{where}.reservations", f"together they exceed the {processors} processors at some moment")
    return MospOrganization(name_of(row["id"], f"{where}.id"), processors, tuple(jobs), tuple(held))


def _read_local(
    document: dict[str, Any], organizations: tuple[MospOrganization, ...], locality: Fraction | None
) -> dict[str, Fraction] | None:
    local = document.get("local")
    if "local" in document and type(local) not in (str, dict):
        raise refused("local", "must be a policy or the start of each job", local)
    if "seed" in document and local != "RND":
        raise refused("seed", "only the policy RND takes a seed", document["seed"])
    if local is None:
        if len(organizations) == 1 and locality is None:
            return None
        local = "HF"
    if isinstance(local, str):
        return _local_by_policy(organizations, local, integer_of(document.get("seed", 0), "seed"))
    starts = {name: number_of(start, "local") for name, start in local.items()}
    jobs = {job.id for one in organizations for job in one.jobs}
    for name in starts:
        if name not in jobs:
            raise refused("local", "no job has this id", name)
    for one in organizations:
        _check_local(one, starts)
    return starts


def _local_by_policy(organizations: tuple[MospOrganization, ...], policy: str, seed: int) -> dict[str, Fraction]:
    if policy not in LOCAL_POLICIES:
        raise refused("local", f"unknown policy; known: {', '.join(LOCAL_POLICIES)}", policy)
    steps = 0
    for one in organizations:
        steps += len(one.jobs) * (len(one.jobs) + len(one.reservations)) * (1 + len(one.reservations))
    if steps > MOSP_MAX_POLICY_STEPS:
        raise refused("local", "too many jobs and reservations for a policy; give the start of each job", policy)
    starts: dict[str, Fraction] = {}
    for one in organizations:
        jobs = [(job.time, job.processors, job.release) for job in one.jobs]
        own_starts = list_schedule(one.processors, jobs, one.reservations, policy, seed)
        starts |= zip([job.id for job in one.jobs], own_starts, strict=True)
    return starts


def _check_local(one: MospOrganization, starts: dict[str, Fraction]) -> None:
    blocks: list[HeldBlock] = [*one.reservations]
    for job in one.jobs:
        if job.id not in starts:
            raise refused("local", "the job has no local start", job.id)
        if starts[job.id] < job.release:
            raise refused("local", f"starts before its release at {job.release}", job.id)
        blocks.append((starts[job.id], starts[job.id] + job.time, job.processors))
    if most_in_use(blocks) > one.processors:
        raise refused("local", f"the local schedule needs more than the {one.processors} processors there are", one.id)


def most_in_use(blocks: Sequence[tuple[Fraction, Fraction, int]]) -> int:
    """Return the maximum number of processors that blocks (start, end, processors) use at the same time."""
    return max((usage for _, usage in loads_over_time(blocks)), default=0)
