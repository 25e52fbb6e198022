"""P||Cmax as in the instances of França et al. (1994) and Frangioni et al. (2004): m, n, then n processing times.

Each machine is a processor of one cluster, each job one processor wide.
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
        raise InputError("numbers of machines and jobs are missing", file=file)
    machines, count, *times = numbers
    check_count(count, "number of jobs", file)
    return packing(machines, [(time, 1) for time in exactly(times, count, "times", file)], file, "job {}")
