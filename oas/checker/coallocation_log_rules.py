"""Rules by which a search log of co-allocation is walked: the instance, and statements of the certificate, confirmed.

Jobs are numbered by their place in the log's order; node classes go from the slowest level on, then by index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from oas.checker.coallocation_heaviest import read_weightings
from oas.checker.coallocation_instance import COALLOCATION_MAX_TICKS, CoallocationTicks
from oas.checker.coallocation_spread import fastest_levels
from oas.checker.coallocation_together import Together
from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.reading import integer_of, list_of

MOST_LOG_PAIRS = 2**18  # (job, level) twice


class RunningJob(NamedTuple):
    """A job on the path: its end, number and level, the nodes it holds of each class, and what it asks of each link."""

    end: int
    job: int
    level: int
    held: tuple[int, ...]
    asked: tuple[int, ...]


class LogRules:
    """The rules of one log.

    Attributes
    ----------
    horizon
        C, the makespan that is to be refuted, in ticks.
    placed
        Whether nodes are decided.
    mirrored
        The job whose middle is in the first half.
    tasks, fastest, loads, ticks
        Of each job: τ, its least level, its loads on a link by tasks there, its durations by level.
    room
        Of each level: nodes of it or faster ones.
    links
        Capacity of each link.
    classes
        Node classes, none if nodes are not decided.
    apart
        ``apart[job][level]``: bit (other·levels + level of the other) for what cannot run beside it.
    weights, extra
        ``[job][level]``: by each set of weights, what the job weighs at that level, and by how much that over its time
        is more than at its cheapest level.
    whole, budget
        Of each set of weights: M, and what a schedule of C ticks may waste.

    Raises
    ------
    Refused
        If the fields are malformed, or what they say does not hold.
    """

    def __init__(self, scaled: CoallocationTicks, fields: dict[str, Any], effort: Effort) -> None:
        jobs, levels = scaled.job_count, len(scaled.powers)
        self.horizon = integer_of(fields["makespan"], "certificate.makespan", most=COALLOCATION_MAX_TICKS - 1)
        self.placed = fields["placed"]
        if type(self.placed) is not bool:
            raise refused("certificate.placed", "must be true or false", self.placed)
        order = [
            integer_of(job, "certificate.order", most=jobs - 1)
            for job in list_of(fields["order"], "certificate.order", count=jobs)
        ]
        if len(set(order)) < jobs:
            raise refused("certificate.order", "must hold each job once")
        self.mirrored = order.index(integer_of(fields["mirrored"], "certificate.mirrored", most=jobs - 1))
        if (jobs * levels) ** 2 > MOST_LOG_PAIRS:
            raise refused("certificate", f"{jobs} jobs of {levels} levels are too many")
        fastest, together = fastest_levels(scaled), Together(scaled, effort)
        weightings = read_weightings(fields["weights"], fastest, together)
        self.tasks = [scaled.tasks[job] for job in order]
        self.fastest = [fastest[job] for job in order]
        self.loads = [scaled.link_loads[job] for job in order]
        self.ticks = [scaled.durations[job] for job in order]
        self.room, self.links = together.capacity, scaled.link_capacity
        self.classes = sorted(scaled.classes, key=lambda one: -one.level) if self.placed else []
        self.apart = _read_apart(order, together, fields["apart"])
        self.weights = [[tuple(rows[job][level] for rows, _ in weightings) for level in range(levels)] for job in order]
        self.whole = tuple(whole for _, whole in weightings)
        self.extra: list[list[tuple[int, ...]]] = []
        budget = [self.horizon * whole for whole in self.whole]
        for ticks, first, own in zip(self.ticks, self.fastest, self.weights, strict=True):
            works = [[time * weight for weight in row] for time, row in zip(ticks, own, strict=True)]
            least = list(map(min, zip(*works[first:], strict=True)))
            self.extra.append([tuple(map(int.__sub__, row, least)) for row in works])
            budget = list(map(int.__sub__, budget, least))
        self.budget = tuple(budget)


class GridLeft:
    """What running jobs leave of the grid.

    Attributes
    ----------
    room
        Of each level: nodes of it or faster ones.
    most
        Of each level: the tasks that a job of it may have, by nested capacities.
    beside
        What runs, as bits (job·levels + level).
    free, links
        Nodes of each class, and of each link; none if nodes are not decided.
    """

    __slots__ = ("beside", "free", "links", "most", "room")

    def __init__(self, room: Sequence[int], beside: int, free: tuple[int, ...], links: tuple[int, ...]) -> None:
        self.room, self.beside, self.free, self.links = room, beside, free, links
        most = list(room)
        for level in range(len(most) - 2, -1, -1):
            if most[level + 1] < most[level]:
                most[level] = most[level + 1]
        self.most = most

    def changed(self, rules: LogRules, one: RunningJob, sign: int) -> GridLeft:
        """Return what is left when a job ends (1) or begins (-1)."""
        tasks = sign * rules.tasks[one.job]
        room = [own + tasks if level >= one.level else own for level, own in enumerate(self.room)]
        beside = self.beside ^ 1 << one.job * len(room) + one.level
        if not one.held:
            return GridLeft(room, beside, self.free, self.links)
        free = tuple([own + sign * count for own, count in zip(self.free, one.held, strict=True)])
        links = tuple([own + sign * load for own, load in zip(self.links, one.asked, strict=True)])
        return GridLeft(room, beside, free, links)

    def has_nodes(self, held: Sequence[int], asked: Sequence[int]) -> bool:
        """Tell whether these nodes are free, and the links take what is asked of them."""
        return not any(map(int.__lt__, self.free, held)) and not any(map(int.__lt__, self.links, asked))


def _read_apart(order: Sequence[int], together: Together, value: Any) -> list[list[int]]:
    """Return the pairs that cannot run together, each confirmed."""
    jobs, levels = len(order), together.levels
    place = {job: at for at, job in enumerate(order)}
    apart = [[0] * levels for _ in order]
    for number, one in enumerate(list_of(value, "certificate.apart", most=MOST_LOG_PAIRS)):
        where = f"certificate.apart[{number}]"
        job, level, other, below = (
            integer_of(entry, where, most=most - 1)
            for entry, most in zip(list_of(one, where, count=4), (jobs, levels) * 2, strict=True)
        )
        if job == other:
            raise refused(where, "must be different jobs", one)
        if together.fits([(job, level), (other, below)]):
            raise refused(where, "these can run together", one)
        apart[place[job]][level] |= 1 << place[other] * levels + below
        apart[place[other]][below] |= 1 << place[job] * levels + level
    return apart
