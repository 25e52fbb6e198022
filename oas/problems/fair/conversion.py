"""Fair sharing made of organizations that share clusters: the same owners, processors and jobs, watched over time."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

from oas.core.errors import within
from oas.problems.fair.instance import FairInstance, check_whole

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.core.instances import Instance
    from oas.problems.rigid import Organization


def fair_instance(
    organizations: tuple[Organization, ...],
    ends_alone: tuple[Fraction, ...],
    horizon: int | None,
    source: Instance,
) -> FairInstance:
    """Return the instance of fair sharing with these organizations.

    Each presents its jobs in the order of their releases, ties as given. Locality has no counterpart and is left out.

    Parameters
    ----------
    organizations
        Without reservations; each with a job. Times and releases are whole numbers.
    ends_alone
        The local makespan of each organization.
    horizon
        t_end; None for the first whole moment at which all organizations would be done alone.
    source
        The instance that they are of; its name and provenance are kept.

    Raises
    ------
    InputError
        If an organization cannot be part of fair sharing, or no job is released before the horizon.
    """
    for index, one in enumerate(organizations):
        with within(f"organizations[{index}]"):
            check_whole(one.jobs)  # before they are sorted: the error names the index in the source
    if horizon is None:
        horizon = max(1, ceil(max(ends_alone)))
    ordered = [replace(one, jobs=tuple(sorted(one.jobs, key=lambda job: job.release))) for one in organizations]
    return FairInstance(ordered, horizon, source.name, source.provenance)
