"""Charts of MOSP: the style of its Gantt charts, and the processors shown for reservations, which name none."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oas.core.node_ranges import stretches
from oas.plots.lanes import ChartStyle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from oas.core.rigid import Organization
    from oas.core.schedule import Schedule
    from oas.mosp.instance import MospInstance


@dataclass(frozen=True)
class ReservedBox:
    """Neighbouring processors of a cluster that reservations hold for a while: one rectangle."""

    cluster: int  # index in the instance
    first: int  # number of the first processor
    count: int  # number of processors
    start: Fraction  # in the instance's time unit
    end: Fraction  # in the instance's time unit


def reserved_boxes(instance: MospInstance, schedule: Schedule) -> list[ReservedBox]:
    """Return the rectangles of all reservations.

    At each moment the reservations of a cluster take processors that no job holds: those they took the moment before,
    then the highest. Only in a schedule that breaks this rule do they share processors with jobs.
    """
    boxes = []
    for index, organization in enumerate(instance.organizations):
        open_since: dict[tuple[int, int], Fraction] = {}
        for moment, taken in _taken(organization, schedule):
            parts = {(one.start, len(one)) for one in stretches(taken)}
            for part in open_since.keys() - parts:
                boxes.append(ReservedBox(index, *part, open_since.pop(part), moment))
            open_since.update(dict.fromkeys(parts - open_since.keys(), moment))
    return sorted(boxes, key=lambda box: (box.cluster, box.start, box.first))


def _taken(organization: Organization, schedule: Schedule) -> Iterator[tuple[Fraction, list[int]]]:
    """Yield each moment of a change, and the processors that are reserved from then on."""
    if not organization.reservations:
        return
    changes: dict[Fraction, list[tuple[int, tuple[int, ...], int]]] = defaultdict(list)
    for one in organization.reservations:
        changes[one.start].append((one.processors, (), 0))
        changes[one.end].append((-one.processors, (), 0))
    for run in schedule.placements:
        nodes = run.nodes.get(organization.id, ())
        changes[run.start].append((0, nodes, 1))
        changes[run.end].append((0, nodes, -1))
    usage, jobs, taken = 0, [0] * organization.processors, set[int]()
    for moment in sorted(changes):
        for reserved, nodes, more in changes[moment]:
            usage += reserved
            for node in nodes:
                jobs[node] += more
        highest_first = range(organization.processors - 1, -1, -1)
        by_choice = sorted(highest_first, key=lambda node: (jobs[node] > 0, node not in taken)) if usage else []
        taken = set(by_choice[:usage])
        yield moment, sorted(taken)


STYLE = ChartStyle("oas.mosp.plots.style:OrganizationsLook", reserved=reserved_boxes)
