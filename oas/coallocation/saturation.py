"""Saturation policies: the treatment of links whose load exceeds their bandwidth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, unknown_name, within
from oas.core.numbers import exact
from oas.core.registry import FORBID, MAX_MIN, SLOWDOWN

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.core.numbers import Exact

POLICIES = (FORBID, SLOWDOWN)
SHARINGS = ("paper", "max-min")


@dataclass(frozen=True)
class Saturation:
    """A saturation policy.

    `policy`: ``forbid``: the load of a link never exceeds its bandwidth MBW, as in the paper's model (equation 22).
    ``slowdown``: it may, which slows down the communication of the jobs on the link (equations 2 to 7).

    `threshold`, for ``slowdown``: the load of a link never exceeds MBW / threshold, with 0 < threshold ≤ 1; 1 is as
    strict as ``forbid``. None: no limit, except 0 if MBW is 0. The paper's reference [17] has such a threshold on the
    saturation degree SAT = MBW / load.

    `sharing`, for ``slowdown``: the communication rate over saturated links. ``paper``: 1 / SC of a job's demand, where
    SC is the greatest load / MBW, at least 1, of the links that the job loads (equation 7; the printed equation takes
    all links). ``max-min``: progressive filling, which begins like that; bandwidth that jobs cannot use because of
    other links is shared among the remaining jobs.

    Raises `InputError` for an invalid value, naming the field.
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
                raise InputError(f"is valid only with {SLOWDOWN}", field=field, value=str(value))
        object.__setattr__(self, "policy", policy)
        object.__setattr__(self, "threshold", limit)
        object.__setattr__(self, "sharing", sharing)

    @staticmethod
    def of(value: object) -> Saturation:
        """Return a policy that is given as such, by its name or by its fields.

        Raises `InputError` for an invalid value, naming ``saturation`` and the field.
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
        """Whether saturated links are allowed and slow jobs down."""
        return self.policy == SLOWDOWN

    @property
    def variant(self) -> str:
        """The variant of the problem's rules."""
        return {FORBID: FORBID, SLOWDOWN: SLOWDOWN if self.sharing == "paper" else MAX_MIN}[self.policy]

    def limit(self, bandwidth: Fraction) -> Fraction | None:
        """Return the maximum load of a link of this bandwidth; None for no limit."""
        if not self.slows or bandwidth == 0:
            return bandwidth
        return None if self.threshold is None else bandwidth / self.threshold

    def to_fields(self) -> str | dict[str, Any]:
        """Return the policy in the form of files: its fields, or its name if there are no others."""
        fields: dict[str, Any] = {"policy": self.policy}
        if self.threshold is not None:
            fields["threshold"] = self.threshold
        if self.sharing != "paper":
            fields["sharing"] = self.sharing
        return fields if len(fields) > 1 else self.policy

    def __str__(self) -> str:
        """Return for example ``forbid``, or ``slowdown, threshold 1/2, max-min``."""
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
