"""Compilation and loading of kernels by numba; ``python -m oas.core.compiled_code`` compiles those on standard input.

Only `oas.core.compiling` and the processes that it starts import this module.
"""

from __future__ import annotations

import logging
import os
import pickle
import sys
import threading
import traceback
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit, types
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from numba.np.numpy_support import from_dtype

from oas.core.code_cache import code_folders, open_to
from oas.core.compiling import Kernel, copies
from oas.core.problem import import_object

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import FunctionType

    from oas.core.compiling import Kinds

LOGGER = logging.getLogger("oas")


def load(kernel: Kernel, file: Path) -> Callable[..., Any] | None:
    """Return the compiled kernel from its file; if the file is damaged, delete it and return None."""
    dispatcher = _dispatcher(kernel)
    context = dispatcher.targetctx
    try:
        if reason := open_to(file, above=False):
            raise PermissionError(reason)
        context.refresh()
        code = CompileResult._rebuild(context, *pickle.loads(file.read_bytes()))  # nosec B301 - our own file
        context.insert_user_function(code.entry_point, code.fndesc, [code.library])
        dispatcher.add_overload(code)
    except Exception as error:  # reading or linking damaged code can raise anything
        reason = " ".join(str(error).split())
        LOGGER.warning(
            "compiled code cannot be read and is compiled again (%s: %s, %s)", type(error).__name__, reason, file
        )
        with suppress(OSError):
            file.unlink()
        return None
    return dispatcher


def compile_here(kernel: Kernel, kinds: Kinds) -> Callable[..., Any]:
    """Return the compiled kernel: from its file or, if there is none, compiled in this process and stored."""
    for folder in code_folders():
        file = folder / kernel.file(kinds)
        if file.exists() and (loaded := load(kernel, file)) is not None:
            return loaded
    dispatcher = _dispatcher(kernel)
    signature = tuple(map(_type_of, kinds))
    if signature not in dispatcher.overloads:
        dispatcher.compile(signature)
    data = dumps(dispatcher.overloads[signature]._reduce())
    file = code_folders()[0] / kernel.file(kinds)
    part = file.with_suffix(f".{os.getpid()}")
    try:
        part.touch(mode=0o644)  # whatever the umask: code that others may change is not loaded
        part.write_bytes(data)
        part.replace(file)
    except OSError as error:
        LOGGER.warning("compiled code cannot be stored; each process compiles it again (%s)", error)
        with suppress(OSError):
            part.unlink()
    return dispatcher


@cache
def _dispatcher(kernel: Kernel) -> Any:
    return copies(kernel.function, lambda copy: _compiled(copy, copy.__code__ is kernel.function.__code__))


def _compiled(function: FunctionType, called_by_python: bool) -> Any:
    # Without `_nrt`, arrays have no reference counts; the caller holds references to all of them.
    dispatcher = njit(_nrt=False, no_cfunc_wrapper=True, no_cpython_wrapper=not called_by_python)(function)
    # Otherwise numba would compile a function separately for each constant argument.
    template = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: template(
        [types.unliteral(kind) for kind in args], {name: types.unliteral(kind) for name, kind in kws.items()}
    )
    return dispatcher


def _type_of(kind: Any) -> Any:
    """Return numba's type of arguments of a kind."""
    if isinstance(kind, str):
        return {"int": types.int64, "float": types.float64, "bool": types.boolean}[kind]
    name, *parts = kind
    if parts and isinstance(parts[-1], bool):
        dimensions, writeable = parts
        return types.Array(from_dtype(np.dtype(name)), dimensions, "C", readonly=not writeable)
    owner = None if name is None else import_object(name.partition("(")[0])
    return types.BaseTuple.from_types(tuple(map(_type_of, parts)), owner)


def main() -> None:
    """Compile the kernels whose list is on standard input; end when they are done or standard input is closed."""
    requests = pickle.load(sys.stdin.buffer)  # nosec B301 - from the process that started this one
    threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(1)), daemon=True).start()
    for name, kinds in requests:
        try:
            compile_here(import_object(name), kinds)
        except Exception:  # a kernel that cannot be compiled does not affect the others
            traceback.print_exc()
    os._exit(0)


if __name__ == "__main__":
    main()
