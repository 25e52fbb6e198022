"""The folder of compiled code, and processes that compile kernels: one in the background, or several side by side."""

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
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

OURS = "NUMBA_CACHE_DIR"  # names one folder for all compiled code; it is ignored where it cannot be written to


@cache
def code_folders() -> tuple[Path, ...]:
    """Return the folders in which compiled code may be; new code goes into the first.

    It is a folder in the package; the user's cache if that cannot be written to; else a temporary folder of this
    process.
    """
    own = os.environ.get(OURS)
    if own and _is_writable(Path(own)):
        return (Path(own),)
    beside = Path(__file__).parent / "__pycache__"
    cached = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "oas-scheduling"
    found = sorted((beside, cached), key=lambda folder: not _is_writable(folder))
    if not _is_writable(found[0]):
        found.insert(0, Path(_temporary().name))
    return tuple(filter(Path.is_dir, found))


def _is_writable(folder: Path) -> bool:
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        return os.access(folder, os.W_OK)
    return False


@cache
def _temporary() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="oas-code-")


@cache
def machine() -> str:
    """Return a digest of what compiled code depends on: Python, numba and the processor."""
    facts = [sys.implementation.cache_tag or "", version("numba"), version("llvmlite"), platform.machine()]
    facts += _processor()
    facts += [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_CPU")]
    return sha256("\n".join(facts).encode()).hexdigest()[:16]


def _processor() -> Iterator[str]:
    """Yield the model and features of the first processor, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n\n")[0].splitlines()
    except OSError:
        yield platform.processor()
        return
    yield from (line for line in lines if line.startswith(("model name", "flags", "Features", "CPU part")))


LOGGER = logging.getLogger("oas")
WAIT = 0.1  # seconds between two looks at what the processes do
NICE = 10  # lower priority of the process in the background, so that it does not slow down the solve

Wanted = tuple[str, Any]  # a kernel's name, and the kinds of its arguments


def compile_all(wanted: Iterable[Wanted], on_progress: Callable[[float], None]) -> None:
    """Compile kernels, as many modules at a time as there are processors; return when that is done.

    Raises `KeyboardInterrupt` on Ctrl-C; what has been compiled by then is kept.
    """
    groups: dict[str, list[Wanted]] = defaultdict(list)
    for one in wanted:
        groups[one[0].partition(":")[0]].append(one)
    left = sorted(groups.values(), key=len)
    busy: list[subprocess.Popen[bytes]] = []
    began = time.monotonic()
    try:
        while left or busy:
            for process in [one for one in busy if one.poll() is not None]:
                busy.remove(process)
                _end(process)
            while left and len(busy) < processors():
                busy.append(_start(left.pop(), 0))
            on_progress(time.monotonic() - began)
            time.sleep(WAIT)
    finally:
        for process in busy:
            _end(process)


class _Background:
    """The process that compiles what is wanted meanwhile, begun again when more is wanted than it was told."""

    def __init__(self) -> None:
        self._left: list[Wanted] = []
        self._told: list[Wanted] = []
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, one: Wanted) -> None:
        """Want this too; what was wanted before is not tried again."""
        if one not in self._left and one not in self._told:
            LOGGER.info("compiling %s in the background, once per installation", one[0])
            self._left.append(one)
        if self._left and (self._process is None or self._process.poll() is not None):
            self.end()
            self._told += self._left
            told, self._left = self._left, []
            try:
                self._process = _start(told, NICE)
            except OSError as error:  # too many processes, for instance: kernels stay plain
                LOGGER.warning("nothing can be compiled: %s", error)

    def end(self) -> None:
        """Stop compiling; what is compiled is kept."""
        if self._process is not None:
            _end(self._process)
            self._process = None

    def forget(self) -> None:
        """Forget a process that belongs to the process from which this one was forked."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.returncode = 0  # not ours to wait for
        self.__init__()  # type: ignore[misc]


_background = _Background()


def compile_in_background(kernel: str, kinds: Any) -> None:
    """Have a kernel compiled for arguments of these kinds, by a process that ends with this one at the latest."""
    _background.add((kernel, kinds))


def _start(wanted: list[Wanted], nice: int) -> subprocess.Popen[bytes]:
    """Start a process that compiles these; it ends when its standard input does, which is with this process."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "oas.core.compiled_code", str(nice)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL if nice else None,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)), OURS: str(code_folders()[0])},
        start_new_session=True,
    )
    assert process.stdin is not None
    process.stdin.write(pickle.dumps(wanted))
    process.stdin.flush()
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.kill()
    process.wait()
    process.stdin.close()


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


atexit.register(_background.end)
os.register_at_fork(after_in_child=_background.forget)
