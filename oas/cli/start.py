"""Entry point of the command `oas`: it handles Ctrl-C from the first moment, before everything else is imported."""

from __future__ import annotations

import gc
import os
import signal
import sys

TYPE_CHECKING = False  # as in oas/__init__.py
if TYPE_CHECKING:
    from typing import NoReturn


def main(*, check_folder: bool = False) -> NoReturn:
    """Import and run the command line.

    With `check_folder`, it is refused if the first folder of the import path, the current one under ``python -m oas``,
    hides a package of the toolkit.
    """
    # Instances and schedules are many small objects without cycles; with Python's default, collections took 35 % of
    # the time of a first schedule of 50,000 jobs.
    gc.set_threshold(100_000, 20, 20)
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:  # otherwise Ctrl-C during the imports would print a traceback
        signal.signal(signal.SIGINT, _end)
    if check_folder:
        _check_folder()
    from oas.cli.main import main as run

    if handler is signal.default_int_handler:
        signal.signal(signal.SIGINT, handler)
    run()


def _end(_number: int, _frame: object) -> None:
    os.write(2, b"oas: interrupted\n")
    os._exit(130)


def _check_folder() -> None:
    from oas.core.errors import InputError
    from oas.core.user_code import check_not_hidden

    try:
        check_not_hidden()
    except InputError as error:
        sys.stderr.write(f"oas: {error}\n")
        sys.exit(2)
