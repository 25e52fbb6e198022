"""A process that compiles loops: ``python -m oas.exact.warm_worker``, started by `oas.exact.warm_up`."""

from __future__ import annotations

import os
import queue
import signal
import threading

from oas.core.problem import find_place
from oas.solvers.isolation.launch import die_with
from oas.solvers.isolation.serving import listen, take_pipes


def main() -> None:
    """Run one function after another, and answer with what the compiled code is kept in; end with the parent."""
    die_with(os.getppid())  # the compiler lets no other thread run, so `listen` may come late
    source, channel = take_pipes()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    functions: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=listen, args=(source, functions.put, lambda: None), daemon=True).start()
    while True:
        find_place(functions.get())()
        from oas.core.compiling import kept_files

        channel.send(kept_files())


if __name__ == "__main__":
    main()
