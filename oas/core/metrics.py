"""What a schedule is worth: executed schedule, compaction degree; utilisation, waits and bounded slowdown."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.core.errors import InputError
from oas.core.numbers import Exact, exact
from oas.core.schedule import Placement, Schedule
from oas.problems.coallocation.ticks import duration, link_load

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.mosp.instance import MospInstance


def executed(instance: CoallocationInstance, schedule: Schedule, slot: Fraction = Fraction(0)) -> Schedule:
    """Return the schedule as a grid without slots would run it, or one with slots of another size.

    Jobs in the order of their starts (ties by index in the instance), on the same nodes, each as early as its nodes
    are done with the jobs before it and the links have room for its whole run, for its exact duration. No job ends
    later than in `schedule`; the result is feasible for ``instance.with_slot(0)``.

    With a `slot` durations are rounded up to whole ones of these, starts follow, and the result is feasible for
    ``instance.with_slot(slot)``; no job ends later where `slot` divides that of `schedule`.
    """
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


def _peak(traffic: list[tuple[Fraction, Fraction, Fraction]], start: Fraction, end: Fraction) -> Fraction:
    """Highest load in [start, end)."""
    moments = {start, *(begin for begin, _, _ in traffic if start < begin < end)}
    return max(
        sum((load for begin, stop, load in traffic if begin <= moment < stop), Fraction(0)) for moment in moments
    )


def compaction(instance: Instance, schedule: Schedule) -> Fraction:
    """Compaction degree: the share of nodes × makespan in which nodes are held, Σ τ·duration / (nodes·makespan)."""
    held = sum((placement.tasks * placement.duration for placement in schedule.placements), Fraction(0))
    return held / (instance.node_count * schedule.makespan) if schedule.makespan else Fraction(0)


def utilisation(instance: MospInstance, schedule: Schedule) -> Fraction:
    """Return the share of processors × makespan that jobs and reservations hold; 0 for an empty schedule.

    Reservations stand for work of others; where there are none this is the compaction degree.
    """
    end = schedule.makespan
    if not end:
        return Fraction(0)
    reserved = sum(
        (
            one.processors * (min(one.end, end) - one.start)
            for organization in instance.organizations
            for one in organization.reservations
            if one.start < end
        ),
        Fraction(0),
    )
    return compaction(instance, schedule) + reserved / (instance.node_count * end)


def mean_wait(instance: MospInstance, schedule: Schedule) -> Fraction:
    """Return the mean over jobs of start − release, in the instance's time unit."""
    return Fraction(sum(_waits(instance, schedule).values(), Fraction(0)), len(instance.jobs))


def mean_bounded_slowdown(instance: MospInstance, schedule: Schedule, threshold: Exact = 10) -> Fraction:
    """Return the mean over jobs of max(1, (wait + p) / max(p, threshold)).

    Feitelson, Rudolph, Schwiegelshohn, Sevcik, Wong, *Theory and practice in parallel job scheduling*, JSSPP 1997;
    Feitelson, *Metrics for parallel job scheduling and their convergence*, JSSPP 2001, where the threshold is 10 s.

    Parameters
    ----------
    threshold
        τ above 0, in the instance's time unit: shorter jobs count as if they ran for so long.

    Raises
    ------
    InputError
        If the threshold is not above 0.
    """
    least = exact(threshold, "threshold")
    if least <= 0:
        raise InputError("must be above 0", field="threshold", value=str(least))
    waits = _waits(instance, schedule)
    slowdowns = (max(Fraction(1), (waits[job.id] + job.time) / max(job.time, least)) for job in instance.jobs)
    return Fraction(sum(slowdowns, Fraction(0)), len(instance.jobs))


def _waits(instance: MospInstance, schedule: Schedule) -> dict[str, Fraction]:
    starts = {placement.job: placement.start for placement in schedule.placements}
    return {job.id: starts[job.id] - job.release for job in instance.jobs}
