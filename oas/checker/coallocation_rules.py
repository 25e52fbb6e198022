"""The rules for co-allocation schedules, and the progress of jobs that saturated links slow down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from oas.checker.coallocation_instance import CoallocationInstance, CoallocationJob
from oas.checker.reading import refused
from oas.checker.schedules import PlacedJob, check_runs, loads_over_time


class LinkUser(NamedTuple):
    """A job on certain nodes: Γ of its slowest node, and its load on each link that it uses, by cluster index."""

    job: CoallocationJob
    power: Fraction
    loads: Mapping[int, Fraction | int]


def progress_rates(users: Sequence[LinkUser], bandwidths: Sequence[Fraction | int], sharing: str) -> list[Fraction]:
    """Return the progress of each job in a unit of time, while they all run: 1 / (Tb·(σ/Γ + (1 − σ)/share)).

    The share of its demand that a job gets is 1 if none of its links is saturated. With the sharing ``paper`` it is
    MBW / load of the worst of its links; with ``max-min`` it is determined by progressive filling.

    Parameters
    ----------
    bandwidths
        MBW of each link, in the unit of the loads.
    """
    shares = _filled_shares(bandwidths, users) if sharing == "max-min" else _worst_shares(bandwidths, users)
    rates = []
    for (job, power, _), share in zip(users, shares, strict=True):
        if job.sigma == 1:
            rates.append(power / job.base_time)
        elif share == 0:
            rates.append(Fraction(0))
        else:
            rates.append(1 / (job.base_time * (job.sigma / power + (1 - job.sigma) / share)))
    return rates


def _total_loads(users: Iterable[LinkUser]) -> dict[int, Fraction | int]:
    totals: dict[int, Fraction | int] = {}
    for user in users:
        for link, load in user.loads.items():
            totals[link] = totals.get(link, 0) + load
    return totals


def _worst_shares(bandwidths: Sequence[Fraction | int], users: Sequence[LinkUser]) -> list[Fraction]:
    totals = _total_loads(users)
    return [min([Fraction(1), *(Fraction(bandwidths[link], totals[link]) for link in user.loads)]) for user in users]


def _filled_shares(bandwidths: Sequence[Fraction | int], users: Sequence[LinkUser]) -> list[Fraction]:
    """Raise the shares of all jobs together, and stop those of the users of a link when it is full."""
    shares = [Fraction(1)] * len(users)
    rising = set(range(len(users)))
    left = list(bandwidths)
    while rising:
        demand = _total_loads(users[place] for place in rising)
        level = min([Fraction(1), *(Fraction(left[link], load) for link, load in demand.items())])
        if level == 1:
            break
        full = {link for link, load in demand.items() if left[link] == level * load}
        for place in [place for place in rising if full.intersection(users[place].loads)]:
            shares[place] = level
            rising.remove(place)
            for link, load in users[place].loads.items():
                left[link] -= level * load
    return shares


def check_coallocation_schedule(instance: CoallocationInstance, placements: list[PlacedJob]) -> None:
    """Refuse a schedule that breaks a rule.

    Each job runs once, on τ distinct nodes, from a start of at least 0 that is a multiple of η if there are slots; no
    node serves two jobs at the same time; no link exceeds its limit. If saturation is forbidden, a run lasts exactly
    Tb·(σ/Γ + 1 − σ), with Γ of the slowest node, rounded up to whole slots. If saturated links slow jobs down, see
    `_check_slowed`.
    """
    jobs = {job.id: job for job in instance.jobs}
    index_of = {one.id: index for index, one in enumerate(instance.clusters)}
    node_powers = [[power for count, power in one.groups for _ in range(count)] for one in instance.clusters]
    check_runs(
        placements, {one.id: one.tasks for one in instance.jobs}, {one.id: one.size for one in instance.clusters}
    )
    users = []
    for one in placements:
        job = jobs[one.job]
        if one.start < 0:
            raise refused("schedule", f"job {job.id} starts at {one.start}, before 0")
        if one.end <= one.start:
            raise refused("schedule", f"job {job.id} ends at {one.end}, not after its start at {one.start}")
        if instance.slot and one.start % instance.slot:
            raise refused("schedule", f"job {job.id} starts at {one.start}, not a multiple of the slot {instance.slot}")
        nodes = {index_of[name]: numbers for name, numbers in one.nodes.items()}
        power = min(node_powers[index][number] for index, numbers in nodes.items() for number in numbers)
        loads = {index: load for index, numbers in nodes.items() if (load := job.link_load(len(numbers)))}
        users.append(LinkUser(job, power, loads))
    _check_links(instance, placements, users)
    if instance.saturation.slows:
        _check_slowed(instance, placements, users)
        return
    for (job, power, _), one in zip(users, placements, strict=True):
        took, needed = one.end - one.start, job.duration(power, instance.slot)
        if took != needed:
            raise refused("schedule", f"job {job.id} runs for {took} but needs exactly {needed}")


def _check_links(instance: CoallocationInstance, runs: Sequence[PlacedJob], users: Sequence[LinkUser]) -> None:
    blocks: list[list[tuple[Fraction, Fraction, Fraction | int]]] = [[] for _ in instance.clusters]
    for one, user in zip(runs, users, strict=True):
        for link, load in user.loads.items():
            blocks[link].append((one.start, one.end, load))
    for cluster, loads in zip(instance.clusters, blocks, strict=True):
        limit = instance.saturation.limit(cluster.bandwidth)
        for moment, total in loads_over_time(loads):
            if limit is not None and total > limit:
                reason = f"has load {total} at {moment}, above {limit}"
                raise refused("schedule", f"the link of cluster {cluster.id} {reason}")


def _check_slowed(instance: CoallocationInstance, runs: Sequence[PlacedJob], users: Sequence[LinkUser]) -> None:
    """Refuse a schedule in which a run does not end when its job is complete.

    Between neighbouring starts and ends, each job makes progress at a constant rate. A run ends exactly when its
    progress is 1; with slots at the first multiple of η at which it is at least 1.
    """
    slot, sharing = instance.slot, instance.saturation.sharing
    bandwidths = [cluster.bandwidth for cluster in instance.clusters]
    done = [Fraction(0)] * len(runs)
    before = [Fraction(0)] * len(runs)  # progress one slot before the end
    starting: dict[Fraction, list[int]] = {}
    for place, one in enumerate(runs):
        starting.setdefault(one.start, []).append(place)
    running: list[int] = []
    for begin, end in pairwise(sorted({moment for one in runs for moment in (one.start, one.end)})):
        running = [place for place in running if runs[place].end > begin] + starting.get(begin, [])
        rates = progress_rates([users[place] for place in running], bandwidths, sharing)
        for place, rate in zip(running, rates, strict=True):
            done[place] += rate * (end - begin)
            before[place] += rate * max(min(end, runs[place].end - slot) - begin, Fraction(0))
    for place, one in enumerate(runs):
        if slot and one.end % slot:
            raise refused("schedule", f"job {one.job} ends at {one.end}, not a multiple of the slot {slot}")
        if slot and before[place] >= 1:
            raise refused("schedule", f"job {one.job} is complete a slot before its run ends at {one.end}")
        if done[place] < 1 or (done[place] > 1 and not slot):
            reason = "is not complete when" if done[place] < 1 else "is complete before"
            raise refused("schedule", f"job {one.job} {reason} its run ends at {one.end}")
