"""Calls of a heuristic in a worker process with a time limit."""

from __future__ import annotations

import pickle
import time
import traceback
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.result import Termination
from oas.core.schedule import Schedule
from oas.solvers.isolation.supervise import WorkerProcess
from oas.solvers.task import Limits
from oas.solving.method import NotApplicableError, NotPlacedError
from oas.testing.report import Finding, Kind

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.solvers.isolation.protocol import Session
    from oas.solving.method import Scheduler

_OURS = tuple(str(Path(str(import_module(name).__file__)).parent) for name in ("oas", "heuristics"))
_LOADING = 120.0  # seconds for loading the heuristic's module, which this process has already imported
_HINT = "define it in a module that can be imported, or give time_limit=None to run it in this process"


@dataclass(frozen=True)
class Observation:
    """The outcome of one call: a schedule, a refusal or a finding."""

    schedule: Schedule | None = None  # as returned, not yet verified
    refusal: str = ""  # the method's reason if it does not apply to the instance or cannot place all jobs
    finding: Finding | None = None  # the fault, if any
    seconds: float = 0.0  # wall time of the call


def make_run(order: tuple[bytes, bytes, int], _session: Session) -> Observation:
    """Run a pickled heuristic on a pickled instance with a seed, in a worker process."""
    run, instance, seed = order
    return observe(pickle.loads(run), pickle.loads(instance), seed)


def load(run: bytes, _session: Session) -> None:
    """Load a heuristic and its modules in a worker process."""
    pickle.loads(run)


def observe(run: Scheduler, instance: Instance, seed: int) -> Observation:
    """Call `run` and return the schedule, refusal or finding."""
    before: Instance = pickle.loads(pickle.dumps(instance))
    began = time.perf_counter()
    schedule, refusal, finding = None, "", None
    try:
        returned: object = run(instance, seed=seed)
        if isinstance(returned, Schedule):
            schedule = Schedule(returned.placements, str(returned.method))
        else:
            finding = Finding(Kind.NO_SCHEDULE, f"returned {type(returned).__name__}, not a Schedule")
    except (NotApplicableError, NotPlacedError) as error:
        refusal = str(error) or type(error).__name__
    except (Exception, SystemExit) as error:  # a user's heuristic may fail in any way
        finding = Finding(Kind.EXCEPTION, f"{type(error).__name__}: {error}{_place(error)}", type(error).__name__)
    seconds = time.perf_counter() - began
    if instance != before:
        return Observation(finding=Finding(Kind.CHANGED, "the instance is not what it was"), seconds=seconds)
    return Observation(schedule, refusal, finding, seconds)


def _place(error: BaseException) -> str:
    """Return the innermost line of the error or its cause, outside the toolkit if possible."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    if error.__cause__ is not None:
        frames += traceback.extract_tb(error.__cause__.__traceback__)
    if not frames:
        return ""
    last = ([frame for frame in frames if not frame.filename.startswith(_OURS)] or frames)[-1]
    return f" ({Path(last.filename).name}, line {last.lineno}, in {last.name})"


class Runner(WorkerProcess):
    """A worker process that calls a heuristic, with a time limit in seconds for each call.

    Without a limit, calls run in this process, so that functions that cannot be imported (of a notebook) work too.
    `hash_seed` is the ``PYTHONHASHSEED`` of the worker, which changes the order of sets of strings.
    """

    def __init__(self, name: str, run: Scheduler, time_limit: float | None, hash_seed: int) -> None:
        super().__init__({"PYTHONHASHSEED": str(hash_seed)})
        self._name, self._run, self._limit = name, run, time_limit
        self._pickled = b"" if time_limit is None else self._pickle(run)

    def __call__(self, instance: Instance, seed: int) -> Observation:
        """Call the heuristic on a copy of `instance`; raise `InputError` if a worker process cannot load it."""
        copy = pickle.dumps(instance)
        if self._limit is None:
            return observe(self._run, pickle.loads(copy), seed)
        if self.pid is None:
            self._load()
        order = (self._pickled, copy, seed)
        outcome = self.call(f"{__name__}:make_run", order, Limits(self._limit, grace=0))
        match outcome.termination:
            case Termination.FINISHED:
                assert isinstance(outcome.value, Observation)
                return outcome.value
            case Termination.INTERRUPTED:
                self.kill()
                raise KeyboardInterrupt
            case Termination.TIME_LIMIT:
                self.kill()  # the state of the interrupted process is undefined
                finding = Finding(Kind.TIME_LIMIT, f"not done after {self._limit:g} s")
            case _:
                cause = outcome.message.partition("\n")[0].removeprefix("the worker ").removeprefix("ended with ")
                finding = Finding(Kind.DIED, cause)
        return Observation(finding=finding, seconds=outcome.seconds)

    def _load(self) -> None:
        """Load the heuristic in a new process, so that loading does not count as running time."""
        try:
            loaded = self.call(f"{__name__}:load", self._pickled, Limits(_LOADING, grace=0))
        except InputError as error:
            raise self._unloadable(str(error)) from error
        if loaded.termination is Termination.INTERRUPTED:
            raise KeyboardInterrupt
        if loaded.termination is not Termination.FINISHED:
            raise self._unloadable((loaded.message.splitlines() or [loaded.termination.value])[-1])

    def _pickle(self, run: Scheduler) -> bytes:
        try:
            pickled = pickle.dumps(run)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise self._unloadable(str(error)) from error
        if getattr(run, "__module__", "") == "__main__":
            raise self._unloadable("it is defined in __main__")
        return pickled

    def _unloadable(self, reason: str) -> InputError:
        return InputError(f"cannot run in a worker process: {reason}; {_HINT}", field="heuristic", value=self._name)
