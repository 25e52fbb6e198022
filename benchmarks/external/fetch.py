"""Bringing the catalogue's files into the cache folder, from GitHub or from a folder, with checksums verified."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from http.client import HTTPException
from secrets import token_hex
from typing import TYPE_CHECKING
from urllib.parse import quote

from benchmarks.external.archives import cached, cached_path, sha256
from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from benchmarks.external.catalogue import Catalogue, SourceFile

MOST_DOWNLOAD = 64_000_000  # bytes
_SECONDS = 60.0


def wanted_files(catalogue: Catalogue, sets: Iterable[str]) -> list[SourceFile]:
    """Return the files that these sets need, each once.

    Raises
    ------
    InputError
        If there is no such set.
    """
    needed: dict[str, None] = {}
    made = {one.name: one for one in catalogue.organized}
    for name in sets:
        origins = {place.partition("/")[0] for place in made[name].of} if name in made else {name}
        for origin in sorted(origins):
            needed.update(dict.fromkeys(entry.file for entry in catalogue.find(origin).instances))
    return [catalogue.files[name] for name in needed]


def fetch(files: Iterable[SourceFile], cache: Path, folder: Path | None = None) -> Iterator[str]:
    """Bring these files into the cache, from `folder` if there is one; yield a line for each.

    What is there already and has its checksum is kept.

    Raises
    ------
    InputError
        If a file cannot be had, or has another checksum: then it is not kept.
    """
    if folder is not None and not folder.is_dir():
        raise InputError("is no folder", file=str(folder))
    for file in files:
        target = cached_path(cache, file)
        if _is_there(cache, file):
            yield f"{target}: there already"
            continue
        content = _download(file) if folder is None else _found(file, folder)
        cache.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(f".{target.name}-{os.getpid()}-{token_hex(4)}")
        try:
            draft.write_bytes(content)
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)
        yield f"{target}: {len(content)} bytes, checksum as it should be"


def url(file: SourceFile) -> str:
    """Return where the file can be downloaded."""
    return f"https://raw.githubusercontent.com/{file.repository}/{file.commit}/{quote(file.path)}"


def _is_there(cache: Path, file: SourceFile) -> bool:
    try:
        cached(cache, file)
    except InputError:
        return False
    return True


def _download(file: SourceFile) -> bytes:
    place = url(file)  # https, on one host
    try:
        with urllib.request.urlopen(place, timeout=_SECONDS) as answer:  # nosec B310
            content: bytes = answer.read(MOST_DOWNLOAD + 1)
    except (urllib.error.URLError, HTTPException, OSError) as error:
        raise InputError(f"it cannot be downloaded: {error}", file=place) from None
    if len(content) > MOST_DOWNLOAD:
        raise InputError(f"larger than {MOST_DOWNLOAD} bytes", file=place)
    return _checked(content, file, place)


def _found(file: SourceFile, folder: Path) -> bytes:
    """Return the file of this name in the folder or below that has the checksum, for names come twice."""
    candidates = sorted(path for path in folder.rglob(file.name) if path.is_file())
    if not candidates:
        raise InputError(f"there is no {file.name} (of {file.repository}) in it", file=str(folder))
    contents = {path: path.read_bytes() for path in candidates if path.stat().st_size <= MOST_DOWNLOAD}
    for content in contents.values():
        if sha256(content) == file.sha256:
            return content
    path = candidates[0]
    return _checked(contents.get(path, b""), file, str(path))


def _checked(content: bytes, file: SourceFile, place: str) -> bytes:
    found = sha256(content)
    if found != file.sha256:
        raise InputError(f"its checksum is {found}, not {file.sha256}", field="sha256", file=place)
    return content
