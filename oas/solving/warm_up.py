"""Compilation of kernels in advance, in parallel processes: for clusters, campaigns and measurements."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from oas.core.code_cache import FOLDER_VARIABLE, code_folders, default_folders, is_kept
from oas.core.compile_processes import WAIT, compile_all
from oas.core.compiling import recorded_kernels
from oas.core.errors import InputError
from oas.io.files import FileLock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oas.core.problem import Problem


def warm_up(
    problems: Iterable[Problem], on_progress: Callable[[float], None] = lambda _: None, *, must_keep: bool = False
) -> tuple[int, int]:
    """Compile the kernels of some problems that have no compiled code yet.

    Each kernel is run once as plain Python to learn the types of its arguments. One process of a machine compiles at a
    time, on all processors; the others wait for it.

    Parameters
    ----------
    problems
        The problems whose kernels are compiled.
    on_progress
        Called with the seconds since compiling began.
    must_keep
        Whether to refuse to compile code that is deleted at the end of this process.

    Returns
    -------
    tuple
        The number of kernels that were compiled, and the number of all kernels.

    Raises
    ------
    InputError
        With `must_keep`, if some kernels are not compiled and no folder can keep them.
    KeyboardInterrupt
        On Ctrl-C; kernels that are already compiled are kept.
    """
    with recorded_kernels() as noted:
        for problem in problems:
            if problem.has("kernels"):
                problem.part("kernels")()
    files = {(kernel.name, kinds): kernel.file(kinds) for kernel, signatures in noted.items() for kinds in signatures}
    began = time.monotonic()
    while missing := [kernel for kernel, file in files.items() if not _is_stored(file)]:
        if must_keep and not (code_folders() and is_kept(code_folders()[0])):
            folders = " and ".join(map(str, default_folders()))
            reason = f"must be a folder that you alone can write to, because {folders} cannot keep compiled code"
            raise InputError(reason, field=FOLDER_VARIABLE, value=os.environ.get(FOLDER_VARIABLE))
        if not code_folders():
            break
        lock = FileLock(code_folders()[0] / "compiling.lock")
        if lock.held:
            try:
                compile_all(missing, on_progress)
            finally:
                lock.release()
            return sum(_is_stored(files[kernel]) for kernel in missing), len(files)
        on_progress(time.monotonic() - began)
        time.sleep(WAIT)
    return 0, len(files)


def _is_stored(file: str) -> bool:
    return any((folder / file).exists() for folder in code_folders())
