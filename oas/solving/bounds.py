"""Lower bounds with certificates, one package for each problem, and helpers for arrays of their kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from oas.core.errors import TooLargeError


def zeros(*shape: int) -> Any:
    """Return an array of 64-bit zeros."""
    return np.zeros(shape, dtype=np.int64)


def numbers(values: Any) -> Any:
    """Return these integers as an array; raises `TooLargeError` if one does not fit into 64 bits."""
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError as error:
        raise TooLargeError("numbers of the instance do not fit into 64 bits") from error
