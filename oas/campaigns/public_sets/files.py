"""Files of a catalogue: download, checksums, unpacking, and a reader of each format.

The files are in a folder next to the catalogue. Readers return rigid jobs on one cluster.
"""

from __future__ import annotations

import hashlib
import subprocess
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from io import BytesIO
from operator import attrgetter
from shutil import which
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import msgspec

from oas.core.errors import InputError
from oas.io.files import write_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from oas.campaigns.public_sets.catalogue import Entry, SourceFile

MAX_JOBS = 20_000
MAX_BYTES = 8_000_000  # of an instance's text
_MAX_DIGITS = 12
MAX_DOWNLOAD = 64_000_000  # bytes
UNPACKER = "bsdtar"
_SECONDS = 60.0


def stored_path(catalogue: Path, file: SourceFile) -> Path:
    """Return the path of a file, in a folder with the catalogue's name; it is unique by the checksum."""
    return catalogue.with_suffix("") / f"{file.sha256[:12]}-{file.name}"


def fetch(catalogue: Path, files: Iterable[SourceFile], folder: Path | None = None) -> Iterator[str]:
    """Copy files into the catalogue's folder unless they exist, and yield a message for each.

    They are copied from `folder` and its subfolders, or downloaded from GitHub if it is None. Raises `InputError` if a
    file is not available or has another checksum.
    """
    for file in files:
        target = stored_path(catalogue, file)
        if target.exists() and checksum(target.read_bytes()) == file.sha256:
            yield f"{target}: there already"
            continue
        content = _download(file) if folder is None else _local_copy(file, folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(target, content)
        yield f"{target}: {len(content)} bytes, checksum verified"


def url(file: SourceFile) -> str:
    """Return the URL of a file."""
    return f"https://raw.githubusercontent.com/{file.repository}/{file.commit}/{quote(file.path)}"


def checksum(content: bytes) -> str:
    """Return the SHA-256 of `content`."""
    return hashlib.sha256(content).hexdigest()


def instance_text(catalogue: Path, file: SourceFile, entry: Entry) -> bytes:
    """Return the text of an instance: the file itself, or its member of a ZIP or RAR archive.

    Raises `InputError` if the file, the member or the unpacker of RAR is missing, or the checksum differs.
    """
    path = stored_path(catalogue, file)
    try:
        content = path.read_bytes()
    except OSError:
        raise InputError("not there; `oas bench fetch` of the campaign brings it", file=str(path)) from None
    _check(content, file, str(path))
    if not entry.member:
        return content
    return _zip_member(content, entry.member, path) if path.suffix == ".zip" else _rar_member(path, entry.member)


def _zip_member(content: bytes, member: str, path: Path) -> bytes:
    """Read a member; archives from Windows may have backslashes in their names."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            for info in archive.infolist():
                if info.filename.replace("\\", "/") == member:
                    if info.file_size > MAX_BYTES:
                        raise InputError(f"larger than {MAX_BYTES} bytes", field=member, file=str(path))
                    return archive.read(info)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise InputError(f"no ZIP archive that can be read: {error}", file=str(path)) from None
    raise InputError("the archive has no such member", field=member, file=str(path))


def _rar_member(path: Path, member: str) -> bytes:
    """Read a member by libarchive's bsdtar: Python has no reader of RAR."""
    tool = which(UNPACKER)
    if tool is None:
        raise InputError(f"{UNPACKER} (libarchive) is needed to unpack it, and is not installed", file=str(path))
    try:
        run = subprocess.run(
            [tool, "-xOf", str(path), member],
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"{UNPACKER} took longer than {_SECONDS:g} s", field=member, file=str(path)) from None
    if run.returncode or not run.stdout:
        message = run.stderr.decode(errors="replace").strip()[:200]
        raise InputError(f"{UNPACKER} finds no such member: {message}", field=member, file=str(path))
    return run.stdout


def _download(file: SourceFile) -> bytes:
    place = url(file)
    try:
        with urllib.request.urlopen(place, timeout=_SECONDS) as answer:  # nosec B310 # https, on one host
            content: bytes = answer.read(MAX_DOWNLOAD + 1)
    except (urllib.error.URLError, HTTPException, OSError) as error:
        raise InputError(f"it cannot be downloaded: {error}", file=place) from None
    _check(content, file, place)
    return content


def _local_copy(file: SourceFile, folder: Path) -> bytes:
    """Return the content of the file with this name and checksum in the folder or its subfolders."""
    candidates = sorted(path for path in folder.rglob(file.name) if path.is_file())
    if not candidates:
        raise InputError(f"there is no {file.name} (of {file.repository}) in it", file=str(folder))
    contents = {path: path.read_bytes() for path in candidates if path.stat().st_size <= MAX_DOWNLOAD}
    content = next((data for data in contents.values() if checksum(data) == file.sha256), None)
    if content is None:
        _check(contents.get(candidates[0], b""), file, str(candidates[0]))
    return content or b""


def _check(content: bytes, file: SourceFile, place: str) -> None:
    if (actual := checksum(content)) != file.sha256:
        raise InputError(f"its checksum is {actual}, not {file.sha256}", field="sha256", file=place)


@dataclass(frozen=True)
class Packing:
    """Rigid jobs on one cluster; the published value is their makespan."""

    processors: int  # capacity of a bin, number of machines, or width of the strip
    jobs: tuple[tuple[int, int], ...]  # (time, processors): (1, size), (time, 1), or (height, width)

    @property
    def area(self) -> int:
        """Time × processors of all jobs."""
        return sum(time * processors for time, processors in self.jobs)


def read_bpplib(content: bytes) -> Packing:
    """Read bin packing as in BPPLIB (Delorme, Iori, Martello, Optimization Letters 12, 2018): n, capacity, n sizes.

    A bin is a time unit of one cluster whose number of processors is the bin's capacity.
    """
    count, capacity, sizes = _numbers(content)
    return _packing(capacity, count, [(1, size) for size in sizes])


def read_pcmax(content: bytes) -> Packing:
    """Read P||Cmax as in França et al. (1994) and Frangioni et al. (2004): m, n, then n processing times."""
    machines, count, times = _numbers(content)
    return _packing(machines, count, [(time, 1) for time in times])


_Side = Annotated[int, msgspec.Meta(ge=1, le=10**9)]


class _Object(msgspec.Struct):
    Length: _Side
    Height: _Side


class _Item(_Object):
    Demand: Annotated[int, msgspec.Meta(ge=1, le=MAX_JOBS)]


class _Document(msgspec.Struct):
    Objects: Annotated[list[_Object], msgspec.Meta(min_length=1, max_length=1)]
    Items: Annotated[list[_Item], msgspec.Meta(max_length=MAX_JOBS)]


def read_strip(content: bytes, time: str, processors: str) -> Packing:
    """Read strip packing as in Oscar Oliveira's OR-Datasets; `processors` is the side across the strip.

    The processors of a job need not be adjacent in MOSP, so the optimum of the instance is at most the height of the
    strip.
    """
    sides = attrgetter(time, processors)
    _check_size(content)
    try:
        document = msgspec.json.decode(content, type=_Document)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"not as OR-Datasets has it: {error}") from None
    count = sum(item.Demand for item in document.Items)
    _check_count(count)
    jobs = [sides(item) for item in document.Items for _ in range(item.Demand)]
    return _packing(sides(document.Objects[0])[1], count, jobs)


FORMATS: Mapping[str, Callable[[bytes], Packing]] = {
    "bpplib": read_bpplib,
    "pcmax": read_pcmax,
    "or-datasets": partial(read_strip, time="Height", processors="Length"),
    "or-datasets-heightwise": partial(read_strip, time="Length", processors="Height"),
}
"""Readers by name; each raises `InputError` for content in another format."""


def _numbers(content: bytes) -> tuple[int, int, list[int]]:
    """Read a text of positive integers; return the first, the second and a list of the others."""
    _check_size(content)
    words = content.split()
    for word in words:
        if not word.isdigit() or len(word) > _MAX_DIGITS or int(word) == 0:
            raise InputError("must be an integer above 0", field="text", value=word.decode("ascii", "replace"))
    if len(words) < 3:
        raise InputError("two counts and a number for each item are needed")
    first, second, *others = map(int, words)
    return first, second, others


def _packing(processors: int, count: int, jobs: list[tuple[int, int]]) -> Packing:
    _check_count(count)
    if len(jobs) != count:
        raise InputError(f"{count} items are announced, {len(jobs)} are there")
    if (widest := max(wide for _, wide in jobs)) > processors:
        raise InputError(f"an item is larger than the {processors} that it must fit into", value=widest)
    return Packing(processors, tuple(jobs))


def _check_size(content: bytes) -> None:
    if len(content) > MAX_BYTES:
        raise InputError(f"larger than {MAX_BYTES} bytes")


def _check_count(count: int) -> None:
    if not 1 <= count <= MAX_JOBS:
        raise InputError(f"must be from 1 to {MAX_JOBS}", field="number of items", value=count)
