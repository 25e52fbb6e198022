"""The files of the catalogue in a cache folder: where they are, and what is in them."""

from __future__ import annotations

import hashlib
import subprocess
import zipfile
from io import BytesIO
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from benchmarks.external.formats.packing import MOST_BYTES
from oas.core.errors import InputError

if TYPE_CHECKING:
    from benchmarks.external.catalogue import Entry, SourceFile

CACHE = Path("build/external")
UNPACKER = "bsdtar"
_SECONDS = 60.0


def cached_path(cache: Path, file: SourceFile) -> Path:
    """Return where this file is kept: its name with the first digits of its checksum, as names come twice."""
    return cache / f"{file.sha256[:12]}-{file.name}"


def sha256(content: bytes) -> str:
    """Return the checksum in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def cached(cache: Path, file: SourceFile) -> bytes:
    """Return a file out of the cache.

    Raises
    ------
    InputError
        If it is not there, or is not what it was.
    """
    path = cached_path(cache, file)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError("not there; `python -m benchmarks.external fetch` brings it", file=str(path)) from None
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}", file=str(path)) from None
    found = sha256(content)
    if found != file.sha256:
        raise InputError(f"its checksum is {found}, not {file.sha256}", field="sha256", file=str(path))
    return content


def content_of(cache: Path, file: SourceFile, entry: Entry) -> bytes:
    """Return the text of an instance: the file itself, or its member of a ZIP or RAR archive.

    Raises
    ------
    InputError
        If the file, the member or what unpacks RAR is missing.
    """
    content = cached(cache, file)
    if not entry.member:
        return content
    if file.name.endswith(".zip"):
        return _zip_member(content, entry.member, file.name)
    return _rar_member(cached_path(cache, file), entry.member)


def _zip_member(content: bytes, member: str, file: str) -> bytes:
    """Read a member; archives made on Windows may have backslashes in their names."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            for info in archive.infolist():
                if info.filename.replace("\\", "/") == member:
                    if info.file_size > MOST_BYTES:
                        raise InputError(f"larger than {MOST_BYTES} bytes", field=member, file=file)
                    return archive.read(info)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise InputError(f"no ZIP archive that can be read: {error}", file=file) from None
    raise InputError("the archive has no such member", field=member, file=file)


def _rar_member(path: Path, member: str) -> bytes:
    """Read a member by libarchive's bsdtar: no reader of RAR comes with Python."""
    tool = which(UNPACKER)
    if tool is None:
        raise InputError(f"{UNPACKER} unpacks it, and is not installed; libarchive has it", file=str(path))
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
