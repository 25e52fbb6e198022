"""The catalogue of public sets (files with checksums, instances, published bounds of their optima), and its instances.

Example: benchmarks/public_sets.toml.
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from oas.campaigns.public_sets.files import FORMATS, instance_text
from oas.core.errors import InputError, unknown_name, within
from oas.core.rigid import Organization, RigidJob
from oas.io.files import read_bytes
from oas.mosp.instance import MospInstance

if TYPE_CHECKING:
    from pathlib import Path

    from oas.campaigns.public_sets.files import Packing

MAX_BYTES = 1 << 20
_Count = Annotated[int, msgspec.Meta(ge=1, le=10**12)]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class SourceFile(_Table, frozen=True):
    """A file in a public repository."""

    # repository, commit, path: location on GitHub, with the repository as ``owner/name``
    repository: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$")]
    commit: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{40}$")]
    path: str
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]  # checksum of its content

    @property
    def name(self) -> str:
        """Name without folders."""
        return self.path.rpartition("/")[2]


class Entry(_Table, frozen=True):
    """An instance of a set."""

    name: str  # unique in its set
    file: str  # key of its file
    member: str = ""  # its path in that file, if the file is an archive
    # lower, upper: published bounds of the optimum. Strip packing has no `lower`, because it may depend on contiguity,
    # which MOSP does not require.
    lower: _Count | None = None
    upper: _Count | None = None


class PublicSet(_Table, frozen=True):
    """Instances of one source."""

    name: str  # in campaigns
    kind: Literal["bin packing", "machines", "strip packing"]  # the original problem
    format: str  # one of `oas.campaigns.public_sets.files.FORMATS`
    instances: tuple[Entry, ...]
    title: str = ""
    reference: str = ""  # publication of the set
    published: str = ""  # source of the published bounds
    chosen: str = "all"  # selection of the listed instances
    # Whether the items fill the strip without a gap. The published height is then the optimum of MOSP too.
    perfect: bool = False


class Catalogue(_Table, frozen=True):
    """Files and sets."""

    files: dict[str, SourceFile]
    sets: tuple[PublicSet, ...]

    def find(self, place: str) -> tuple[PublicSet, tuple[Entry, ...]]:
        """Return the set and the instances named by ``set`` or ``set/instance``; raises `InputError` if unknown."""
        name, _, instance = place.partition("/")
        known = {public_set.name: public_set for public_set in self.sets}
        if name not in known:
            raise unknown_name(name, known, "sets")
        entries = tuple(entry for entry in known[name].instances if instance in ("", entry.name))
        if not entries:
            raise unknown_name(instance, [entry.name for entry in known[name].instances], "sets")
        return known[name], entries


@cache
def load_catalogue(path: Path) -> Catalogue:
    """Read a catalogue; raises `InputError` that names the file and the fault."""
    try:
        catalogue = msgspec.convert(tomllib.loads(read_bytes(path, MAX_BYTES).decode()), Catalogue)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise InputError(f"is no catalogue: {error}", file=str(path)) from None
    for public_set in catalogue.sets:
        for entry in public_set.instances:
            if fault := _fault(catalogue, public_set, entry):
                raise InputError(fault, field=f"{public_set.name}/{entry.name}", file=str(path))
    return catalogue


def _fault(catalogue: Catalogue, public_set: PublicSet, entry: Entry) -> str:
    """Return the fault of an entry; empty if there is none."""
    if public_set.format not in FORMATS:
        return f"no format is called {public_set.format}; known: {', '.join(FORMATS)}"
    if entry.file not in catalogue.files:
        return f"no file is called {entry.file}"
    if [instance.name for instance in public_set.instances].count(entry.name) > 1:
        return "two instances of the set have this name"
    if entry.member.startswith(("-", "/")) or ".." in entry.member.split("/"):
        return f"no path in an archive: {entry.member}"
    if entry.lower is not None and entry.upper is not None and entry.lower > entry.upper:
        return f"published bounds {entry.lower} and {entry.upper} contradict each other"
    if public_set.kind == "strip packing" and entry.lower is not None:
        return "a lower bound of strip packing need not hold for MOSP"
    if public_set.perfect and entry.upper is None:
        return "a perfect packing has a height"
    return ""


Published = tuple[int | None, int | None]
"""Published lower and upper bound of the optimum that hold for MOSP; None if unknown."""


def public_entries(catalogue: Path, place: str, organizations: int = 1) -> list[tuple[Entry, Published]]:
    """Return the instances named by ``set`` or ``set/instance`` with their published bounds; raises `InputError`."""
    public_set, entries = load_catalogue(catalogue).find(place)
    return [(entry, _published(public_set, entry, organizations)) for entry in entries]


def _published(public_set: PublicSet, entry: Entry, organizations: int) -> Published:
    """Return the published bounds that hold for the instance.

    Bins and machines are the same problem, so both bounds hold. The height of a strip is only an upper bound, because
    processors need not be adjacent; it is the optimum if the items fill the strip without a gap. With k organizations,
    1/k of the lower bound holds, because the schedules of k clusters in sequence are a schedule of a single cluster. No
    upper bound holds, because of locality.
    """
    lower = entry.upper if public_set.perfect else entry.lower
    if organizations == 1:
        return lower, entry.upper
    return (None if lower is None else -(-lower // organizations)), None


def public_instance(catalogue: Path, place: str, organizations: int = 1) -> MospInstance:
    """Return the instance ``set/instance`` of a catalogue whose files have been fetched.

    One organization has one cluster and no locality. Several organizations each have a cluster of the packing's size,
    job i belongs to organization i modulo their number, and locality is 1. Raises `InputError` if the file is missing,
    has another checksum or format, or contradicts the published bounds.
    """
    content = load_catalogue(catalogue)
    public_set, (entry,) = content.find(place)
    with within(place):
        packing = FORMATS[public_set.format](instance_text(catalogue, content.files[entry.file], entry))
        _check(public_set, entry, packing)
    jobs = [RigidJob(f"J{number}", time, wide) for number, (time, wide) in enumerate(packing.jobs, start=1)]
    owners = [
        Organization(f"O{number + 1}", packing.processors, jobs[number::organizations])
        for number in range(min(organizations, len(jobs)))
    ]
    return MospInstance(owners, None if len(owners) == 1 else 1, name=entry.name)


def _check(public_set: PublicSet, entry: Entry, packing: Packing) -> None:
    """Raise `InputError` if the area of an instance contradicts its published bound."""
    if entry.upper is None:
        return
    capacity = packing.processors * entry.upper
    if capacity < packing.area or (public_set.perfect and capacity != packing.area):
        reason = f"the published {entry.upper} × {packing.processors} does not match the area of this instance"
        raise InputError(reason, field="area", value=packing.area)
