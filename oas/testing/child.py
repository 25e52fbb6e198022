"""The process in which a heuristic under test runs: ``python -m oas.testing.child``.

It is started and watched by `oas.testing.running`, answers one order after another, and ends with its parent.
"""

from __future__ import annotations

import pickle
import queue
import signal
import threading

from oas.solvers.isolation.protocol import Taken, listen, take_pipes
from oas.testing.running import Order, observe


def main() -> None:
    """Serve until the input closes."""
    source, channel = take_pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who watches decides
    orders: queue.SimpleQueue[Order] = queue.SimpleQueue()
    threading.Thread(target=listen, args=(source, orders.put, lambda: None), daemon=True).start()
    while True:
        order = orders.get()
        run, instance = pickle.loads(order.run), pickle.loads(order.instance)
        channel.send(Taken())
        channel.send(observe(run, instance, order.seed))


if __name__ == "__main__":
    main()
