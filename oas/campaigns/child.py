"""The process in which a campaign's runs are made: ``python -m oas.campaigns.child``.

It is started and watched by `oas.campaigns.watch`, answers one batch after another, and ends with its parent.
"""

from __future__ import annotations

import queue
import signal
import threading
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from heuristics.method import NotApplicableError, NotPlacedError
from heuristics.registry import own_methods
from oas.campaigns.execute import execute
from oas.campaigns.plan import Done, OtherSourceError, Started, use_path
from oas.campaigns.scratch import own_scratch, remove, sweep
from oas.core.errors import OasError
from oas.exact.warm_up import warm_up
from oas.io.reading import loads
from oas.solvers.isolation.protocol import Raised, listen, take_pipes
from oas.testing.parts import kit_parts

if TYPE_CHECKING:
    from oas.campaigns.plan import Batch
    from oas.core.problem import Problem
    from oas.solvers.isolation.protocol import Channel


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


if __name__ == "__main__":
    main()
