"""Link capacities and loads in models: in numbers that float solvers can take, and by saturation policy.

The one place where formulations meet the policy: a policy joins by its entry in `_DEMANDS`.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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


def _forbid(free: Any) -> Any:
    """(22): no link carries more than its bandwidth."""
    return free >= 0


_DEMANDS: dict[str, Callable[[Any], Any]] = {"forbid": _forbid}


def demand(policy: Saturation, free: Any) -> Any:
    """Return the Pyomo relation that `policy` puts on the free bandwidth of one link at one time.

    Parameters
    ----------
    policy
        `CoallocationInstance.saturation`.
    free
        Pyomo expression: capacity less the loads of the jobs that run then, equation (21).

    Raises
    ------
    InputError
        If the models do not know the policy.
    """
    if policy.variant not in _DEMANDS:
        raise _unknown(policy, _DEMANDS)
    return _DEMANDS[policy.variant](free)


def check_forbidden(policy: Saturation) -> None:
    """Check that `policy` forbids saturation, for models that know nothing else.

    Raises
    ------
    InputError
        If it is another.
    """
    if policy.variant != "forbid":
        raise _unknown(policy, ["forbid"])


def _unknown(policy: Saturation, known: Iterable[str]) -> InputError:
    return InputError(f"no model treats this policy; known: {', '.join(known)}", field="saturation", value=str(policy))
