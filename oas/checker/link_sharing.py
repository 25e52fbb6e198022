"""How fast jobs run together where saturated links slow them down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from oas.checker.coallocation_instance import CoallocationJob


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
