"""The point of a sweep over slot sizes: the results at one size; all points as a data frame, and advice from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oas.core.result import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas

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


_COUNTS = ("start_indexed_variables", "start_indexed_constraints", "literal_variables", "literal_constraints")


def frame_of(points: Sequence[SlotPoint], *, model_sizes: bool = False) -> pandas.DataFrame:
    """Return one row a point; see `SlotStudy.to_frame`."""
    import pandas

    frame = pandas.DataFrame([_record(point) | (_sizes(point) if model_sizes else {}) for point in points])
    counts = ["slots", *(_COUNTS if model_sizes else ())]
    return frame.astype(dict.fromkeys(counts, "Int64")) if points else frame


def _record(point: SlotPoint) -> dict[str, Any]:
    loss = point.loss
    intervals: dict[str, Interval | None] = {
        "scheduling_loss": None if loss is None else loss.scheduling,
        "total_loss": None if loss is None else loss.total,
        "loss_of_the_size": None if loss is None else loss.of_the_size,
    }
    ends = {
        f"{name}_{end}": None if one is None else float(getattr(one, end))
        for name, one in intervals.items()
        for end in ("low", "high")
    }
    return {
        "percent": float(point.percent),
        "slot": float(point.slot),
        "slots": point.slots,
        "makespan": float(point.makespan),
        "lower_bound": float(point.lower_bound),
        "status": point.status.value,
        "executed": float(point.executed),
        "compaction": float(point.compaction),
        "executed_compaction": float(point.executed_compaction),
        "rounding_loss": None if loss is None else float(loss.rounding),
        **ends,
        "seconds": point.seconds,
        "cached": point.cached,
    }


def _sizes(point: SlotPoint) -> dict[str, int | None]:
    start_indexed, literal = point.sizes.start_indexed, point.sizes.literal
    counts = (start_indexed.variables, start_indexed.constraints, literal.variables, literal.constraints)
    return dict(zip(_COUNTS, counts, strict=True))
