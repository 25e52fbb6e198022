"""Study of slot sizes: exact results for each, with cost and benefit of coarse slots."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from oas.coallocation.metrics import executed
from oas.coallocation.slot_sizes.model_time import FORMULATIONS, model_time
from oas.coallocation.slot_sizes.points import (
    Advice,
    Loss,
    ResultCache,
    SlotPoint,
    carry_over,
    loss_of,
    without_contradictions,
)
from oas.core.errors import InfeasibleError, InputError, naming
from oas.core.formats import attributes
from oas.core.instances import check_problem
from oas.core.numbers import Exact, exact
from oas.core.problem import check_variant
from oas.core.registry import COALLOCATION
from oas.core.schedule_metrics import compaction
from oas.solvers.discovery import executable_for
from oas.solving.formulation import check_match, find_formulation
from oas.solving.options import seconds_of
from oas.solving.parts import exact_parts
from oas.solving.study import SolveSeries, Study, frame_of, interval_columns

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    import pandas

    from oas.coallocation.instance import CoallocationInstance
    from oas.core.result import Result
    from oas.solving.progress import SolveProgress

DEFAULT_PERCENTS: tuple[Exact, ...] = (5, 10, 15, 25, 50, 75, 100, 150, 200, 250)


@dataclass(frozen=True, repr=False)
class SlotStudy(Study):
    """An instance at several slot sizes."""

    DISPLAY = "oas.coallocation.tables:slots_parts"

    instance: CoallocationInstance  #: as given; its own slot size is ignored
    #: by ascending slot size, η = 0 first. After Ctrl-C, points that were not reached are missing.
    points: tuple[SlotPoint, ...]
    interrupted: bool = False  #: whether Ctrl-C ended the study
    notes: tuple[str, ...] = ()  #: ignored files of the cache, and claims of solvers that another point refutes

    @property
    def reference(self) -> SlotPoint | None:
        """The point at η = 0; None if Ctrl-C came first."""
        return next((point for point in self.points if not point.slot), None)

    def advice(self, within: Exact = 5, *, executed: bool = False) -> Advice:
        """Return the largest slot size within the given percentage of the continuous optimum.

        Parameters
        ----------
        within
            In percent, at least 0.
        executed
            Whether to use the executed makespans instead of the slotted ones.

        Raises
        ------
        InputError
            If `within` is negative, or η = 0 was not reached.
        """
        percent = exact(within, "within")
        if percent < 0:
            raise InputError("must not be negative", field="within", value=str(percent))
        reference = self.reference
        if reference is None:
            raise InputError("η = 0 was not reached", field="reference")
        factor = 1 + percent / 100
        best: Fraction | None = None
        undecided = []
        for point in reversed(self.points):
            if (point.executed if executed else point.makespan) <= factor * reference.lower_bound:
                best = point.percent
                break
            if (point.executed if executed else point.lower_bound) <= factor * reference.makespan:
                undecided.append(point.percent)
        return Advice(percent, best, tuple(reversed(undecided)))

    def insensitive(self, *, executed: bool = False) -> bool:
        """Return whether `advice`, which never decreases with the tolerance, is the same from 1 % to 50 %."""
        least, most = (self.advice(within, executed=executed).percent for within in (1, 50))
        return len(self.points) > 1 and least is not None and least == most

    def to_frame(self, *, model_sizes: bool = False) -> pandas.DataFrame:
        """Return one row per point: times and ratios as floats, an interval as two columns, counts as integers.

        Parameters
        ----------
        model_sizes
            Whether to count the variables and constraints of both MIP models too, within 2 s per point.

        Each measured model has two more columns, such as ``highs_literal_seconds`` and ``highs_literal_status``; the
        seconds are the solve time only if the status is ``proven``.
        """
        frame = frame_of(map(_record, self.points))
        counts = ["slots"]
        for formulation in ("start_indexed", "literal") if model_sizes else ():
            for count in ("variables", "constraints"):
                counts.append(f"{formulation}_{count}")
                frame[counts[-1]] = [getattr(getattr(point.sizes, formulation), count) for point in self.points]
        return frame.astype(dict.fromkeys(counts, "Int64")) if self.points else frame


def _record(point: SlotPoint) -> dict[str, Any]:
    loss = point.loss
    return {
        **attributes(point, "percent", "slot", "slots", "makespan", "lower_bound", "status"),
        **attributes(point, "executed", "compaction", "executed_compaction"),
        "rounding_loss": None if loss is None else loss.rounding,
        **interval_columns("scheduling_loss", None if loss is None else loss.scheduling),
        **interval_columns("total_loss", None if loss is None else loss.total),
        **interval_columns("loss_of_the_size", None if loss is None else loss.of_the_size),
        **attributes(point, "seconds", "cached"),
        **{
            re.sub("[ -]", "_", f"{run.name} {field}"): getattr(run, field)
            for run, field in product(point.model_times, ("seconds", "status"))
        },
    }


def slot_study(
    instance: CoallocationInstance,
    percents: Sequence[Exact] = DEFAULT_PERCENTS,
    *,
    time_limit: float | None = 60.0,
    seed: int = 0,
    cache: str | os.PathLike[str] | None = None,
    model_times: Sequence[str] = (),
    model_limit: float = 60.0,
    on_progress: Callable[[SolveProgress], None] | None = None,
) -> SlotStudy:
    """Solve `instance` exactly at each slot size and at η = 0, from coarse to fine.

    Every point is solved separately. Then results are transferred: schedules are executed on the other grids, and lower
    bounds are used where a theorem permits it; a contradiction is an error
    (`oas.coallocation.slot_sizes.points`). After Ctrl-C the interrupted point is the last.

    Parameters
    ----------
    instance
        An instance of co-allocation; its own slot size is ignored.
    percents
        η in percent of the mean base time, each above 0; η = 0 is always added.
    time_limit
        Seconds for all points together; None for no limit. Each point may use an equal share of the remaining time;
        unused time is available to finer sizes and to η = 0, which comes last.
    seed
        Of the solves.
    cache
        A folder for finished points (`oas.coallocation.slot_sizes.points`), with which the same study can be resumed.
        None for no cache.
    model_times
        Names of MIP solvers, such as ``("highs", "cbc")``. At each slot size, after all solves, each one solves the
        start-indexed and the literal model from the best heuristic schedule, without a combinatorial bound.
    model_limit
        Seconds for each of these models, in addition to `time_limit`.
    on_progress
        As `oas.solve` takes it; the stage is the slot size.

    Raises
    ------
    InputError
        If the instance is of another problem, or its saturated links slow jobs down, or a slot size is not above 0 or
        is given twice, or a solver of `model_times` accepts no MIP models.
    InfeasibleError
        If some job has no allocation; this does not depend on the slot size.
    TooLargeError
        If times at some slot size are too fine for ticks.
    SolverMissingError
        If a solver of `model_times` is not installed.
    SolverError
        If a bound with a certificate contradicts a schedule of another slot size. Claims of solvers that do are
        dropped, and a note says so.
    """
    check_problem(instance, COALLOCATION, "only instances of co-allocation have time slots")
    check_variant(instance, "the study of slot sizes")
    sizes, limit = _checked(percents), seconds_of(model_limit) or 60.0
    solvers = (model_times,) if isinstance(model_times, str) else tuple(model_times)
    for solver in solvers:
        with naming("model_times"):
            check_match(solver, find_formulation(FORMULATIONS[0], COALLOCATION), COALLOCATION)
        executable_for(solver)
    store = ResultCache(cache, seed, None if time_limit is None else time_limit / len(sizes))
    series = SolveSeries({"time_limit": time_limit, "seed": seed, "on_progress": on_progress})
    grids = [instance.with_slot(instance.mean_base_time * percent / 100) for percent in sizes]
    for grid in grids:
        grid.scaled()  # refuses a slot size that is too fine before any is solved
    unplaceable = exact_parts(instance).unplaceable(instance)
    if unplaceable:
        raise InfeasibleError(f"no allocation exists for {', '.join(unplaceable)}: the links are too narrow")
    results, cached = _solve_grids(sizes, grids, store, series)
    results, contradictions = without_contradictions(instance, results)
    points = [*_points(instance, results, cached)]
    if solvers and not series.interrupted:
        with series.interruptible():
            for index in reversed(range(len(points))):  # from coarse to fine
                runs = [model_time(points[index], *run, limit, seed) for run in product(solvers, FORMULATIONS)]
                points[index] = replace(points[index], model_times=tuple(runs))
    return SlotStudy(instance, tuple(points), series.interrupted, (*store.notes, *contradictions))


def _solve_grids(
    sizes: Sequence[Fraction], grids: Sequence[CoallocationInstance], store: ResultCache, series: SolveSeries
) -> tuple[dict[Fraction, Result], set[Fraction]]:
    """Return the results that have a schedule and a bound, by slot size, and the slot sizes found in the cache."""
    results: dict[Fraction, Result] = {}
    cached: set[Fraction] = set()
    with series.interruptible():
        for place, (percent, grid) in enumerate(zip(sizes, grids, strict=True)):
            result = store.find(grid)
            if result is not None:
                cached.add(grid.slot)
            else:
                text = str(percent) if percent.denominator == 1 else f"{float(percent):g}"
                stage = f"η = {text} % ({place + 1} of {len(sizes)})"
                result = series.solve(grid, stage, time_limit=series.share(len(sizes) - place))
                store.keep(grid, result)
            if result.schedule is not None and result.lower_bound is not None:
                results[grid.slot] = result
            if series.interrupted:
                break
    return results, cached


def _checked(percents: Sequence[Exact]) -> list[Fraction]:
    """Return the slot sizes in percent in descending order, with 0 at the end."""
    sizes: list[Fraction] = []
    for index, value in enumerate(percents):
        percent = exact(value, f"percents[{index}]")
        if percent <= 0:
            raise InputError("must be above 0; η = 0 is always there", field=f"percents[{index}]", value=str(percent))
        if percent in sizes:
            raise InputError("is there twice", field=f"percents[{index}]", value=str(percent))
        sizes.append(percent)
    return [*sorted(sizes, reverse=True), Fraction(0)]


def _points(
    instance: CoallocationInstance, results: Mapping[Fraction, Result], cached: Collection[Fraction]
) -> Iterator[SlotPoint]:
    known = carry_over(instance, results)
    free = known.get(Fraction(0))
    for slot, best in sorted(known.items(), key=itemgetter(0)):
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
