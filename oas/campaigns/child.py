"""The process in which a campaign's runs are made: ``python -m oas.campaigns.child``.

It is started and watched by `oas.campaigns.watch`, answers one batch after another, and ends with its parent.

Its temporary files have a folder of their own, on which it holds a lock, and which is removed even if it is killed.
What it leaves at its end it removes itself, also when its parent was killed; if it was killed itself, the lock is gone
with it, and whoever sweeps next removes the folder.
"""

from __future__ import annotations

import fcntl
import os
import queue
import shutil
import signal
import tempfile
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.registry import own_methods
from oas.campaigns.execute import execute
from oas.campaigns.plan import Done, OtherSourceError, Started, use_path
from oas.core.errors import OasError
from oas.exact.warm_up import warm_up
from oas.io.reading import loads
from oas.solvers.isolation.protocol import Raised, listen, take_pipes
from oas.testing.parts import kit_parts

if TYPE_CHECKING:
    from oas.campaigns.plan import Batch
    from oas.core.problem import Problem
    from oas.solvers.isolation.protocol import Channel


PREFIX = "oas-campaign-"
_PATIENCE = 2.0  # seconds; what a dying solver still writes must not keep a folder alive


def main() -> None:
    """Serve until the input closes."""
    source, channel = take_pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who watches decides
    sweep()
    scratch = own_scratch()

    def clean_up() -> None:
        remove(scratch)
        sweep()  # a sibling may have died with no process left to remove its folder

    batches: queue.SimpleQueue[Batch] = queue.SimpleQueue()
    listener = threading.Thread(target=listen, args=(source, batches.put, clean_up), daemon=True)
    listener.start()
    try:
        while True:
            _serve(batches.get(), channel)
    except BrokenPipeError:
        listener.join()  # the parent is gone: the listener tidies up and ends this process


def _serve(batch: Batch, channel: Channel) -> None:
    use_path(batch.path)
    try:
        _check_source(batch)
    except OasError as error:
        channel.send(Raised(error))
        return
    instance = loads(batch.document)
    warm_up([instance.problem])
    if any(order.method.kind == "heuristic" for order in batch.orders):
        load_heuristics(instance.problem)
    for order in batch.orders:
        channel.send(Started(order.key))
        channel.send(execute(order, instance))
    channel.send(Done())


def _check_source(batch: Batch) -> None:
    """Refuse to make a run if the source here is not the one that its key stands for."""
    for order in batch.orders:
        if order.source != order.method.source:
            raise OtherSourceError(order.method.label)


@cache
def load_heuristics(problem: Problem) -> None:
    """Run each of the problem's heuristics once, so that no run is charged for loading its code."""
    instance = kit_parts(problem).tiny(0) if problem.has("testing") else None
    for method in own_methods(problem) if instance is not None else ():
        with suppress(NotApplicableError, NotPlacedError):
            method(instance)


def own_scratch() -> Path:
    """Make this process a folder and have everything temporary go there, also that of processes it starts."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        if _locked(folder) is not None and folder.exists():  # else another process swept between the two
            break
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    return folder


def sweep() -> None:
    """Remove the folders of children that are no more."""
    parent = Path(tempfile.gettempdir())
    for folder in parent.glob(f"{PREFIX}*"):
        descriptor = _locked(folder)
        if descriptor is not None:
            remove(folder)
            os.close(descriptor)


def is_in_use(folder: Path) -> bool:
    """Return whether a living child holds the folder."""
    descriptor = _locked(folder)
    if descriptor is None:
        return folder.exists()
    os.close(descriptor)
    return False


def remove(folder: Path) -> None:
    """Remove a folder in which another process may still write for a moment."""
    end = time.monotonic() + _PATIENCE
    while folder.exists() and time.monotonic() < end:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.001)


def _locked(folder: Path) -> int | None:
    """Return a descriptor that holds the folder until it is closed; None if another process holds it or it is gone."""
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
