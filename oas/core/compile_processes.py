"""The processes that compile kernels in the background or in parallel."""

from __future__ import annotations

import atexit
import logging
import os
import pickle
import platform
import subprocess
import sys
import time
from collections import defaultdict
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oas.core.code_cache import FOLDER_VARIABLE, code_folders
from oas.core.processors import processors
from oas.core.user_code import python_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@cache
def machine() -> str:
    """Return a digest of Python, numba and the processor, on which compiled code depends."""
    facts = [sys.implementation.cache_tag or "", version("numba"), version("llvmlite"), platform.machine()]
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n\n")[0].splitlines()
        facts += [line for line in lines if line.startswith(("model name", "flags", "Features", "CPU part"))]
    except OSError:
        facts.append(platform.processor())
    facts += [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_CPU")]
    return sha256("\n".join(facts).encode()).hexdigest()[:16]


LOGGER = logging.getLogger("oas")
WAIT = 0.1  # seconds between two checks of the processes

Request = tuple[str, Any]  # a kernel's name and the kinds of its arguments


def compile_all(requests: Iterable[Request], on_progress: Callable[[float], None]) -> None:
    """Compile kernels, one process per module and at most one per processor, and wait until all are done.

    Raises `KeyboardInterrupt` on Ctrl-C; kernels that are compiled by then stay in the cache.
    """
    groups: dict[str, list[Request]] = defaultdict(list)
    for request in requests:
        groups[request[0].partition(":")[0]].append(request)
    pending = sorted(groups.values(), key=len)
    running: list[subprocess.Popen[bytes]] = []
    began = time.monotonic()
    try:
        while pending or running:
            for process in [process for process in running if process.poll() is not None]:
                running.remove(process)
                _end(process)
            while pending and len(running) < processors():
                running.append(_start(pending.pop()))
            on_progress(time.monotonic() - began)
            time.sleep(WAIT)
    finally:
        for process in running:
            _end(process)


class _Background:
    """Compilation in the background by one process at a time; a new one is started for further requests."""

    def __init__(self) -> None:
        self._requests: list[Request] = []
        self._sent = 0  # number of requests that were passed to a process; they are not repeated
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, request: Request) -> None:
        """Request a kernel, unless that was done before."""
        if request not in self._requests:
            LOGGER.info("compiling %s in the background, once per installation", request[0])
            self._requests.append(request)
        if self._sent < len(self._requests) and (self._process is None or self._process.poll() is not None):
            self.end()
            try:
                self._process = _start(self._requests[self._sent :], subprocess.DEVNULL)
            except OSError as error:  # too many processes, for instance: kernels keep running in plain Python
                LOGGER.warning("nothing can be compiled: %s", error)
            self._sent = len(self._requests)

    def end(self) -> None:
        """Stop compiling; kernels that are compiled stay in the cache."""
        if self._process is not None:
            _end(self._process)
            self._process = None

    def forget(self) -> None:
        """Reset after a fork: the running process belongs to the parent."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.returncode = 0  # not a child of this process
        self.__init__()  # type: ignore[misc]


_background = _Background()


def compile_in_background(kernel: str, kinds: Any) -> None:
    """Request a kernel, compiled for arguments of these kinds, from a process that does not outlive this one."""
    _background.add((kernel, kinds))


def _start(requests: list[Request], stderr: int | None = None) -> subprocess.Popen[bytes]:
    """Start a process that compiles kernels; it ends with this process, or when its standard input is closed.

    It has the usual priority: where processors are busy, a solve that is not compiled would wait for minutes.
    """
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "oas.core.compiled_code"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        env=python_environment(**{FOLDER_VARIABLE: str(code_folders()[0])}),
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(pickle.dumps(requests))
    process.stdin.flush()
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.kill()
    process.wait()
    process.stdin.close()


atexit.register(_background.end)
os.register_at_fork(after_in_child=_background.forget)
