"""Bin packing as BPPLIB has it (Delorme, Iori, Martello, Optimization Letters 12, 2018): n, capacity, then n sizes.

A bin is a unit of time of one cluster with as many processors as the bin has room: the makespan is the number of bins.
"""

from __future__ import annotations

from benchmarks.external.formats.packing import Packing, check_count, exactly, numbers_of, packing
from oas.core.errors import InputError


def read(content: bytes, file: str) -> Packing:
    """Read one instance.

    Raises
    ------
    InputError
        Naming the file and what is wrong.
    """
    numbers = numbers_of(content, file)
    if len(numbers) < 2:
        raise InputError("number of items and capacity are missing", file=file)
    count, capacity, *sizes = numbers
    check_count(count, "number of items", file)
    return packing(capacity, [(1, size) for size in exactly(sizes, count, "sizes", file)], file, "size {}")
