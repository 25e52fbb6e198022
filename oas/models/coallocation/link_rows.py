"""Link capacities and loads in numbers that float solvers can take, for models where saturation is forbidden."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING

from oas.core.errors import InputError

if TYPE_CHECKING:
    from oas.problems.coallocation.saturation import Saturation
    from oas.problems.coallocation.ticks import ScaledCoallocation

# With integer rows of 1e9 and more, HiGHS 1.15.1 called feasible models infeasible and proved bounds above the optimum.
LARGEST_LOAD_BITS = 12
# Sums of 2^12 such loads are still exact in a float's 53 bits.
EXACT_BITS = 40


def link_rows(scaled: ScaledCoallocation) -> tuple[tuple[float, ...], tuple[tuple[float, ...], ...]]:
    """Return `scaled.link_capacity` and `scaled.link_loads` in a unit in which no load passes 2^12.

    The integers are divided by their common divisor (a capacity is rounded down: no sum of loads lies between) and
    then by a power of two, which changes no bit of a float's significand: sums and comparisons stay exact. Integers
    beyond 40 bits lose their last bits first, loads and capacities rounded down: what fits still fits, so a bound
    stays a bound. What then differs by less than the solver's tolerance is one to it; the verifier tells it apart.
    """
    unit = gcd(*(load for row in scaled.link_loads for load in row)) or 1
    bits = (max(load for row in scaled.link_loads for load in row) // unit).bit_length()
    shift = max(0, bits - EXACT_BITS)
    power = 2 ** max(0, bits - shift - LARGEST_LOAD_BITS)
    capacities = tuple((capacity // unit >> shift) / power for capacity in scaled.link_capacity)
    return capacities, tuple(tuple((load // unit >> shift) / power for load in row) for row in scaled.link_loads)


def check_forbidden(policy: Saturation) -> None:
    """Check that `policy` forbids saturation, for models that know nothing else.

    Raises
    ------
    InputError
        If it is another.
    """
    if policy.slows:
        raise InputError("no model treats this policy; known: forbid", field="saturation", value=str(policy))
