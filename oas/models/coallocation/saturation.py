"""What a model demands of a link's free bandwidth, for each saturation policy of an instance.

The one place where formulations meet the policy: a policy joins by its entry in `_DEMANDS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from oas.core.coallocation import Saturation


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
    if policy not in _DEMANDS:
        known = ", ".join(_DEMANDS)
        raise InputError(f"no model treats this policy; known: {known}", field="saturation", value=policy)
    return _DEMANDS[policy](free)
