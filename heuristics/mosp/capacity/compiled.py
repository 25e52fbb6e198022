"""The kernels compiled: the same code as in `kernels`, its names bound to the compiled versions of one another."""

from __future__ import annotations

from types import FunctionType

from numba import njit

from heuristics.mosp.capacity import kernels

NEVER = kernels.NEVER

for _name, _function in vars(kernels).items():
    if isinstance(_function, FunctionType):
        globals()[_name] = njit(cache=True)(FunctionType(_function.__code__, globals(), _name))
