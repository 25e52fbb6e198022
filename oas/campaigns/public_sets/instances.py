"""Instances of MOSP made of public ones, on one cluster or shared by several organizations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.campaigns.public_sets.catalogue import load_catalogue
from oas.campaigns.public_sets.files import instance_text
from oas.campaigns.public_sets.formats import FORMATS
from oas.core.errors import InputError, within
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, RigidJob

if TYPE_CHECKING:
    from pathlib import Path

    from oas.campaigns.public_sets.catalogue import Entry, PublicSet
    from oas.campaigns.public_sets.formats import Packing

Published = tuple[int | None, int | None]
"""Lower and upper bound of the optimum that are published, as far as they hold for MOSP; None where not known."""


def public_entries(catalogue: Path, place: str, organizations: int = 1) -> list[tuple[Entry, Published]]:
    """Return the instances that ``set`` or ``set/instance`` names, and their published bounds.

    Raises
    ------
    InputError
        If there are none.
    """
    of, entries = load_catalogue(catalogue).find(place)
    return [(entry, _published(of, entry, organizations)) for entry in entries]


def _published(of: PublicSet, entry: Entry, organizations: int) -> Published:
    """Return the published bounds that hold for the instance.

    Bins and machines are the same problem, so both bounds hold. The height of a strip is only an upper bound, because
    processors need not be neighbours; it is the optimum if the items fill the strip without a gap. The schedules of k
    clusters, one after another, are a schedule of a single cluster: with k organizations, a k-th of the lower bound
    holds. No upper bound does, because no organization may lose.
    """
    lower = entry.upper if of.perfect else entry.lower
    if organizations == 1:
        return lower, entry.upper
    return (None if lower is None else -(-lower // organizations)), None


def public_instance(catalogue: Path, place: str, organizations: int = 1) -> MospInstance:
    """Return the instance ``set/instance``.

    Parameters
    ----------
    catalogue
        Path of the catalogue, whose files have been fetched.
    place
        Names of set and instance.
    organizations
        1: one cluster without local schedules. More: each has a cluster of the packing's size, job i belongs to
        organization i modulo their number, and locality is 1: none ends later than alone.

    Raises
    ------
    InputError
        If the file is missing, has another checksum, is not of the format, or contradicts what is published.
    """
    found = load_catalogue(catalogue)
    of, (entry,) = found.find(place)
    with within(place):
        packing = FORMATS[of.format](instance_text(catalogue, found.files[entry.file], entry))
        _check(of, entry, packing)
    jobs = [RigidJob(f"J{number}", time, wide) for number, (time, wide) in enumerate(packing.jobs, start=1)]
    owners = [
        Organization(f"O{number + 1}", packing.processors, jobs[number::organizations])
        for number in range(min(organizations, len(jobs)))
    ]
    return MospInstance(owners, None if len(owners) == 1 else 1, name=entry.name)


def _check(of: PublicSet, entry: Entry, packing: Packing) -> None:
    """Refuse an instance whose area contradicts what is published of it."""
    if entry.upper is None:
        return
    room = packing.processors * entry.upper
    if room < packing.area or (of.perfect and room != packing.area):
        reason = f"the published {entry.upper} × {packing.processors} does not match the area of this instance"
        raise InputError(reason, field="area", value=packing.area)
