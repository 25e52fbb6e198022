"""Reading instances, schedules and results."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.result import Result
from oas.core.schedule import Schedule
from oas.io.conversion import Content, content_of
from oas.io.decoding import MAX_BYTES, decode
from oas.io.files import Source, read_bytes, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.core.instances import Instance

_ANSWERS: dict[type, str] = {Schedule: "oas-schedule", Result: "oas-result"}


def load(path: Source) -> Instance:
    """Read an instance, of whichever problem it is.

    Parameters
    ----------
    path
        A regular file of at most 64 MiB, plain or gzipped (told by its first bytes); ``"-"`` is standard input.

    Raises
    ------
    InputError
        Naming file, field and value.
    """
    content = _load(path)
    if isinstance(content, Schedule | Result):
        raise _other_format(content, "an oas-instance file is needed", shown(path))
    return content


def load_answer(path: Source) -> Schedule | Result:
    """Read a schedule file or a result file, whichever it is; errors as `load`."""
    content = _load(path)
    if not isinstance(content, Schedule | Result):
        raise _other_format(content, "an oas-schedule or oas-result file is needed", shown(path))
    return content


def load_schedule(path: Source) -> Schedule:
    """Read a schedule from its own file or out of a result file; errors as `load`."""
    answer = load_answer(path)
    if isinstance(answer, Schedule):
        return answer
    if answer.schedule is None:
        raise InputError("the result holds no schedule", field="schedule", file=shown(path))
    return answer.schedule


def load_result(path: Source) -> Result:
    """Read the result of a solve; errors as `load`."""
    content = _load(path)
    if not isinstance(content, Result):
        raise _other_format(content, "an oas-result file is needed", shown(path))
    return content


def loads(data: bytes, file: str = "<string>") -> Instance:
    """Read an instance from bytes; `file` is what errors call them. Errors as `load`."""
    content = loads_any(data, file)
    if isinstance(content, Schedule | Result):
        raise _other_format(content, "an oas-instance is needed", file)
    return content


def loads_any(data: bytes, file: str = "<string>", limit: int = MAX_BYTES) -> Content:
    """Read an instance, a schedule or a result from bytes, whichever they hold; at most `limit` bytes when unpacked.

    Errors as `load`.
    """
    with _from_file(file):
        return content_of(decode(data, limit))


def _load(path: Source) -> Content:
    if not isinstance(path, str | os.PathLike):
        raise InputError("the path of a file is needed", field="path", value=path)
    with _from_file(shown(path)):
        return content_of(decode(read_bytes(path, MAX_BYTES)))


@contextmanager
def _from_file(file: str) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        error.file = file
        raise


def _other_format(content: Content, reason: str, file: str) -> InputError:
    return InputError(reason, field="format", value=_ANSWERS.get(type(content), "oas-instance"), file=file)
