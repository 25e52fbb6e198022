"""The process in which a campaign's runs are made: ``python -m oas.campaigns.child``.

`oas.campaigns.watch` starts and watches it, and enforces the limits. It processes one batch after another, and ends
with its parent. The input of a run is an order and its instance, the output is a record.

Its temporary files are in a separate folder, on which it holds a lock. At its end it removes the folder, also if its
parent was killed. If it is killed itself, the lock is released, and the next process that cleans up removes the folder.
"""

from __future__ import annotations

import fcntl
import json
import os
import platform
import queue
import shutil
import signal
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from oas._version import __version__
from oas.campaigns.methods import commit, solve_options
from oas.campaigns.plan import OtherSourceError
from oas.campaigns.record import Record, columns_of, pack, text_of
from oas.core.errors import OasError
from oas.core.processors import processors
from oas.core.result import Result, Status, Termination
from oas.io.files import clean
from oas.io.reading import loads
from oas.solvers.discovery import versions
from oas.solvers.isolation.protocol import Raised, Update, leave_signals_to_parent, listen, take_pipes, use_path
from oas.solving.comparison import heuristic_row
from oas.solving.method import NotApplicableError, NotPlacedError
from oas.solving.methods import find_method, toolkit_methods
from oas.solving.options import LEAST_MEMORY
from oas.solving.pipeline import solve
from oas.solving.warm_up import warm_up
from oas.testing.parts import kit_parts

if TYPE_CHECKING:
    from oas.campaigns.plan import Batch, Order
    from oas.campaigns.record import Step
    from oas.core.instances import Instance
    from oas.core.problem import Problem
    from oas.solvers.isolation.protocol import Channel
    from oas.solving.progress import SolveProgress


# Bytes of the memory limit that are reserved for the run's process; the solver may use the rest.
OWN_MEMORY = 256 << 20


def execute(order: Order, instance: Instance) -> Record:
    """Make a run and return its record; a failure of the method is recorded too."""
    began = time.monotonic()
    steps: list[Step] = []
    result = _exact(order, instance, steps) if order.method.kind == "exact" else _heuristic(order, instance)
    record = replace(
        blank(order),
        **columns_of(result),
        seconds=time.monotonic() - began,
        stages=json.dumps({name: round(seconds, 6) for name, seconds in result.seconds.items()}),
        progress=json.dumps(steps),
        result=pack(result),
    )
    return replace(record, recorded=_now())


def blank(order: Order, termination: Termination = Termination.ERROR, message: str = "") -> Record:
    """Return the record of a run that left no result."""
    method = order.method
    return Record(
        key=order.key,
        digest=order.digest,
        instance=order.instance,
        method=method.label,
        kind=method.kind,
        parameters=json.dumps(method.parameters, sort_keys=True),
        limits=json.dumps(method.limits.to_dict()),
        seed=order.seed,
        repetition=order.repetition,
        source=order.source,
        package=__version__,
        status=Status.NO_SOLUTION.value,
        termination=termination.value,
        message=clean(message, "message"),
        keeps_locality=method.keeps_locality(order.problem),
        checkout=commit(),
        host=_host(),
        recorded=_now(),
    )


def _exact(order: Order, instance: Instance, steps: list[Step]) -> Result:
    """Solve the instance and append every improvement of bound or makespan to `steps`."""
    limits, seconds = order.method.limits, order.time_limit
    memory = None if limits.memory is None else max(limits.memory - OWN_MEMORY, limits.memory // 2, LEAST_MEMORY)

    def append_step(progress: SolveProgress) -> None:
        values = text_of(progress.lower_bound), text_of(progress.objective)
        if not steps or steps[-1][1:] != values:
            steps.append((round(progress.seconds, 3), *values))

    try:
        return solve(
            instance,
            on_interrupt="return",
            on_progress=append_step,
            time_limit=None if seconds is None else float(seconds),
            memory_limit=memory,
            seed=order.seed,
            **solve_options(order.method.parameters),
        )
    except OasError as error:
        return _result(order, instance, str(error))


def _heuristic(order: Order, instance: Instance) -> Result:
    try:
        method = find_method(order.method.parameters["name"], type(instance))
    except OasError as error:
        return _result(order, instance, str(error))
    row = heuristic_row(instance, method, order.seed)
    result = _result(order, instance, row.note)
    if row.schedule is None:
        return result if row.failed else replace(result, termination=Termination.FINISHED)
    return replace(
        result,
        status=Status.FEASIBLE,
        termination=Termination.FINISHED,
        schedule=row.schedule,
        seconds={} if row.seconds is None else {"total": row.seconds},
    )


def _result(order: Order, instance: Instance, message: str) -> Result:
    """Return the result of a run that failed."""
    return Result(
        status=Status.NO_SOLUTION,
        termination=Termination.ERROR,
        schedule=None,
        lower_bound=None,
        proof=None,
        instance_digest=instance.digest,
        versions=versions({}),
        seed=order.seed,
        message=message,
    )


@cache
def _host() -> str:
    import psutil

    facts = {
        "node": platform.node(),
        "system": platform.platform(),
        "machine": platform.machine(),
        "cores": processors(),
        "memory": psutil.virtual_memory().total,
    }
    return json.dumps(facts)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


PREFIX = "oas-campaign-"
_PATIENCE = 2.0  # seconds of retries, because a solver that is ending may still write to the folder


def main() -> None:
    """Make runs until the input closes."""
    source, channel = take_pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    leave_signals_to_parent()
    sweep()
    scratch = own_scratch()

    def clean_up() -> None:
        remove(scratch)
        sweep()  # another child may have been killed together with its parent

    batches: queue.SimpleQueue[Batch] = queue.SimpleQueue()
    listener = threading.Thread(target=listen, args=(source, batches.put, clean_up), daemon=True)
    listener.start()
    try:
        while True:
            _serve(batches.get(), channel)
    except BrokenPipeError:
        listener.join()  # the parent is gone: the listener cleans up and ends this process


def _serve(batch: Batch, channel: Channel) -> None:
    use_path(batch.path)
    for order in batch.orders:
        if order.source != order.method.source:  # the key was computed with other source code
            reason = "its source has changed since the campaign began, or a worker has another; start again"
            channel.send(Raised(OtherSourceError(f"{order.method.label}: {reason}")))
            return
        # The values that an instance caches must not shorten the times of exact runs.
        instance = (loads if order.method.kind == "exact" else _shared_instance)(batch.document)
        prepare(instance.problem, order.method.kind)
        channel.send(Update())
        channel.send(execute(order, instance))


_shared_instance = lru_cache(maxsize=1)(loads)


@cache
def prepare(problem: Problem, kind: str) -> None:
    """Compile the problem's kernels and run each of its heuristics once, so that runs do not include loading code."""
    warm_up([problem])
    if kind == "heuristic" and problem.has("testing"):
        instance = kit_parts(problem).tiny(0)
        for method in toolkit_methods(problem):
            with suppress(NotApplicableError, NotPlacedError):
                method(instance)


def own_scratch() -> Path:
    """Create a folder for the temporary files of this process and its child processes."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        if _locked(folder) is not None and folder.exists():  # otherwise another process removed it before the lock
            break
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    return folder


def sweep() -> None:
    """Remove the folders of children that have ended."""
    parent = Path(tempfile.gettempdir())
    for folder in parent.glob(f"{PREFIX}*"):
        descriptor = _locked(folder)
        if descriptor is not None:
            remove(folder)
            os.close(descriptor)


def is_in_use(folder: Path) -> bool:
    """Return whether a running child has locked the folder."""
    descriptor = _locked(folder)
    if descriptor is None:
        return folder.exists()
    os.close(descriptor)
    return False


def remove(folder: Path) -> None:
    """Remove a folder; retry while a process that is ending still writes to it."""
    end = time.monotonic() + _PATIENCE
    while folder.exists() and time.monotonic() < end:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.001)


def _locked(folder: Path) -> int | None:
    """Lock a folder until the returned descriptor is closed; None if it is locked elsewhere or missing."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
        else:
            return descriptor
    return None


if __name__ == "__main__":
    main()
