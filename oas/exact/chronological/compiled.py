"""The kernels compiled: the same code as in `kernels`, its names bound to the compiled versions of one another."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from numba import njit

from oas.exact.chronological import kernels


def _compiled(function: FunctionType) -> Any:
    try:
        return njit(cache=True)(function)
    except RuntimeError:  # no folder to keep the compiled code in: it is compiled anew in every process
        return njit(function)


for _name, _value in vars(kernels).items():
    if isinstance(_value, FunctionType):
        globals()[_name] = _compiled(FunctionType(_value.__code__, globals(), _name))
    elif _name.isupper():
        globals()[_name] = _value
