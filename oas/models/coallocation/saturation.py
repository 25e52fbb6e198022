"""The bandwidth that a model demands of a link, for each saturation policy of an instance.

The one place where formulations meet the policy: a policy joins by its entry in `_DEMANDS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oas.problems.coallocation.saturation import Saturation


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
