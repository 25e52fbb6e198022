"""Kernels: functions over arrays that run as plain Python at first, and compiled by numba when that saves time.

A function decorated with `kernel` is called like any other. Its first calls run in plain Python, about a hundred times
slower than compiled, because loading compiled code takes longer than many instances need. After `PATIENCE` seconds the
kernel looks for compiled code on disk:

- If there is some, the kernel loads it and uses it for all later calls. A running call restores its arrays and starts
  again, so that results do not depend on the moment of loading.
- Otherwise a background process compiles the kernel (`oas.core.compiled_code`) while the plain call continues, and the
  kernel looks again every `POLL` seconds. No call waits for the compiler.

This module does not import numba. Environment variables: ``NUMBA_CACHE_DIR`` names the folder for compiled code, which
must be closed to other users (`oas.core.code_cache`);
``NUMBA_DISABLE_JIT=1`` keeps all kernels in plain Python.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, update_wrapper
from hashlib import sha256
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from oas.core.clock import check_clock
from oas.core.code_cache import code_folders
from oas.core.compile_processes import compile_in_background, machine
from oas.core.signals import signals_afterwards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

PATIENCE = 0.4  # seconds of plain calls before compiled code is loaded: about the time to import numba
PATIENCE_LOADED = 0.02  # the same if numba is already imported
POLL = 0.5  # seconds between two searches for compiled code
CALLS = 32  # calls of functions within plain kernels between two checks (`_with_checks`)
SLOWER = 100  # approximate ratio of the times of a plain and a compiled call
_calls = [0]  # number of calls since the last check
_RESTART: ContextVar[Callable[[], None] | None] = ContextVar("restart", default=None)
_noted: ContextVar[dict[Kernel, set[Kinds]] | None] = ContextVar("noted", default=None)
_waiting: set[Kernel] = set()  # kernels whose compiled code is not available yet

Kinds = tuple[Any, ...]
"""Argument types without numba: (dtype, dimensions, writeable) for an array, (class or None, *parts) for a tuple."""


def kernel(function: Callable[..., Any]) -> Kernel:
    """Mark a function over arrays and numbers as a kernel, which may be compiled.

    The functions that it calls are compiled with it. None of them creates arrays; they change nothing but the arrays
    that they are given, which are contiguous.
    """
    return Kernel(function, restarts=True)


def long_kernel(function: Callable[..., Any]) -> Kernel:
    """Mark a kernel whose calls usually last for seconds: its compiled code is loaded at the first call."""
    return Kernel(function, restarts=True, patient=False)


def short_kernel(function: Callable[..., Any]) -> Kernel:
    """Mark a kernel with short calls, which are never restarted, so that its arrays need not be copied.

    A resumable search qualifies if each call takes the number of steps that `Kernel.steps_per_call` returns.
    """
    return Kernel(function, restarts=False)


class Kernel:
    """A function that runs in plain Python or compiled; created by `kernel`, `long_kernel` or `short_kernel`."""

    def __init__(self, function: Any, restarts: bool, patient: bool = True) -> None:
        self.function: FunctionType = function
        self._restarts = restarts
        self._patient = patient
        self._compiled: Callable[..., Any] | None = None
        self._seconds = 0.0  # total time of plain calls
        self._searched = self._listed = -POLL  # times of the last searches for compiled code
        self._stored = False  # whether some compiled code is known to be stored
        update_wrapper(self, function)

    @property
    def name(self) -> str:
        """``module:function``."""
        return f"{self.function.__module__}:{self.function.__name__}"

    @property
    def is_slow(self) -> bool:
        """Whether calls will stay plain for a while because no compiled code exists; searches then take fewer steps."""
        if self._compiled is not None:
            return False
        now = time.monotonic()
        if not self._stored and now >= self._listed + POLL:
            self._listed = now
            self._stored = any(any(folder.glob(f"{self._stem}*")) for folder in code_folders())
        return _disabled() or not self._stored

    def steps_per_call(self, steps: int) -> int:
        """Return the number of steps for one call: `steps` if it runs compiled, otherwise a small part of them."""
        return steps if self._compiled is not None else max(1, steps // SLOWER)

    def __call__(self, *arguments: Any) -> Any:
        """Run compiled if compiled code is loaded or should be loaded now, otherwise in plain Python."""
        if self._compiled is not None:
            return self._compiled(*arguments)
        noted = _noted.get()
        if noted is not None:
            noted.setdefault(self, set()).add(kinds_of(arguments))
        elif self._seconds >= self._patience and self._load(arguments):
            return self._compiled(*arguments)  # type: ignore[misc]
        return self._run(arguments)

    def plain(self, *arguments: Any) -> Any:
        """Run in plain Python."""
        return _without_numpy(self._interruptible(*map(_quick, arguments)))

    def compiled(self, *arguments: Any) -> Any:
        """Run compiled, if necessary after compiling here; plain if nothing may be compiled."""
        if _disabled():
            return self.plain(*arguments)
        if self._compiled is None:
            from oas.core.compiled_code import compile_here

            self._compiled = compile_here(self, kinds_of(arguments))
        return self._compiled(*arguments)

    def file(self, kinds: Kinds) -> str:
        """Return the name of the file with the code compiled for arguments of these kinds."""
        return f"{self._stem}{sha256(repr(kinds).encode()).hexdigest()[:8]}.code"

    def _run(self, arguments: tuple[Any, ...]) -> Any:
        """Run in plain Python; if calls can be restarted, only until compiled code is available."""
        began = time.monotonic()
        next_search = began + max(0.0, self._patience - self._seconds)

        def restart_if_loaded() -> None:
            nonlocal next_search
            now = time.monotonic()
            if now >= next_search:
                next_search = now + POLL
                if self._load(arguments):
                    raise _LoadedError

        changed = _arrays(arguments) if self._restarts else ()
        initial = [(array, array.copy()) for array in changed if array.flags.writeable]
        token = _RESTART.set(restart_if_loaded if self._restarts else None)
        try:
            return self.plain(*arguments)
        except _LoadedError:
            for array, values in initial:
                array[...] = values
        finally:
            _RESTART.reset(token)
            self._seconds += time.monotonic() - began
        assert self._compiled is not None
        return self._compiled(*arguments)

    def _load(self, arguments: tuple[Any, ...]) -> bool:
        """Load compiled code or, if there is none, request it; return whether calls are compiled from now on."""
        now = time.monotonic()
        if now < self._searched + POLL or _disabled():
            return False
        self._searched = now
        kinds = kinds_of(arguments)
        files = (folder / self.file(kinds) for folder in code_folders())
        file = next(filter(Path.exists, files), None)
        if file is not None:
            with signals_afterwards():  # numba and its imports lose exceptions of signal handlers
                from oas.core.compiled_code import load

                self._compiled = load(self, file)
        if self._compiled is None:
            _waiting.add(self)
            compile_in_background(self.name, kinds)
            return False
        _waiting.discard(self)
        return True

    @property
    def _patience(self) -> float:
        """Seconds of plain calls after which compiled code is loaded."""
        if not self._patient:
            return 0.0
        return PATIENCE_LOADED if "numba" in sys.modules else PATIENCE

    @cached_property
    def _stem(self) -> str:
        """Beginning of the file names: the function and a digest of its source, the processor and the compiler."""
        digest = sha256(machine().encode())
        for part in sources(self.function):
            digest.update(part)
        return f"{self.name.replace(':', '.')}-{digest.hexdigest()[:16]}-"

    @cached_property
    def for_lists(self) -> Callable[..., Any]:
        """The plain function, which takes lists instead of arrays and does not check the time limit."""
        return copies(self.function, lambda copy: copy)

    @cached_property
    def _interruptible(self) -> Callable[..., Any]:
        return copies(self.function, _with_checks)


class _LoadedError(Exception):
    """Compiled code has been loaded: the running call must start again."""


def select_kernels(compiled: bool | None, *modules: ModuleType) -> Any:
    """Return the kernels of modules as attributes: always compiled (True), always plain (False), or either (None).

    The results are the same; tests compare all three.
    """
    kernels = {name: value for module in modules for name, value in vars(module).items() if isinstance(value, Kernel)}
    if compiled is None:
        return SimpleNamespace(**kernels)
    return SimpleNamespace(**{name: one.compiled if compiled else one.plain for name, one in kernels.items()})


def waiting() -> list[str]:
    """Return the names of the kernels that run in plain Python because their compiled code is not available yet."""
    return sorted(one.function.__name__ for one in _waiting)


@contextmanager
def recorded_kernels() -> Iterator[dict[Kernel, set[Kinds]]]:
    """Run kernels in plain Python inside the block and collect them with the kinds of their arguments."""
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
        fields = getattr(value, "_fields", None)  # of a named tuple: compiled code accesses them by position
        name = f"{type(value).__module__}:{type(value).__name__}({','.join(fields)})" if fields else None
        return (name, *map(_kind, value))
    return type(value).__name__


def arrays(rows: Any) -> Any:
    """Convert a named tuple of lists to a named tuple of arrays; see `array`."""
    return type(rows)(*map(array, rows))


def array(values: Sequence[float]) -> Any:
    """Return an array of 64-bit integers, or of floats if the first value is a float."""
    import numpy as np

    return np.array(values, dtype=np.float64 if len(values) and isinstance(values[0], float) else np.int64)


# Copies of a function and of the functions that it calls


def copies(function: FunctionType, convert: Callable[[FunctionType], Any]) -> Any:
    """Copy `function` and the functions that it calls and apply `convert` to each copy; the results call each other."""
    namespaces: dict[int, dict[str, Any]] = {}
    converted: dict[FunctionType, Any] = {}

    def copy(original: FunctionType) -> Any:
        if original not in converted:
            namespace = namespaces.setdefault(id(original.__globals__), dict(original.__globals__))
            code, defaults = original.__code__, original.__defaults__
            converted[original] = convert(FunctionType(code, namespace, original.__name__, defaults))
            for name, called in _called(original):
                namespace[name] = copy(called)
        return converted[original]

    return copy(function)


def _called(function: FunctionType) -> Iterator[tuple[str, FunctionType]]:
    """Yield the name and function of each Python function or kernel that a function calls."""
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        value = value.function if isinstance(value, Kernel) else value
        if isinstance(value, FunctionType):
            yield name, value


def sources(function: FunctionType) -> Iterator[bytes]:
    """Yield the contents of the files of a function and of all that it calls, and the values of their constants."""
    functions = [function]
    constants = set()
    for caller in functions:  # the loop extends this list
        for name in caller.__code__.co_names:
            value = caller.__globals__.get(name)
            if isinstance(value, (bool, int, float, tuple)):
                constants.add(f"{caller.__module__}.{name} = {value!r}")
        functions += [called for _, called in _called(caller) if called not in functions]
    for path in sorted({called.__code__.co_filename for called in functions}):
        yield Path(path).read_bytes()
    yield "\n".join(sorted(constants)).encode()


# Plain calls


def _with_checks(function: FunctionType) -> Callable[..., Any]:
    """Return the function with regular checks of the time limit and for compiled code."""
    calls = _calls

    def run(*arguments: Any) -> Any:
        calls[0] += 1
        if calls[0] >= CALLS:
            calls[0] = 0
            check_clock()
            restart_if_loaded = _RESTART.get()
            if restart_if_loaded is not None:
                restart_if_loaded()
        return function(*arguments)

    return run


def _quick(value: Any) -> Any:
    """Return memoryviews of arrays of one dimension; access to single elements is about three times faster."""
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
    """Return whether nothing is compiled: numba is switched off, or no folder is safe from other users."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") or not code_folders()
