"""Run compiled loops as plain Python while their compiled code is not there yet; they check the clock of the solve."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from types import FunctionType
from typing import TYPE_CHECKING, Any

from oas.core.clock import check_clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

CALLS = 32  # of functions of the loops between two looks at the clock
_UNCOMPILED: ContextVar[bool] = ContextVar("uncompiled", default=False)
_calls = [0]  # since the last look
_waited = [0.0]  # seconds that this process has waited for loops to be compiled


@contextmanager
def uncompiled(wanted: bool = True) -> Iterator[None]:
    """Run loops without compiled code as plain Python; once compiled, the code is used from the next call on.

    Plain loops check the clock (`oas.core.clock`), which may end them by an exception.

    Parameters
    ----------
    wanted
        False: loops are compiled at their first call, as everywhere else.
    """
    token = _UNCOMPILED.set(wanted)
    try:
        yield
    finally:
        _UNCOMPILED.reset(token)


def need_not_compile() -> bool:
    """Tell whether loops without compiled code run as plain Python here."""
    return _UNCOMPILED.get()


def count_compiling(seconds: float) -> None:
    """Count time in which this process has waited for loops to be compiled."""
    _waited[0] += seconds


def compile_seconds() -> float:
    """Return how long this process has waited for loops to be compiled so far."""
    return _waited[0]


def twins(functions: Mapping[str, FunctionType], names: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return copies of functions that call one another's copies, and check the clock now and then.

    Parameters
    ----------
    functions
        By name.
    names
        What else they use: constants, types, modules.
    """
    space = dict(names)
    found = {name: _watched(FunctionType(one.__code__, space, name)) for name, one in functions.items()}
    space.update(found)
    return found


def run_plainly(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a function of `twins` as compiled code would be called: arrays are written to, and numbers are plain."""
    return _plain(function(*map(_quick, arguments)))


def _watched(function: FunctionType) -> Callable[..., Any]:
    calls = _calls

    def run(*arguments: Any) -> Any:
        calls[0] += 1
        if calls[0] >= CALLS:
            calls[0] = 0
            check_clock()
        return function(*arguments)

    return run


def _quick(value: Any) -> Any:
    """Return the same memory, of which single numbers are read and written in a third of the time."""
    from numpy import ndarray

    if isinstance(value, ndarray):
        return memoryview(value) if value.ndim == 1 else value  # type: ignore[arg-type]
    if isinstance(value, tuple):
        parts = map(_quick, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _plain(value: Any) -> Any:
    from numpy import generic

    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return value.item() if isinstance(value, generic) else value
