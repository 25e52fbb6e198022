"""The rules of co-allocation that a schedule has to keep, and how fast jobs run together where links slow them down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from oas.checker.coallocation_instance import CoallocationInstance, CoallocationJob
from oas.checker.reading import refused
from oas.checker.schedules import PlacedJob, check_each_once, check_no_conflict, check_nodes, loads_over_time


class LinkUser(NamedTuple):
    """A job on certain nodes: Γ of its slowest node, and what it asks of each link that it loads, by cluster index."""

    job: CoallocationJob
    power: Fraction
    loads: Mapping[int, Fraction | int]


def progress_rates(users: Sequence[LinkUser], bandwidths: Sequence[Fraction | int], sharing: str) -> list[Fraction]:
    """Return the progress of each job in a unit of time, while they all run: 1 / (Tb·(σ/Γ + (1 − σ)/share)).

    A job's share of what it asks links for is 1 where no link that it loads is saturated. Under the sharing ``paper``
    it is MBW / load of the worst of its links; under ``max-min`` that of progressive filling.

    Parameters
    ----------
    bandwidths
        MBW of each link, in the unit of the loads.
    """
    shares = _filled_shares(bandwidths, users) if sharing == "max-min" else _worst_shares(bandwidths, users)
    return [_progress_rate(user, share) for user, share in zip(users, shares, strict=True)]


def _progress_rate(user: LinkUser, share: Fraction) -> Fraction:
    job = user.job
    if job.sigma == 1:
        return user.power / job.base_time
    if share == 0:
        return Fraction(0)
    return 1 / (job.base_time * (job.sigma / user.power + (1 - job.sigma) / share))


def _worst_shares(bandwidths: Sequence[Fraction | int], users: Sequence[LinkUser]) -> list[Fraction]:
    totals: dict[int, Fraction | int] = {}
    for user in users:
        for link, load in user.loads.items():
            totals[link] = totals.get(link, 0) + load
    return [min([Fraction(1), *(Fraction(bandwidths[link], totals[link]) for link in user.loads)]) for user in users]


def _filled_shares(bandwidths: Sequence[Fraction | int], users: Sequence[LinkUser]) -> list[Fraction]:
    """Raise the shares of all jobs together; where a link is full those of its users stay, the others are raised on."""
    shares = [Fraction(1)] * len(users)
    rising = set(range(len(users)))
    left = list(bandwidths)
    while rising:
        asked: dict[int, Fraction | int] = {}
        for place in rising:
            for link, load in users[place].loads.items():
                asked[link] = asked.get(link, 0) + load
        level = min([Fraction(1), *(Fraction(left[link], load) for link, load in asked.items())])
        if level == 1:
            break
        full = {link for link, load in asked.items() if left[link] == level * load}
        for place in [place for place in rising if full.intersection(users[place].loads)]:
            shares[place] = level
            rising.remove(place)
            for link, load in users[place].loads.items():
                left[link] -= level * load
    return shares


def check_coallocation_schedule(instance: CoallocationInstance, placements: list[PlacedJob]) -> None:
    """Refuse a schedule that breaks a rule.

    Each job runs once, on τ distinct nodes, from a start of at least 0 that is a multiple of η if there are slots; no
    node serves two jobs at once. Where saturation is forbidden a run lasts exactly Tb·(σ/Γ + 1 − σ), Γ of the slowest
    node, in whole slots if there are; and no link carries more than MBW. Where saturated links slow jobs down, see
    `_check_slowed`.
    """
    jobs = {job.id: job for job in instance.jobs}
    clusters = {one.id: one for one in instance.clusters}
    power_of = {name: [power for count, power in one.groups for _ in range(count)] for name, one in clusters.items()}
    sizes = {name: one.size for name, one in clusters.items()}
    check_each_once(list(jobs), placements)
    powers = {}
    for one in placements:
        job = jobs[one.job]
        check_nodes(one, sizes, job.tasks)
        if one.start < 0:
            raise refused("schedule", f"job {job.id} starts at {one.start}, before 0")
        if one.end <= one.start:
            raise refused("schedule", f"job {job.id} ends at {one.end}, not after its start at {one.start}")
        if instance.slot and one.start % instance.slot:
            raise refused("schedule", f"job {job.id} starts at {one.start}, not a multiple of the slot {instance.slot}")
        powers[job.id] = min(power_of[name][number] for name, numbers in one.nodes.items() for number in numbers)
    check_no_conflict(placements)
    runs = [(jobs[one.job], one, powers[one.job]) for one in placements]
    if instance.saturation.slows:
        _check_slowed(instance, runs)
    else:
        _check_plain(instance, runs)


def _check_plain(instance: CoallocationInstance, runs: list[tuple[CoallocationJob, PlacedJob, Fraction]]) -> None:
    for job, one, power in runs:
        took, needed = one.end - one.start, job.duration(power, instance.slot)
        if took != needed:
            raise refused("schedule", f"job {job.id} runs for {took} but needs exactly {needed}")
    for cluster in instance.clusters:
        blocks = []
        for job, one, _ in runs:
            load = job.link_load(len(one.nodes.get(cluster.id, ())))
            if load:
                blocks.append((one.start, one.end, load))
        for moment, total in loads_over_time(blocks):
            if total > cluster.bandwidth:
                reason = f"carries {total} at {moment}, above its {cluster.bandwidth}"
                raise refused("schedule", f"the link of cluster {cluster.id} {reason}")


def _check_slowed(instance: CoallocationInstance, runs: list[tuple[CoallocationJob, PlacedJob, Fraction]]) -> None:
    """Refuse a schedule in which a link is asked for more than MBW / threshold, or a run does not end when it is done.

    Time is cut at every start and end. Between two cuts each job makes progress at a constant rate. A run ends exactly
    when its progress is 1; with slots at the first multiple of η at which it is at least 1.
    """
    slot = instance.slot
    index_of = {cluster.id: index for index, cluster in enumerate(instance.clusters)}
    users = []
    for job, one, power in runs:
        loads = {index_of[name]: job.link_load(len(numbers)) for name, numbers in one.nodes.items()}
        users.append(LinkUser(job, power, {index: load for index, load in loads.items() if load}))
    bandwidths = [cluster.bandwidth for cluster in instance.clusters]
    done = [Fraction(0)] * len(runs)
    before = [Fraction(0)] * len(runs)  # progress one slot before the end
    moments = sorted({moment for _, one, _ in runs for moment in (one.start, one.end)})
    starting: dict[Fraction, list[int]] = {}
    for place, (_, one, _) in enumerate(runs):
        starting.setdefault(one.start, []).append(place)
    running: list[int] = []
    for begin, end in pairwise(moments):
        running = [place for place in running if runs[place][1].end > begin] + starting.get(begin, [])
        phase = [users[place] for place in running]
        _check_limits(instance, phase, begin)
        for place, rate in zip(running, progress_rates(phase, bandwidths, instance.saturation.sharing), strict=True):
            done[place] += rate * (end - begin)
            before[place] += rate * max(min(end, runs[place][1].end - slot) - begin, Fraction(0))
    for place, (job, one, _) in enumerate(runs):
        if slot and one.end % slot:
            raise refused("schedule", f"job {job.id} ends at {one.end}, not a multiple of the slot {slot}")
        if slot and before[place] >= 1:
            raise refused("schedule", f"job {job.id} is done a slot before its run ends at {one.end}")
        if done[place] < 1 or (done[place] > 1 and not slot):
            reason = "is not done as" if done[place] < 1 else "is done before"
            raise refused("schedule", f"job {job.id} {reason} its run ends at {one.end}")


def _check_limits(instance: CoallocationInstance, phase: list[LinkUser], moment: Fraction) -> None:
    for index, cluster in enumerate(instance.clusters):
        total = sum((user.loads.get(index, 0) for user in phase), Fraction(0))
        limit = instance.saturation.limit(cluster.bandwidth)
        if limit is not None and total > limit:
            raise refused(
                "schedule", f"the link of cluster {cluster.id} is asked for {total} at {moment}, above {limit}"
            )
