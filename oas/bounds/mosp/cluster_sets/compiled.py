"""The kernels compiled: the same code as in `kernels`, its names bound to the compiled versions of one another."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np
from numba import njit

from oas.bounds.mosp.cluster_sets import kernels
from oas.bounds.mosp.cluster_sets.kernels import GIVEN_UP, NO, PROBES, WORD, YES

__all__ = ["GIVEN_UP", "NO", "PROBES", "WORD", "YES", "np"]


def _compiled(function: FunctionType) -> Any:
    try:
        return njit(cache=True)(function)
    except RuntimeError:  # no folder to keep the compiled code in: it is compiled anew in every process
        return njit(function)


for _name, _function in vars(kernels).items():
    if isinstance(_function, FunctionType):
        globals()[_name] = _compiled(FunctionType(_function.__code__, globals(), _name))
