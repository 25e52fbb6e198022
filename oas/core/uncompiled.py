"""Compiled loops run as they stand while their compiled code is not there yet, and stopped on the way."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from types import FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Look = Callable[[], None]

CALLS = 32  # of functions of the loops between two looks
# What is done now and then where loops need not be compiled; None: they are compiled at their first call.
_LOOK: ContextVar[Look | None] = ContextVar("look", default=None)
_calls = [0]  # since the last look


@contextmanager
def uncompiled(look: Look | None) -> Iterator[None]:
    """Inside, loops without compiled code run as they stand; what is compiled meanwhile is used from the next call on.

    Parameters
    ----------
    look
        Called every few hundred microseconds or so while loops run as they stand. What it raises ends them, and leaves
        what they work on half done. None: loops are compiled when they are first called, as everywhere else.
    """
    token = _LOOK.set(look)
    try:
        yield
    finally:
        _LOOK.reset(token)


def need_not_compile() -> bool:
    """Tell whether loops without compiled code run as they stand here."""
    return _LOOK.get() is not None


def twins(functions: Mapping[str, FunctionType], names: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return copies of functions that call one another's copies, and `uncompiled`'s look now and then.

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
            look = _LOOK.get()
            if look is not None:
                look()
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
