"""Policies and references for fair scheduling by contribution.

- `policy`: the interface of on-line policies, and functions that run them, for authors of new ones.
- `coalition_methods`: REF, the exact reference, and RAND(N); `oas.fair.search` contains their algorithms.
- `online_policies`: FCFS, ROUNDROBIN, and DIRECTCONTR, which estimates contributions without coalitions.
- `fair_share`, `fair_tree`: decayed usage relative to shares, flat and in a tree of accounts.
"""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oas.solving.method import Method


def as_method(name: str, found: Any) -> Method | None:
    """Return the method of a policy factory under `name`; None for other objects. `oas.solving.methods` calls it.

    A factory is a function, a class or a partial function that can be called with one argument, which is named
    ``seed``. A heuristic ``f(instance, *, seed=0)`` has its instance first.
    """
    try:
        first, *others = signature(found).parameters.values()
    except (TypeError, ValueError):  # it is not callable, has no signature, or has no parameters
        return None
    if first.name != "seed" or first.kind not in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD):
        return None
    any_number = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    if any(other.default is Parameter.empty and other.kind not in any_number for other in others):
        return None
    from oas.fair.search.engine import method_of

    return method_of(found, name)
