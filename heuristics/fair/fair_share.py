"""FAIRSHARE: the organization that has used least of its share, by usage that decays over time."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import lcm
from typing import TYPE_CHECKING

from heuristics.fair.engine import method_of
from heuristics.fair.policy import Watcher
from heuristics.method import MethodFamily
from oas.core.errors import InputError, TooLargeError, within
from oas.core.numbers import exact, integer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from heuristics.fair.policy import PolicyFactory
    from heuristics.method import Method
    from oas.core.numbers import Exact

MAX_HALF_LIVES = 2**20  # usage then takes 128 KiB for each organization
_DIGITS = 18


class DecayedUsage:
    """How long each organization has held processors, a unit for each processor and tick, recent ones weighing more.

    Time goes in periods of one half-life from 0 on. A unit weighs twice what one of the period before weighs: usage is
    halved where a period ends, and only grows in between. Slurm and Maui decay at the ends of periods too, which are
    shorter there, by a factor nearer to 1. A unit d ticks older than another weighs 2^-⌊d/half-life⌋ of it, or half
    that where one more period has ended between them.

    The reason is exactness. Decay at each tick, by 2^(-1/half-life), has no rational value, and with floats it would
    depend on the order of summation whether two equal usages tie. Here every comparison is one of integers. They count
    in weights of the first period, so they get one bit longer with each half-life that passes, of which there may be
    `MAX_HALF_LIVES`.

    Parameters
    ----------
    count
        Number of organizations.
    half_life
        In ticks, at least 1; None for usage that never decays.
    """

    def __init__(self, count: int, half_life: int | None) -> None:
        self._half_life = half_life
        self._held = [0] * count  # processors of each organization's jobs that run
        self._before = [0] * count  # what the clock of `at` counts too much for them
        self._moment, self._weight = -1, 0

    def started(self, now: int, organization: int, width: int) -> None:
        """Count `width` processors more for an organization from `now` on."""
        self._held[organization] += width
        self._before[organization] += width * self._clock(now)

    def ended(self, now: int, organization: int, width: int) -> None:
        """Count as many less from `now` on."""
        self.started(now, organization, -width)

    def at(self, moment: int, organizations: Sequence[int]) -> list[int]:
        """Return the usage of each of these organizations until `moment`, in a unit common to all."""
        clock = self._clock(moment)
        return [clock * self._held[one] - self._before[one] for one in organizations]

    def _clock(self, moment: int) -> int:
        """Return the weight of all ticks before `moment`."""
        if moment != self._moment:
            self._moment, self._weight = moment, self._weight_before(moment)
        return self._weight

    def _weight_before(self, moment: int) -> int:
        if self._half_life is None:
            return moment
        periods, rest = divmod(moment, self._half_life)
        if periods > MAX_HALF_LIVES:
            reason = f"{moment:,} ticks are more than {MAX_HALF_LIVES:,} half-lives of {self._half_life:,}"
            raise TooLargeError(f"{reason}; choose a longer half-life")
        return ((self._half_life + rest) << periods) - self._half_life


def checked_half_life(half_life: int | None) -> int | None:
    """Return a half-life that makes sense; None for no decay.

    Raises
    ------
    InputError
        If it is neither None nor a whole number of at least one tick. 0 is refused: elsewhere it silently turns decay,
        or fair share as a whole, off.
    """
    return None if half_life is None else integer(half_life, "half-life", least=1)


def half_life_and_rest(text: str) -> tuple[int | None, str]:
    """Read what a method's name has in brackets: a half-life in ticks or ``none``, then perhaps ``;`` and more.

    Raises
    ------
    InputError
        If it begins with neither.
    """
    first, semicolon, rest = (part.strip() for part in text.partition(";"))
    if semicolon and not rest:
        raise InputError("nothing follows the semicolon", field="heuristic", value=text)
    if first.lower() == "none":
        return None, rest
    if not first.isdecimal() or len(first) > _DIGITS:
        reason = f"a half-life is a whole number of ticks of at most {_DIGITS} digits, or none"
        raise InputError(reason, field="heuristic", value=first)
    with within("heuristic"):
        return checked_half_life(int(first)), rest


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


def method_with_half_life(head: str, text: str) -> Method:
    """Return FAIRSHARE with a half-life in ticks, or ``none``, and shares: ``604800; 3, 1, 1/2``.

    Raises
    ------
    InputError
        For a half-life or a share that is none.
    """
    half_life, rest = half_life_and_rest(text)
    with within("heuristic"):
        factory = fair_share(half_life, [one.strip() for one in rest.split(",")] if rest else None)
    return method_of(factory, f"{head}({text})", "least usage for its share, usage decaying by the half-life")


METHOD = method_of(fair_share(), "FAIRSHARE", "least usage for its share; shares are processors", rank=40)
FAMILY = MethodFamily(("FAIRSHARE",), method_with_half_life, "FAIRSHARE(half-life; shares)")
