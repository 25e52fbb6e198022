"""Kernels: functions over arrays that run as plain Python at first, and compiled by numba once that pays.

A function that is marked by `kernel` is called like any other. Its first calls run as plain Python, some hundred times
slower than compiled, because loading compiled code takes longer than many instances need. After `PATIENCE` seconds the
kernel looks for compiled code on disk:

- If it is there, it is loaded, and all later calls use it. A call that was running restores its arrays as they were and
  begins again, so that nothing depends on when that happens.
- If it is not, a process in the background compiles it (`oas.core.compiled_code`) while the plain call continues, and
  the kernel looks again every `POLL` seconds. No call waits for the compiler.

Nothing here imports numba. Environment variables: ``NUMBA_CACHE_DIR`` names the folder for compiled code;
``NUMBA_DISABLE_JIT=1`` lets kernels stay plain.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property, update_wrapper
from hashlib import sha256
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from oas.core.clock import check_clock
from oas.core.compile_processes import code_folders, compile_in_background, machine
from oas.core.signals import signals_afterwards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

PATIENCE = 0.4  # seconds of plain calls before compiled code is loaded: about what importing numba takes
PATIENCE_LOADED = 0.02  # the same where numba is imported already
POLL = 0.5  # seconds between two looks for compiled code
CALLS = 32  # of functions of a kernel between two looks at the clocks
SLOWER = 100  # times as long a plain call takes, about
_calls = [0]  # since the last look
_RUNNING: ContextVar[_Run | None] = ContextVar("running", default=None)
_noted: ContextVar[dict[Kernel, set[Kinds]] | None] = ContextVar("noted", default=None)
_waiting: set[Kernel] = set()  # whose compiled code is not there yet

Kinds = tuple[Any, ...]
"""The types of arguments, without numba: an array as (dtype, dimensions), a tuple as (its class or None, *parts)."""


def kernel(function: Callable[..., Any]) -> Kernel:
    """Mark a function over arrays and numbers that Python calls, and that may be compiled.

    It may call other functions, which are compiled with it; they and it make no arrays. All that it changes are its
    arrays, which are contiguous.
    """
    return Kernel(function, restarts=True)


def long_kernel(function: Callable[..., Any]) -> Kernel:
    """Mark a kernel whose calls nearly always last for seconds: its compiled code is loaded at the first call."""
    return Kernel(function, restarts=True, patient=False)


def short_kernel(function: Callable[..., Any]) -> Kernel:
    """Mark a kernel whose calls are short: they are never restarted, so that its arrays need not be copied.

    A resumable search is such a kernel if each call takes the number of steps that `Kernel.at_once` returns.
    """
    return Kernel(function, restarts=False)


class Kernel:
    """A function that runs plain or compiled, made by `kernel`, `long_kernel` or `short_kernel`; see the module."""

    def __init__(self, function: Any, restarts: bool, patient: bool = True) -> None:
        self.function: FunctionType = function
        self._restarts = restarts
        self._patient = patient
        self._compiled: Callable[..., Any] | None = None
        self._seconds = 0.0  # of plain calls
        self._looked = self._listed = -POLL  # when compiled code was looked for
        self._found = False
        update_wrapper(self, function)

    @property
    def name(self) -> str:
        """``module:function``."""
        return f"{self.function.__module__}:{self.function.__name__}"

    @property
    def is_slow(self) -> bool:
        """Whether calls will stay plain for a while, as there is no compiled code; searches then take fewer steps."""
        return self._compiled is None and (_disabled() or not self._is_stored())

    def at_once(self, steps: int) -> int:
        """Return the number of steps for one call: all of `steps` if it runs compiled, else a small part."""
        return steps if self._compiled is not None else max(1, steps // SLOWER)

    def __call__(self, *arguments: Any) -> Any:
        """Run plain or compiled."""
        if self._compiled is not None:
            return self._compiled(*arguments)
        noted = _noted.get()
        if noted is not None:
            noted.setdefault(self, set()).add(kinds_of(arguments))
        elif self._seconds >= self._patience and self._load(arguments):
            return self._compiled(*arguments)  # type: ignore[misc]
        return self._run(arguments)

    def plain(self, *arguments: Any) -> Any:
        """Run as plain Python to the end."""
        return _without_numpy(self._twin(*map(_quick, arguments)))

    def compiled(self, *arguments: Any) -> Any:
        """Run compiled, waiting for the compiler if need be; plain if ``NUMBA_DISABLE_JIT`` is set."""
        if _disabled():
            return self.plain(*arguments)
        if self._compiled is None:
            from oas.core.compiled_code import compile_here

            self._compiled = compile_here(self, kinds_of(arguments))
        return self._compiled(*arguments)

    def file(self, kinds: Kinds) -> str:
        """Return the name of the file that holds the code compiled for such arguments."""
        return f"{self._stem}{sha256(repr(kinds).encode()).hexdigest()[:8]}.code"

    def _run(self, arguments: tuple[Any, ...]) -> Any:
        began = time.monotonic()
        kept: list[tuple[Any, Any]] = []
        token = None
        if self._restarts:
            kept = [(array, array.copy()) for array in _arrays(arguments) if array.flags.writeable]
            token = _RUNNING.set(_Run(self, arguments, began + max(0.0, self._patience - self._seconds)))
        try:
            return self.plain(*arguments)
        except _LoadedError:
            for array, values in kept:
                array[...] = values
        finally:
            if token is not None:
                _RUNNING.reset(token)
            self._seconds += time.monotonic() - began
        assert self._compiled is not None
        return self._compiled(*arguments)

    def _load(self, arguments: tuple[Any, ...]) -> bool:
        """Load compiled code if it is there, else have it compiled; return whether calls are compiled from now on."""
        now = time.monotonic()
        if now < self._looked + POLL or _disabled():
            return False
        self._looked = now
        kinds = kinds_of(arguments)
        files = (folder / self.file(kinds) for folder in code_folders())
        file = next(filter(Path.exists, files), None)
        if file is not None:
            with signals_afterwards():  # numba and what it imports drop exceptions of signal handlers
                from oas.core.compiled_code import load

                self._compiled = load(self, kinds, file)
        if self._compiled is None:
            _waiting.add(self)
            compile_in_background(self.name, kinds)
            return False
        _waiting.discard(self)
        return True

    def _is_stored(self) -> bool:
        now = time.monotonic()
        if not self._found and now >= self._listed + POLL:
            self._listed = now
            self._found = any(any(folder.glob(f"{self._stem}*")) for folder in code_folders())
        return self._found

    @property
    def _patience(self) -> float:
        """Seconds of plain calls, after which compiled code is loaded."""
        if not self._patient:
            return 0.0
        return PATIENCE_LOADED if "numba" in sys.modules else PATIENCE

    @cached_property
    def _stem(self) -> str:
        """The beginning of the file's name: the function and a digest of its source, processor and compiler."""
        digest = sha256(machine().encode())
        for part in sources(self.function):
            digest.update(part)
        return f"{self.name.replace(':', '.')}-{digest.hexdigest()[:16]}-"

    @cached_property
    def for_lists(self) -> Callable[..., Any]:
        """The plain function, which takes lists in place of arrays and checks no clock."""
        return copies(self.function, lambda one: one)

    @cached_property
    def _twin(self) -> Callable[..., Any]:
        return copies(self.function, _watched)


class _Run:
    """A plain call that is broken off once there is compiled code."""

    def __init__(self, kernel: Kernel, arguments: tuple[Any, ...], look: float) -> None:
        self.kernel = kernel
        self.arguments = arguments
        self.look = look  # when to look for compiled code

    def check(self) -> None:
        """Break off the call if there is compiled code."""
        now = time.monotonic()
        if now >= self.look:
            self.look = now + POLL
            if self.kernel._load(self.arguments):
                raise _LoadedError


class _LoadedError(Exception):
    """Compiled code has been loaded."""


def chosen(compiled: bool | None, *modules: ModuleType) -> Any:
    """Return the kernels of modules as attributes: always compiled, never compiled, or as it pays (None).

    The outcome is the same; tests compare all three.
    """
    every = {name: one for module in modules for name, one in vars(module).items() if isinstance(one, Kernel)}
    if compiled is None:
        return SimpleNamespace(**every)
    return SimpleNamespace(**{name: one.compiled if compiled else one.plain for name, one in every.items()})


def for_lists(module: ModuleType) -> Any:
    """Return the kernels of a module as plain functions, which take lists in place of arrays."""
    every = {name: one for name, one in vars(module).items() if isinstance(one, Kernel)}
    return SimpleNamespace(**{name: one.for_lists for name, one in every.items()})


def waiting() -> list[str]:
    """Return the names of the kernels that run as plain Python because their compiled code is not there yet."""
    return sorted(one.function.__name__ for one in _waiting)


@contextmanager
def noted_kernels() -> Iterator[dict[Kernel, set[Kinds]]]:
    """Run kernels as plain Python inside; collect those that are called, with the kinds of their arguments."""
    noted: dict[Kernel, set[Kinds]] = {}
    token = _noted.set(noted)
    try:
        yield noted
    finally:
        _noted.reset(token)


def kinds_of(arguments: Iterable[Any]) -> Kinds:
    """Return the kinds of arguments."""
    return tuple(map(_kind, arguments))


def _kind(value: Any) -> Any:
    if hasattr(value, "dtype"):
        if value.ndim and not value.flags.c_contiguous:
            raise ValueError("kernels take contiguous arrays only")
        return (value.dtype.str, value.ndim, value.flags.writeable) if value.ndim else type(value.item()).__name__
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)  # of a named tuple: compiled code knows them by their places
        name = f"{type(value).__module__}:{type(value).__name__}({','.join(fields)})" if fields else None
        return (name, *map(_kind, value))
    return type(value).__name__


def arrays(rows: Any) -> Any:
    """Return a named tuple of lists as one of arrays, of 64-bit integers, or of floats where a list begins with one."""
    return type(rows)(*map(array, rows))


def array(values: Sequence[float]) -> Any:
    """Return an array of 64-bit integers, or of floats where the first of these is one."""
    import numpy as np

    return np.array(values, dtype=np.float64 if len(values) and isinstance(values[0], float) else np.int64)


# Copies of a function and of those it calls


def copies(function: FunctionType, made: Callable[[FunctionType], Any]) -> Any:
    """Copy `function` and the functions that it calls and apply `made` to each copy; the results call each other."""
    spaces: dict[int, dict[str, Any]] = {}
    found: dict[FunctionType, Any] = {}

    def copy(one: FunctionType) -> Any:
        if one not in found:
            space = spaces.setdefault(id(one.__globals__), dict(one.__globals__))
            found[one] = made(FunctionType(one.__code__, space, one.__name__, one.__defaults__))
            for name, called in _called(one):
                space[name] = copy(called)
        return found[one]

    return copy(function)


def _called(function: FunctionType) -> Iterator[tuple[str, FunctionType]]:
    """Yield name and function of all plain functions that a function calls."""
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        value = value.function if isinstance(value, Kernel) else value
        if isinstance(value, FunctionType):
            yield name, value


def sources(function: FunctionType) -> Iterator[bytes]:
    """Yield what compiled code depends on: the files of a function and of those it calls, and their constants."""
    found = {function}
    left = [function]
    constants = set()
    while left:
        one = left.pop()
        for name in one.__code__.co_names:
            value = one.__globals__.get(name)
            if isinstance(value, (bool, int, float, tuple)):
                constants.add(f"{one.__module__}.{name} = {value!r}")
        for _, called in _called(one):
            if called not in found:
                found.add(called)
                left.append(called)
    for path in sorted({one.__code__.co_filename for one in found}):
        yield _content(path)
    yield "\n".join(sorted(constants)).encode()


@cache
def _content(path: str) -> bytes:
    return Path(path).read_bytes()


# Plain calls


def _watched(function: FunctionType) -> Callable[..., Any]:
    calls = _calls

    def run(*arguments: Any) -> Any:
        calls[0] += 1
        if calls[0] >= CALLS:
            calls[0] = 0
            check_clock()
            running = _RUNNING.get()
            if running is not None:
                running.check()
        return function(*arguments)

    return run


def _quick(value: Any) -> Any:
    """Return a view of the same memory that reads and writes single numbers three times as fast."""
    if isinstance(value, tuple):
        parts = map(_quick, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return memoryview(value) if getattr(value, "ndim", 0) == 1 else value


def _without_numpy(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_without_numpy, value))
    return value.item() if hasattr(value, "dtype") else value


def _arrays(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _arrays(part)
    elif getattr(value, "ndim", 0):
        yield value


def _disabled() -> bool:
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
