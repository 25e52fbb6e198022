"""Calls of a heuristic under a time limit, in a process of its own that is ended when it passes."""

from __future__ import annotations

import pickle
import time
from typing import TYPE_CHECKING, Self

from oas.core.errors import InputError
from oas.solvers.isolation.process import ChildProcess, WorkerGoneError
from oas.solvers.isolation.protocol import Taken
from oas.testing.child import Order
from oas.testing.findings import Finding, Kind
from oas.testing.observing import Observation, observe

if TYPE_CHECKING:
    from heuristics.method import Scheduler
    from oas.core.instances import Instance

_LOADING = 120.0  # seconds that loading the heuristic's module may take; it has been imported here before
_HINT = "define it in a module that can be imported, or give time_limit=None to run it in this process"


class Runner:
    """Calls one heuristic again and again.

    Parameters
    ----------
    name, run
        The heuristic.
    time_limit
        Seconds of wall time for each call. None: no limit, and no process of its own, so that a function that cannot
        be imported (one of a notebook) can run too.
    hash_seed
        ``PYTHONHASHSEED`` of the process: sets of texts are gone through in another order under another.
    """

    def __init__(self, name: str, run: Scheduler, time_limit: float | None, hash_seed: int) -> None:
        self._name = name
        self._run = run
        self._limit = time_limit
        self._pickled = b"" if time_limit is None else self._pickle(run)
        self._child = ChildProcess("oas.testing.child", {"PYTHONHASHSEED": str(hash_seed)})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.close()

    def __call__(self, instance: Instance, seed: int) -> Observation:
        """Call the heuristic on a copy of `instance`.

        Raises
        ------
        InputError
            If the heuristic cannot be loaded in a process of its own.
        """
        copy = pickle.dumps(instance)
        if self._limit is None:
            return observe(self._run, pickle.loads(copy), seed)
        try:
            return self._watch(Order(self._pickled, copy, seed), self._limit)
        except BaseException:
            self._child.kill()
            raise

    def _pickle(self, run: Scheduler) -> bytes:
        try:
            pickled = pickle.dumps(run)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise self._unloadable(str(error)) from error
        if getattr(run, "__module__", "") == "__main__":
            raise self._unloadable("it is defined in __main__")
        return pickled

    def _unloadable(self, reason: str) -> InputError:
        return InputError(f"cannot run in a process of its own: {reason}; {_HINT}", field="heuristic", value=self._name)

    def _watch(self, order: Order, limit: float) -> Observation:
        began, taken = time.monotonic(), False
        try:
            self._child.start()
            self._child.send(order)
            while (seconds := time.monotonic() - began) < (limit if taken else _LOADING):
                for message in self._child.receive(min(0.2, limit)):
                    if isinstance(message, Taken):
                        began, taken = time.monotonic(), True
                    elif isinstance(message, Observation):
                        return message
        except WorkerGoneError:
            tail = self._child.log_tail()
            code = self._child.kill(dying=True)
            if not taken:
                raise self._unloadable((tail.splitlines() or ["its process ends"])[-1]) from None
            cause = f"signal {-code}" if code < 0 else f"exit code {code}"
            return Observation(finding=Finding(Kind.DIED, cause), seconds=seconds)
        self._child.kill()
        return Observation(finding=Finding(Kind.TIME_LIMIT, f"not done after {limit:g} s"), seconds=seconds)
