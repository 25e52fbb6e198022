"""The catalogue of public sets: files with checksums, instances, and what is published of them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from benchmarks.external.formats.registry import FORMATS
from oas.core.errors import InputError

CATALOGUE = Path(__file__).with_name("catalogue.toml")
Kind = Literal["bin packing", "machines", "strip packing"]
_Count = Annotated[int, msgspec.Meta(ge=1, le=10**12)]


class SourceFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of a public repository.

    Attributes
    ----------
    repository, commit, path
        On GitHub: ``owner/name``, which commit, and the path there.
    sha256
        Of its content.
    """

    repository: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$")]
    commit: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{40}$")]
    path: str
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An instance of a set.

    Attributes
    ----------
    name
        Unique in its set.
    file
        Which of the catalogue's files has it.
    member
        Its path in that file, if that is an archive.
    lower, upper
        What is published: no solution is below `lower`, there is one of `upper`. Of strip packing `lower` is left out,
        for it may count on what MOSP does not ask.
    """

    name: str
    file: str
    member: str = ""
    lower: _Count | None = None
    upper: _Count | None = None


class PublicSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Instances of one source.

    Attributes
    ----------
    name, title, kind
        What it is.
    format
        One of `benchmarks.external.formats.registry.FORMATS`.
    reference
        Who made it.
    published
        Where the published values come from.
    chosen
        Which instances of the source are here, if not all.
    perfect
        Whether the items fill the strip without a gap: then the published height is the least of MOSP, too.
    instances
        In order.
    """

    name: str
    title: str
    kind: Kind
    format: str
    reference: str
    published: str
    instances: tuple[Entry, ...]
    chosen: str = "all"
    perfect: bool = False


class Organized(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Several organizations made of instances: jobs dealt out in turn, each organization with the whole cluster.

    Attributes
    ----------
    name, title
        What it is.
    organizations
        How many.
    of
        Instances, as ``set/name``.
    """

    name: str
    title: str
    organizations: Annotated[int, msgspec.Meta(ge=2, le=100)]
    of: tuple[str, ...]


class Catalogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All files, sets, and organizations made of them."""

    files: dict[str, SourceFile]
    sets: tuple[PublicSet, ...]
    organized: tuple[Organized, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of all sets, those of several organizations included."""
        return [one.name for one in self.sets] + [made.name for made in self.organized]

    def find(self, name: str) -> PublicSet:
        """Return the set of this name.

        Raises
        ------
        InputError
            If there is none.
        """
        for one in self.sets:
            if one.name == name:
                return one
        raise InputError("no set has this name", field="set", value=name)

    def entry(self, set_name: str, name: str) -> Entry:
        """Return an instance of a set.

        Raises
        ------
        InputError
            If there is none.
        """
        for one in self.find(set_name).instances:
            if one.name == name:
                return one
        raise InputError(f"the set {set_name} has no instance of this name", field="instance", value=name)


def load(path: Path = CATALOGUE) -> Catalogue:
    """Read a catalogue and check that it holds together.

    Raises
    ------
    InputError
        Naming the file and what is wrong.
    """
    try:
        catalogue = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Catalogue)
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}", file=str(path)) from None
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise InputError(f"is no catalogue: {error}", file=str(path)) from None
    fault = _fault(catalogue)
    if fault:
        raise InputError(fault, file=str(path))
    return catalogue


def _fault(catalogue: Catalogue) -> str:
    """Return what does not hold together; empty if all does."""
    names = catalogue.names
    if len(set(names)) < len(names):
        return "two sets have one name"
    for one in catalogue.sets:
        if one.format not in FORMATS:
            return f"{one.name}: no format is called {one.format}"
        if not one.instances or len({entry.name for entry in one.instances}) < len(one.instances):
            return f"{one.name}: there must be instances, each with a name of its own"
        for entry in one.instances:
            fault = _entry_fault(catalogue, one, entry)
            if fault:
                return f"{one.name}/{entry.name}: {fault}"
    for made in catalogue.organized:
        for place in made.of:
            name, _, instance = place.partition("/")
            if not any(one.name == name and any(e.name == instance for e in one.instances) for one in catalogue.sets):
                return f"{made.name}: there is no instance {place}"
    return ""


def _entry_fault(catalogue: Catalogue, of: PublicSet, entry: Entry) -> str:
    if entry.file not in catalogue.files:
        return f"no file is called {entry.file}"
    if entry.member.startswith(("-", "/")) or ".." in entry.member.split("/"):
        return f"no path in an archive: {entry.member}"
    if entry.lower is not None and entry.upper is not None and entry.lower > entry.upper:
        return f"published are at least {entry.lower} and at most {entry.upper}"
    if of.kind == "strip packing" and entry.lower is not None:
        return "a lower bound of strip packing need not hold for MOSP"
    if of.perfect and entry.upper is None:
        return "a perfect packing has a height"
    return ""
