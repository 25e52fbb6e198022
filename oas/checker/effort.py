"""A limit on the cost of checking a certificate, counted in steps and not in seconds."""

from __future__ import annotations

from typing import ClassVar

from oas.checker.reading import Refused

MOST_STEPS = 50_000_000
"""Of one certificate, each less than a tenth of a microsecond: a few seconds. What loops go through counts as more."""


class TooCostly(Refused):
    """Checking a certificate takes too many steps or too much memory; it is neither confirmed nor refuted."""


class Effort:
    """Steps that are left for a check, times the patience, which is that of all checks from now on."""

    patience: ClassVar[int] = 1

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self.left = steps * self.patience
        self.room = MOST_STEPS

    def spend(self, steps: int) -> None:
        """Take off these steps."""
        self.left -= steps
        if self.left < 0:
            raise TooCostly(f"it takes more steps to check than a patience of {self.patience} allows")

    def hold(self, steps: int) -> None:
        """Take off steps whose result stays in memory: patience allows no more of these."""
        self.spend(steps)
        self.room -= steps
        if self.room < 0:
            raise TooCostly("it takes too much memory to check")
