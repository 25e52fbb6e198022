"""Advice on the slot size: the largest one within a given loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from oas.studies.slot_sizes.points import SlotPoint


@dataclass(frozen=True)
class Advice:
    """The largest slot size of a study that is within so many percent of the continuous optimum.

    Attributes
    ----------
    within
        In percent.
    percent
        The largest η whose makespan is surely within, in percent of the mean base time; 0 if none but continuous time
        is, None if not even that is sure.
    proven
        Whether every larger η of the study is surely not.
    undecided
        The larger ones that may be, with the optimum unknown there or at η = 0.
    """

    within: Fraction
    percent: Fraction | None
    undecided: tuple[Fraction, ...]

    @property
    def proven(self) -> bool:
        """Whether it is the largest for sure."""
        return self.percent is not None and not self.undecided


def advise(points: Sequence[SlotPoint], reference: SlotPoint, within: Fraction, *, executed: bool) -> Advice:
    """Return the advice for the slotted makespans, or for the executed ones of the schedules at hand.

    Parameters
    ----------
    points
        By slot size, ascending, the reference among them.
    reference
        At η = 0: the continuous optimum lies between its bound and its makespan.
    """
    factor = 1 + within / 100
    sure = [one for one in points if (one.executed if executed else one.makespan) <= factor * reference.lower_bound]
    best = max((one.percent for one in sure), default=None)
    least = {one.percent: one.executed if executed else one.lower_bound for one in points}
    undecided = [
        one.percent
        for one in points
        if (best is None or one.percent > best) and least[one.percent] <= factor * reference.makespan
    ]
    return Advice(within, best, tuple(undecided))
