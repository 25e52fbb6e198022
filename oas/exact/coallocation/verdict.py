"""What the complete searches of co-allocation work with and return."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """The outcome of a complete search for a schedule of a given makespan."""

    REFUTED = 0
    FOUND = 1
    UNDECIDED = 2


@dataclass(frozen=True)
class Weights:
    """A dual solution of the configuration bound, in integers.

    Attributes
    ----------
    weights
        y[j][l], at least 0.
    whole
        M: no set of (job, level) that can run together weighs more.
    """

    weights: tuple[tuple[int, ...], ...]
    whole: int
