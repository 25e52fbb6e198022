"""Policies and references for fair scheduling by contribution.

- `policy`: the interface of an on-line policy; `engine` runs one, and makes a method of it.
- `ref`, `rand`: REF, the exact reference, and RAND(N), by schedules of `coalitions`; `certificate` checks the claims of
  REF with a second algorithm.
- `online_policies`: FCFS, ROUNDROBIN, and DIRECTCONTR, which estimates contributions without coalitions.
- `fair_share`, `fair_tree`: decayed usage against shares, flat and in a tree of accounts.
"""

from __future__ import annotations

from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from heuristics.method import Method

__all__ = ["adopted"]

_ANY_NUMBER = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


def is_factory(found: Any) -> bool:
    """Return whether `found` makes policies: it can be called with one argument, which is named ``seed``.

    It may be a function, a class or a partial function. A heuristic ``f(instance, *, seed=0)`` has its instance first.
    """
    try:
        first, *others = signature(found).parameters.values()
    except (TypeError, ValueError):  # it is not callable, has no signature, or has no parameters
        return False
    positional = first.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    alone = all(one.default is not Parameter.empty or one.kind in _ANY_NUMBER for one in others)
    return first.name == "seed" and positional and alone


def adopted(name: str, found: Any) -> Method | None:
    """Return the method of a policy factory under `name`; None for other objects. `heuristics.registry` calls it."""
    if not is_factory(found):
        return None
    from heuristics.fair.engine import method_of

    return method_of(found, name)
