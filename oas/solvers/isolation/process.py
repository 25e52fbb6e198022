"""The parent's handle on a child process: start it, talk to it, end it with everything it started."""

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

from oas.solvers.isolation.protocol import FrameBuffer, frame, import_path

if TYPE_CHECKING:
    from collections.abc import Mapping


class WorkerGoneError(Exception):
    """The worker has closed its pipes or died."""


_TAIL = 2000
DYING_SECONDS = 1.0  # in which a process that has closed its pipe is expected to be gone
# Every child of this process, to end them with it and to let go of them after a fork.
_children: weakref.WeakSet[ChildProcess] = weakref.WeakSet()


class ChildProcess:
    """A process of this package, started when first needed and again after it was killed.

    It leads its own session and process group: a terminal's Ctrl-C does not reach it, and a signal to the group
    reaches it and everything it runs there. It runs a module that reads framed messages from its standard input, writes
    them to its standard output, and ends when its standard input closes; `environment` are variables that differ.
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
        """The child's process id, which is also its group's; None while there is none."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Make sure that a worker is there and its log empty."""
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
            env={**os.environ, "PYTHONPATH": os.pathsep.join(import_path()), **self._environment},
            start_new_session=True,
            bufsize=0,
        )

    def send(self, message: object) -> None:
        """Write one message.

        Raises `WorkerGoneError` if the child reads no more.
        """
        assert self._process is not None and self._process.stdin is not None
        data = memoryview(frame(message))
        try:
            while data:
                data = data[os.write(self._process.stdin.fileno(), data) :]
        except OSError as error:
            raise WorkerGoneError from error

    def receive(self, seconds: float) -> list[object]:
        """Return the messages that come within `seconds`: as soon as there is one, or none.

        Raises `WorkerGoneError` if there will be no more.
        """
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
        """Ask the whole group to stop: CBC ends with its incumbent, the worker's handler tells HiGHS."""
        assert self._process is not None
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGINT)

    def end(self, seconds: float = 1.0) -> int:
        """Close the child's input, so that it tidies up and ends itself; `kill` it if it has not after `seconds`."""
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        return self.kill()

    def kill(self, dying: bool = False) -> int:
        """End the whole group immediately and return the worker's exit code: minus the signal's number, if by one.

        With `dying` the worker seems to be ending, so it has a moment to end with its own cause of death.
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
        """The end of the output of the worker and its solvers on stdout and stderr."""
        if self._log is None:
            return ""
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - _TAIL))
        return self._log.read().decode("utf-8", "replace").strip()

    def memory(self) -> int:
        """Resident bytes of the worker and everything it started."""
        import psutil

        total = 0
        with contextlib.suppress(psutil.Error):
            leader = psutil.Process(self.pid)
            for process in [leader, *leader.children(recursive=True)]:
                with contextlib.suppress(psutil.Error):
                    total += process.memory_info().rss
        return total

    def close(self) -> None:
        """End the worker. It can be started again."""
        self.kill()
        if self._log is not None:
            self._log.close()
            self._log = None

    def abandon(self) -> None:
        """Forget a worker that belongs to the process from which this one was forked."""
        process, self._process = self._process, None
        if process is not None:
            _close_pipes(process)  # an open copy would hide the parent's death from the worker
            process.returncode = 0  # not ours to wait for
        if self._log is not None:
            self._log.close()
            self._log = None


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in filter(None, (process.stdin, process.stdout)):
        pipe.close()


def _await_group_end(group: int, seconds: float = 2.0) -> None:
    """Wait until no process of a killed group writes files any more.

    Its other members are not ours to reap, and whoever must may take its time: the dead do not count.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end and _group_lives(group):
        time.sleep(0.005)


def _group_lives(group: int) -> bool:
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
