"""Compiled loops made ready once per installation, in processes side by side: before a clock runs, or meanwhile."""

from __future__ import annotations

import atexit
import json
import logging
import os
import platform
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from oas.core.file_lock import FileLock
from oas.core.problem import find_place
from oas.solvers.isolation.handle import WorkerGoneError
from oas.solvers.isolation.process import ChildProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

LOGGER = logging.getLogger("oas")
WAIT = 0.1  # seconds between two looks at what other processes do
NICE = 10  # by which processes that compile give way to a solve that goes on meanwhile
OURS = "NUMBA_CACHE_DIR"  # names one folder for all compiled code; numba does without it where it cannot be written
_MEMORY: set[str] = set()  # what this process has compiled for itself alone


@dataclass(frozen=True)
class Loops:
    """Loops that are compiled together.

    Attributes
    ----------
    function
        ``package.module:function`` that runs them once on next to nothing, which compiles them.
    heuristic
        Whether heuristics run them too, before any bound or search.
    """

    function: str
    heuristic: bool = False


def missing(loops: Iterable[Loops]) -> list[Loops]:
    """Return those that have yet to be compiled here, for this processor. Imports nothing that compiles."""
    return [one for one in loops if one.function not in _MEMORY and not _is_kept(one.function)]


def warm_up(loops: Iterable[Loops], on_progress: Callable[[float], None] | None = None) -> None:
    """Compile what is missing, as many at a time as there are processors.

    One process of a machine compiles at a time; the others wait for it. Where compiled code cannot be kept, this
    process compiles for itself.

    Parameters
    ----------
    loops
        What will be needed.
    on_progress
        Called with the seconds since the beginning.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C; what has been compiled by then is kept.
    """
    wanted = missing(loops)
    if not wanted:
        return
    LOGGER.info("compiling %d parts of the search, once per installation", len(wanted))
    began = time.monotonic()

    def report() -> None:
        if on_progress is not None:
            on_progress(time.monotonic() - began)

    report()
    with suppress(OSError):  # no folder can be written to
        lock = FileLock(_folders()[0] / "compiling.lock")
        while not lock.held:
            time.sleep(WAIT)
            report()
            if not missing(wanted):
                return
            lock = FileLock(_folders()[0] / "compiling.lock")
        try:
            _compile([one.function for one in missing(wanted)], report)
        finally:
            lock.release()
    for one in missing(wanted):
        _MEMORY.add(one.function)
        find_place(one.function)()
        report()


class _Background(threading.Thread):
    """Compiles what is wanted, as long as this process lives; what has failed is not tried again."""

    def __init__(self) -> None:
        super().__init__(name="compiling", daemon=True)
        self._wanted: dict[str, Loops] = {}
        self._tried: set[str] = set()
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def add(self, loops: Iterable[Loops]) -> bool:
        """Want these too; False if it has come to its end."""
        with self._lock:
            self._wanted.update({one.function: one for one in loops})
            return self.ident is None or (self.is_alive() and not self._ended.is_set())

    def end(self) -> None:
        """Stop compiling, now; what is compiled is kept."""
        self._ended.set()
        if self.is_alive():
            self.join()

    def run(self) -> None:
        with suppress(OSError, _EndedError):  # no folder can be written to, or this process ends
            while wanted := self._next():
                lock = FileLock(_folders()[0] / "compiling.lock")
                if not lock.held:
                    self._ended.wait(WAIT)
                    self._go_on()
                    continue
                self._tried |= {one.function for one in wanted}
                try:
                    _compile([one.function for one in missing(wanted)], self._go_on, nice=NICE)
                finally:
                    lock.release()
        self._ended.set()

    def _next(self) -> list[Loops]:
        with self._lock:
            found = [one for one in missing(list(self._wanted.values())) if one.function not in self._tried]
            if not found:
                self._ended.set()
            return found

    def _go_on(self) -> None:
        if self._ended.is_set():
            raise _EndedError


class _EndedError(Exception):
    """The process ends."""


_background: _Background | None = None


def compile_meanwhile(loops: Iterable[Loops]) -> None:
    """Begin to compile what is missing, and return: child processes do it as long as this process lives.

    Where compiled code cannot be kept, nothing is done.
    """
    global _background
    wanted = missing(loops)
    if not wanted or (_background is not None and _background.add(wanted)):
        return
    _background = _Background()
    _background.add(wanted)
    atexit.register(_background.end)
    _background.start()


def is_compiling() -> bool:
    """Tell whether child processes compile, or wait for another process that does."""
    return _background is not None and _background.is_alive()


def _compile(functions: Sequence[str], report: Callable[[], None], nice: int = 0) -> None:
    """Let child processes compile; write down what they have kept. A child that dies leaves its work undone.

    `nice` is by how much they give way to other processes.
    """
    left = list(functions)
    with ExitStack() as stack:
        idle = [
            stack.enter_context(ChildProcess("oas.exact.warm_worker")) for _ in range(min(len(left), _processors()))
        ]
        busy: dict[ChildProcess, str] = {}
        while left or busy:
            while left and idle:
                child = idle.pop()
                busy[child] = left.pop(0)
                with _deaths_noted(child, busy):
                    child.start()
                    if nice and child.pid is not None:
                        _give_way(child.pid, nice)
                    child.send(busy[child])
            for child, function in list(busy.items()):
                with _deaths_noted(child, busy):
                    for answer in child.receive(WAIT):
                        _keep(function, answer)  # type: ignore[arg-type]
                        del busy[child]
                        idle.append(child)
            if not busy and not idle:
                return
            report()


def _give_way(process: int, nice: int) -> None:
    """Let a process that leads its session give way to others.

    Where Linux shares processors out among sessions first, a process is nice to its own session only, and it is the
    session that must be.
    """
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process, nice)
    with suppress(OSError):
        Path(f"/proc/{process}/autogroup").write_text(str(nice), encoding="ascii")


@contextmanager
def _deaths_noted(child: ChildProcess, busy: dict[ChildProcess, str]) -> Iterator[None]:
    try:
        yield
    except WorkerGoneError:
        LOGGER.warning("compiling %s failed: %s", busy.pop(child), child.log_tail()[-200:])


# What is kept: for each function a file that names the sources and the compiled code, and what it was compiled for.


def _keep(function: str, files: list[tuple[str, str]]) -> None:
    if not files:  # it could not be written
        return
    sources = {source: _stamp(Path(source)) for source, _ in files}
    content = {"for": _machine(), "sources": sources, "compiled": [compiled for _, compiled in files]}
    path = _marker(_folders()[0], function)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps(content), encoding="utf-8")
    part.replace(path)


def _is_kept(function: str) -> bool:
    for folder in _folders():
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            content = json.loads(_marker(folder, function).read_text(encoding="utf-8"))
            if content["for"] != _machine() or not all(map(os.path.exists, content["compiled"])):
                continue
            if all(_stamp(Path(source)) == stamp for source, stamp in content["sources"].items()):
                return True
    return False


def _marker(folder: Path, function: str) -> Path:
    return folder / f"compiled-{function.replace(':', '.')}-{sys.implementation.cache_tag}.json"


def _stamp(path: Path) -> list[int]:
    """Size and time of last change, by which numba too tells whether a source is the one that was compiled."""
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]


@cache
def _folders() -> tuple[Path, ...]:
    """The folders where notes of what is compiled may be; that which can be written to comes first."""
    own = os.environ.get(OURS)
    if own and _writable(Path(own)):
        return (Path(own),)
    beside = Path(__file__).parent / "__pycache__"
    cached = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "oas-scheduling"
    return tuple(sorted((beside, cached), key=lambda folder: not _writable(folder)))


def _writable(folder: Path) -> bool:
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        return os.access(folder, os.W_OK)
    return False


@cache
def _machine() -> str:
    """The processor and compiler that code is compiled for: it runs nowhere else."""
    facts = [version("numba"), version("llvmlite"), platform.machine(), *_processor()]
    facts += [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("NUMBA_CPU")]
    return sha256("\n".join(facts).encode()).hexdigest()[:16]


def _processor() -> Iterator[str]:
    """The model and features of the first processor, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n\n")[0].splitlines()
    except OSError:
        yield platform.processor()
        return
    yield from (line for line in lines if line.startswith(("model name", "flags", "Features", "CPU part")))


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
