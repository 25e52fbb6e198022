"""Random numbers of the local searches, which are the same in plain and in compiled loops."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

LOGS = tuple(-log((k + 0.5) / 1024) for k in range(1024))
"""−ln of evenly spread numbers in (0, 1): how many temperatures worse a step of annealing may be."""


def draw_state(random: Random) -> list[int]:
    """Draw a state for `draw`."""
    return [random.randrange(1, 2**31 - 250) for _ in range(2)]


def draw(state: Any, bound: int) -> int:
    """Return a random number from 0 to `bound` − 1 (L'Ecuyer 1988: two congruential generators combined)."""
    state[0] = state[0] * 40014 % 2147483563
    state[1] = state[1] * 40692 % 2147483399
    return (state[0] - state[1]) % 2147483562 % bound
