"""Usage of processors that counts for less the longer ago it was, in exact integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import InputError, TooLargeError, within
from oas.core.numbers import integer

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_HALF_LIVES = 2**20  # usage then takes 128 KiB for each organization


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


_DIGITS = 18
