"""The point of a sweep over slot sizes: the results at one size."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from oas.core.result import Status

if TYPE_CHECKING:
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.studies.slot_sizes.model_size import ModelSizes


@dataclass(frozen=True)
class Interval:
    """A quantity known to lie between `low` and `high`, both included."""

    low: Fraction
    high: Fraction

    @property
    def exact(self) -> bool:
        """Whether it is known exactly."""
        return self.low == self.high


@dataclass(frozen=True)
class Loss:
    """The loss of a slotted schedule against the continuous optimum C*(0) by cause, in the instance's time unit.

    With S the slotted makespan and E the executed one, ``S − C*(0) = (S − E) + (E − C*(0))``.

    Attributes
    ----------
    rounding
        S − E: what the grid alone costs, for the same decisions run without it end so much earlier.
    scheduling
        E − C*(0): what deciding on the grid costs, whatever runs the decisions.
    total
        S − C*(0), of the schedule at hand.
    of_the_size
        S* − C*(0), with S* the slotted optimum: what the slot size costs whoever solves it. `total` where S is proven
        optimal, otherwise possibly less.
    """

    rounding: Fraction
    scheduling: Interval
    total: Interval
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
    """Split the loss of a schedule, given bounds on the slotted optimum and on the continuous one.

    Parameters
    ----------
    makespan, executed
        S and E.
    lower_bound
        Proven: S* is at least this, and at most `makespan`.
    continuous_bound, continuous_best
        Proven: C*(0) lies between them.
    """

    def above(low: Fraction, high: Fraction) -> Interval:
        return Interval(max(Fraction(0), low - continuous_best), high - continuous_bound)

    return Loss(makespan - executed, above(executed, executed), above(makespan, makespan), above(lower_bound, makespan))
