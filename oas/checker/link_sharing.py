"""How fast jobs run together where saturated links slow them down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from oas.checker.coallocation_instance import CoallocationInstance, CoallocationJob


@dataclass(frozen=True, eq=False)
class LinkUser:
    """A job on certain nodes: what it asks of each link that it loads, by cluster index, and Γ of its slowest node."""

    job: CoallocationJob
    loads: dict[int, Fraction]
    power: Fraction


def link_users(
    instance: CoallocationInstance, runs: Iterable[tuple[CoallocationJob, dict[str, list[int]], Fraction]]
) -> list[LinkUser]:
    """Return what jobs ask of links, for (job, nodes by cluster id, Γ of the slowest of them)."""
    index_of = {cluster.id: index for index, cluster in enumerate(instance.clusters)}
    users = []
    for job, nodes, power in runs:
        loads = {index_of[name]: job.link_load(len(numbers)) for name, numbers in nodes.items()}
        users.append(LinkUser(job, {index: load for index, load in loads.items() if load}, power))
    return users


def progress_rates(instance: CoallocationInstance, users: Sequence[LinkUser]) -> list[Fraction]:
    """Return the progress of each job in a unit of time, while they all run: 1 / (Tb·(σ/Γ + (1 − σ)/share)).

    A job's share of what it asks links for is 1 where no link that it loads is saturated. Under the sharing ``paper``
    it is MBW / load of the worst of its links; under ``max-min`` that of progressive filling.
    """
    bandwidths = [cluster.bandwidth for cluster in instance.clusters]
    sharing = _filled_shares if instance.saturation.sharing == "max-min" else _worst_shares
    return [_progress_rate(user, share) for user, share in zip(users, sharing(bandwidths, users), strict=True)]


def _progress_rate(user: LinkUser, share: Fraction) -> Fraction:
    job = user.job
    if job.sigma == 1:
        return user.power / job.base_time
    if share == 0:
        return Fraction(0)
    return 1 / (job.base_time * (job.sigma / user.power + (1 - job.sigma) / share))


def _worst_shares(bandwidths: Sequence[Fraction], users: Sequence[LinkUser]) -> list[Fraction]:
    totals = [Fraction(0)] * len(bandwidths)
    for user in users:
        for link, load in user.loads.items():
            totals[link] += load
    return [min([Fraction(1), *(bandwidths[link] / totals[link] for link in user.loads)]) for user in users]


def _filled_shares(bandwidths: Sequence[Fraction], users: Sequence[LinkUser]) -> list[Fraction]:
    """Raise the shares of all jobs together; where a link is full those of its users stay, the others are raised on."""
    shares = [Fraction(1)] * len(users)
    rising = set(range(len(users)))
    left = list(bandwidths)
    while rising:
        asked: dict[int, Fraction] = {}
        for place in rising:
            for link, load in users[place].loads.items():
                asked[link] = asked.get(link, Fraction(0)) + load
        level = min([Fraction(1), *(left[link] / load for link, load in asked.items())])
        if level == 1:
            break
        full = {link for link, load in asked.items() if left[link] == level * load}
        for place in [place for place in rising if full.intersection(users[place].loads)]:
            shares[place] = level
            rising.remove(place)
            for link, load in users[place].loads.items():
                left[link] -= level * load
    return shares
