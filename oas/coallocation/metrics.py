"""Execution of a schedule in continuous time or on another slot grid."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

from oas.coallocation.execution import NodePowers, execute_schedule
from oas.coallocation.running import long_times
from oas.coallocation.ticks import duration, link_load
from oas.core.errors import InputError, LongTimesError, TooLargeError
from oas.core.numbers import common_denominator
from oas.core.problem import check_variant
from oas.core.registry import COALLOCATION
from oas.core.rigid import FreeOverTime
from oas.core.schedule import Placement, Schedule
from oas.core.schedule_metrics import compaction

if TYPE_CHECKING:
    from oas.coallocation.instance import CoallocationInstance

_MAX_DENOMINATOR = 10**1000  # limit for the common unit of all times, so that arithmetic stays cheap


def executed(instance: CoallocationInstance, schedule: Schedule, slot: Fraction = Fraction(0)) -> Schedule:
    """Return the schedule as it would run in continuous time, or with slots of another size.

    Jobs run in the order of their starts (ties by index in the instance), on the same nodes, for their exact durations.
    Each starts as soon as its nodes have finished the jobs before it and the links have enough bandwidth for its whole
    run. No job ends later than in `schedule`; the result is feasible for ``instance.with_slot(0)``.

    With a `slot`, durations are rounded up to whole slots, and the result is feasible for ``instance.with_slot(slot)``;
    no job ends later if `slot` divides that of `schedule`.

    If saturated links slow jobs down, the schedule is executed on-line by
    `oas.coallocation.execution.execute`: jobs also keep their order on links, and may end later than in
    `schedule`.

    Raises `LongTimesError` naming ``slot`` if it is 0 and exact times become longer than files can hold.
    """
    check_variant(instance, "execution", COALLOCATION.variants)
    if instance.saturation.slows:
        # The same instance has already computed its ticks.
        return execute_schedule(instance if slot == instance.slot else instance.with_slot(slot), schedule)
    index = {job.id: number for number, job in enumerate(instance.jobs)}
    powers = NodePowers(instance)
    placements = sorted(schedule.placements, key=lambda one: (one.start, index[one.job]))
    jobs = [instance.jobs[index[one.job]] for one in placements]
    times = [duration(job, powers.slowest(one.nodes), slot) for job, one in zip(jobs, placements, strict=True)]
    loads = [
        {name: link_load(job, len(numbers)) for name, numbers in one.nodes.items()}
        for job, one in zip(jobs, placements, strict=True)
    ]
    # In integers: times in units of 1 / `time_unit`, loads in units of 1 / `load_unit`.
    time_unit = common_denominator(times, _MAX_DENOMINATOR)
    if time_unit > _MAX_DENOMINATOR:
        raise long_times(Fraction(0), slot)
    widths = [cluster.bandwidth for cluster in instance.clusters]
    load_unit = lcm(*(load.denominator for row in loads for load in row.values()), *(one.denominator for one in widths))
    links = {one.id: FreeOverTime(int(one.bandwidth * load_unit)) for one in instance.clusters}
    free_from = {one.id: [0] * one.size for one in instance.clusters}  # by cluster and node
    executed_runs = []
    for one, exact_time, row in zip(placements, times, loads, strict=True):
        time = int(exact_time * time_unit)
        demands = [(links[name], int(load * load_unit)) for name, load in row.items() if load]
        start, later = -1, max(max(map(free_from[name].__getitem__, numbers)) for name, numbers in one.nodes.items())
        while later != start:
            start = later
            for link, load in demands:
                later = link.earliest(later, time, load)
        for name, numbers in one.nodes.items():
            for number in numbers:
                free_from[name][number] = start + time
        for link, load in demands:
            link.take(start, start + time, load)
        begin, end = Fraction(start, time_unit), Fraction(start + time, time_unit)
        try:
            executed_runs.append(Placement(one.job, begin, end, one.nodes))
        except InputError as error:
            raise long_times(begin, slot) from error
    return Schedule(executed_runs, schedule.method)


def executed_if_short(instance: CoallocationInstance, schedule: Schedule) -> Schedule | None:
    """Return the schedule `executed` in continuous time; None if exact times are too long or too fine."""
    try:
        return executed(instance, schedule)
    except (LongTimesError, TooLargeError):
        return None


def figures(instance: CoallocationInstance, schedule: Schedule, *, keeps_promises: bool) -> dict[str, Any]:
    """Return makespan and compaction degree of the executed schedule; None if its times are too long.

    The figures of the problem in a comparison, as fields of `oas.solving.comparison.ComparisonRow`. The schedule is
    verified, at least without the constraints that a heuristic may ignore; `keeps_promises`: whether it satisfies these
    too.
    """
    run = executed_if_short(instance, schedule)
    return {
        "executed": None if run is None else run.makespan,
        "executed_compaction": None if run is None else compaction(instance, run),
    }
