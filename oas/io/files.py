"""Files as bytes, compressed or not (bounded reading of regular files, atomic writing), their texts, and lock files."""

from __future__ import annotations

import csv
import fcntl
import gzip
import os
import re
import stat
import sys
import zlib
from contextlib import contextmanager, suppress
from io import BufferedReader, BytesIO, RawIOBase, StringIO
from itertools import chain
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, LargerThanReadError, shorten, within
from oas.core.user_code import working_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pandas

Source = str | os.PathLike[str]

STANDARD = "-"


def display_path(path: Source) -> str:
    """Return a path as an error should show it."""
    text = os.fsdecode(path)
    if text == STANDARD:
        return "<stdin>"
    return text if text.isprintable() and text else ascii(text)


@contextmanager
def naming_file(path: Source) -> Iterator[None]:
    """Set the file of any `InputError` raised inside the block."""
    try:
        yield
    except InputError as error:
        error.file = display_path(path)
        raise


def read_bytes(path: Source, limit: int) -> bytes:
    """Return the content of a regular file, or of standard input for ``"-"``.

    Raises `InputError` if it cannot be read, is not a regular file, or holds more than `limit` bytes.
    """
    if os.fspath(path) == STANDARD:
        if sys.stdin is None:
            raise InputError("cannot be read: standard input is closed")
        data = sys.stdin.buffer.read(limit + 1)
    else:
        try:
            # O_NONBLOCK: opening a pipe without a writer must not hang.
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(handle, "rb") as file:
                mode = os.fstat(handle).st_mode
                if stat.S_ISDIR(mode):
                    raise OSError("it is a directory")
                if not stat.S_ISREG(mode):
                    raise OSError('it is not a regular file; use "-" to read from a pipe')
                data = file.read(limit + 1)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            raise InputError(f"cannot be read: {_reason(error, path)}") from error
    if len(data) > limit:
        raise LargerThanReadError(f"larger than {limit} bytes, the most that is read")
    return data


def write_bytes(path: Source, data: bytes) -> None:
    """Write a file whole or not at all; to standard output for ``"-"``.

    A pipe, a device or an open descriptor such as ``/dev/stdout`` is written to directly.

    Raises `InputError` if it cannot be written; an old file is then unchanged.
    """
    if os.fspath(path) == STANDARD:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        descriptor = descriptor_of(path)
        if descriptor is None:
            _replace(Path(os.path.realpath(path)), data)
        else:
            if sys.stdout is not None:
                sys.stdout.flush()  # it may be the same file
            with open(os.dup(descriptor), "wb") as file:
                file.write(data)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be written: {_reason(error, path)}", file=display_path(path)) from error


def descriptor_of(path: Source) -> int | None:
    """Return the number of the descriptor that a path such as ``/dev/stdout`` or ``/dev/fd/63`` means, if it does.

    Opening such a path again would overwrite what else is written to the descriptor, if that is a file.
    """
    place = os.fsdecode(path)
    for _ in range(8):  # links to links
        folder, name = os.path.split(place)
        if name.isdecimal() and os.path.realpath(folder or ".") in ("/dev/fd", f"/proc/{os.getpid()}/fd"):
            return int(name)
        if not os.path.islink(place):
            return None
        place = os.path.join(folder, os.readlink(place))
    return None


def _replace(target: Path, data: bytes) -> None:
    if target.exists() and not target.is_file():  # a pipe or a device is written to, never replaced
        with open(target, "wb") as file:
            file.write(data)
        return
    temporary = target.with_name(f".{target.name[:100]}.{token_hex(8)}.tmp")
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    handle, named = _unnamed(target.parent), False
    if handle is None:
        handle, named = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), True
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
            if mode is not None:
                os.fchmod(handle, mode)
            if not named:  # complete by now: if this process is killed, no partial file remains
                os.link(f"/proc/self/fd/{handle}", temporary, src_dir_fd=handle)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _unnamed(folder: Path) -> int | None:
    """Open a file without a name, which disappears with this process; None if the system has no such files."""
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        return os.open(folder, os.O_WRONLY | os.O_TMPFILE | os.O_CLOEXEC, 0o666)
    except OSError:  # not every file system has them; other errors occur again in the caller
        return None


def _reason(error: Exception, path: Source) -> str:
    if isinstance(error, FileNotFoundError) and not os.path.isabs(path) and working_folder() is None:
        return "the working folder has been deleted"
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


GZIP = b"\x1f\x8b"
"""The first bytes of a gzipped file."""
MARK = b"\xef\xbb\xbf"
"""The byte-order mark, which some editors write before UTF-8."""


BZIP2, XZ = b"BZh", b"\xfd7zXZ\x00"
SUFFIXES = (".gz", ".bz2", ".xz")
"""The suffixes of compressed files that are read."""
_FOREIGN = {
    **{b"PK\x03\x04": "ZIP", b"PK\x05\x06": "ZIP", b"\x28\xb5\x2f\xfd": "Zstandard", b"7z\xbc\xaf\x27\x1c": "7-Zip"},
    **{b"\x1f\x9d": "compress (.Z)", b"\x04\x22\x4d\x18": "LZ4", b"LZIP": "lzip", b"\x5d\0\0": "LZMA (before xz)"},
}
_XZ_MEMORY = 128 << 20  # bytes that unpacking .xz may use; the highest level of xz needs 65 MiB


def opened(data: bytes) -> BytesIO | gzip.GzipFile | BufferedReader:
    """Return a stream of the unpacked content of a file; gzip, bzip2 and xz are detected from its first bytes.

    Reading raises one of `UNPACKING_ERRORS` if the data are damaged. Raises `InputError` for other compressed files.
    """
    if data.startswith(GZIP):
        return gzip.GzipFile(fileobj=BytesIO(data))
    if data.startswith(BZIP2):
        import bz2

        return BufferedReader(_Unpacked(data, bz2.BZ2Decompressor))
    if data.startswith(XZ):
        import lzma

        return BufferedReader(_Unpacked(data, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY)))
    for mark, name in _FOREIGN.items():
        if data.startswith(mark):
            raise InputError(f"compressed by {name}; unpack it, or compress it as {', '.join(SUFFIXES)}")
    return BytesIO(data)


def uncompressed_name(name: str) -> str:
    """Return the name of a file without the suffix of its compression."""
    suffix = next((one for one in SUFFIXES if name.lower().endswith(one)), "")
    return name[: len(name) - len(suffix)]


class _Unpacked(RawIOBase):
    """Content of bzip2 or xz data, of one stream or several; at most the requested number of bytes is unpacked."""

    def __init__(self, data: bytes, start: Callable[[], Any]) -> None:
        self._rest, self._start, self._unpacker = data, start, start()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            if self._unpacker.eof:
                self._rest = self._unpacker.unused_data.lstrip(b"\0")  # padding between streams
                if not self._rest:
                    return 0
                self._unpacker = self._start()
            try:
                content = self._unpacker.decompress(self._rest, len(buffer))
            except Exception as error:  # lzma.LZMAError is a plain Exception, and lzma is imported only if needed
                raise OSError(str(error)) from error
            if not content and not self._unpacker.eof and self._unpacker.needs_input and not self._rest:
                raise EOFError("it ends too early")
            self._rest = b""
            if content:
                buffer[: len(content)] = content
                return len(content)


UNPACKING_ERRORS = (OSError, EOFError, zlib.error)
"""Errors of streams from `opened` if the data are damaged; gzip.BadGzipFile is an OSError."""


def refuse_binary(data: bytes) -> None:
    """Raise `InputError` if unpacked data begin like UTF-16, a tar archive or compressed data instead of a text."""
    if data.startswith((GZIP, BZIP2, XZ)):
        raise InputError("compressed twice; unpack it once")
    if data[257:262] == b"ustar":
        raise InputError("a tar archive; unpack it, and name the file in it")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("starts with the byte-order mark of UTF-16; save it as UTF-8", value=data[:2])


def unpacked(data: bytes, limit: int) -> bytes:
    """Return the complete content of a file, without a byte-order mark.

    Raises `InputError` if its compression is damaged, or it contains more than `limit` bytes; no more are unpacked.
    """
    try:
        content = opened(data).read(limit + 1)
    except UNPACKING_ERRORS as error:
        raise broken(error, data) from error
    if len(content) > limit:
        raise LargerThanReadError(f"more than {limit} bytes, the most that is read")
    return content.removeprefix(MARK)


def inflated(data: bytes, limit: int) -> bytes:
    """Return data compressed by zlib, as in ledgers.

    Raises `InputError` if it is damaged, or contains more than `limit` bytes; no more are unpacked.
    """
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(data, limit + 1)
    except zlib.error as error:
        raise InputError(f"damaged: {error}") from error
    if len(content) > limit:
        raise LargerThanReadError(f"more than {limit} bytes, the most that is read")
    if not unpacker.eof:
        raise InputError("damaged: it ends too early")
    return content


def broken(error: Exception, data: bytes, field: str = "") -> InputError:
    """Return the error for compressed data that are damaged or incomplete."""
    name = "bzip2" if data.startswith(BZIP2) else "xz" if data.startswith(XZ) else "gzip"
    return InputError(f"not a whole {name} file: {error}", field=field)


# Control characters could steer a terminal, lone surrogates cannot be written at all.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")

# Spreadsheets interpret a cell that begins like this as a formula and run it, unless it is a number.
_FORMULA = re.compile(r"[=@\t\r]|[+-](?!\d+(\.\d+)?([eE][+-]?\d+)?(/\d+)?\Z)")


def cell(value: object) -> object:
    """Return a value for a CSV cell: a text that a spreadsheet would interpret as a formula gets a ' in front."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def csv_bytes(frame: pandas.DataFrame) -> bytes:
    """Return a data frame as CSV."""
    written: str = frame.map(cell).to_csv(index=False, lineterminator="\n")
    return written.encode()


def write_rows(path: Source, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write rows as CSV, after a line with the names of the columns; errors as `write_bytes`."""
    lines = StringIO()
    csv.writer(lines, lineterminator="\n").writerows(chain([names], rows))
    write_bytes(path, lines.getvalue().encode())


def text(value: str, field: str) -> str:
    """Return a text read from a file; raises `InputError` if it holds control characters."""
    if match := _UNFIT.search(value):
        raise InputError("must not hold control characters", field=field, value=value[match.start() :][:20])
    return value


def texts(values: dict[str, str], field: str) -> dict[str, str]:
    """Return texts by key as read from a file; errors as `text`."""
    for key, value in values.items():
        if _UNFIT.search(key) or _UNFIT.search(value):
            with within(f"{field}.{label(key)}"):
                text(key, "")
                text(value, "")
    return values


def clean(value: str, field: str) -> str:
    """Replace characters that no file may hold, so that no message of a solver prevents saving a result."""
    if not isinstance(value, str):
        raise InputError("must be text", field=field, value=value)
    return _UNFIT.sub("�", value)


def clean_texts(values: Mapping[str, str], field: str) -> dict[str, str]:
    """Return texts by key as a file may hold them."""
    return {clean(key, field): clean(value, f"{field}.{key}") for key, value in values.items()}


def label(key: str) -> str:
    """Return a key in the form used in a field's path: quoted and shortened where needed."""
    return key if key.isprintable() and 0 < len(key) <= 60 else shorten(key)


class FileLock:
    """A lock, acquired on creation if no other process has it (`held`), until `release` or the end of the process.

    It is a separate file, because closing any descriptor of a database file drops SQLite's locks on it. `release`
    deletes it; the file of a killed process is taken over. Raises `OSError` if the file cannot be created.
    """

    def __init__(self, path: Path) -> None:
        self._path, self.held = path, False
        while True:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(self._descriptor)
                return
            with suppress(FileNotFoundError):
                self.held = os.path.samestat(os.stat(path), os.fstat(self._descriptor))
            if self.held:
                return
            os.close(self._descriptor)  # its holder has removed it meanwhile

    def release(self) -> None:
        """Release the lock."""
        if self.held:
            self.held = False
            self._path.unlink(missing_ok=True)
            os.close(self._descriptor)
