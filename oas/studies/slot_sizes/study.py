"""Study of slot sizes: exact results for each, with cost and benefit of coarse slots."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from oas.core.errors import InfeasibleError, InputError
from oas.core.instances import check_problem
from oas.core.numbers import Exact, exact
from oas.core.problem import check_variant
from oas.core.schedule_metrics import compaction
from oas.exact.parts import exact_parts
from oas.problems.coallocation.metrics import executed
from oas.problems.registry import COALLOCATION
from oas.studies.slot_sizes.points import Advice, Loss, ResultCache, SlotPoint, advise, carry_over, loss_of
from oas.studies.study import SolveSeries, Study, frame_of, interval_columns

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    import pandas

    from oas.core.result import Result
    from oas.exact.progress import SolveProgress
    from oas.problems.coallocation.instance import CoallocationInstance

DEFAULT_PERCENTS: tuple[Exact, ...] = (5, 10, 15, 25, 50, 75, 100, 150, 200, 250)
DEFAULT_SECONDS = 60.0
DEFAULT_WITHIN = 5


@dataclass(frozen=True, repr=False)
class SlotStudy(Study):
    """An instance at several slot sizes.

    Attributes
    ----------
    instance
        As given; its own slot size is ignored.
    points
        By ascending slot size, η = 0 first. After Ctrl-C, points that were not reached are missing.
    interrupted
        Whether Ctrl-C ended the study.
    notes
        Ignored files of the cache with reasons.
    """

    DISPLAY = "coallocation.slots_parts"

    instance: CoallocationInstance
    points: tuple[SlotPoint, ...]
    interrupted: bool = False
    notes: tuple[str, ...] = ()

    @property
    def reference(self) -> SlotPoint | None:
        """The point at η = 0; None if Ctrl-C came first."""
        return next((point for point in self.points if not point.slot), None)

    def advice(self, within: Exact = DEFAULT_WITHIN, *, executed: bool = False) -> Advice:
        """Return the largest slot size within the given percentage of the continuous optimum.

        Parameters
        ----------
        within
            In percent, at least 0.
        executed
            Whether the executed makespans count, instead of the slotted ones.

        Raises
        ------
        InputError
            If `within` is negative, or η = 0 was not reached.
        """
        percent = exact(within, "within")
        if percent < 0:
            raise InputError("must not be negative", field="within", value=str(percent))
        if self.reference is None:
            raise InputError("η = 0 was not reached", field="reference")
        return advise(self.points, self.reference, percent, executed=executed)

    def to_frame(self, *, model_sizes: bool = False) -> pandas.DataFrame:
        """Return one row a point: times and ratios as floats, an interval as two columns, counts as integers.

        Parameters
        ----------
        model_sizes
            Whether to count the variables and constraints of both MIP models too, in up to 2 s a point.
        """
        frame = frame_of(_record(point) | (_sizes(point) if model_sizes else {}) for point in self.points)
        counts = ["slots", *(_COUNTS if model_sizes else ())]
        return frame.astype(dict.fromkeys(counts, "Int64")) if self.points else frame


_COUNTS = ("start_indexed_variables", "start_indexed_constraints", "literal_variables", "literal_constraints")


def _record(point: SlotPoint) -> dict[str, Any]:
    loss = point.loss
    return {
        "percent": point.percent,
        "slot": point.slot,
        "slots": point.slots,
        "makespan": point.makespan,
        "lower_bound": point.lower_bound,
        "status": point.status.value,
        "executed": point.executed,
        "compaction": point.compaction,
        "executed_compaction": point.executed_compaction,
        "rounding_loss": None if loss is None else loss.rounding,
        **interval_columns("scheduling_loss", None if loss is None else loss.scheduling),
        **interval_columns("total_loss", None if loss is None else loss.total),
        **interval_columns("loss_of_the_size", None if loss is None else loss.of_the_size),
        "seconds": point.seconds,
        "cached": point.cached,
    }


def _sizes(point: SlotPoint) -> dict[str, int | None]:
    start_indexed, literal = point.sizes.start_indexed, point.sizes.literal
    counts = (start_indexed.variables, start_indexed.constraints, literal.variables, literal.constraints)
    return dict(zip(_COUNTS, counts, strict=True))


def slot_study(
    instance: CoallocationInstance,
    percents: Sequence[Exact] = DEFAULT_PERCENTS,
    *,
    time_limit: float | None = DEFAULT_SECONDS,
    seed: int = 0,
    cache: str | os.PathLike[str] | None = None,
    on_progress: Callable[[SolveProgress], None] | None = None,
) -> SlotStudy:
    """Solve `instance` exactly at each slot size and at η = 0, from coarse to fine.

    Every point is solved separately. Then results are transferred: schedules are executed on the other grids, and lower
    bounds are used where a theorem permits it; a contradiction is an error
    (`oas.studies.slot_sizes.points`). After Ctrl-C the interrupted point is the last.

    Parameters
    ----------
    instance
        Of co-allocation; its own slot size is ignored.
    percents
        η in percent of the mean base time, each above 0; η = 0 is always added.
    time_limit
        Seconds for all points together; None for no limit. Each point may use an equal share of the remaining time;
        unused time is available to finer sizes and to η = 0, which comes last.
    seed
        Of the solves.
    cache
        A folder for finished points (`oas.studies.slot_sizes.points`), with which the same study can be resumed.
        Without it nothing is stored.
    on_progress
        As `oas.solve` takes it; the stage is the slot size.

    Raises
    ------
    InputError
        If the instance is of another problem, or its saturated links slow jobs down, or a slot size is not above 0 or
        there twice.
    InfeasibleError
        If some job has no allocation, at whatever slot size.
    TooLargeError
        If times at some slot size are too fine to be counted.
    SolverError
        If bounds and schedules of two slot sizes contradict one another.
    """
    check_problem(instance, COALLOCATION, "only instances of co-allocation have time slots")
    check_variant(instance, "the study of slot sizes")
    sizes = _checked(percents)
    store = ResultCache(cache, seed, None if time_limit is None else time_limit / len(sizes))
    series = SolveSeries({"time_limit": time_limit, "seed": seed, "on_progress": on_progress})
    grids = [instance.with_slot(instance.mean_base_time * percent / 100) for percent in sizes]
    for grid in grids:
        grid.scaled()  # too fine a slot size is refused before any is solved
    unplaceable = exact_parts(instance).unplaceable(instance)
    if unplaceable:
        raise InfeasibleError(f"no allocation exists for {', '.join(unplaceable)}: the links are too narrow")
    results, cached = _solve_grids(sizes, grids, store, series)
    return SlotStudy(instance, tuple(_points(instance, results, cached)), series.interrupted, tuple(store.notes))


def _solve_grids(
    sizes: Sequence[Fraction], grids: Sequence[CoallocationInstance], store: ResultCache, series: SolveSeries
) -> tuple[dict[Fraction, Result], set[Fraction]]:
    """Return the results that have a schedule and a bound, by slot size, and the slot sizes found in the cache."""
    results: dict[Fraction, Result] = {}
    cached: set[Fraction] = set()
    try:
        for place, (percent, grid) in enumerate(zip(sizes, grids, strict=True)):
            result = store.find(grid)
            if result is not None:
                cached.add(grid.slot)
            else:
                stage = f"η = {_decimal(percent)} % ({place + 1} of {len(sizes)})"
                result = series.solve(grid, stage, time_limit=series.share(len(sizes) - place))
                store.keep(grid, result)
            if result.schedule is not None and result.lower_bound is not None:
                results[grid.slot] = result
            if series.interrupted:
                break
    except KeyboardInterrupt:
        series.interrupted = True
    return results, cached


def _checked(percents: Sequence[Exact]) -> list[Fraction]:
    """The slot sizes in percent, from coarse to fine, with 0 at the end."""
    sizes: list[Fraction] = []
    for index, given in enumerate(percents):
        percent = exact(given, f"percents[{index}]")
        if percent <= 0:
            raise InputError("must be above 0; η = 0 is always there", field=f"percents[{index}]", value=str(percent))
        if percent in sizes:
            raise InputError("is there twice", field=f"percents[{index}]", value=str(percent))
        sizes.append(percent)
    return [*sorted(sizes, reverse=True), Fraction(0)]


def _decimal(percent: Fraction) -> str:
    return str(percent) if percent.denominator == 1 else f"{float(percent):g}"


def _points(
    instance: CoallocationInstance, results: Mapping[Fraction, Result], cached: Collection[Fraction]
) -> Iterator[SlotPoint]:
    held = carry_over(instance, results)
    free = held.get(Fraction(0))
    for slot, best in sorted(held.items(), key=itemgetter(0)):
        run = executed(instance, best.schedule)
        loss: Loss | None = None
        if free is not None:
            ends = (best.schedule.makespan, run.makespan, best.lower_bound)
            loss = loss_of(*ends, free.lower_bound, free.schedule.makespan)
        yield SlotPoint(
            percent=100 * slot / instance.mean_base_time,
            slot=slot,
            result=results[slot],
            schedule=best.schedule,
            lower_bound=best.lower_bound,
            bound_from=100 * best.bound_from / instance.mean_base_time,
            executed=run.makespan,
            compaction=compaction(instance, best.schedule),
            executed_compaction=compaction(instance, run),
            loss=loss,
            grid=instance.with_slot(slot),
            cached=slot in cached,
        )
