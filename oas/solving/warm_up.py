"""Compilation of kernels in advance, in parallel processes: for clusters, campaigns and measurements."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from oas.core.compile_processes import WAIT, code_folders, compile_all
from oas.core.compiling import recorded_kernels
from oas.io.files import FileLock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oas.core.problem import Problem


def warm_up(problems: Iterable[Problem], on_progress: Callable[[float], None] = lambda _: None) -> tuple[int, int]:
    """Compile the kernels of some problems that have no compiled code yet.

    Each kernel is run once as plain Python to learn the types of its arguments. One process of a machine compiles at a
    time, on all processors; the others wait for it.

    Parameters
    ----------
    problems
        The problems whose kernels are compiled.
    on_progress
        Called with the seconds since compiling began.

    Returns
    -------
    tuple
        The number of kernels that were compiled, and the number of all kernels.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C; kernels that are already compiled are kept.
    """
    with recorded_kernels() as noted:
        for problem in problems:
            if problem.has("kernels"):
                problem.part("kernels")()
    files = {(kernel.name, kinds): kernel.file(kinds) for kernel, signatures in noted.items() for kinds in signatures}
    folder = code_folders()[0]
    began = time.monotonic()
    while missing := [kernel for kernel, file in files.items() if not (folder / file).exists()]:
        lock = FileLock(folder / "compiling.lock")
        if lock.held:
            try:
                compile_all(missing, on_progress)
            finally:
                lock.release()
            return sum((folder / files[kernel]).exists() for kernel in missing), len(files)
        on_progress(time.monotonic() - began)
        time.sleep(WAIT)
    return 0, len(files)
