"""The process in which a campaign's runs are made: ``python -m benchmarks.campaign.child``.

It is started and watched by `benchmarks.campaign.watch`, answers one batch after another, and ends with its parent.
"""

from __future__ import annotations

import queue
import signal
import threading
from functools import cache
from typing import TYPE_CHECKING

from benchmarks.campaign.execute import execute
from benchmarks.campaign.order import Done, Started
from heuristics.registry import own_methods
from oas.core.mosp import MospInstance
from oas.generate.mosp_uni import uni
from oas.io.reading import loads
from oas.solvers.serving import listen, take_pipes

if TYPE_CHECKING:
    from benchmarks.campaign.order import Batch
    from oas.solvers.protocol import Channel


def main() -> None:
    """Serve until the input closes."""
    source, channel = take_pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who watches decides
    batches: queue.SimpleQueue[Batch] = queue.SimpleQueue()
    threading.Thread(target=listen, args=(source, batches.put, lambda: None), daemon=True).start()
    while True:
        _serve(batches.get(), channel)


def _serve(batch: Batch, channel: Channel) -> None:
    instance = loads(batch.document)
    if isinstance(instance, MospInstance) and any(order.method.kind == "heuristic" for order in batch.orders):
        warm_up()
    for order in batch.orders:
        channel.send(Started(order.key))
        channel.send(execute(order, instance))
    channel.send(Done())


@cache
def warm_up() -> None:
    """Load or compile our inner loops once, so that no run is charged for it."""
    instance = uni(jobs=4, organizations=2, processors=4)
    for method in own_methods(MospInstance):
        method(instance)


if __name__ == "__main__":
    main()
