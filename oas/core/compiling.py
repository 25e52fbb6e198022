"""Compiles loops: the same code, its names bound to the compiled versions of one another."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from numba import njit
from numba.core.caching import FunctionCache

LOGGER = logging.getLogger("oas")
_REPORTED: set[str] = set()


def compiled_names(own: dict[str, Any], *modules: ModuleType) -> dict[str, Any]:
    """Return the modules' functions compiled, their constants and what they import, to be bound in the namespace `own`.

    A function's compiled code holds that of those it calls, but numba's cache notices changes of the function's own
    file only. So the name it is kept under tells of all their files.
    """
    names = {name: value for module in modules for name, value in vars(module).items()}
    functions = {name: value for name, value in names.items() if isinstance(value, FunctionType)}
    digest = hashlib.sha256()
    for file in sorted({one.__code__.co_filename for one in functions.values()}):
        digest.update(Path(file).read_bytes())
    stamp = digest.hexdigest()[:8]
    found = {name: value for name, value in names.items() if name.isupper() or isinstance(value, ModuleType)}
    for name, function in functions.items():
        copy = FunctionType(function.__code__, own, name)
        copy.__qualname__ = f"{name}_{stamp}"
        found[name] = _compiled(copy)
    return found


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

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the code for these argument types if it can be written."""
        try:
            super().save_overload(sig, data)
        except Exception as error:  # no space, no right to write, or an index damaged since it was read
            _report("cannot be kept; each process compiles anew", self.cache_path, error)
            self.disable()


def _report(event: str, folder: object, error: Exception) -> None:
    """Log that something went wrong with compiled code, in one line, and once in each process."""
    if event not in _REPORTED:
        _REPORTED.add(event)
        reason = " ".join(str(error).split())
        LOGGER.warning("compiled code %s (%s: %s, in %s)", event, type(error).__name__, reason, folder)


def _compiled(function: FunctionType) -> Any:
    dispatcher = njit(function)
    try:
        dispatcher._cache = CompiledCode(function)
    except RuntimeError as error:  # there is no folder that can be written to
        _report("cannot be kept; each process compiles anew", "no folder; NUMBA_CACHE_DIR names one", error)
    return dispatcher
