"""The catalogue of public sets: files with checksums, instances, and the bounds of their optima that are published.

[files."hard28"]
repository = "mdelorme2/BPPLIB"
commit = "21941c8a7e21a76a7b53e5dcb5602bf6cf00af55"
path = "Instances/Benchmarks/5_Hard28.rar"
sha256 = "cee6c341..."

[[sets]]
name = "hard28"
kind = "bin packing"
format = "bpplib"
instances = [{ name = "Hard28_BPP13", file = "hard28", member = "Hard28/Hard28_BPP13.txt", lower = 67, upper = 67 }]
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from oas.campaigns.public_sets.formats import FORMATS
from oas.core.errors import InputError, unknown_name
from oas.io.files import read_bytes

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 1 << 20
_Count = Annotated[int, msgspec.Meta(ge=1, le=10**12)]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class SourceFile(_Table, frozen=True):
    """A file in a public repository.

    Attributes
    ----------
    repository, commit, path
        On GitHub: ``owner/name``, the commit, and the path there.
    sha256
        Checksum of its content.
    """

    repository: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$")]
    commit: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{40}$")]
    path: str
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]


class Entry(_Table, frozen=True):
    """An instance of a set.

    Attributes
    ----------
    name
        Unique in its set.
    file
        Key of the file that has it.
    member
        Its path in that file, if that is an archive.
    lower, upper
        Published bounds of the optimum. Strip packing has no `lower`: it may rest on contiguity, which MOSP does not
        require.
    """

    name: str
    file: str
    member: str = ""
    lower: _Count | None = None
    upper: _Count | None = None


class PublicSet(_Table, frozen=True):
    """Instances of one source.

    Attributes
    ----------
    name, title, kind
        Its name in campaigns, what it is, and the problem that it was made for.
    format
        One of `oas.campaigns.public_sets.formats.FORMATS`.
    reference, published, chosen
        Who made it, the source of the published bounds, and which of its instances are listed.
    perfect
        Whether the items fill the strip without a gap: the published height is then the optimum of MOSP, too.
    instances
        In order.
    """

    name: str
    kind: Literal["bin packing", "machines", "strip packing"]
    format: str
    instances: tuple[Entry, ...]
    title: str = ""
    reference: str = ""
    published: str = ""
    chosen: str = "all"
    perfect: bool = False


class Catalogue(_Table, frozen=True):
    """All files and sets."""

    files: dict[str, SourceFile]
    sets: tuple[PublicSet, ...]

    def find(self, place: str) -> tuple[PublicSet, tuple[Entry, ...]]:
        """Return the set, and the instances, that ``set`` or ``set/instance`` names.

        Raises
        ------
        InputError
            If there is none.
        """
        name, _, instance = place.partition("/")
        known = {one.name: one for one in self.sets}
        if name not in known:
            raise unknown_name(name, known, "sets")
        entries = tuple(one for one in known[name].instances if instance in ("", one.name))
        if not entries:
            raise unknown_name(instance, [one.name for one in known[name].instances], "sets")
        return known[name], entries


@cache
def load_catalogue(path: Path) -> Catalogue:
    """Read a catalogue.

    Raises
    ------
    InputError
        Naming the file and the fault.
    """
    try:
        catalogue = msgspec.convert(tomllib.loads(read_bytes(path, MAX_BYTES).decode()), Catalogue)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise InputError(f"is no catalogue: {error}", file=str(path)) from None
    for one in catalogue.sets:
        for entry in one.instances:
            if fault := _fault(catalogue, one, entry):
                raise InputError(fault, field=f"{one.name}/{entry.name}", file=str(path))
    return catalogue


def _fault(catalogue: Catalogue, of: PublicSet, entry: Entry) -> str:
    """Return the fault of an entry; empty if there is none."""
    if of.format not in FORMATS:
        return f"no format is called {of.format}; known: {', '.join(FORMATS)}"
    if entry.file not in catalogue.files:
        return f"no file is called {entry.file}"
    if [one.name for one in of.instances].count(entry.name) > 1:
        return "two instances of the set have this name"
    if entry.member.startswith(("-", "/")) or ".." in entry.member.split("/"):
        return f"no path in an archive: {entry.member}"
    if entry.lower is not None and entry.upper is not None and entry.lower > entry.upper:
        return f"published bounds {entry.lower} and {entry.upper} contradict each other"
    if of.kind == "strip packing" and entry.lower is not None:
        return "a lower bound of strip packing need not hold for MOSP"
    if of.perfect and entry.upper is None:
        return "a perfect packing has a height"
    return ""
