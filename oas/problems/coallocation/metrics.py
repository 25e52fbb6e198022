"""The schedule that is executed where there is no slot grid, or another."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.errors import LongTimesError
from oas.core.problem import check_variant
from oas.core.schedule import Placement, Schedule
from oas.problems.coallocation.execution import execute
from oas.problems.coallocation.problem import COALLOCATION
from oas.problems.coallocation.ticks import duration, link_load

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance


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
        Where links slow down and `slot` is 0: naming ``slot``, if exact times become longer than files hold.
    """
    check_variant(instance, "execution", COALLOCATION.variants)
    if instance.saturation.slows:
        return execute(instance.with_slot(slot), schedule).schedule
    index = {job.id: number for number, job in enumerate(instance.jobs)}
    powers = {cluster.id: cluster.node_powers for cluster in instance.clusters}
    bandwidth = {cluster.id: cluster.bandwidth for cluster in instance.clusters}
    free: dict[tuple[str, int], Fraction] = {}
    traffic: dict[str, list[tuple[Fraction, Fraction, Fraction]]] = {name: [] for name in powers}
    done = []
    for placement in sorted(schedule.placements, key=lambda one: (one.start, index[one.job])):
        job = instance.jobs[index[placement.job]]
        nodes = [(name, number) for name, numbers in placement.nodes.items() for number in numbers]
        time = duration(job, min(powers[name][number] for name, number in nodes), slot)
        loads = {name: link_load(job, len(numbers)) for name, numbers in placement.nodes.items()}
        start = max((free.get(node, Fraction(0)) for node in nodes), default=Fraction(0))
        for moment in sorted({start, *(end for name in loads for _, end, _ in traffic[name] if end > start)}):
            if all(
                _peak(traffic[name], moment, moment + time) + load <= bandwidth[name] for name, load in loads.items()
            ):
                start = moment
                break
        for node in nodes:
            free[node] = start + time
        for name, load in loads.items():
            if load:
                traffic[name].append((start, start + time, load))
        done.append(Placement(job.id, start, start + time, placement.nodes))
    return Schedule(done, schedule.method)


def executed_if_short(instance: CoallocationInstance, schedule: Schedule) -> Schedule | None:
    """Return `executed` without slots; None where saturated links make exact times longer than files hold."""
    try:
        return executed(instance, schedule)
    except LongTimesError:
        return None


def _peak(traffic: list[tuple[Fraction, Fraction, Fraction]], start: Fraction, end: Fraction) -> Fraction:
    """Highest load in [start, end)."""
    moments = {start, *(begin for begin, _, _ in traffic if start < begin < end)}
    return max(
        sum((load for begin, stop, load in traffic if begin <= moment < stop), Fraction(0)) for moment in moments
    )
