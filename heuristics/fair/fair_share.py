"""FAIRSHARE: the organization that has used least of its share, by usage that decays over time."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import lcm
from typing import TYPE_CHECKING

from heuristics.bracket_names import name_and_text
from heuristics.fair.decayed_usage import DecayedUsage, checked_half_life, half_life_and_rest
from heuristics.fair.policy import Watcher
from heuristics.fair.policy_method import method_of
from heuristics.method import MethodFamily
from oas.core.errors import InputError, within
from oas.core.numbers import exact

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heuristics.fair.policy import PolicyFactory
    from heuristics.method import Method
    from oas.core.numbers import Exact


class FairShare(Watcher):
    """Starts the job of the organization with the least usage / share; ties go to the first organization.

    Usage is that of `DecayedUsage` up to the end of the tick that begins now, [now, now + 1): jobs that run now, and
    those that start now, hold their processors for it in any case. Without it, a start would not count before the next
    moment, and one organization would get every processor that is idle at once.

    Parameters
    ----------
    seed
        Not used.
    half_life
        In ticks; None for no decay.
    shares
        Of each organization, above 0; None for its processors.
    """

    def __init__(
        self, seed: int = 0, *, half_life: int | None = None, shares: tuple[Fraction, ...] | None = None
    ) -> None:
        self._half_life = half_life
        self._shares = shares
        self._usage = DecayedUsage(0, half_life)
        self._factors: list[int] = []

    def begin(self, machines: Sequence[int]) -> None:
        """Begin without usage.

        Raises
        ------
        InputError
            If shares are given, but not one for each organization.
        """
        shares = [Fraction(number) for number in machines] if self._shares is None else self._shares
        if len(shares) != len(machines):
            raise InputError(f"must be {len(machines)}, one for each organization", field="shares", value=len(shares))
        self._usage = DecayedUsage(len(machines), self._half_life)
        self._factors = reciprocals(shares)

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        """Count the job's processors from now on."""
        self._usage.started(now, organization, width)

    def ended(self, now: int, organization: int, job: int, width: int) -> None:
        """Count them no more."""
        self._usage.ended(now, organization, width)

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        """Return the organization with the least usage for its share."""
        usages = self._usage.at(now + 1, waiting)
        used = [usage * self._factors[one] for usage, one in zip(usages, waiting, strict=True)]
        return waiting[used.index(min(used))]


def fair_share(half_life: int | None = None, shares: Iterable[Exact] | None = None) -> PolicyFactory:
    """Return a factory of FAIRSHARE policies.

    Parameters
    ----------
    half_life
        In ticks, at least 1; None for usage that never decays.
    shares
        One for each organization, above 0; None for its processors.

    Raises
    ------
    InputError
        For a half-life or a share that is none.
    """
    given = None if shares is None else tuple(checked_share(one, f"shares[{k}]") for k, one in enumerate(shares))
    return partial(FairShare, half_life=checked_half_life(half_life), shares=given)


def checked_share(share: Exact, field: str) -> Fraction:
    """Return a share as an exact number; `InputError` if it is none above 0."""
    found = exact(share, field)
    if found <= 0:
        raise InputError("a share must be above 0", field=field, value=str(share))
    return found


def reciprocals(shares: Sequence[Fraction]) -> list[int]:
    """Return integers in proportion to 1/share."""
    scale = lcm(*(share.numerator for share in shares))
    return [scale // share.numerator * share.denominator for share in shares]


def method_with_half_life(name: str) -> Method | None:
    """Return the method that ``FAIRSHARE(half-life)`` or ``FAIRSHARE(half-life; shares)`` names; else None.

    The half-life is in ticks, or ``none``; shares are separated by commas: ``FAIRSHARE(604800; 3, 1, 1/2)``.

    Raises
    ------
    InputError
        For a half-life or a share that is none.
    """
    found = name_and_text(name, ("FAIRSHARE",))
    if found is None:
        return None
    half_life, rest = half_life_and_rest(found[1])
    with within("heuristic"):
        factory = fair_share(half_life, [one.strip() for one in rest.split(",")] if rest else None)
    return method_of(factory, f"FAIRSHARE({found[1]})", "least usage for its share, usage decaying by the half-life")


METHOD = method_of(fair_share(), "FAIRSHARE", "least usage for its share; shares are processors", rank=40)
FAMILY = MethodFamily(method_with_half_life, "FAIRSHARE(half-life; shares)")
