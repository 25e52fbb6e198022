"""Findings of the test kit: the faults that a heuristic can have."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oas.core.violation import Violation


class Kind(StrEnum):
    """Kinds of findings, as reports name them."""

    RULE = "breaks a rule"
    EXCEPTION = "raises an exception"
    NO_SCHEDULE = "returns no schedule"
    UNSTEADY = "differs from run to run"
    CHANGED = "changes the instance"
    TIME_LIMIT = "passes the time limit"
    DIED = "ends its process"
    GUARANTEE = "is above its guarantee"
    AHEAD = "looks ahead"


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong on one instance.

    Attributes
    ----------
    kind
        What.
    message
        With the figures.
    detail
        Tells findings of one kind apart: the rule that is broken, or the exception's type.
    violations
        Everything that the verifier found.
    example
        Lines that show the finding on its instance, for one that is small; none where the message says it all.
    """

    kind: Kind
    message: str
    detail: str = ""
    violations: tuple[Violation, ...] = ()
    example: tuple[str, ...] = ()

    @property
    def sort(self) -> tuple[Kind, str]:
        """Findings of one sort are likely to have one cause."""
        return self.kind, self.detail

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"
