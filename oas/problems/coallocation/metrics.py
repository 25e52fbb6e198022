"""The schedule that is executed where there is no slot grid, or another."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from oas.core.errors import InputError, LongTimesError, TooLargeError
from oas.core.numbers import common_denominator
from oas.core.problem import check_variant
from oas.core.schedule import Placement, Schedule
from oas.problems.coallocation.execution import NodePowers, execute
from oas.problems.coallocation.running import long_times
from oas.problems.coallocation.ticks import duration, link_load
from oas.problems.registry import COALLOCATION
from oas.problems.rigid import FreeOverTime

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.problems.coallocation.instance import CoallocationInstance, Job

_FINEST = 10**1000  # a common unit of all times; arithmetic on times of this length is still cheap


def executed(instance: CoallocationInstance, schedule: Schedule, slot: Fraction = Fraction(0)) -> Schedule:
    """Return the schedule as a grid without slots would run it, or one with slots of another size.

    Jobs in the order of their starts (ties by index in the instance), on the same nodes, each as early as its nodes
    are done with the jobs before it and the links have room for its whole run, for its exact duration. No job ends
    later than in `schedule`; the result is feasible for ``instance.with_slot(0)``.

    With a `slot` durations are rounded up to whole ones of these, starts follow, and the result is feasible for
    ``instance.with_slot(slot)``; no job ends later where `slot` divides that of `schedule`.

    Where saturated links slow jobs down, it is run on line (`oas.problems.coallocation.execution.execute`): jobs keep
    their order on links too, and may end later than in `schedule`.

    Raises
    ------
    LongTimesError
        Naming ``slot``, if it is 0 and exact times become longer than files hold.
    """
    check_variant(instance, "execution", COALLOCATION.variants)
    if instance.saturation.slows:
        # The same instance knows its ticks already.
        return execute(instance if slot == instance.slot else instance.with_slot(slot), schedule).schedule
    index = {job.id: number for number, job in enumerate(instance.jobs)}
    powers = NodePowers(instance)
    runs = [
        _run(instance.jobs[index[one.job]], one.nodes, powers, slot)
        for one in sorted(schedule.placements, key=lambda one: (one.start, index[one.job]))
    ]
    # In integers: times in units of 1 / `fine`, loads in units of 1 / `unit`.
    fine = common_denominator((run.time for run in runs), _FINEST)
    if fine > _FINEST:
        raise long_times(Fraction(0), slot)
    widths = [cluster.bandwidth for cluster in instance.clusters]
    unit = lcm(*(load.denominator for run in runs for load in run.loads.values()), *(one.denominator for one in widths))
    links = {one.id: FreeOverTime(int(one.bandwidth * unit)) for one in instance.clusters}
    free = {one.id: [0] * one.size for one in instance.clusters}  # from when on, by cluster and node
    done = []
    for run in runs:
        time, loads = int(run.time * fine), [(links[name], int(load * unit)) for name, load in run.loads.items()]
        start, later = -1, max(max(map(free[name].__getitem__, numbers)) for name, numbers in run.nodes.items())
        while later != start:
            start = later
            for link, load in loads:
                later = link.earliest(later, time, load)
        for name, numbers in run.nodes.items():
            for number in numbers:
                free[name][number] = start + time
        for link, load in loads:
            link.take(start, start + time, load)
        begin, end = Fraction(start, fine), Fraction(start + time, fine)
        try:
            done.append(Placement(run.job, begin, end, run.nodes))
        except InputError as error:
            raise long_times(begin, slot) from error
    return Schedule(done, schedule.method)


class _Run(NamedTuple):
    """A job, its nodes, how long it runs on them, and its load on the links that it uses."""

    job: str
    nodes: Mapping[str, tuple[int, ...]]
    time: Fraction
    loads: dict[str, Fraction]


def _run(job: Job, nodes: Mapping[str, tuple[int, ...]], powers: NodePowers, slot: Fraction) -> _Run:
    time = duration(job, powers.slowest(nodes), slot)
    loads = {name: link_load(job, len(numbers)) for name, numbers in nodes.items()}
    return _Run(job.id, nodes, time, {name: load for name, load in loads.items() if load})


def executed_if_short(instance: CoallocationInstance, schedule: Schedule) -> Schedule | None:
    """Return `executed` without slots; None where exact times are too long or too fine."""
    try:
        return executed(instance, schedule)
    except (LongTimesError, TooLargeError):
        return None
