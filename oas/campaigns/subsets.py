"""Parts of a campaign: some of its samples, or a small version of it to try it out."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.sources import Source

SMOKE_SECONDS = Fraction(1)
"""Limit of a run in the smoke size of a campaign."""


def part(campaign: Campaign, samples: Sequence[str]) -> Campaign:
    """Return the campaign on the instances of these samples alone, with the same ledger.

    Raises
    ------
    InputError
        If a pattern matches no sample.
    """
    sources: list[Source] = []
    for pattern in samples:
        matching = [source for source in campaign.sources if fnmatchcase(source.sample, pattern)]
        if not matching:
            raise InputError("no sample has such a name", field="--sample", value=pattern)
        sources += matching
    return replace(campaign, sources=tuple(sources))


def smoke(campaign: Campaign, samples: int | None = None) -> Campaign:
    """Return a small version of a campaign under the name ``NAME-smoke``, to see that all of it works.

    Parameters
    ----------
    campaign
        The whole campaign.
    samples
        Greatest number of samples, one instance of each; None for all.
    """
    first: dict[str, Source] = {}
    for source in campaign.sources:
        first.setdefault(source.sample, source)
    methods = tuple(
        replace(
            method, limits=replace(method.limits, seconds=min(SMOKE_SECONDS, method.limits.seconds or SMOKE_SECONDS))
        )
        for method in campaign.methods
    )
    sources = tuple(first.values())[:samples]
    return replace(campaign, name=f"{campaign.name}-smoke", sources=sources, methods=methods)
