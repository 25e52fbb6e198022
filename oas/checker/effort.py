"""Limits on the cost of checking a certificate, counted in steps."""

from __future__ import annotations

from typing import ClassVar

from oas.checker.reading import Refused

MOST_STEPS = 50_000_000
"""Steps for one certificate, each less than a tenth of a microsecond: a few seconds. Expensive steps count several."""


class TooCostly(Refused):
    """Checking a certificate takes too many steps or too much memory; it is neither confirmed nor refuted."""


class Effort:
    """The remaining steps of a check; `patience` is a factor for all checks that begin later."""

    patience: ClassVar[int] = 1

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self.left = steps * self.patience
        self.room = MOST_STEPS

    def spend(self, steps: int) -> None:
        """Subtract steps."""
        self.left -= steps
        if self.left < 0:
            raise TooCostly(f"it takes more steps to check than a patience of {self.patience} allows")

    def hold(self, steps: int) -> None:
        """Subtract steps whose results stay in memory; patience does not increase their limit."""
        self.spend(steps)
        self.room -= steps
        if self.room < 0:
            raise TooCostly("it takes too much memory to check")
