"""Handle of a child process: start it, exchange messages, end it and all processes that it started."""

from __future__ import annotations

import atexit
import contextlib
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from typing import IO, TYPE_CHECKING, Self

from oas.core.result import Termination
from oas.core.user_code import python_environment
from oas.solvers.isolation.protocol import FrameBuffer, frame

if TYPE_CHECKING:
    from collections.abc import Mapping


class WorkerGoneError(Exception):
    """The child process has closed its pipes or ended."""


# Signals that others send to end a process; the remaining ones mean a crash.
_KILLS = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT}
_TAIL = 2000
DYING_SECONDS = 1.0  # time in which a process that has closed its pipe should end
# All children of this process; they are ended at its exit and released after a fork.
_children: weakref.WeakSet[ChildProcess] = weakref.WeakSet()


class ChildProcess:
    """A process that runs a module of this package and is restarted after it was killed.

    It leads a new session and process group: a terminal's Ctrl-C does not reach it, and a signal to the group reaches
    it and its child processes. The module reads framed messages from standard input, writes them to standard output,
    and ends when standard input closes. `environment` holds additional environment variables.
    """

    def __init__(self, module: str, environment: Mapping[str, str] | None = None) -> None:
        _children.add(self)
        self._module = module
        self._environment = dict(environment or {})
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._frames = FrameBuffer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """Process id of the child, which is also the id of its group; None if it does not run."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the child unless it runs, and empty its log."""
        if self._process is not None and self._process.poll() is not None:
            self.kill()
        if self._process is not None:
            assert self._log is not None
            self._log.truncate(0)
            return
        self._frames = FrameBuffer()
        if self._log is not None:
            self._log.close()
        self._log = tempfile.TemporaryFile("a+b", buffering=0)  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", self._module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=python_environment(**self._environment),
            start_new_session=True,
            bufsize=0,
        )

    def send(self, message: object) -> None:
        """Write one message; raises `WorkerGoneError` if the child has closed its input."""
        assert self._process is not None and self._process.stdin is not None
        data = memoryview(frame(message))
        try:
            while data:
                data = data[os.write(self._process.stdin.fileno(), data) :]
        except OSError as error:
            raise WorkerGoneError from error

    def receive(self, seconds: float) -> list[object]:
        """Return the messages of up to `seconds`; raises `WorkerGoneError` if the child has closed its output."""
        assert self._process is not None and self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            if not selector.select(seconds):
                return []
        data = os.read(self._process.stdout.fileno(), 1 << 20)
        if not data:
            raise WorkerGoneError
        return list(self._frames.feed(data))

    def interrupt(self) -> None:
        """Send SIGINT to the group: CBC ends with its incumbent, and the worker's handler stops HiGHS."""
        assert self._process is not None
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGINT)

    def end(self, seconds: float = 1.0) -> int:
        """Close the child's input, so that it cleans up and ends; `kill` it after `seconds`."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        return self.kill()

    def kill(self, dying: bool = False) -> int:
        """Kill the whole group and return the child's exit code, or minus the number of the signal that ended it.

        With `dying`, the child seems to be ending, and first gets `DYING_SECONDS` to end with its own exit code.
        """
        process, self._process = self._process, None
        if process is None:
            return 0
        if dying:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(DYING_SECONDS)
        code = process.poll()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        _close_pipes(process)
        _await_group_end(process.pid)
        return process.returncode if code is None else code

    def log_tail(self) -> str:
        """Return the end of the output of the child and its solvers."""
        if self._log is None:
            return ""
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - _TAIL))
        return self._log.read().decode("utf-8", "replace").strip()

    def memory(self) -> int:
        """Return the memory (RSS) in bytes of the child and its child processes."""
        import psutil

        total = 0
        with contextlib.suppress(psutil.Error):
            leader = psutil.Process(self.pid)
            for process in [leader, *leader.children(recursive=True)]:
                with contextlib.suppress(psutil.Error):
                    total += process.memory_info().rss
        return total

    def close(self) -> None:
        """Kill the child and close its log. It can be started again."""
        self.kill()
        if self._log is not None:
            self._log.close()
            self._log = None

    def abandon(self) -> None:
        """Release a child that belongs to the process from which this one was forked."""
        process, self._process = self._process, None
        if process is not None:
            _close_pipes(process)  # with an open copy the child would not notice the parent's end
            process.returncode = 0  # it is no child of this process, which cannot wait for it
        if self._log is not None:
            self._log.close()
            self._log = None


def cause_of_death(code: int) -> tuple[Termination, str]:
    """Return the termination and a description for an exit code, or minus the number of a signal."""
    if code < 0:
        number = signal.Signals(-code)
        return Termination.KILLED if number in _KILLS else Termination.CRASHED, f"died of {number.name}"
    return Termination.CRASHED, f"ended with exit code {code}"


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in filter(None, (process.stdin, process.stdout)):
        pipe.close()


def _await_group_end(group: int) -> None:
    """Wait until all processes of a killed group have ended; zombies count as ended, as another process reaps them."""
    end = time.monotonic() + 2.0
    while time.monotonic() < end and _group_runs(group):
        time.sleep(0.005)


def _group_runs(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    import psutil

    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if os.getpgid(process.pid) == group and process.status() != psutil.STATUS_ZOMBIE:
                return True
    return False


def _close_all() -> None:
    for child in list(_children):
        child.close()


def _abandon_all() -> None:
    for child in list(_children):
        child.abandon()


atexit.register(_close_all)
os.register_at_fork(after_in_child=_abandon_all)
