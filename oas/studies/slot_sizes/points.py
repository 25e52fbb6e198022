"""The point of a sweep over slot sizes: the results at one size, the loss by cause, and advice from all points."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from oas.core.result import Status
from oas.studies.study import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.studies.slot_sizes.model_size import ModelSizes


@dataclass(frozen=True)
class Loss:
    """The loss of a slotted schedule against the continuous optimum C*(0) by cause, in the instance's time unit.

    With S the slotted makespan and E the executed one, ``S − C*(0) = (S − E) + (E − C*(0))``.
    """

    rounding: Fraction  # S − E: the cost of the grid alone, as the same decisions without it end that much earlier
    scheduling: Interval  # E − C*(0): what deciding on the grid costs, whatever runs the decisions
    total: Interval  # S − C*(0), of the schedule at hand
    # S* − C*(0), with S* the slotted optimum: what the slot size costs whoever solves it. `total` where S is
    # proven optimal, otherwise possibly less.
    of_the_size: Interval


@dataclass(frozen=True)
class SlotPoint:
    """The exact result at one slot size, times in the instance's time unit.

    Attributes
    ----------
    percent
        η in percent of the mean base time; 0 is continuous time.
    slot
        η.
    result
        What `oas.solve` found at this size.
    schedule
        The shortest one known: the result's, or one carried over from another size.
    lower_bound
        The greatest proven one: the result's, or one carried over from a size of which η is a multiple (0 included).
    bound_from
        Percent of the size that the bound was proven at.
    executed
        Makespan of `schedule` run without the grid (`oas.problems.coallocation.metrics.executed`).
    compaction, executed_compaction
        Share of the nodes' time that is used, of both.
    loss
        Against the continuous optimum; None where η = 0 was not reached.
    grid
        The instance at this slot size.
    cached
        Whether the result comes from an earlier sweep; `seconds` are then those it took.
    """

    percent: Fraction
    slot: Fraction
    result: Result
    schedule: Schedule
    lower_bound: Fraction
    bound_from: Fraction
    executed: Fraction
    compaction: Fraction
    executed_compaction: Fraction
    loss: Loss | None
    grid: CoallocationInstance = field(repr=False)
    cached: bool = False

    @cached_property
    def sizes(self) -> ModelSizes:
        """Sizes of the models that a MIP solver would be given; counted when first asked for, in up to 2 s."""
        from oas.studies.slot_sizes.model_size import model_sizes

        return model_sizes(self.grid)

    @property
    def makespan(self) -> Fraction:
        """Slotted makespan."""
        return self.schedule.makespan

    @property
    def slots(self) -> int | None:
        """Makespan in slots; None at η = 0."""
        return int(self.makespan / self.slot) if self.slot else None

    @property
    def proven(self) -> bool:
        """Whether the makespan is the optimum at this size."""
        return self.makespan == self.lower_bound

    @property
    def status(self) -> Status:
        """``optimal`` or ``feasible``, of `schedule` and `lower_bound`."""
        return Status.OPTIMAL if self.proven else Status.FEASIBLE

    @property
    def gap(self) -> Fraction:
        """Makespan / lower bound − 1."""
        return self.makespan / self.lower_bound - 1

    @property
    def seconds(self) -> float:
        """Wall time of the solve."""
        return self.result.seconds.get("total", 0.0)


def loss_of(
    makespan: Fraction, executed: Fraction, lower_bound: Fraction, continuous_bound: Fraction, continuous_best: Fraction
) -> Loss:
    """Split the loss of a schedule with makespan S and executed makespan E.

    S* is at least `lower_bound` and at most S, C*(0) between `continuous_bound` and `continuous_best`.
    """

    def above(low: Fraction, high: Fraction) -> Interval:
        return Interval(max(Fraction(0), low - continuous_best), high - continuous_bound)

    return Loss(makespan - executed, above(executed, executed), above(makespan, makespan), above(lower_bound, makespan))


@dataclass(frozen=True)
class Advice:
    """The largest slot size of a study that is within so many percent of the continuous optimum."""

    within: Fraction  # in percent
    # The largest η whose makespan is surely within, in percent of the mean base time; 0 if none but continuous time
    # is, None if not even that is sure.
    percent: Fraction | None
    undecided: tuple[Fraction, ...]  # the larger ones that may be, with the optimum unknown there or at η = 0

    @property
    def proven(self) -> bool:
        """Whether it is the largest for sure: every larger η of the study is surely not within."""
        return self.percent is not None and not self.undecided


def advise(points: Sequence[SlotPoint], reference: SlotPoint, within: Fraction, *, executed: bool) -> Advice:
    """Return the advice for the slotted makespans, or for the executed ones of the schedules at hand.

    The points are by slot size, ascending; among them is `reference`, at η = 0.
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
