"""Worker process: ``python -m oas.solvers.isolation.worker``, started by `oas.solvers.isolation.process`.

It leads a process group, answers one request after another, and ends with its whole group when its input closes,
because its parent has then ended.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import tempfile
import threading
import time
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Any

from oas.core.clock import clock
from oas.core.errors import InputError, SolverMissingError, TooLargeError
from oas.core.result import Termination
from oas.core.user_code import working_folder
from oas.solvers.isolation.protocol import (
    Preload,
    Raised,
    Request,
    Session,
    Stop,
    Update,
    leave_signals_to_parent,
    listen,
    remove_folder,
    take_pipes,
    use_path,
)
from oas.solvers.task import MIP, CallOutcome, function_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.solvers.isolation.protocol import Channel
    from oas.solvers.task import Outcome


def main() -> None:
    """Answer requests until the input closes or an interrupt was raised."""
    source, channel = take_pipes()
    stop = Stop()
    signal.signal(signal.SIGINT, stop.handle)
    leave_signals_to_parent()
    requests: queue.SimpleQueue[Request | Preload] = queue.SimpleQueue()
    listener = threading.Thread(target=_listen, args=(source, requests), daemon=True)
    listener.start()
    while not stop.raised:
        request = requests.get()
        if isinstance(request, Preload):
            for module in request.modules:
                import_module(module)
            continue
        answer = _answer(request, channel, stop)
        _tidy()
        try:
            channel.send(answer)
        except BrokenPipeError:
            listener.join()  # the parent has ended: the listener cleans up and ends this process


def _listen(source: int, requests: queue.SimpleQueue[Request | Preload]) -> None:
    folder = ""

    def take(message: object) -> None:
        nonlocal folder
        assert isinstance(message, Request | Preload)
        if isinstance(message, Request):
            folder = message.folder
        requests.put(message)

    def clean_up() -> None:  # the parent has ended and cannot do it
        if folder:
            remove_folder(folder)

    listen(source, take, clean_up)


def _answer(request: Request, channel: Channel, stop: Stop) -> Outcome | CallOutcome | Raised:
    session = Session(request, channel, stop)
    stop.requested, stop.raising = False, True
    try:
        channel.send(Update())
        use_path(request.path)
        if working_folder() is None:  # it was deleted, and Pyomo cannot work without one
            os.chdir("/")
        os.environ["TMPDIR"] = tempfile.tempdir = request.folder
        if request.plain:
            return _call(session)
        check, solve = _adapter(session)
        return solve(_build(session, check), session)
    except KeyboardInterrupt:
        return _interrupted(session)
    except Exception as error:
        # Compiled modules that are being imported may turn the interrupt into another exception.
        return _interrupted(session) if stop.raised else _fault(session, error)
    finally:
        stop.raising = False


def _interrupted(session: Session) -> Outcome:
    return session.outcome(Termination.INTERRUPTED, message="stopped before the solver began")


def _fault(session: Session, error: Exception) -> Outcome | Raised:
    match error:
        case TooLargeError():
            return session.outcome(Termination.TOO_LARGE, message=str(error))
        case InputError() | SolverMissingError():
            return Raised(error)
        case MemoryError():
            return session.outcome(Termination.MEMORY_LIMIT, message="out of memory")
    return session.outcome(Termination.ERROR, message="".join(traceback.format_exception(error, limit=-6)))


def _build(session: Session, check: Callable[[object, str], Any]) -> Any:
    began = time.monotonic()
    function = function_at(session.request.builder, "builder")
    model = check(function(pickle.loads(session.request.payload)), session.request.builder)
    session.build_seconds = time.monotonic() - began
    return model


class _EndedError(Exception):
    """The limit is reached, or the parent has asked to stop."""


def _call(session: Session) -> CallOutcome | Outcome:
    """Call the function, which must check for a request to stop itself: it is not raised."""
    function = function_at(session.request.builder, "function")
    payload = pickle.loads(session.request.payload)
    session.stop.record()

    def check() -> None:
        if session.must_stop():
            raise _EndedError

    try:
        with clock(check):
            value = function(payload, session)
    except _EndedError:  # the parent has the intermediate value
        return session.outcome(Termination.TIME_LIMIT)
    if session.stop.requested:
        return CallOutcome(Termination.INTERRUPTED, value)
    if session.time_is_up:
        return CallOutcome(Termination.TIME_LIMIT, value)
    return CallOutcome(Termination.FINISHED, value)


def _adapter(session: Session) -> tuple[Callable[[object, str], Any], Callable[[Any, Session], Outcome]]:
    """Return the functions that check and solve a model of the solver's family."""
    if session.settings.family != MIP:  # ortools clashes with Pyomo and highspy
        module = import_module(f"oas.solvers.{session.settings.family}")
        return module.check_task, module.solve
    from pyomo.common.tempfiles import TempfileManager

    from oas.solvers.pyomo_named import check_name, solve
    from oas.solvers.variables import check_model

    TempfileManager.tempdir = session.request.folder
    check_name(session.settings.solver)
    return check_model, solve


def _tidy() -> None:
    """Clear Pyomo's list of temporary files after a failed solve; the parent removes the folder."""
    tempfile.tempdir = None
    if "pyomo.common.tempfiles" not in sys.modules:
        return
    from pyomo.common.tempfiles import TempfileManager

    TempfileManager.clear_tempfiles()
    TempfileManager.tempdir = None


if __name__ == "__main__":
    main()
