"""The types of heuristics, for authors of new ones: a method with its properties, and errors that it may raise."""

from oas.solving.method import (
    Guarantee,
    Heuristic,
    Method,
    MethodFamily,
    NotApplicableError,
    NotPlacedError,
    Requirement,
    Scheduler,
)

__all__ = [
    "Guarantee",
    "Heuristic",
    "Method",
    "MethodFamily",
    "NotApplicableError",
    "NotPlacedError",
    "Requirement",
    "Scheduler",
]
