"""Compiles loops: the same code, its names bound to the compiled versions of one another."""

from __future__ import annotations

import hashlib
import logging
import time
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from numba import config, njit, types
from numba.core.caching import FunctionCache

from oas.core.announcing import announce_compiling
from oas.core.uncompiled import count_compiling, need_not_compile, run_plainly, twins

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LOGGER = logging.getLogger("oas")
SECONDS = 0.25  # between two looks at whether compiled code is there
_REPORTED: set[str] = set()
_ENTRIES: list[Any] = []  # all functions of this process that Python calls and that are or may be compiled


def compiled_names(own: dict[str, Any], *modules: ModuleType, entries: Sequence[str]) -> dict[str, Any]:
    """Return the modules' functions compiled, their constants and what they import, to be bound in the namespace `own`.

    A function's compiled code holds that of those it calls, but numba's cache notices changes of the function's own
    file only. So the name it is kept under tells of all their files.

    Inside `oas.core.uncompiled.uncompiled` the entries run as they stand until their compiled code is on disk.

    Parameters
    ----------
    own
        The namespace of the module that holds the compiled functions.
    modules
        Of plain functions over arrays, none of which makes an array.
    entries
        Those that Python calls; the others can only be called by compiled code, for converting arguments takes longer
        to compile than most of the functions.
    """
    names = {name: value for module in modules for name, value in vars(module).items()}
    functions = {name: value for name, value in names.items() if isinstance(value, FunctionType)}
    digest = hashlib.sha256()
    for file in sorted({one.__code__.co_filename for one in functions.values()}):
        digest.update(Path(file).read_bytes())
    stamp = digest.hexdigest()[:8]
    found = {name: value for name, value in names.items() if name.isupper() or isinstance(value, ModuleType)}
    inside = {**own, **found}  # what the compiled functions see
    for name, function in functions.items():
        copy = FunctionType(function.__code__, inside, name)
        copy.__qualname__ = f"{name}_{stamp}"
        found[name] = inside[name] = _compiled(copy, name in entries)
    plain: dict[str, Callable[..., Any]] = {}

    def twin(name: str) -> Callable[..., Any]:
        if not plain:
            plain.update(twins(functions, names))
        return plain[name]

    return found | {name: _entry(found[name], name, twin) for name in entries}


def _entry(dispatcher: Any, name: str, twin: Callable[[str], Callable[..., Any]]) -> Callable[..., Any]:
    """Return what calls the compiled function, or its twin while it need not be compiled and is not."""
    if config.DISABLE_JIT:  # numba's own switch, NUMBA_DISABLE_JIT
        return lambda *arguments: run_plainly(twin(name), arguments)
    there, looked = False, -SECONDS  # whether compiled code was seen where loops need not be compiled
    called = False  # whether the compiled function was called, elsewhere

    def run(*arguments: Any) -> Any:
        nonlocal there, looked, called
        if need_not_compile():
            now = time.monotonic()
            if not there and now >= looked + SECONDS:
                looked, there = now, _is_there(dispatcher, arguments)
            if not there:
                return run_plainly(twin(name), arguments)
        elif not called:
            called = True
            if not _is_there(dispatcher, arguments):
                _compile_now(dispatcher, name, arguments)
        return dispatcher(*arguments)

    return run


def _compile_now(dispatcher: Any, name: str, arguments: tuple[Any, ...]) -> None:
    """Compile a function before its first call, and report that and the seconds it takes."""
    LOGGER.info("compiling %s, once per installation", name)
    announce_compiling()
    began = time.monotonic()
    try:
        dispatcher.compile(tuple(dispatcher.typeof_pyval(one) for one in arguments))
    finally:
        count_compiling(time.monotonic() - began)


def _is_there(dispatcher: Any, arguments: tuple[Any, ...]) -> bool:
    """Whether the function is compiled for such arguments, in this process or on disk."""
    if not dispatcher.signatures and not isinstance(dispatcher._cache, CompiledCode):
        return False
    types_of = tuple(dispatcher.typeof_pyval(one) for one in arguments)
    return types_of in dispatcher.overloads or (
        isinstance(dispatcher._cache, CompiledCode) and dispatcher._cache.holds(types_of, dispatcher.targetctx)
    )


class CompiledCode(FunctionCache):
    """Compiled code on disk; what cannot be read is compiled anew, what cannot be written is done without.

    numba passes on whatever goes wrong with its files. A process that is killed, or a disk that is full or fails, can
    leave one that ends too early, and every later process would stop at it.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for these argument types, or None where there is none that can be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # whatever unpickling or linking damaged code raises
            _report("cannot be read and is compiled anew", self.cache_path, error)
        try:
            self.flush()
        except OSError:
            self.disable()  # `save_overload` would read the damaged index again
        return None

    def holds(self, sig: Any, target_context: Any) -> bool:
        """Tell whether there is code for these argument types; the index is written before the code."""
        index = self._cache_file
        if not Path(index._index_path).exists():
            return False
        target_context.refresh()
        try:
            name = index._load_index().get(self._index_key(sig, target_context.codegen()))
        except Exception:  # damaged: it will be compiled anew, which takes its time
            return False
        return name is not None and Path(index._data_path(name)).exists()

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the code for these argument types if it can be written."""
        try:
            super().save_overload(sig, data)
        except Exception as error:  # no space, no right to write, or an index damaged since it was read
            _report("cannot be kept; each process compiles anew", self.cache_path, error)
            self.disable()


def kept_files() -> list[tuple[str, str]]:
    """Return source and index of all code compiled in this process that is kept on disk; none if some is not."""
    files = []
    for dispatcher in _ENTRIES:
        if dispatcher.signatures:
            cache = getattr(dispatcher, "_cache", None)
            index = Path(cache.cache_path, cache._cache_file._index_name) if isinstance(cache, CompiledCode) else None
            if index is None or not index.exists():
                return []
            files.append((dispatcher.py_func.__code__.co_filename, str(index)))
    return files


def _report(event: str, folder: object, error: Exception) -> None:
    """Log that something went wrong with compiled code, in one line, and once in each process."""
    if event not in _REPORTED:
        _REPORTED.add(event)
        reason = " ".join(str(error).split())
        LOGGER.warning("compiled code %s (%s: %s, in %s)", event, type(error).__name__, reason, folder)


def _compiled(function: FunctionType, entry: bool) -> Any:
    if config.DISABLE_JIT:
        return function
    # Without `_nrt` arrays are not counted by reference; the caller holds them all.
    dispatcher = njit(_nrt=False, no_cfunc_wrapper=True, no_cpython_wrapper=not entry)(function)
    # numba compiles a function anew for each constant that it is called with.
    template = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: template(
        [types.unliteral(one) for one in args], {name: types.unliteral(one) for name, one in kws.items()}
    )
    if not entry:  # its code is part of that of the entries
        return dispatcher
    try:
        dispatcher._cache = CompiledCode(function)
    except RuntimeError as error:  # there is no folder that can be written to
        _report("cannot be kept; each process compiles anew", "no folder; NUMBA_CACHE_DIR names one", error)
    _ENTRIES.append(dispatcher)
    return dispatcher
