"""Instances of MOSP made of public ones, on one cluster or dealt out to several organizations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from benchmarks.external.archives import content_of
from benchmarks.external.formats.registry import FORMATS
from benchmarks.external.published import Published, for_organizations, published
from benchmarks.proof_rates.shared.plans import Plan
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, RigidJob

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.external.catalogue import Catalogue
    from benchmarks.external.formats.packing import Packing


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A public instance, and the limit that it gets.

    Attributes
    ----------
    origin, name
        Its set and its name there.
    organizations
        1 for one cluster; else its jobs are dealt out to so many, each with the whole cluster.
    seconds
        Limit of `oas.solve`, wall time.
    """

    origin: str
    name: str
    organizations: int = 1
    seconds: float = 60.0

    def __str__(self) -> str:
        made = "" if self.organizations == 1 else f" for {self.organizations} organizations"
        return f"{self.origin}/{self.name}{made}, {self.seconds:g} s"


@dataclass(frozen=True)
class Source:
    """Where instances come from.

    Attributes
    ----------
    catalogue
        Which instances there are.
    cache
        The folder with the files.
    """

    catalogue: Catalogue
    cache: Path

    def make(self, cell: Cell) -> tuple[MospInstance, Published]:
        """Return the instance of this cell, and what is known of its optimum.

        Raises
        ------
        InputError
            If it is not in the catalogue, its file is missing, or it is not what it should be.
        """
        of = self.catalogue.find(cell.origin)
        entry = self.catalogue.entry(cell.origin, cell.name)
        file = self.catalogue.files[entry.file]
        packing = FORMATS[of.format](content_of(self.cache, file, entry), f"{file.name}: {entry.member or entry.name}")
        known = published(of, entry, packing)
        if cell.organizations > 1:
            known = for_organizations(known, cell.organizations)
        return instance_of(packing, cell.name, cell.organizations), known


def instance_of(packing: Packing, name: str, organizations: int = 1) -> MospInstance:
    """Return an instance of MOSP with these jobs.

    Parameters
    ----------
    packing
        Jobs and the size of the cluster.
    name
        Of the instance.
    organizations
        1: one cluster, and no local schedule to lose by. More: each has a cluster of the packing's size, job number i
        belongs to organization i modulo their number, and locality is 1: none ends later than alone.
    """
    jobs = [RigidJob(f"J{number}", time, wide) for number, (time, wide) in enumerate(packing.jobs, start=1)]
    owners = [
        Organization(f"O{k + 1}", packing.processors, jobs[k::organizations])
        for k in range(min(organizations, len(jobs)))
    ]
    return MospInstance(owners, None if len(owners) == 1 else 1, name=name)


def plans(catalogue: Catalogue, seconds: float = 60.0, most: int | None = None) -> dict[str, Plan]:
    """Return a plan for each set.

    Parameters
    ----------
    catalogue
        The sets.
    seconds
        Limit for each instance.
    most
        At most so many instances of each set, evenly spread over it; None for all.
    """
    found = {}
    for one in catalogue.sets:
        cells = tuple(Cell(origin=one.name, name=entry.name, seconds=seconds) for entry in one.instances)
        found[one.name] = Plan(one.title, _spread(cells, most), 1)
    for made in catalogue.organized:
        cells = tuple(
            Cell(origin=origin, name=name, organizations=made.organizations, seconds=seconds)
            for origin, _, name in (place.partition("/") for place in made.of)
        )
        found[made.name] = Plan(made.title, _spread(cells, most), 1)
    return found


def _spread(cells: tuple[Cell, ...], most: int | None) -> tuple[Cell, ...]:
    if most is None or most >= len(cells):
        return cells
    return tuple(cells[place * len(cells) // most] for place in range(most))
