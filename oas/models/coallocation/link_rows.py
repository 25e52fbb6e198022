"""Link capacities and loads as a float solver can take them: exact, and of a size that its tolerances suit."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.core.scaled import ScaledCoallocation

# With integer rows of 1e9 and more, HiGHS 1.15.1 called feasible models infeasible and proved bounds above the optimum.
LARGEST_LOAD_BITS = 12


def link_rows(scaled: ScaledCoallocation) -> tuple[tuple[float, ...], tuple[tuple[float, ...], ...]]:
    """Return `scaled.link_capacity` and `scaled.link_loads` in a unit in which no load passes 2^12.

    The integers are divided by their common divisor (a capacity is rounded down: no sum of loads lies between) and
    then by a power of two, which changes no bit of a float's significand: sums and comparisons stay exact. Capacities
    that differ by less than the solver's tolerance in the new unit are one to it; the verifier tells them apart.
    """
    unit = gcd(*(load for row in scaled.link_loads for load in row)) or 1
    largest = max(load for row in scaled.link_loads for load in row) // unit
    power = 2 ** max(0, largest.bit_length() - LARGEST_LOAD_BITS)
    capacities = tuple(capacity // unit / power for capacity in scaled.link_capacity)
    return capacities, tuple(tuple(load // unit / power for load in row) for row in scaled.link_loads)
