"""The files of a catalogue: fetched into a folder next to it, read with their checksums, unpacked."""

from __future__ import annotations

import hashlib
import subprocess
import urllib.error
import urllib.request
import zipfile
from http.client import HTTPException
from io import BytesIO
from shutil import which
from typing import TYPE_CHECKING
from urllib.parse import quote

from oas.campaigns.public_sets.formats import MAX_BYTES
from oas.core.errors import InputError
from oas.io.files import write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from oas.campaigns.public_sets.catalogue import Entry, SourceFile

MAX_DOWNLOAD = 64_000_000  # bytes
UNPACKER = "bsdtar"
_SECONDS = 60.0


def stored_path(catalogue: Path, file: SourceFile) -> Path:
    """Return the path of a file, in a folder with the catalogue's name; two files may have one name."""
    return catalogue.with_suffix("") / f"{file.sha256[:12]}-{file.name}"


def fetch(catalogue: Path, files: Iterable[SourceFile], folder: Path | None = None) -> Iterator[str]:
    """Bring files into the catalogue's folder and yield a line for each; a file that is there already is kept.

    They are taken from `folder` or below; downloaded from GitHub if it is None. Raises `InputError` if a file is not
    available or has another checksum.
    """
    for file in files:
        target = stored_path(catalogue, file)
        if target.exists() and checksum(target.read_bytes()) == file.sha256:
            yield f"{target}: there already"
            continue
        content = _download(file) if folder is None else _found(file, folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(target, content)
        yield f"{target}: {len(content)} bytes, checksum verified"


def url(file: SourceFile) -> str:
    """Return the address of a file."""
    return f"https://raw.githubusercontent.com/{file.repository}/{file.commit}/{quote(file.path)}"


def checksum(content: bytes) -> str:
    """Return the SHA-256 of some content."""
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
    """Read a member; archives made on Windows may have backslashes in their names."""
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
        said = run.stderr.decode(errors="replace").strip()[:200]
        raise InputError(f"{UNPACKER} finds no such member: {said}", field=member, file=str(path))
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


def _found(file: SourceFile, folder: Path) -> bytes:
    """Return the content of the file in the folder or below that has the name and the checksum."""
    candidates = sorted(path for path in folder.rglob(file.name) if path.is_file())
    if not candidates:
        raise InputError(f"there is no {file.name} (of {file.repository}) in it", file=str(folder))
    contents = {path: path.read_bytes() for path in candidates if path.stat().st_size <= MAX_DOWNLOAD}
    content = next((one for one in contents.values() if checksum(one) == file.sha256), None)
    if content is None:
        _check(contents.get(candidates[0], b""), file, str(candidates[0]))
    return content or b""


def _check(content: bytes, file: SourceFile, place: str) -> None:
    if (actual := checksum(content)) != file.sha256:
        raise InputError(f"its checksum is {actual}, not {file.sha256}", field="sha256", file=place)
