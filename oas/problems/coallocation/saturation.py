"""What happens when jobs together ask more of a link than it has: the saturation policy of an instance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, unknown_name, within
from oas.core.numbers import exact
from oas.problems.registry import FORBID, MAX_MIN, SLOWDOWN

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.core.numbers import Exact

POLICIES = (FORBID, SLOWDOWN)
SHARINGS = ("paper", "max-min")


@dataclass(frozen=True)
class Saturation:
    """A saturation policy.

    Raises `InputError` naming the field and the value.

    Parameters
    ----------
    policy
        ``forbid``: no link may be asked for more than its bandwidth MBW, as in the paper's model (equation 22).
        ``slowdown``: it may, and slows down the communication of the jobs that use it (equations 2 to 7).
    threshold
        slowdown: a link is never asked for more than MBW / threshold, above 0 and at most 1; 1 allows what ``forbid``
        allows. None: for any amount, but nothing where MBW is 0. The paper's reference [17] has such a threshold on
        the saturation degree SAT = MBW / load.
    sharing
        slowdown: how fast jobs communicate over saturated links. ``paper``: a job at 1 / SC of its demand, SC the
        greatest load / MBW, at least 1, of the links that it loads (equation 7; the print takes all links).
        ``max-min``: progressive filling, of which that is the first round: what jobs that are slowed down elsewhere
        leave of a link is shared among the others.
    """

    policy: str = FORBID
    threshold: Fraction | None = None
    sharing: str = "paper"

    def __init__(self, policy: str = FORBID, threshold: Exact | None = None, sharing: str = "paper") -> None:
        if policy not in POLICIES:
            raise unknown_name(policy, POLICIES, "policy", reason="unknown policy")
        if sharing not in SHARINGS:
            raise unknown_name(sharing, SHARINGS, "sharing", reason="unknown sharing")
        limit = None if threshold is None else exact(threshold, "threshold")
        if limit is not None and not 0 < limit <= 1:
            raise InputError("must be above 0 and at most 1", field="threshold", value=str(limit))
        for field, given in (("threshold", limit is not None), ("sharing", sharing != "paper")):
            if policy == FORBID and given:
                value = limit if field == "threshold" else sharing
                raise InputError(f"goes with {SLOWDOWN} alone", field=field, value=str(value))
        object.__setattr__(self, "policy", policy)
        object.__setattr__(self, "threshold", limit)
        object.__setattr__(self, "sharing", sharing)

    @staticmethod
    def of(value: object) -> Saturation:
        """Return a policy that is one, or is given by its name or as fields.

        Raises `InputError` naming ``saturation`` and the field within it.
        """
        if isinstance(value, Saturation):
            return value
        if isinstance(value, Mapping):
            with within("saturation"):
                for name in value:
                    if name not in ("policy", "threshold", "sharing"):
                        raise InputError("there is no such field", field=str(name))
                if "policy" not in value:
                    raise InputError("is missing", field="policy")
                return Saturation(**value)
        if value not in POLICIES:
            raise unknown_name(value, POLICIES, "saturation", reason="unknown policy")
        return Saturation(value)

    @property
    def slows(self) -> bool:
        """Whether saturated links slow jobs down, rather than being forbidden."""
        return self.policy == SLOWDOWN

    @property
    def variant(self) -> str:
        """The variant of the problem's rules."""
        return {FORBID: FORBID, SLOWDOWN: SLOWDOWN if self.sharing == "paper" else MAX_MIN}[self.policy]

    def limit(self, bandwidth: Fraction) -> Fraction | None:
        """Return the most that a link of this bandwidth may be asked for; None for any amount."""
        if not self.slows or bandwidth == 0:
            return bandwidth
        return None if self.threshold is None else bandwidth / self.threshold

    def to_fields(self) -> str | dict[str, Any]:
        """Return it as files hold it: the name of a policy that has no further fields, or the fields."""
        fields: dict[str, Any] = {"policy": self.policy}
        if self.threshold is not None:
            fields["threshold"] = self.threshold
        if self.sharing != "paper":
            fields["sharing"] = self.sharing
        return fields if len(fields) > 1 else self.policy

    def __str__(self) -> str:
        """Such as ``forbid``, or ``slowdown, threshold 1/2, max-min``."""
        words = [self.policy]
        if self.threshold is not None:
            words.append(f"threshold {self.threshold}")
        if self.sharing != "paper":
            words.append(self.sharing)
        return ", ".join(words)


SaturationLike = Saturation | str | Mapping[str, Any]
"""A policy, its fields, or the name of a policy without further fields."""
PLAIN = Saturation()
"""The paper's model: saturation is forbidden."""
